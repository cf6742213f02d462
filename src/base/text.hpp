// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// text(a, b, …): the pieces of a message, written one after another.
//
// A message is built only when it is shown (an error, an explanation, an enabled log line), so clarity
// beats speed here; anything with an operator<< can be a piece, and ranges print as (1, 2, 3).
#pragma once

#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include <mathwright/error.hpp>

namespace mw {

namespace text_detail {

template <class T>
concept Streams = requires(std::ostream& os, const T& value) { os << value; };

template <class T>
void put(std::ostream& os, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    os << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>) {
    os << static_cast<int>(value);
  } else if constexpr (Streams<T>) {
    os << value;
  } else if constexpr (std::ranges::range<T>) {
    // As Python writes tuples, (3,) included: shapes read the same on both faces of the library.
    os << '(';
    std::size_t count = 0;
    for (const auto& item : value) {
      if (count++ > 0) os << ", ";
      put(os, item);
    }
    os << (count == 1 ? ",)" : ")");
  } else {
    os << name(value);  // enumerations have a name()
  }
}

}  // namespace text_detail

/// The pieces as one string.
template <class... Pieces>
[[nodiscard]] std::string text(const Pieces&... pieces) {
  std::ostringstream os;
  (text_detail::put(os, pieces), ...);
  return std::move(os).str();
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

/// Bytes as people read them: "512 B", "12.0 KiB", "3.4 MiB".
[[nodiscard]] std::string human_bytes(double bytes);

/// Seconds as people read them: "1.2 µs", "3.4 ms".
[[nodiscard]] std::string human_seconds(double seconds);

}  // namespace mw
