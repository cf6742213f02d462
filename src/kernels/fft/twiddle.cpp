// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/twiddle.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace mw::kernels::fft {

namespace {

/// exp(−2πi·t/n), with the angle reduced exactly, in integers, to [0, π/4]: the angle is u·π/(2n)
/// with u = 4t, and each reflection acts on u.
std::complex<long double> unit_root(std::int64_t t, std::int64_t n) {
  bool negate_im = true;  // forward: exp(−…)
  bool negate_re = false;
  if (2 * t > n) {  // 2π − φ
    t = n - t;
    negate_im = false;
  }
  std::int64_t u = 4 * t;
  if (u > n) {  // π − φ
    u = 2 * n - u;
    negate_re = true;
  }
  const bool swap = 2 * u > n;  // π/2 − φ
  if (swap) u = n - u;
  const long double angle = std::numbers::pi_v<long double> / 2 * static_cast<long double>(u) /
                            static_cast<long double>(n);
  long double re = std::cos(angle);
  long double im = std::sin(angle);
  if (swap) std::swap(re, im);
  return {negate_re ? -re : re, negate_im ? -im : im};
}

}  // namespace

Roots::Roots(std::int64_t n) {
  while ((std::int64_t{1} << (2 * shift_)) < n) ++shift_;
  const std::int64_t step = std::int64_t{1} << shift_;
  for (std::int64_t t = 0; t < step && t < n; ++t) fine_.push_back(unit_root(t, n));
  for (std::int64_t t = 0; t < n; t += step) coarse_.push_back(unit_root(t, n));
}

std::complex<long double> Roots::operator()(std::int64_t t) const {
  const auto& high = coarse_[static_cast<std::size_t>(t >> shift_)];
  const auto& low = fine_[static_cast<std::size_t>(t & ((std::int64_t{1} << shift_) - 1))];
  return {high.real() * low.real() - high.imag() * low.imag(),
          high.real() * low.imag() + high.imag() * low.real()};
}

}  // namespace mw::kernels::fft
