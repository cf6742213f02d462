// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Cosine and sine transforms against their definitions (kernels/fft/trig.hpp), summed in __float128
// with roots of long double, reduced exactly. Bounds as in kernels_fft_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/fft/fft.hpp"

#include <mathwright/error.hpp>
#include <mathwright/tensor.hpp>

namespace mw::kernels {
namespace {

using Quad = __float128;

constexpr FftKind kTrig[] = {FftKind::dct1, FftKind::dct2, FftKind::dct3, FftKind::dct4,
                             FftKind::dst1, FftKind::dst2, FftKind::dst3, FftKind::dst4};

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

void execute(const FftShape& s, const void* in, void* out, int threads = 1, double scale = 1) {
  const auto fft = Fft::make(s, threads);
  const std::size_t bytes = std::max<std::size_t>(fft->workspace_bytes(), 1);
  void* const workspace = ::operator new (bytes, std::align_val_t{64});
  fft->execute(in, out, -1, scale, workspace);
  ::operator delete (workspace, std::align_val_t{64});
}

FftShape contiguous(FftKind kind, DType precision, const Dims& shape, const Dims& axes) {
  return {kind, precision, shape, contiguous_strides(shape), contiguous_strides(shape), axes};
}

/// cos(π·t/(2·half)), or the sine of it.
long double wave(std::int64_t t, std::int64_t half, bool sine) {
  t %= 4 * half;
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(t) /
                            static_cast<long double>(2 * half);
  return sine ? std::sin(angle) : std::cos(angle);
}

/// The definition for one line, term by term.
std::vector<Quad> definition(FftKind kind, const std::vector<Quad>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const bool sine = kind >= FftKind::dst1;
  const int type = static_cast<int>(kind) - static_cast<int>(sine ? FftKind::dst1 : FftKind::dct1);
  // Places of samples and of results in half steps, and the half period in steps.
  const bool in_halves = type == 1 || type == 3;
  const bool out_halves = type == 2 || type == 3;
  const std::int64_t half = type != 0 ? n : sine ? n + 1 : n - 1;
  std::vector<long double> table(place(8 * half));
  for (std::int64_t t = 0; t < 8 * half; ++t) table[place(t)] = wave(t, 2 * half, sine);
  std::vector<Quad> y(place(n));
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t b = out_halves ? 2 * k + 1 : 2 * (sine ? k + 1 : k);
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t a = in_halves ? 2 * j + 1 : 2 * (sine ? j + 1 : j);
      const bool end = type == 0   ? !sine && (j == 0 || j == n - 1)
                       : type == 2 ? j == (sine ? n - 1 : 0)
                                   : false;
      // cos(π·(a/2)(b/2)/half) with a, b in half steps.
      y[place(k)] +=
          (end ? 1 : 2) * x[place(j)] * static_cast<Quad>(table[place(a * b % (8 * half))]);
    }
  }
  return y;
}

double bound(DType precision, std::int64_t n) {
  const double epsilon = precision == DType::float32 ? std::numeric_limits<float>::epsilon()
                                                     : std::numeric_limits<double>::epsilon();
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(n));
  return (power ? 2 : 6) * epsilon * std::sqrt(std::max(1.0, std::log2(static_cast<double>(n))));
}

enum class Layout { line, rows, columns, reversed };

template <class T>
void compare(FftKind kind, std::int64_t n, Layout layout, int threads = 1) {
  if (kind == FftKind::dct1 && n == 1) return;
  const std::int64_t lines = layout == Layout::line ? 1 : 11;
  const bool columns = layout == Layout::columns;
  FftShape s =
      contiguous(kind, dtype_of<T>, columns ? Dims{n, lines} : Dims{lines, n}, {columns ? 0 : 1});
  std::vector<T> in(place(n * lines));
  std::vector<T> out(in.size());
  std::mt19937 generator(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& value : in) value = static_cast<T>(uniform(generator));
  const T* first = in.data();
  if (layout == Layout::reversed) {  // every line backwards
    s.in_strides[1] = -1;
    first += n - 1;
  }

  execute(s, first, out.data(), threads, 0.5);

  for (std::int64_t line : {std::int64_t{0}, lines - 1}) {
    std::vector<Quad> x(place(n));
    for (std::int64_t j = 0; j < n; ++j) {
      x[place(j)] = first[line * s.in_strides[columns ? 1 : 0] + j * s.in_strides[columns ? 0 : 1]];
    }
    const auto wanted = definition(kind, x);
    Quad error = 0;
    Quad norm = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const T got =
          out[place(line * s.out_strides[columns ? 1 : 0] + k * s.out_strides[columns ? 0 : 1])];
      const Quad difference = got - wanted[place(k)] / 2;
      error += difference * difference;
      norm += wanted[place(k)] * wanted[place(k)] / 4;
    }
    EXPECT_LE(std::sqrt(static_cast<double>(error)),
              bound(s.precision, n) * std::sqrt(static_cast<double>(norm)))
        << "kind " << static_cast<int>(kind) << " n " << n << " layout "
        << static_cast<int>(layout);
  }
}

