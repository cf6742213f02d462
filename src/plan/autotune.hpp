// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Autotuning: timing alternatives instead of believing their estimates.
//
// All are run in turn, in random order, each on cold caches, and judged by their medians. After
// every round the slower half goes and the rest runs twice as often, until two are left that have
// been timed often enough, or the time is up (successive halving). The plan at hand takes part to
// the end and gives way only to one that is clearly faster, so tuning never makes a program slower.
#pragma once

#include <span>
#include <vector>

#include <mathwright/tuning.hpp>

#include "base/function_ref.hpp"
#include "plan/alternatives.hpp"

namespace mw {

/// What one alternative did.
struct Timings {
  std::size_t alternative = 0;  ///< its place in the list
  std::vector<double> seconds;  ///< in the order measured
  [[nodiscard]] double median() const;
};

/// How to run alternatives: as a session does, or as a test says.
struct Bench {
  /// Runs one untimed and waits for it. Throws if it cannot run.
  FunctionRef<void(const Alternative&)> warm_up;
  /// Seconds of one run.
  FunctionRef<double(const Alternative&)> time;
  /// Seconds since tuning began.
  FunctionRef<double()> spent;
};

struct Tournament {
  std::vector<Timings> timings;     ///< those that ran, the fastest first
  std::vector<std::size_t> failed;  ///< places of those that failed
  std::size_t winner = 0;           ///< its place in the list
};

/// Times the alternatives. `at_hand` is the place of the present choice. Errors: only if that one
/// cannot run.
[[nodiscard]] Tournament run_tournament(std::span<const Alternative> alternatives,
                                        std::size_t at_hand, const TuneOptions& options,
                                        double default_seconds, const Bench& bench);

}  // namespace mw
