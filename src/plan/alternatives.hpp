// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Alternatives: all the ways there are to run a problem, beside the one that was chosen. A
// selection keeps one plan only; the others are asked for again when somebody wants to see or time
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/select.hpp"

namespace mw {

struct Alternative {
  std::string candidate;
  std::string variant;  ///< Plan::variant()
  PlanPtr plan;
  std::vector<CopyNote> copies;
  double estimate = 0;             ///< seconds
  std::optional<double> measured;  ///< seconds, the median
};

/// Variants asked of each plan unless somebody says otherwise.
inline constexpr int kVariants = 8;

/// The plans of every candidate that accepted, and at most `limit` variants of each, by estimate,
/// the candidates' own choices before variants of the same estimate. The selection's own plan is
/// among them.
[[nodiscard]] std::vector<Alternative> alternatives_of(const AnyProblem& problem,
                                                       const Selection& selection,
                                                       int limit = kVariants);

/// One of them by name; nothing if the candidate refuses now, or has no such variant.
[[nodiscard]] std::optional<Alternative> find_alternative(const AnyProblem& problem,
                                                          const Placement& placement,
                                                          std::string_view candidate,
                                                          std::string_view variant);

/// The same selection with another plan.
[[nodiscard]] Selection with_choice(const Selection& selection, const Alternative& alternative,
                                    ChosenBy by);

}  // namespace mw
