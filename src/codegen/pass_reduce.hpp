// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Reductions inside a pass: what a partial result is made of, and the instructions that combine
// two.
//
// A partial result is one slot or two:
//   sum, prod      the number, in float64 or 64-bit integers; complex: real and imaginary part
//   max, min       the number in the operand's arithmetic type; NaN wins
//   argmax, argmin the number, and its position in C order of the reduced axes: the first of equals
//                  wins, and the first NaN before all
#pragma once

#include <vector>

#include "codegen/lower.hpp"

namespace mw::codegen {

struct Reduction {
  std::size_t output = 0;  ///< of the function
  expr::Op op = expr::Op::sum;
  bool complex = false;
  std::vector<DType> slots;

  [[nodiscard]] bool has_position() const {
    return op == expr::Op::argmax || op == expr::Op::argmin;
  }
};

/// Of every output that is a reduction, in order.
[[nodiscard]] std::vector<Reduction> reductions_of(const expr::Function& function);

/// What combining with changes nothing, per slot, uniform.
[[nodiscard]] std::vector<Value> identity(Builder& builder, const Reduction& reduction);
/// The same as bytes to fill memory with: the low itemsize(slots[slot]) bytes.
[[nodiscard]] std::uint64_t identity_bits(const Reduction& reduction, std::size_t slot);

/// One point's term (as lower() gives it, and its position) as a partial result.
[[nodiscard]] std::vector<Value> partial(Builder& builder, const Reduction& reduction, Pair term,
                                         Value position);
/// Two partial results as one.
[[nodiscard]] std::vector<Value> combine(Builder& builder, const Reduction& reduction,
                                         const std::vector<Value>& a, const std::vector<Value>& b);
/// The lanes of a partial result as one, uniform.
[[nodiscard]] std::vector<Value> across_lanes(Builder& builder, const Reduction& reduction,
                                              const std::vector<Value>& lanes);
/// The finished number in the arithmetic type of the output.
[[nodiscard]] Pair finished(Builder& builder, const Reduction& reduction,
                            const std::vector<Value>& slots, DType output);

}  // namespace mw::codegen
