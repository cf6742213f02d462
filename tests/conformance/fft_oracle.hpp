// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a transform should be, independently of everything under src/ops/fft but the validation:
// single results by the definition, as one sum over all the points of a transform,
//
//   c2c, r2c   X[k] = Σ_j x[j] Π_a w_a^(j_a k_a)
//   c2r        y[j] = Re Σ_k c_k X[k] Π_a w_a^(j_a k_a),   c = 1 at index 0 and n/2 of the halved
//   axis,
//                                                          c = 2 elsewhere
//
// in long double. A sum costs N terms, so a few results of a long transform are cheap.
#pragma once

#include <complex>
#include <numbers>
#include <vector>

#include "ops/fft/problem.hpp"

namespace mw::conformance {

using Wide = std::complex<long double>;

class FFTOracle {
 public:
  /// `input` in C order.
  FFTOracle(const FFTProblem& problem, std::vector<std::complex<double>> input, int direction)
      : problem_(problem), input_(std::move(input)) {
    for (std::size_t a = 0; a < problem_.axes.size(); ++a) {
      const auto n = static_cast<std::size_t>(problem_.length(a));
      std::vector<Wide> roots(n);
      for (std::size_t j = 0; j < n; ++j) {
        const long double turn = static_cast<long double>(j) / static_cast<long double>(n);
        const long double angle = 2 * std::numbers::pi_v<long double> * direction * turn;
        roots[j] = {std::cos(angle), std::sin(angle)};
      }
      roots_.push_back(std::move(roots));
    }
  }

  /// The result at this multi-index.
  [[nodiscard]] std::complex<double> at(const Dims& index) const {
    const Dims steps = contiguous_strides(problem_.input().shape);
    std::int64_t base = 0;
    for (const auto axis : problem_.batch_axes()) {
      base += index[static_cast<std::size_t>(axis)] * steps[static_cast<std::size_t>(axis)];
    }
    const Wide sum = sum_over(0, base, 1, index, steps);
    const bool real = problem_.type == FFTType::c2r;
    return {static_cast<double>(sum.real()), real ? 0 : static_cast<double>(sum.imag())};
  }

 private:
  /// Σ over the points of axes a, a+1, …, times `weight`, from element `base`.
  [[nodiscard]] Wide sum_over(std::size_t a, std::int64_t base, Wide weight, const Dims& index,
                              const Dims& steps) const {
    if (a == problem_.axes.size()) {
      const std::complex<double> x = input_[static_cast<std::size_t>(base)];
      return {weight.real() * x.real() - weight.imag() * x.imag(),
              weight.real() * x.imag() + weight.imag() * x.real()};
    }
    const auto axis = static_cast<std::size_t>(problem_.axes[a]);
    const std::int64_t n = problem_.length(a);
    const bool half = problem_.type == FFTType::c2r && a + 1 == problem_.axes.size();
    Wide sum = 0;
    std::int64_t power = 0;  // j·k mod n
    for (std::int64_t j = 0; j < problem_.input().shape[axis]; ++j) {
      const Wide root = roots_[a][static_cast<std::size_t>(power)];
      const long double twice = half && j != 0 && 2 * j != n ? 2 : 1;
      const Wide next = {twice * (weight.real() * root.real() - weight.imag() * root.imag()),
                         twice * (weight.real() * root.imag() + weight.imag() * root.real())};
      sum += sum_over(a + 1, base + j * steps[axis], next, index, steps);
      power = (power + index[axis]) % n;
    }
    return sum;
  }

  FFTProblem problem_;
  std::vector<std::complex<double>> input_;
  std::vector<std::vector<Wide>> roots_;
};

}  // namespace mw::conformance
