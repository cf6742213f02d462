// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/env.hpp"

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/text.hpp"

namespace mw {

namespace {

constexpr std::array kRows = {
#define MW_ENV(id, name, fallback, meaning) EnvRow{EnvVar::id, name, fallback, meaning},
#include "base/env.def"
#undef MW_ENV
};

}  // namespace

std::span<const EnvRow> env_table() { return kRows; }

std::optional<std::string> env(EnvVar var) {
  const char* value = std::getenv(kRows[static_cast<std::size_t>(var)].name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool env_is_empty(EnvVar var) {
  const char* value = std::getenv(kRows[static_cast<std::size_t>(var)].name);
  return value != nullptr && *value == '\0';
}

std::optional<std::int64_t> env_count(EnvVar var) {
  const auto value = env(var);
  if (!value) return std::nullopt;
  std::int64_t count = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, count);
  require(error == std::errc() && stop == end && count >= 0, ErrorKind::invalid_argument,
          "environment variable ", kRows[static_cast<std::size_t>(var)].name, " is \"", *value,
          "\"; a whole number of at least 0 is wanted. Set it to one, or unset it.");
  return count;
}

}  // namespace mw
