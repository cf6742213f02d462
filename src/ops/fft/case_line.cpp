// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/layout.hpp"
#include "ops/fft/problem.hpp"
#include "ops/fft/trig.hpp"
#include "plan/plan_log.hpp"

namespace mw {

namespace {

bool in_c_order(const OperandLayout& operand) {
  return is_contiguous(operand.shape, operand.strides);
}

}  // namespace

std::string FFTProblem::case_line() const {
  if (!is_plain() || scaled || is_trig(type)) return {};
  std::string line = text(name(type), " ", input().dtype, " shape=", case_dims(input().shape, 'x'),
                          " axes=", case_dims(axes, ','));
  if (!in_c_order(input())) line += " strides=" + case_dims(input().strides, ',');
  if (!in_place && !in_c_order(result()))
    line += " out_strides=" + case_dims(result().strides, ',');
  if (input().alignment < 16) line += text(" offset=", int{input().alignment});
  if (type == FFTType::c2c && directions != FFTDirections::both) {
    line += serves(FFTDirection::forward) ? " dir=forward" : " dir=inverse";
  }
  if (type == FFTType::c2r && result().shape[halved_axis()] % 2 != 0) line += " parity=odd";
  if (in_place) line += " inplace";
  if (input().conjugate) line += " conj";
  return line;
}

}  // namespace mw
