// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The epilog's part of make_matmul(): its tensors and auxiliary results as operands.
#pragma once

#include "ops/matmul/problem.hpp"

namespace mw {

/// The result as the user sees it, which lacks the axes that 1-D operands were given, and as the
/// problem has it.
class ResultSpace {
 public:
  ResultSpace(Dims visible, bool a_is_row, bool b_is_column)
      : visible_(std::move(visible)), a_is_row_(a_is_row), b_is_column_(b_is_column) {}

  [[nodiscard]] const Dims& visible() const { return visible_; }
  /// A view of the visible shape with the missing axes put back.
  [[nodiscard]] OperandLayout full(TensorRef view) const;
  /// Number, from the end, of a visible axis (-1 the last) among all axes.
  [[nodiscard]] std::int64_t full_axis(std::int64_t axis) const;
  [[nodiscard]] bool lacks_axes() const { return a_is_row_ || b_is_column_; }

 private:
  Dims visible_;
  bool a_is_row_, b_is_column_;
};

/// Appends the tensors and auxiliary results of the epilog and of the scales to a request that has
/// a, b and c. Errors: invalid_argument naming the input.
void attach_epilog(const MatmulExtras& extras, DType result, const ResultSpace& space,
                   MatmulRequest& request);

}  // namespace mw
