// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Accuracy of the native FFT against the definition in __float128, what must hold of any transform,
// and the twiddles.
//
// Bound on the relative L2 error: 2·ε·√(log2 n) for powers of two, 6·ε·√(log2 n) else.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <new>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/fft/fft.hpp"
#include "kernels/fft/twiddle.hpp"

#include <mathwright/tensor.hpp>

namespace mw::kernels {
namespace {

using Quad = __float128;
template <class T>
using Line = std::vector<std::complex<T>>;

std::size_t spot(std::int64_t i) { return static_cast<std::size_t>(i); }

template <class T>
Line<T> transformed(const Line<T>& x, int direction = -1, double scale = 1, int threads = 1) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto fft = Fft::make({FftKind::c2c, dtype_of<T>, {n}, {1}, {1}, {0}}, threads);
  Line<T> y(x.size());
  void* const workspace =
      ::operator new (std::max<std::size_t>(fft->workspace_bytes(), 1), std::align_val_t{64});
  fft->execute(x.data(), y.data(), direction, scale, workspace);
  ::operator delete (workspace, std::align_val_t{64});
  return y;
}

/// sin and cos of 2πt/n in __float128, by the series after reduction to π/4.
struct QuadRoot {
  Quad re, im;
};
QuadRoot quad_root(std::int64_t t, std::int64_t n) {
  // π = the sum of two long doubles to more than 113 bits.
  const Quad pi =
      static_cast<Quad>(3.14159265358979323851280895940618620443274267017841339111328125L) -
      static_cast<Quad>(5.01655761266833202355732708033075701383156167025495e-20L);
  std::int64_t u = 8 * t;  // eighths of a turn in units of n
  const std::int64_t octant = u / n;
  u -= octant * n;
  const bool mirrored = octant % 2 != 0;
  const Quad angle = pi / 4 * static_cast<Quad>(mirrored ? n - u : u) / static_cast<Quad>(n);
  Quad cosine = 0;
  Quad sine = 0;
  Quad term = 1;
  for (int k = 0; k < 36; ++k) {
    (k % 2 == 0 ? cosine : sine) += k % 4 < 2 ? term : -term;
    term = term * angle / (k + 1);
  }
  switch ((octant + 1) / 2 % 4) {
    case 0: return {cosine, mirrored ? -sine : sine};
    case 1: return {mirrored ? sine : -sine, cosine};
    case 2: return {-cosine, mirrored ? sine : -sine};
    default: return {mirrored ? -sine : sine, -cosine};
  }
}

template <class T>
double error_of(const Line<T>& x, const Line<T>& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<QuadRoot> roots;
  for (std::int64_t t = 0; t < n; ++t) roots.push_back(quad_root(t, n));
  Quad error = 0;
  Quad norm = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    Quad re = 0;
    Quad im = 0;
    std::int64_t t = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const Quad a = x[spot(j)].real();
      const Quad b = x[spot(j)].imag();
      re += a * roots[spot(t)].re + b * roots[spot(t)].im;
      im += b * roots[spot(t)].re - a * roots[spot(t)].im;
      t += k;
      if (t >= n) t -= n;
    }
    const Quad d_re = y[spot(k)].real() - re;
    const Quad d_im = y[spot(k)].imag() - im;
    error += d_re * d_re + d_im * d_im;
    norm += re * re + im * im;
  }
  return std::sqrt(static_cast<double>(error / norm));
}

template <class T>
double bound(std::int64_t n) {
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(n));
  return (power ? 2 : 6) * static_cast<double>(std::numeric_limits<T>::epsilon()) *
         std::sqrt(std::max(1.0, std::log2(static_cast<double>(n))));
}

template <class T>
Line<T> noise(std::int64_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Line<T> x(spot(n));
  for (auto& value : x) {
    const double re = normal(generator);
    value = {static_cast<T>(re), static_cast<T>(normal(generator))};
  }
  return x;
}

constexpr std::int64_t kLengths[] = {2,   3,   8,   15,  17,  32,  61,  67,   100,  101,
                                     128, 243, 256, 343, 360, 509, 512, 1000, 1009, 1024};

template <class T>
void expect_accurate() {
  for (auto n : kLengths) {
    const auto random = noise<T>(n, 1);
    EXPECT_LE(error_of(random, transformed(random)), bound<T>(n)) << "random, n " << n;
    Line<T> impulse(spot(n));
    impulse[spot(n / 3)] = {T{3}, T{-5}};
    EXPECT_LE(error_of(impulse, transformed(impulse)), bound<T>(n)) << "impulse, n " << n;
    const Line<T> constant(spot(n), {T{1} / 3, T{2}});
    EXPECT_LE(error_of(constant, transformed(constant)), bound<T>(n)) << "constant, n " << n;
    auto extreme = random;  // from the smallest to the largest that cannot overflow
    const T large = std::numeric_limits<T>::max() / static_cast<T>(64 * n);
    for (std::int64_t j = 0; j < n; ++j) {
      extreme[spot(j)] *= j % 3 == 0   ? large
                          : j % 3 == 1 ? std::numeric_limits<T>::min()
                                       : std::sqrt(large);
    }
    EXPECT_LE(error_of(extreme, transformed(extreme)), bound<T>(n)) << "extreme, n " << n;
  }
}

