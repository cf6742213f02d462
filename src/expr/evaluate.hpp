// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a function means: its value at one point, by plain scalar arithmetic rounded to the node's
// dtype after each operation. Every back end is tested against it.
//
// Where mathematics leaves a choice:
//   integers       wrap. Division by 0 and remainder by 0 give 0; the smallest by -1 is itself.
//   //, %          as in Python and NumPy: the remainder has the sign of the divisor. For floats,
//                  r = fmod(a, b) and q = (a - r) / b; if r is not 0 and its sign differs from b's,
//                  r + b and q - 1. A zero remainder has the sign of b, a zero quotient that of
//                  a / b; q is rounded to the nearest whole number, down at a tie. Where b is 0,
//                  the remainder is NaN and the quotient a / b.
//   **             pow of floats; integers multiply, and a negative exponent gives 0 unless the
//                  base is 1 or -1
//   min, max       NaN if either is; of zeros of different sign either one. clamp(x, lo, hi) is
//                  minimum(maximum(x, lo), hi); relu(x) is maximum(x, 0)
//   sign           0 of a zero, NaN of NaN
//   round          to even
//   shifts         a count outside 0 … bits-1 gives 0, or all sign bits to the right
//   complex * /    the textbook formulas, no recovery of infinities; division scaled by the larger
//                  part of the divisor (Smith)
//   sigmoid        1 / (1 + exp(-x)); silu x · sigmoid(x)
//   gelu           x/2 · (1 + erf(x/√2)); gelu_tanh x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))).
//                  Both, and silu, are NaN at -inf
#pragma once

#include <span>
#include <vector>

#include "expr/function.hpp"
#include "expr/number.hpp"

namespace mw::expr {

/// What stands at one point of the iteration space, in the function's order.
struct Point {
  std::span<const Number> elements = {}, tensors = {}, scalars = {};
  std::span<const std::int64_t> index = {};  ///< of the point, one per axis of the space
};

/// One operation of a valid function: no leaf. A reduction gives its operand, the term.
[[nodiscard]] Number apply(const Node& node, std::span<const Number> operands);

/// The value of every node, in the function's order.
[[nodiscard]] std::vector<Number> evaluate_nodes(const Function& function, const Point& point);

/// The value of every output as it is stored; of a reduction its term at this point in the dtype
/// of its operand.
[[nodiscard]] std::vector<Number> evaluate(const Function& function, const Point& point);

}  // namespace mw::expr
