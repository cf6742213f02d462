// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What sets cosine and sine transforms apart from the other types. Definitions: fft.hpp.
#pragma once

#include <vector>

#include "ops/fft/problem.hpp"

namespace mw {

[[nodiscard]] constexpr bool is_trig(FFTType type) { return type >= FFTType::dct1; }
[[nodiscard]] constexpr bool reads_reals(FFTType type) {
  return type == FFTType::r2c || is_trig(type);
}

/// The points of one transform as FFTNorm counts them: those of the Fourier transform of the whole
/// period that a cosine or sine transform stands for.
[[nodiscard]] double counted_points(const FFTProblem& problem);

/// The factor that FFTOptions::orthogonalize puts on element `at` of an axis.
struct FFTWeight {
  std::int64_t at;
  double factor;
};
/// Of the input's or the output's side of an axis of n points.
[[nodiscard]] std::vector<FFTWeight> weights_of(FFTType type, bool input, std::int64_t n);

/// FFTProblem::orthogonal of a problem with type, axes and shape. Errors: invalid_argument for the
/// option with another type, and for a line that dct1 does not define.
[[nodiscard]] bool checked_orthogonal(const FFTProblem& problem, const FFTOptions& options);

/// K with y[k] = Σ_j K(j, k) x[j], correct to an ulp or two of long double.
class TrigKernel {
 public:
  TrigKernel(FFTType type, std::int64_t n);
  [[nodiscard]] long double operator()(std::size_t j, std::size_t k) const;

 private:
  FFTType type_;
  std::size_t n_;
  std::vector<long double> wave_;  ///< one period of 2·cos or 2·sin
};

}  // namespace mw
