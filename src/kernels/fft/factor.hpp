// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Lengths: their factors, and lengths that factor well.
#pragma once

#include <cstdint>
#include <vector>

namespace mw::kernels::fft {

/// Primes above this go through Bluestein's algorithm; up to it there is a pass for any odd prime.
inline constexpr std::int64_t kLargestRadix = 61;

/// The primes of n, ascending, with multiplicity. Cost: O(√n).
[[nodiscard]] std::vector<std::int64_t> prime_factors(std::int64_t n);

/// The radices of the passes for length n, in order: powers of two grouped to 8 and 4, primes as
/// they are. Empty for n = 1.
[[nodiscard]] std::vector<int> radices_of(std::int64_t n);

/// Divisors of n in ascending order. Cost: O(√n).
[[nodiscard]] std::vector<std::int64_t> divisors_of(std::int64_t n);

/// Lengths in [low, 1.4·low], products of 2, 3, 5 and 7 and multiples of `multiple`: where a
/// convolution of at least `low` points can be done.
[[nodiscard]] std::vector<std::int64_t> smooth_lengths(std::int64_t low, std::int64_t multiple);

/// Cycles per element and vector of the pass of a radix (measured on AVX2, rounded).
[[nodiscard]] double pass_cycles(int radix);

/// How much slower a pass is whose input and output together have this many bytes (measured).
[[nodiscard]] double cache_factor(double bytes);

}  // namespace mw::kernels::fft
