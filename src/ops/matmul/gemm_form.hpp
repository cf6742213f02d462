// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From strides to what a GEMM call takes: each matrix stored by rows or by columns with a leading
// dimension, and the operation (none, transpose, conjugate transpose) that makes them fit.
//
// With D stored by rows the call is row-major, with D by columns column-major; a matrix stored the
// other way is passed transposed. No GEMM can conjugate without transposing, and none takes a
// matrix without a unit stride: then the answer is which operands to re-lay.
#pragma once

#include <optional>
#include <variant>

#include "ops/matmul/problem.hpp"

namespace mw::matmul_impl {

/// A matrix in one of BLAS's two storage orders.
struct Stored {
  bool by_rows = true;
  std::int64_t ld = 1;  ///< elements from one row (or column) to the next
};

/// Nothing if neither order fits: no unit stride, negative or overlapping rows. `by_rows` asks for
/// one order; a vector may fit both.
[[nodiscard]] std::optional<Stored> stored(const OperandLayout& operand, bool by_rows);

/// The same elements in C order without gaps, repeated batches still repeated.
[[nodiscard]] OperandLayout rows_first(const OperandLayout& operand);

enum class GemmOp : std::uint8_t { none, transpose, conjugate_transpose };

struct GemmForm {
  bool by_rows = true;  ///< the call's order, which is D's
  GemmOp op_a = GemmOp::none;
  GemmOp op_b = GemmOp::none;
  std::int64_t lda = 1, ldb = 1, ldd = 1;
};

/// A product as it will be called: the problem, with a batch folded into m or n where that is
/// possible (a shared B, or A, under a batch whose rows, or columns, follow each other makes one
/// large product of many small ones), and its form.
struct GemmCall {
  MatmulProblem problem;
  GemmForm form;
};

/// The call, or the operands that have to be re-laid first (also the misaligned ones). C is not
/// looked at.
[[nodiscard]] std::variant<GemmCall, Relayout> gemm_call(const MatmulProblem& problem);

/// The same without folding: one form for every product of the batch.
[[nodiscard]] std::variant<GemmForm, Relayout> gemm_form(const MatmulProblem& problem);

/// Whether batch axes may be merged with matrix axes under the problem's epilog.
[[nodiscard]] bool may_fold(const MatmulProblem& problem);

/// The problem with its batch folded as far as it goes.
[[nodiscard]] MatmulProblem fold_batch(MatmulProblem problem);

}  // namespace mw::matmul_impl
