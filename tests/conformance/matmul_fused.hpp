// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A product with an epilog, as `epilog=…` in a case line asks for it: the name of a named one
// ("RELU_BIAS") or one of a table of formulas, as it stands there ("relu(x+bias)").
//
// All numbers are small multiples of a power of two, so that every order of summation gives the
// same element, and what candidates make of it can be compared with the reference candidate bit by
// bit, but for transcendental functions.
#pragma once

#include <string>

#include "conformance/matmul_case.hpp"
#include "conformance/outputs.hpp"

namespace mw::conformance {

/// Whether the line asks for an epilog.
[[nodiscard]] bool has_epilog(const Case& line);

/// Plans with the candidates that are set, and runs on operands in memory of that device. Errors:
/// invalid_argument for a line that says nothing sensible, or if an input was written to;
/// unsupported if no candidate accepts.
[[nodiscard]] NamedOutputs run_fused(const Case& line, Device device, int threads);

/// What differs by more than the epilog allows, the first of it; empty if nothing does. The error
/// in units of what is allowed goes to `worst`.
[[nodiscard]] std::string fused_difference(const Case& line, const NamedOutputs& seen,
                                           const NamedOutputs& wanted, double& worst);

}  // namespace mw::conformance
