// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What surrounds a plain product when its epilog is a pass of our own, on host and device: narrow
// operands widened before it, the sums that are not of D beside it.
#pragma once

#include "codegen/pass.hpp"
#include "ops/matmul/problem.hpp"

namespace mw::matmul_impl {

/// An operand widened into workspace: only the elements that are stored.
struct Widened {
  codegen::PassPtr pass;  ///< arrays: the operand, its wide copy
  OperandLayout layout;   ///< of the copy, not conjugated
  std::size_t offset = 0;
};

[[nodiscard]] Widened widened(const OperandLayout& given, DType wide, const Context& context);

/// Σ_k of op(A) or op(B), the results of BGRADA and BGRADB; null for other problems. Arrays: the
/// operand, the sums.
[[nodiscard]] codegen::PassPtr operand_sums(const MatmulProblem& problem, const Context& context);

/// The plain product A·B of wide operands, its result dense, by rows if D is.
[[nodiscard]] MatmulProblem bare_product(const MatmulProblem& problem, DType wide);

/// The pass over the product, x at (0, …, 0) of an array with these strides of rows and columns:
/// C added, the epilog applied. Its arrays: x, then the operands numbered in `operands`.
struct EpilogPass {
  codegen::PassPtr pass;
  std::vector<std::size_t> operands;
};
[[nodiscard]] EpilogPass epilog_pass(const MatmulProblem& problem, std::int64_t row_step,
                                     std::int64_t column_step, const Context& context);

}  // namespace mw::matmul_impl
