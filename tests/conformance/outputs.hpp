// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What an operation with a function of the user's gave, against what the reference gave.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mathwright/tensor.hpp>

#include "conformance/storage.hpp"
#include "plan/session.hpp"

namespace mw::conformance {

/// C-ordered, on the host, by name; the main one last.
using NamedOutputs = std::vector<std::pair<std::string, Tensor>>;

/// Plans, executes once on so many host threads, and waits: the results, those beside the main one
/// by their names. The operands are on the device. Errors: those of planning and executing;
/// invalid_argument if an input was written to.
[[nodiscard]] NamedOutputs execute_for_outputs(const AnyProblem& problem,
                                               const Arguments& arguments, Unwritten& inputs,
                                               Device device, int threads);

/// Error allowed, in ulp of the arithmetic: none where every step is exact or rounded once, and
/// what polynomials and the order of few operations cost. Results of narrow storage may then round
/// either way.
inline constexpr double kExact = 0;
inline constexpr double kFunctions = 64;

/// The first element that differs by more than `ulps` of the dtype it was computed in; empty if
/// none does. The largest error, in units of what is allowed, goes to `worst`. What pads a
/// "gelu_aux" does not count.
[[nodiscard]] std::string difference(const NamedOutputs& seen, const NamedOutputs& wanted,
                                     DType computed, double ulps, double& worst);

}  // namespace mw::conformance
