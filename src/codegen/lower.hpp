// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From expressions to instructions, at one place of a kernel: complex values become pairs, compound
// functions (gelu, …) their formulas, transcendental functions polynomials (host) or calls
// (device).
#pragma once

#include <functional>

#include "codegen/builder.hpp"
#include "expr/function.hpp"

namespace mw::codegen {

/// A number of an expression: its real part, and the imaginary one if its type is complex.
struct Pair {
  Value re, im;
};

/// Where the leaves of a function come from. Values have the node's type (never a narrow one);
/// `integer` is the node's: which element, tensor, scalar, or the axis.
struct Leaves {
  std::function<Pair(std::int64_t which)> element, tensor, scalar;
  std::function<Value(std::int64_t axis)> index;  ///< int64
};

/// The value of every output, in the function's order, converted to the output's arithmetic type
/// (a narrow output: float32, to be stored as its dtype). For a reduction: the term at this point
/// (argmax, argmin: the operand).
[[nodiscard]] std::vector<Pair> lower(Builder& builder, const expr::Function& function,
                                      const Leaves& leaves);

/// A transcendental function of a float32 or float64 value. Host: at most 2 ulp on the whole range
/// (math.cpp states the bound of each); device: the call.
[[nodiscard]] Value math(Builder& builder, MathCall function, Value a, Value b = {});

}  // namespace mw::codegen
