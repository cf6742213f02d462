// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// text(a, b, …): the pieces of a message, written one after another.
//
// A message is built only when it is shown (an error, an explanation, an enabled log line), so
// clarity beats speed here. Numbers, text, whatever has a name(), and ranges of these (as (1, 2,
// 3)) can be pieces.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mathwright/error.hpp>

namespace mw {

namespace text_detail {

void put_number(std::string& out, long long value);
void put_number(std::string& out, unsigned long long value);
void put_number(std::string& out, double value);  ///< six significant digits

// No streams: they obey the process's locale, and carry state that a second C++ library in the
// process can disturb.
template <class T>
void put(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    out += value;
  } else if constexpr (std::signed_integral<T>) {
    put_number(out, static_cast<long long>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    put_number(out, static_cast<unsigned long long>(value));
  } else if constexpr (std::floating_point<T>) {
    put_number(out, static_cast<double>(value));
  } else if constexpr (requires { value.imag(); }) {
    put_number(out, static_cast<double>(value.real()));
    out += value.imag() < 0 ? "" : "+";
    put_number(out, static_cast<double>(value.imag()));
    out += 'i';
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(value);
  } else if constexpr (std::ranges::range<T>) {
    // As Python writes tuples, (3,) included: shapes read the same on both faces of the library.
    out += '(';
    std::size_t count = 0;
    for (const auto& item : value) {
      if (count++ > 0) out += ", ";
      put(out, item);
    }
    out += count == 1 ? ",)" : ")";
  } else {
    out += name(value);  // enumerations, devices: what has a name() is a piece
  }
}

}  // namespace text_detail

/// The pieces as one string.
template <class... Pieces>
[[nodiscard]] std::string text(const Pieces&... pieces) {
  std::string out;
  (text_detail::put(out, pieces), ...);
  return out;
}

/// Throws Error of the given kind; the pieces are its message.
template <class... Pieces>
[[noreturn]] void fail(ErrorKind kind, const Pieces&... pieces) {
  throw Error(kind, text(pieces...));
}

/// Throws unless the condition holds. The pieces are evaluated by the caller, so keep them cheap.
template <class... Pieces>
void require(bool condition, ErrorKind kind, const Pieces&... pieces) {
  if (!condition) [[unlikely]]
    fail(kind, pieces...);
}

/// The non-empty pieces between any of the separator characters.
[[nodiscard]] std::vector<std::string> split(std::string_view whole, std::string_view separators);

/// A file's contents; empty if it cannot be read.
[[nodiscard]] std::string file_text(const std::string& path);

/// Bytes as people read them: "512 B", "12.0 KiB", "3.4 MiB".
[[nodiscard]] std::string human_bytes(double bytes);

/// Seconds as people read them: "1.2 µs", "3.4 ms".
[[nodiscard]] std::string human_seconds(double seconds);

}  // namespace mw
