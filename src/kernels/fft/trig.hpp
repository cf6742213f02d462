// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Cosine and sine transforms of n reals, unnormalised as FFT libraries have them:
//
//   dct1  y[k] = x[0] + (−1)^k x[n−1] + 2 Σ_(0<j<n−1) x[j] cos(π·jk/(n−1))          n ≥ 2
//   dct2  y[k] = 2 Σ_j x[j] cos(π·k(2j+1)/2n)
//   dct3  y[k] = x[0] + 2 Σ_(j>0) x[j] cos(π·j(2k+1)/2n)
//   dct4  y[k] = 2 Σ_j x[j] cos(π(2j+1)(2k+1)/4n)
//   dst1  y[k] = 2 Σ_j x[j] sin(π(j+1)(k+1)/(n+1))
//   dst2  y[k] = 2 Σ_j x[j] sin(π(k+1)(2j+1)/2n)
//   dst3  y[k] = (−1)^k x[n−1] + 2 Σ_(j<n−1) x[j] sin(π(j+1)(2k+1)/2n)
//   dst4  y[k] = 2 Σ_j x[j] sin(π(2j+1)(2k+1)/4n)
//
// How, each at about the cost of one real transform of n:
//
//   dct2  v = x[0], x[2], …, x[3], x[1]; V its real transform, w_k = exp(−πi·k/2n), z = V[k]·w_k:
//         y[k] = 2 Re z, y[n−k] = −2 Im z.  dct3: the same backwards.  (J. Makhoul, A fast cosine
//         transform in one and two dimensions, IEEE Trans. ASSP 28, 1980.)
//   dct4  even n: z[j] = (x[2j] + i·x[n−1−2j])·exp(−πi(4j+1)/4n), Z its complex transform of n/2,
//         s = Z[k]·exp(−πi·k/n): y[2k] = 2 Re s, y[n−1−2k] = −2 Im s.
//         Odd n: a permutation. With a = 2j+1 and b = 2k+1 the kernel is cos(2π·ab/8n), which a →
//         −a and a → 4n−a change at most in sign; of each such orbit modulo 8n one a is 1 modulo 8.
//         For these, 1/8n = α/8 + β/n (αn + 8β = 1) makes it Re exp(2πi·α/8) exp(2πi·β·ab/n): a
//         real transform of length n in a and b modulo n.
//   dct1  n−1 even: y[k] = E[k] + O[k], y[n−1−k] = E[k] − O[k], where E is the dct1 of the even
//         samples and O the dct2 of the odd ones. Else the real transform of the even extension of
//         2(n−1), twice the cost. dst1 likewise with dst1 and dst2, n+1 even.
//   dst2  dct2 of (−1)^j x[j], backwards.  dst3: (−1)^k dct3 of x backwards, dst4 of dct4.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/fft/work.hpp"

namespace mw::kernels::fft {

template <class T>
[[nodiscard]] std::shared_ptr<const LaneWork<T>> make_trig_lanes(FftKind kind, std::int64_t n);
template <class T>
[[nodiscard]] double trig_lanes_cost(FftKind kind, std::int64_t n);

template <class T>
[[nodiscard]] std::shared_ptr<const LineWork<T>> make_trig_line(FftKind kind, std::int64_t n);
template <class T>
[[nodiscard]] double trig_line_cost(FftKind kind, std::int64_t n);

}  // namespace mw::kernels::fft
