// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a transform with functions at its ends is made of: a pass before it, the plain transform, a
// pass after it. Whatever is not the transform's own (another dtype, a factor, cropping, padding)
// is done by the passes, which are made for it where the user gave no function.
//
// The two arrays between the parts, x and y, are the implementation's: it says where they lie. An
// end without work to do has no pass, and x is the input itself, y the result.
#pragma once

#include <optional>
#include <vector>

#include "codegen/pass.hpp"
#include "ops/fft/problem.hpp"

namespace mw {

struct FFTParts {
  DType x = DType::complex64, y = DType::complex64;  ///< of what the transform reads and writes
  bool prolog = false, epilog = false;               ///< whether there is such a pass
  bool pads = false;                                 ///< x is larger than what the prolog writes

  expr::FunctionPtr before, after;  ///< of the passes
  /// The problem's operand that each array of a pass is; kBetween for x and y.
  static constexpr std::size_t kBetween = kMostOperands;
  std::vector<std::size_t> before_arrays, after_arrays;
};

[[nodiscard]] FFTParts parts_of(const FFTProblem& problem);

/// A dense array of this shape in the memory order of the input: x, y, or what lies between two
/// transforms.
[[nodiscard]] OperandLayout between_layout(const FFTProblem& problem, DType dtype,
                                           const Dims& shape);

/// The passes, with x and y in these layouts. Their spaces are shape_used() and shape_out().
[[nodiscard]] codegen::PassProblem prolog_pass(const FFTProblem& problem, const FFTParts& parts,
                                               const OperandLayout& x);
[[nodiscard]] codegen::PassProblem epilog_pass(const FFTProblem& problem, const FFTParts& parts,
                                               const OperandLayout& y);

/// The plain transform of x to y.
[[nodiscard]] FFTProblem plain_transform(const FFTProblem& problem, const OperandLayout& x,
                                         const OperandLayout& y);

}  // namespace mw
