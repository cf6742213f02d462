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

/// The object's repr for a message, shortened.
[[nodiscard]] std::string shown(nb::handle object);
/// "module.Type" of an object.
[[nodiscard]] std::string name_of_type(nb::handle object);

}  // namespace mw::py
