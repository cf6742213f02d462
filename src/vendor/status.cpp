// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/status.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace mw::vendor {

namespace {

std::string describe(const Failure& failure, const StatusRow* row) {
  const std::string_view name = !failure.name.empty() ? failure.name
                                : row != nullptr      ? std::string_view(row->name)
                                                      : std::string_view("an unknown status");
  std::string out =
      text(failure.library, ": ", failure.function, " returned ", name, " (", failure.status, ')');
  if (!failure.text.empty() && failure.text != name) out += text(": ", failure.text);
  if (row != nullptr && *row->remedy != '\0') out += text(". ", row->remedy);
  return out;
}

}  // namespace

const StatusRow* find_status(std::span<const StatusRow> rows, int status) {
  for (const StatusRow& row : rows)
    if (row.status == status) return &row;
  return nullptr;
}

void fail_status(const Failure& failure, std::span<const StatusRow> rows) {
  const StatusRow* row = find_status(rows, failure.status);
  throw Error(row != nullptr ? row->kind : ErrorKind::vendor, describe(failure, row));
}

void log_status(const Failure& failure) noexcept {
  try {
    log(LogLevel::warning, [&] { return describe(failure, nullptr); });
  } catch (...) {  // a sink that throws must not end the process from a destructor
  }
}

}  // namespace mw::vendor
