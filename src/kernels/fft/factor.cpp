// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/factor.hpp"

#include <algorithm>
#include <functional>

namespace mw::kernels::fft {

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    for (; n % p == 0; n /= p) primes.push_back(p);
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (auto p : prime_factors(n)) {
    if (p == 2) {
      ++twos;
    } else {
      radices.push_back(static_cast<int>(p));
    }
  }
  // Passes of 8 while possible; a rest of 2 becomes 4·4 with one of the 8s, or 2 alone.
  for (; twos >= 5 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  std::sort(radices.begin(), radices.end(), std::greater<>());
  return radices;
}

std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d * d != n) divisors.push_back(n / d);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

std::vector<std::int64_t> smooth_lengths(std::int64_t low, std::int64_t multiple) {
  const std::int64_t from = (low + multiple - 1) / multiple;
  const std::int64_t to = from + 2 * from / 5 + 1;
  std::vector<std::int64_t> lengths;
  for (std::int64_t a = 1; a <= to; a *= 7) {
    for (std::int64_t b = a; b <= to; b *= 5) {
      for (std::int64_t c = b; c <= to; c *= 3) {
        for (std::int64_t d = c; d <= to; d *= 2) {
          if (d >= from) lengths.push_back(d * multiple);
        }
      }
    }
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

double pass_cycles(int radix) {
  switch (radix) {
    case 2: return 3.0;
    case 3: return 4.0;
    case 4: return 5.0;
    case 5: return 5.5;
    case 7: return 8.0;
    case 8: return 6.5;
    case 11: return 12.0;
    case 13: return 14.0;
    default: return 6.0 + 1.2 * radix;
  }
}

double cache_factor(double bytes) {
  constexpr struct {
    double bytes, factor;
  } kLevels[] = {{64e3, 1.0}, {600e3, 1.2}, {2.2e6, 1.35}, {9e6, 2.5}};
  for (const auto& level : kLevels) {
    if (bytes <= level.bytes) return level.factor;
  }
  return 4.0;
}

}  // namespace mw::kernels::fft
