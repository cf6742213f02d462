// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The log of what a program planned, as lines of a case file, for `mathwright tune`.
#pragma once

#include "plan/any_problem.hpp"
#include "plan/placement.hpp"

namespace mw {

/// Numbers as case files have them: "8x6x4", "24,-4,1".
[[nodiscard]] std::string case_dims(const Dims& numbers, char separator);

/// Adds a line to the file that MATHWRIGHT_PLAN_LOG names, if it names one. Several processes may
/// write to one file. Never throws; a file that cannot be written is said once.
void log_plan(const AnyProblem& problem, const Placement& placement) noexcept;

}  // namespace mw
