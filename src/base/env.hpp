// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Environment variables: one table (env.def), read through here and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <mathwright/export.hpp>

namespace mw {

enum class EnvVar : std::uint8_t {
#define MW_ENV(id, ...) id,
#include "base/env.def"
#undef MW_ENV
};

struct EnvRow {
  EnvVar var;
  const char* name;
  const char* fallback;
  const char* meaning;
};

/// The whole table.
[[nodiscard]] MW_API std::span<const EnvRow> env_table();

/// The variable's value now; nothing if unset or empty.
[[nodiscard]] MW_API std::optional<std::string> env(EnvVar var);

/// Whether it is set to nothing, which some variables take for "off".
[[nodiscard]] MW_API bool env_is_empty(EnvVar var);

/// The value as a non-negative whole number. Errors: invalid_argument naming the variable, its
/// value and what was wanted.
[[nodiscard]] MW_API std::optional<std::int64_t> env_count(EnvVar var);

}  // namespace mw
