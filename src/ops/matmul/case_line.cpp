// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/layout.hpp"
#include "ops/matmul/problem.hpp"
#include "plan/plan_log.hpp"

namespace mw {

namespace {

constexpr std::uint8_t kAligned = 16;

/// Without the axes before `first`, and without the one that is `dropped`.
OperandLayout without(const OperandLayout& operand, std::size_t first, std::size_t dropped) {
  OperandLayout part = operand;
  part.shape = {};
  part.strides = {};
  for (std::size_t i = first; i < operand.shape.size(); ++i) {
    if (i == dropped) continue;
    part.shape.push_back(operand.shape[i]);
    part.strides.push_back(operand.strides[i]);
  }
  return part;
}

std::string strides_word(const char* key, const OperandLayout& operand) {
  if (is_contiguous(operand.shape, operand.strides)) return {};
  return text(" ", key, "_strides=", case_dims(operand.strides, ','));
}

}  // namespace

std::string MatmulProblem::case_line() const {
  const bool one_dtype = std::ranges::all_of(
      operands, [&](const OperandLayout& operand) { return operand.dtype == a().dtype; });
  if (epilog || inner || !one_dtype || compute != MatmulCompute::standard || multiprocessors > 0)
    return {};

  // One-dimensional operands were given an axis that the user's result lacks.
  const std::size_t rows = batch_rank();
  const std::size_t columns = rows + 1;
  const std::size_t none = columns + 1;
  const std::size_t lacking = none - result_shape.size();
  const bool a_is_row = lacking == 2 || (lacking == 1 && m() == 1 && n() != 1);
  const bool b_is_column = lacking == 2 || (lacking == 1 && !a_is_row);
  const OperandLayout a_given = without(a(), a_is_row ? columns : 0, none);
  const OperandLayout b_given = without(b(), b_is_column ? rows : 0, b_is_column ? columns : none);
  const auto as_result = [&](const OperandLayout& operand) {
    OperandLayout given = without(operand, 0, a_is_row ? rows : none);
    return b_is_column ? without(given, 0, given.shape.size() - 1) : given;
  };

  std::string line =
      text(a().dtype, " a=", case_dims(a_given.shape, 'x'), " b=", case_dims(b_given.shape, 'x'),
           strides_word("a", a_given), strides_word("b", b_given));
  if (has_c) line += " beta=1" + strides_word("c", as_result(c()));
  line += strides_word("d", as_result(d()));
  if (a().conjugate) line += " conj_a";
  if (b().conjugate) line += " conj_b";
  Dims shift;
  for (const OperandLayout* operand : {&a(), &b(), has_c ? &c() : nullptr, &d()}) {
    const bool aligned = !operand || operand->alignment >= kAligned;
    shift.push_back(aligned ? 0 : operand->alignment);
  }
  const bool shifted = std::ranges::any_of(shift, [](auto bytes) { return bytes != 0; });
  return shifted ? line + " shift=" + case_dims(shift, ',') : line;
}

}  // namespace mw
