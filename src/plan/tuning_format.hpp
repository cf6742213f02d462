// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What was measured, as text:
//
//   {"format": "mathwright tuning", "version": 1, "entries": [
//   {"operation": "matmul", "problem": "5c…", "title": "…", "device": "NVIDIA H200, …",
//    "libraries": "…", "candidate": "cublaslt", "variant": "id=66 …", "seconds": 9.1e-05,
//    "when": 1767225600}
//   ]}
//
// Members that are not listed are read over, so that later releases may add some; a change that an
// older release must not misread raises the version.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/outcome.hpp"

namespace mw {

inline constexpr int kTuningVersion = 1;

/// What a measurement holds for.
struct TuningKey {
  std::string operation;
  std::string problem;    ///< a hash of the problem and its placement, in hexadecimal
  std::string device;     ///< where it ran
  std::string libraries;  ///< the candidates that accepted, with their vendors' versions

  auto fields() const {
    return std::tuple{field("operation", operation), field("problem", problem),
                      field("device", device), field("libraries", libraries)};
  }
};

struct TuningEntry {
  TuningKey key;
  std::string title;  ///< the problem, for people
  std::string candidate;
  std::string variant;
  double seconds = 0;     ///< what was measured
  std::int64_t when = 0;  ///< seconds since 1970, UTC
};

struct TuningText {
  bool newer = false;  ///< of a later version: there are no entries to be had
  std::vector<TuningEntry> entries;
};

/// Takes any bytes. A refusal says what is wrong.
[[nodiscard]] Outcome<TuningText> read_tuning(std::string_view text);

[[nodiscard]] std::string write_tuning(std::span<const TuningEntry> entries);

}  // namespace mw
