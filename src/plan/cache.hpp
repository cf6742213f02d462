// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The plan cache: same problem, same place, same plan. Bounded by count and bytes, least recently
// used goes first; safe from any thread. A plan in use outlives its eviction.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <mathwright/cache.hpp>

#include "base/function_ref.hpp"
#include "plan/select.hpp"

namespace mw {

/// The plan for this problem in this placement: from the cache, or made now (outside any lock; two
/// threads may plan the same problem at once, and the first to finish is kept).
[[nodiscard]] std::shared_ptr<const Selection> cached_selection(const AnyProblem& problem,
                                                                const Placement& placement);

/// Puts another selection for the problem in the place of the cached one.
void replace_cached_selection(const AnyProblem& problem,
                              std::shared_ptr<const Selection> selection);

/// Called around the making of a plan, which may take long; it calls `make` once. The Python face
/// lets go of the interpreter's lock there. Set once, before the first plan.
using PlanningScope = void (*)(FunctionRef<void()> make);
void set_planning_scope(PlanningScope scope);

}  // namespace mw
