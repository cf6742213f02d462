// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// One product to test, made from a line of a case file:
//
//   float32 a=2x3x4 b=4x5 a_strides=24,-4,1 b_strides=F alpha=1.5 beta=0.5 in_place
//
//   a, b                    shapes
//   a_strides … d_strides   in elements, or a word: C, F (columns first), padded (C with gaps),
//                           reversed (C with all strides negative), repeated (all strides zero).
//                           d_strides gives an `out` of that layout
//   alpha, beta             "1.5" or "1.5,-2" (real and imaginary part); beta brings in C
//   shift                   bytes by which a, b, c, d are moved off their alignment: shift=1,0,0,4
//   conj_a, conj_b          conjugate the operand
//   in_place                the result is written over C
//   nan, inf, denormal, ones
//                           what the operands hold, else numbers in [−1, 1). nan: C and the
//                           result's memory are NaN before (beta=0); inf: one infinity in A;
//                           denormal: A is tiny
//   cuda                    operands on a CUDA device; skipped without one
//   fp_flags                no floating-point flag may be raised (one thread)
//   epilog                  a named epilog or a formula (matmul_fused.cpp has the table); operands
//                           then hold multiples of a power of two, so that sums are exact
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include <mathwright/matmul.hpp>

#include "conformance/storage.hpp"

namespace mw::conformance {

struct MatmulCase {
  Storage a, b;
  std::optional<Storage> c, out;
  MatmulOptions options;
  std::complex<double> beta;
  bool in_place = false;
  bool fp_flags = false;
  bool has_infinity = false;

  /// Errors: invalid_argument for a line that says nothing sensible.
  static MatmulCase make(const Case& line);

  /// A, B and, unless D is written over it, C, as they are now.
  [[nodiscard]] Unwritten inputs();
};

/// NumPy's shape rule for products: batch axes broadcast, the axis a 1-D operand was given is
/// dropped.
struct ProductShape {
  Dims batch;
  std::int64_t m = 1, n = 1, k = 0;
  Dims result;
};
[[nodiscard]] ProductShape product_shape(const Dims& a, const Dims& b);

/// What the result must be, computed from the definition in long double, and how far from it an
/// element may be.
struct Expected {
  std::vector<std::complex<double>> values;
  std::vector<double> bounds;
};
[[nodiscard]] Expected expected_product(const MatmulCase& given);

/// Random case lines: the same for the same seed.
[[nodiscard]] std::vector<std::string> random_matmul_cases(std::int64_t count, std::uint64_t seed);

}  // namespace mw::conformance
