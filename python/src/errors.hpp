// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From mw::Error to the classes of mathwright.errors, which also derive from what the peers raise.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "base/text.hpp"

namespace mw::py {

namespace nb = nanobind;

/// An error whose Python class is not simply the one of its kind.
class NamedError : public Error {
 public:
  NamedError(const char* python_class, ErrorKind error_kind, const std::string& message)
      : Error(error_kind, message), class_name_(python_class) {}
  ~NamedError() override;

  [[nodiscard]] const char* class_name() const { return class_name_; }

 private:
  const char* class_name_;
};

/// Throws what Python sees as `mathwright.errors.<python_class>`.
template <class... Pieces>
[[noreturn]] void fail_as(const char* python_class, ErrorKind kind, const Pieces&... pieces) {
  throw NamedError(python_class, kind, text(pieces...));
}

/// A piece of a message that is written only if the message is: the repr of an array costs
/// milliseconds, and the pieces of a condition that holds are evaluated all the same.
struct Shown {
  nb::handle object;
};
[[nodiscard]] std::string name(const Shown& piece);
/// The object's repr, shortened.
[[nodiscard]] inline Shown shown(nb::handle object) { return {object}; }

struct TypeName {
  nb::handle object;
};
[[nodiscard]] std::string name(const TypeName& piece);
/// "module.Type" of an object.
[[nodiscard]] inline TypeName name_of_type(nb::handle object) { return {object}; }

}  // namespace mw::py
