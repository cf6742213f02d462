// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The matrix product as a problem: D = alpha · op(A)·op(B) + beta · C over a batch, every operand
// with the full shape (batch…, rows, columns); an operand repeated over a batch axis has stride 0
// there.
//
// Run-time scalars: alpha, beta. C is read only if has_c and beta ≠ 0; C and D may be the same
// view.
#pragma once

#include <span>
#include <string>

#include <mathwright/matmul.hpp>

#include "plan/candidate.hpp"
#include "plan/session.hpp"

namespace mw {

struct MatmulProblem {
  static constexpr const char* kOperation = "matmul";

  Operands operands;  ///< a, b, [c,] d
  bool has_c = false;
  Dims result_shape;  ///< of D as the user sees it: without the axes that 1-D operands were given
  Dims result_strides;

  auto fields() const {
    return std::tuple{field("operands", operands), field("has_c", has_c),
                      field("result_shape", result_shape), field("result_strides", result_strides)};
  }

  [[nodiscard]] const OperandLayout& a() const { return operands[0]; }
  [[nodiscard]] const OperandLayout& b() const { return operands[1]; }
  [[nodiscard]] const OperandLayout& c() const { return operands[2]; }
  [[nodiscard]] const OperandLayout& d() const { return operands.back(); }
  [[nodiscard]] std::size_t d_index() const { return operands.size() - 1; }
  [[nodiscard]] std::size_t batch_rank() const { return d().shape.size() - 2; }
  [[nodiscard]] std::int64_t m() const { return d().shape[batch_rank()]; }
  [[nodiscard]] std::int64_t n() const { return d().shape.back(); }
  [[nodiscard]] std::int64_t k() const { return a().shape.back(); }
  [[nodiscard]] std::int64_t batch() const;  ///< number of products

  [[nodiscard]] const char* operand_name(std::size_t index) const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] Work work() const;
  [[nodiscard]] static std::span<const Candidate<MatmulProblem>> candidates();
};

/// What make_matmul() makes of a user's call.
struct MatmulRequest {
  MatmulProblem problem;
  Arguments arguments;
};

/// Validates and normalises; pure. Errors: invalid_argument, with the operand, the value seen and
/// the value wanted.
[[nodiscard]] MatmulRequest make_matmul(const MatmulOperands& operands,
                                        const MatmulOptions& options);

}  // namespace mw
