// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Bluestein's algorithm: a transform of any length n as a convolution of a smooth length M ≥ 2n
// − 1.
//
// With b_j = exp(−πi·j²/n) and jk = (j² + k² − (k−j)²)/2,
//
//   X[k] = b_k Σ_j (x[j] b_j) conj(b_(k−j)).
//
// The sum is cyclic of length M once x·b is padded with zeros and h_j = h_(M−j) = conj(b_j):
// transform, multiply by H = FFT(h)/M, transform back. The way back is conj ∘ FFT ∘ conj, so that
// one direction of FFT is enough. j² is reduced modulo 2n exactly, and H is computed in double for
// either precision. Cost: two transforms of M and three passes. (L. Bluestein, A linear filtering
// approach to the computation of the discrete Fourier transform, IEEE Trans. Audio Electroacoust.
// 18, 1970.)
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/fft/twiddle.hpp"

namespace mw::kernels::fft {

template <class T>
struct Chirp {
  std::int64_t n = 0;
  std::int64_t m = 0;
  Table<T> chirp;     // b_j, j < n
  Table<T> spectrum;  // H_k, k < m

  /// Shared by all users of the pair (n, m).
  [[nodiscard]] static std::shared_ptr<const Chirp> get(std::int64_t n, std::int64_t m);
};

}  // namespace mw::kernels::fft