TEST(KernelsFftAccuracy, Float) { expect_accurate<float>(); }
TEST(KernelsFftAccuracy, Double) { expect_accurate<double>(); }

TEST(KernelsFftAccuracy, TwiddlesAreRoundedToHardlyMoreThanHalfAnUlp) {
  for (std::int64_t n : {7, 1000, 65536, 1000003, 1 << 28}) {
    const fft::Roots roots(n);
    const std::int64_t step = std::max<std::int64_t>(1, n / 997);
    for (std::int64_t t = 0; t < n; t += step) {
      double pair[2];
      roots.put(t, pair);
      const auto exact = quad_root(t, n);
      const Quad wanted[] = {exact.re, -exact.im};
      for (int part = 0; part < 2; ++part) {
        const double seen = pair[part];
        const double ulp = std::nextafter(std::abs(seen), 2.0) - std::abs(seen);
        const auto error = static_cast<double>(seen - wanted[part]);
        // Near a zero of one part the error of long double is absolute.
        EXPECT_LE(std::abs(error), 0.501 * ulp + 4e-19) << "t " << t << " of " << n;
      }
    }
  }
}

// --- what holds of any transform -----------------------------------------------------------------

constexpr std::int64_t kMany[] = {16, 60, 101, 1009, 4096, 10007, 15120, 65536, 100003, 1 << 18};

template <class T>
double distance(const Line<T>& a, const Line<T>& b) {
  double error = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    norm += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(error / norm);
}

TEST(KernelsFftIdentities, TheEnergyIsKept) {
  for (auto n : kMany) {
    const auto x = noise<double>(n, 2);
    const auto y = transformed(x, -1, 1, 2);
    long double before = 0;
    long double after = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      before += std::norm(std::complex<long double>(x[i]));
      after += std::norm(std::complex<long double>(y[i]));
    }
    EXPECT_NEAR(static_cast<double>(after / static_cast<long double>(n) / before), 1,
                2 * bound<double>(n))
        << "n " << n;
  }
}

TEST(KernelsFftIdentities, BackGivesTheInput) {
  for (auto n : kMany) {
    const auto x = noise<float>(n, 3);
    const auto y = transformed(transformed(x, -1, 1, 2), 1, 1.0 / static_cast<double>(n), 2);
    EXPECT_LE(distance(y, x), 2 * bound<float>(n)) << "n " << n;
  }
}

TEST(KernelsFftIdentities, SumsStaySums) {
  for (auto n : kMany) {
    const auto x = noise<double>(n, 4);
    const auto y = noise<double>(n, 5);
    Line<double> sum(x.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = 3.0 * x[i] - y[i];
    auto wanted = transformed(x);
    const auto other = transformed(y);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = 3.0 * wanted[i] - other[i];
    EXPECT_LE(distance(transformed(sum), wanted), 3 * bound<double>(n)) << "n " << n;
  }
}

TEST(KernelsFftIdentities, AShiftIsAPhase) {
  for (auto n : kMany) {
    const std::int64_t shift = n / 3 + 1;
    const auto x = noise<double>(n, 6);
    Line<double> shifted(x.size());
    for (std::int64_t j = 0; j < n; ++j) shifted[spot((j + shift) % n)] = x[spot(j)];
    auto wanted = transformed(x);
    for (std::int64_t k = 0; k < n; ++k) {
      const auto turns = static_cast<long double>(k * shift % n) / static_cast<long double>(n);
      wanted[spot(k)] *=
          std::complex<double>(std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns));
    }
    EXPECT_LE(distance(transformed(shifted), wanted), 3 * bound<double>(n)) << "n " << n;
  }
}

TEST(KernelsFftIdentities, AConvolutionIsAProduct) {
  for (auto n : kMany) {
    const auto x = noise<double>(n, 7);
    Line<double> taps(x.size());
    const std::int64_t places[] = {0, 1, n / 2, n - 1};
    Line<double> wanted(x.size());
    for (auto p : places) {
      taps[spot(p)] = {1.0 + static_cast<double>(p % 5), -0.5};
      for (std::int64_t j = 0; j < n; ++j) wanted[spot((j + p) % n)] += x[spot(j)] * taps[spot(p)];
    }
    auto product = transformed(x);
    const auto filter = transformed(taps);
    for (std::size_t i = 0; i < product.size(); ++i) product[i] *= filter[i];
    const auto seen = transformed(product, 1, 1.0 / static_cast<double>(n));
    EXPECT_LE(distance(seen, wanted), 6 * bound<double>(n)) << "n " << n;
  }
}

TEST(KernelsFftIdentities, TwoRunsAreBitIdentical) {
  for (auto n : kMany) {
    const auto x = noise<float>(n, 8);
    const auto first = transformed(x, -1, 1, 2);
    for (int i = 0; i < 3; ++i) {
      const auto again = transformed(x, -1, 1, 2);
      EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof first[0]), 0)
          << "n " << n;
    }
  }
}

}  // namespace
}  // namespace mw::kernels
