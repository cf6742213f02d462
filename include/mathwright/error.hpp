// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Errors: one exception class whose kind is data. Each kind maps to one Python exception class.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <mathwright/export.hpp>

namespace mw {

/// What went wrong, in the terms a caller can act on.
enum class ErrorKind : unsigned char {
  invalid_argument,  ///< the request can never be right: shape, dtype, option, layout
  unsupported,       ///< the request is sensible but nothing here can do it
  not_found,         ///< a library or symbol is missing from this machine
  out_of_memory,     ///< host or device memory ran out
  invalid_state,     ///< the object is in the wrong phase of its life: freed, released, not planned
  type_mismatch,     ///< operands of different array packages, or an object of the wrong type
  singular,          ///< a matrix has no inverse
  vendor,            ///< a vendor library reported a failure
  compile,           ///< generated code did not compile
  timeout,           ///< a wait took longer than it may
};

/// The name of a kind as written in messages, for example "invalid_argument".
MW_API std::string_view name(ErrorKind kind);

/// Every failure of the library. `what()` names operation, operand, value seen, value wanted,
/// remedy.
class MW_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ~Error() override;

  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace mw
