// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Autotuning: timing the ways there are to run a problem, and what is remembered of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mathwright/export.hpp>

namespace mw {

struct TuneOptions {
  /// Seconds the timing may take. By default 0.15 on a device and 0.5 on the host, or 30 executions
  /// of the plan at hand, whichever is longer; without bound if `iterations` is given.
  std::optional<double> seconds = std::nullopt;
  /// Executions of every alternative; none is dropped on the way. 0: the slower ones are dropped
  /// as soon as they show it.
  int iterations = 0;
  int prune = 0;  ///< alternatives kept in the list afterwards; 0: all
  int limit = 8;  ///< vendor's algorithms (or tiles, or thread counts) tried of each candidate
  bool remember = true;  ///< write the winner to the tuning file
};

struct TuneReport {
  int alternatives = 0;     ///< there were so many
  int timed = 0;            ///< and so many were timed
  double before = 0;        ///< seconds, median, of the plan at hand; 0 if nothing was timed
  double after = 0;         ///< and of the plan now
  double spent = 0;         ///< seconds that tuning took
  bool changed = false;     ///< another plan was chosen
  std::string candidate;    ///< the candidate of the plan now
  std::string description;  ///< and its account of itself
};

/// One thing that the tuning file remembers.
struct TuningRecord {
  std::string operation, title;    ///< of the problem
  std::string device, libraries;   ///< what it holds for
  std::string candidate, variant;  ///< what was fastest
  double seconds = 0;              ///< and how fast
  std::int64_t when = 0;           ///< seconds since 1970, UTC
};

/// Path of the tuning file: tuning.json in the cache folder, or what MATHWRIGHT_TUNING names; empty
/// if there is none.
[[nodiscard]] MW_API std::string tuning_path();
/// What is remembered.
[[nodiscard]] MW_API std::vector<TuningRecord> tuning_records();
/// Writes what is remembered to a file of its own. Errors: invalid_argument if it cannot be
/// written.
MW_API void export_tuning(const std::string& path);
/// Adds what such a file holds, the newer of two measurements of one problem; plans made from now
/// on heed it. Returns how many were new. Errors: not_found, invalid_argument for what is no such
/// file.
MW_API std::size_t merge_tuning(const std::string& path);
/// Forgets everything and removes the file. Plans made from now on are chosen by estimate.
MW_API void clear_tuning();

}  // namespace mw
