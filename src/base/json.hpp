// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// JSON (RFC 8259), as little of it as files of our own need: a strict reader that takes any bytes,
// and the quoting a writer needs.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/outcome.hpp"

namespace mw::json {

struct Value;
using Array = std::vector<Value>;
struct Object {
  std::vector<std::string> names;  ///< in the order of the text
  std::vector<Value> values;
};

struct Value {
  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> data = nullptr;

  /// The member of this name; null if this is no object or has none.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// The content if it is of this type, else null.
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data);
  }
};

/// The whole text as one value, or where it goes wrong. Names within an object are unique, strings
/// are valid UTF-8, nothing follows the value, brackets are nested at most 32 deep, and an object
/// has at most 256 members.
[[nodiscard]] Outcome<Value> parse(std::string_view text);

/// The text in quotes, with what JSON forbids inside them escaped.
[[nodiscard]] std::string quoted(std::string_view text);

/// The shortest text that reads back as the same number. Only for finite ones.
[[nodiscard]] std::string number(double value);

}  // namespace mw::json
