// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The specification of a pass: plain loops over expr::evaluate.
#pragma once

#include "codegen/pass.hpp"

namespace mw::fuse_impl {

/// What any implementation of the pass does. Sums and products of floats are in long double, of
/// integers in 64 bits.
void run_reference(const codegen::PassProblem& problem, const codegen::PassCall& call);

}  // namespace mw::fuse_impl
