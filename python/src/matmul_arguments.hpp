// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The arguments of matrix products, from Python's objects to a MatmulRequest's parts.
#pragma once

#include <string>
#include <vector>

#include "call.hpp"
#include "ops/matmul/problem.hpp"

namespace mw::py {

/// The arguments of matmul() and Matmul(), as they come.
struct MatmulArguments {
  nb::handle a, b, c, alpha, beta;
  bool conjugate_a, conjugate_b;
  nb::handle options, execution, stream, out;
};

/// The same, understood.
struct MatmulCall {
  MatmulOperands operands;
  MatmulOptions options;
  std::vector<nb::object> keepers;  ///< a, b, [c,] out
  nb::object out;                   ///< the object the result goes to, if the caller named one
  bool in_place = false;
};

[[nodiscard]] MatmulCall understand(const MatmulArguments& given, const Package& package);

/// What plan() and the stateless function take beyond them.
struct FusedArguments {
  nb::handle epilog;         ///< None, a member of MatmulEpilog, an Expr or a function
  nb::handle epilog_inputs;  ///< None or a mapping of names to arrays and numbers
  nb::handle aux_type;       ///< None or the name of a dtype
  bool aux_amax = false;
  /// None, or the advanced product's dict: compute, result_type, fast_accumulation,
  /// multiprocessors, result_amax, block_scaling, scales (None or a dict by a, b, c, d).
  nb::handle extras;
};

/// They understood: for make_matmul(), and what keeps their tensors alive, in the problem's order.
struct FusedCall {
  MatmulExtras extras;
  std::vector<nb::object> keepers;
  std::vector<std::string> tensors, scalars;  ///< names of epilog inputs and scales
};

/// A scale that is a number; nothing for an array.
[[nodiscard]] std::optional<double> scale_number(nb::handle scale, const char* name);

/// Errors: invalid_argument naming the input: unknown, missing, of the wrong package.
[[nodiscard]] FusedCall understand_fused(const FusedArguments& given,
                                         const MatmulOperands& operands, const Package& package,
                                         Stream consumer);

}  // namespace mw::py
