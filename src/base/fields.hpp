// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The fields visitor: a struct lists its members once and gets equality, hash, cache key and
// printing.
//
//   struct Layout {
//     Dims shape, strides;
//     auto fields() const { return std::tuple{field("shape", shape), field("strides", strides)}; }
//   };
//
// `same(a, b)`, `printed(a)` and `Key::of(a)` then work for it and for whatever contains it. A new
// member is one more entry of that list, so no key or comparison can forget it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/text.hpp"

namespace mw {

template <class T>
struct Field {
  const char* name;
  const T& value;
};

template <class T>
Field<T> field(const char* name, const T& value) {
  return {name, value};
}

template <class T>
concept HasFields = requires(const T& value) {
  value.fields();
};

template <class T>
concept RangeOfFields = std::ranges::range<T> && HasFields<std::ranges::range_value_t<T>>;

/// Calls visit(name, value) for each member.
template <HasFields T, class Visit>
void for_each_field(const T& value, Visit&& visit) {
  std::apply([&](const auto&... fields) { (visit(fields.name, fields.value), ...); },
             value.fields());
}

/// The bytes of a value, written member by member: equal values, and only they, have equal keys.
class Key {
 public:
  /// Keys are made at every stateless call: room for an ordinary one at once.
  Key() { bytes_.reserve(512); }

  template <class T>
  [[nodiscard]] static Key of(const T& value) {
    Key key;
    key.add(value);
    return key;
  }

  template <class T>
  void add(const T& value) {
    if constexpr (HasFields<T>) {
      for_each_field(value, [&](const char*, const auto& member) { add(member); });
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      append(&value, sizeof value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      const std::string_view chars = value;
      add(chars.size());
      append(chars.data(), chars.size());
    } else if constexpr (std::ranges::contiguous_range<T> &&
                         std::is_arithmetic_v<std::ranges::range_value_t<T>>) {
      const auto count = static_cast<std::size_t>(std::ranges::size(value));
      add(count);
      append(std::ranges::data(value), count * sizeof(std::ranges::range_value_t<T>));
    } else {
      static_assert(std::ranges::sized_range<T>, "list the members of this type in fields()");
      add(static_cast<std::size_t>(std::ranges::size(value)));
      for (const auto& item : value) add(item);
    }
  }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  bool operator==(const Key&) const = default;

 private:
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::string_view>()(key.bytes());
  }
};

template <HasFields T>
[[nodiscard]] bool same(const T& a, const T& b) {
  return Key::of(a) == Key::of(b);
}

/// {name: value, name: value}, and [item, item] for ranges of such.
template <class T>
[[nodiscard]] std::string printed(const T& value) {
  std::string out;
  if constexpr (HasFields<T>) {
    for_each_field(value, [&](const char* name, const auto& member) {
      out += text(out.empty() ? "{" : ", ", name, ": ", printed(member));
    });
    return out + "}";
  } else if constexpr (std::ranges::range<T> && !std::is_convertible_v<T, std::string_view>) {
    if constexpr (HasFields<std::ranges::range_value_t<T>>) {
      for (const auto& item : value) out += text(out.empty() ? "" : ", ", printed(item));
      return "[" + out + "]";
    } else {
      return text(value);
    }
  } else {
    return text(value);
  }
}

}  // namespace mw
