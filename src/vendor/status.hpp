// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From a vendor's status to an Error: function, the library's own name for the status, remedy.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include <mathwright/error.hpp>

namespace mw::vendor {

struct StatusRow {
  int status;
  const char* name;
  ErrorKind kind;
  const char* remedy;  ///< may be empty
};

/// The row of a status, or null.
[[nodiscard]] const StatusRow* find_status(std::span<const StatusRow> rows, int status);

struct Failure {
  std::string_view library;
  std::string_view function;
  int status;
  std::string_view name;  ///< if the library names its statuses; else the row's
  std::string_view text;  ///< its own explanation, if it has one
};

/// Throws an Error of the row's kind (vendor if there is no row).
[[noreturn]] void fail_status(const Failure& failure, std::span<const StatusRow> rows);

/// The same as one warning in the log, for destructors.
void log_status(const Failure& failure) noexcept;

}  // namespace mw::vendor
