// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Selection: ask every candidate, keep those that accept, take the lowest estimate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/any_problem.hpp"
#include "plan/placement.hpp"

namespace mw {

/// What one candidate said.
struct Considered {
  std::string name;
  bool accepted = false;
  double estimate = 0;       ///< seconds, copies included; only if accepted
  std::string note;          ///< the plan's description, or the reason of the refusal
  std::string library = {};  ///< Plan::library()
  std::optional<double> measured = std::nullopt;  ///< seconds, of its best variant
};

/// A copy that executions will make, for people.
struct CopyNote {
  std::string operand;
  std::string why;  ///< "to cuda:0", "re-laid: …"
  std::size_t bytes = 0;
};

enum class ChosenBy : std::uint8_t {
  estimate,
  measurement,  ///< autotune()
  tuning_file,  ///< autotune() of another session or process
  caller,
};

struct Selection {
  PlanPtr plan;
  std::string chosen;
  Placement placement;
  std::vector<Considered> considered;
  std::vector<CopyNote> copies;
  ChosenBy by = ChosenBy::estimate;
};

/// A plan and the copies around it; or why not.
struct Trial {
  Outcome<PlanPtr> plan;
  std::vector<CopyNote> copies;
};

/// Asks one candidate, whatever the choice is restricted to.
[[nodiscard]] Trial ask_candidate(const AnyProblem& problem, const Placement& placement,
                                  std::size_t candidate);

/// The plan is prepared. Errors: unsupported when all refuse, with every reason.
[[nodiscard]] Selection select(const AnyProblem& problem, const Placement& placement);

/// Restricts the choice from now on, for comparing implementations; empty restores what
/// MATHWRIGHT_CANDIDATES says, which is read once.
MW_API void set_candidates(std::vector<std::string> names);

/// Whether the choice is restricted and this name is among those allowed: candidates that stay out
/// of the way of better ones (a second copy of the same kind of library) take part when asked for
/// by name.
[[nodiscard]] bool asked_for_by_name(std::string_view candidate);

/// Changes with every set_candidates(): a part of the plan cache's keys.
[[nodiscard]] unsigned candidates_generation();

}  // namespace mw
