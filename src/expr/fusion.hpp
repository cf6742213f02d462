// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From the public Fusion to a Function: what an operation that takes one calls.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include <mathwright/expr.hpp>

#include "expr/function.hpp"

namespace mw::expr {

/// What a fusion computes in an operation that hands it an element of this dtype (none: an
/// operation without one) and stores "result" in that dtype (none: as computed, see
/// Builder::output). Simplified. Recorded once per pair of dtypes and kept with the fusion, so a
/// second call costs a look-up. Parameters: "x", then the tensors, then the scalars.
/// Errors: invalid_argument: no function, another number of parameters, whatever the function
/// does that has no meaning, no output "result" where there is an element.
[[nodiscard]] FunctionPtr trace(const Fusion& fusion, std::optional<DType> element,
                                std::optional<DType> result);

/// The extra tensors, in the order of Function::tensors.
[[nodiscard]] const std::vector<TensorRef>& tensors_of(const Fusion& fusion);

/// The values of the run-time scalars, in the order of Function::scalars.
[[nodiscard]] std::vector<std::complex<double>> scalars_of(const Fusion& fusion);

}  // namespace mw::expr
