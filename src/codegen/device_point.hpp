// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A function of the expression language at one point as CUDA C++ statements, over the variables
//
//   x        the element           t0, t1, …  the tensors' values
//   y0, …    the outputs           e.s0, e.s0_imag, …  the run-time scalars, double
//
// all in the types that they are computed in (register_type()); complex ones have members x and y.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "expr/function.hpp"

namespace mw::codegen {

/// The dtypes that memory holds.
struct PointTypes {
  DType element = DType::float32;
  std::vector<DType> tensors, outputs;
};

/// `index`: the variable that is the index along an axis (−1: the last). Refusal: reductions,
/// dtypes without text.
[[nodiscard]] Outcome<std::string> point_statements(
    const expr::Function& function, const PointTypes& types,
    const std::function<std::string(std::int64_t axis)>& index);

/// The type of a value of this dtype in registers: outputs before they are narrowed.
[[nodiscard]] std::string register_type(DType stored);

}  // namespace mw::codegen
