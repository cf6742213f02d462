// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The functions' part of make_fft(): their tensors and outputs as operands.
#pragma once

#include "ops/fft/problem.hpp"

namespace mw {

/// Appends the tensors, the outputs and the numbers of a function to a request that has an input, a
/// shape, a type and, last of its operands, a place for the result. attach_epilog(), which comes
/// second, also fills that place. Errors: invalid_argument naming the function and the operand.
void attach_prolog(const FFTEndRequest& prolog, const TensorRef& operand, FFTRequest& request);
void attach_epilog(const FFTEndRequest& epilog, Device device, FFTRequest& request);

}  // namespace mw