TEST(KernelsFftTrig, EveryTypeAndLengthIsTheSumOfTheDefinition) {
  for (auto kind : kTrig) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      for (auto layout : {Layout::line, Layout::rows, Layout::columns, Layout::reversed}) {
        compare<float>(kind, n, layout);
        compare<double>(kind, n, layout);
      }
    }
  }
}

TEST(KernelsFftTrig, LongerLengthsAreTheSumOfTheDefinition) {
  for (auto kind : kTrig) {
    for (std::int64_t n : {127, 257, 512, 1023}) {
      compare<float>(kind, n, Layout::line, 2);
      compare<double>(kind, n, Layout::line);
      compare<double>(kind, n, Layout::columns, 3);
    }
  }
}

/// Type → its inverse, and the factor of the two together.
TEST(KernelsFftTrig, ATypeAndItsInverseGiveTheInputBack) {
  constexpr FftKind kInverse[] = {FftKind::dct1, FftKind::dct3, FftKind::dct2, FftKind::dct4,
                                  FftKind::dst1, FftKind::dst3, FftKind::dst2, FftKind::dst4};
  for (std::int64_t n : {2, 3, 64, 1000, 4097, 65537, 100000, 1 << 17}) {
    for (std::size_t i = 0; i < std::size(kTrig); ++i) {
      std::vector<double> x(place(n));
      std::vector<double> y(x.size());
      std::mt19937 generator(3);
      std::uniform_real_distribution<double> uniform(-1, 1);
      for (auto& value : x) value = uniform(generator);
      const std::int64_t half = kTrig[i] == FftKind::dct1   ? n - 1
                                : kTrig[i] == FftKind::dst1 ? n + 1
                                                            : n;

      execute(contiguous(kTrig[i], DType::float64, {n}, {0}), x.data(), y.data(), 2);
      execute(contiguous(kInverse[i], DType::float64, {n}, {0}), y.data(), y.data(), 2,
              0.5 / static_cast<double>(half));

      double error = 0;
      double norm = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        error += (y[j] - x[j]) * (y[j] - x[j]);
        norm += x[j] * x[j];
      }
      EXPECT_LE(std::sqrt(error),
                2 * bound(DType::float64, 3) * std::log2(2.0 * double(n)) * std::sqrt(norm))
          << "kind " << static_cast<int>(kTrig[i]) << " n " << n;
    }
  }
}

TEST(KernelsFftTrig, SeveralAxesInAnyOrderAreOneAfterTheOther) {
  const Dims shape = {6, 20, 17};
  for (auto kind : kTrig) {
    std::vector<double> x(place(6 * 20 * 17));
    std::iota(x.begin(), x.end(), -100.0);
    std::vector<double> all(x.size());
    std::vector<double> steps = x;

    execute(contiguous(kind, DType::float64, shape, {2, 0, 1}), x.data(), all.data(), 2);
    for (std::int64_t axis : {0, 1, 2}) {
      execute(contiguous(kind, DType::float64, shape, {axis}), steps.data(), steps.data());
    }

    double error = 0;
    double norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error += (all[i] - steps[i]) * (all[i] - steps[i]);
      norm += all[i] * all[i];
    }
    EXPECT_LE(std::sqrt(error), 1e-15 * std::sqrt(norm)) << "kind " << static_cast<int>(kind);
  }
}

TEST(KernelsFftTrig, AnAxisOfOneIsNotAnIdentity) {
  const double x = 3;
  const double wanted[] = {0, 6, 3, 3 * std::numbers::sqrt2, 6, 6, 3, 3 * std::numbers::sqrt2};
  for (std::size_t i = 1; i < std::size(kTrig); ++i) {
    double y = 0;

    execute(contiguous(kTrig[i], DType::float64, {1, 1}, {0}), &x, &y);

    EXPECT_DOUBLE_EQ(y, wanted[i]) << "kind " << i;
  }
}

TEST(KernelsFftTrig, ANaNStaysInItsLine) {
  for (auto kind : kTrig) {
    for (std::int64_t n : {9, 16, 33}) {
      std::vector<double> x(place(21 * n), 1.0);
      std::vector<double> y(x.size());
      x[place(9 * n + 2)] = std::numeric_limits<double>::quiet_NaN();

      execute(contiguous(kind, DType::float64, {21, n}, {1}), x.data(), y.data());

      // Where its factor is zero a result of the same line may be a number.
      std::int64_t own = 0;
      std::int64_t foreign = 0;
      for (std::int64_t i = 0; i < 21 * n; ++i) {
        if (std::isnan(y[place(i)])) ++(i / n == 9 ? own : foreign);
      }
      EXPECT_GT(own, n / 2) << "kind " << static_cast<int>(kind) << " n " << n;
      EXPECT_EQ(foreign, 0) << "kind " << static_cast<int>(kind) << " n " << n;
    }
  }
}

TEST(KernelsFftTrig, TypeOneOfOneElementIsRefused) {
  try {
    static_cast<void>(Fft::make(contiguous(FftKind::dct1, DType::float64, {4, 1}, {1}), 1));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("at least 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mw::kernels
