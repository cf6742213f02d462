// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The native FFT against the definition, X[k] = scale · Σ_j x[j] exp(±2πi·jk/n), summed in long
// double axis by axis.
//
// Bound on the relative L2 error: c·ε·√(log2 n), ε the spacing of the type at 1, n the product of
// the transformed extents; c = 2 for powers of two and 6 for any other length (Bluestein's
// convolution has about twice the length and two transforms).
#include "kernels/fft/fft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/layout.hpp"

#include <mathwright/error.hpp>
#include <mathwright/tensor.hpp>

namespace mw::kernels {
namespace {

using Wide = std::complex<long double>;
using WideArray = std::vector<Wide>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t size_of(const Dims& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Offset of the i-th element, counted in C order.
std::int64_t offset_of(std::int64_t i, const Dims& shape, const Dims& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    offset += i % shape[d] * strides[d];
    i /= shape[d];
  }
  return offset;
}

/// An array in memory of its own with room around it, so that any strides can be given to it.
template <class Element>
struct Strided {
  Strided(const Dims& extents, const Dims& steps)
      : shape(extents),
        strides(steps),
        first(offset_range(extents, steps).first),
        memory(at(offset_range(extents, steps).second - first + 1)) {}
  Element* origin() { return memory.data() - first; }
  Element& operator[](std::int64_t i) { return origin()[offset_of(i, shape, strides)]; }

  Dims shape, strides;
  std::int64_t first;
  std::vector<Element> memory;
};

struct Workspace {
  explicit Workspace(std::size_t bytes)
      : memory(::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64})) {}
  ~Workspace() { ::operator delete (memory, std::align_val_t{64}); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* memory;
};

void run(const Fft& fft, const void* in, void* out, int direction = -1, double scale = 1) {
  const Workspace workspace(fft.workspace_bytes());
  fft.execute(in, out, direction, scale, workspace.memory);
}

// --- the definition ------------------------------------------------------------------------------

/// The textbook product; the operator of std::complex checks for infinities, at five times the
/// cost.
Wide times(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Transforms one axis of a C-ordered array.
void transform_axis(WideArray& data, const Dims& shape, std::int64_t axis, int direction) {
  const std::int64_t n = shape[at(axis)];
  std::int64_t inner = 1;
  for (std::size_t d = at(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  WideArray roots(at(n));
  for (std::int64_t t = 0; t < n; ++t) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(t) /
                              static_cast<long double>(n);
    roots[at(t)] = {std::cos(angle), direction * std::sin(angle)};
  }
  WideArray line(at(n));
  for (std::int64_t start = 0; start < std::ssize(data); ++start) {
    if (start / inner % n != 0) continue;
    for (std::int64_t k = 0; k < n; ++k) {
      Wide sum = 0;
      std::int64_t t = 0;  // jk mod n
      for (std::int64_t j = 0; j < n; ++j) {
        sum += times(data[at(start + j * inner)], roots[at(t)]);
        t += k;
        if (t >= n) t -= n;
      }
      line[at(k)] = sum;
    }
    for (std::int64_t k = 0; k < n; ++k) data[at(start + k * inner)] = line[at(k)];
  }
}

Dims halved(Dims shape, std::int64_t axis) {
  shape[at(axis)] = shape[at(axis)] / 2 + 1;
  return shape;
}

/// The whole transform on C-ordered data of the input's shape; the result has the output's shape.
WideArray reference(const FftShape& s, WideArray data, int direction, double scale) {
  const std::int64_t last = s.axes.back();
  const std::int64_t n = s.shape[at(last)];
  const Dims half = halved(s.shape, last);
  if (s.kind == FftKind::c2r) {
    for (std::size_t i = 0; i + 1 < s.axes.size(); ++i) {
      transform_axis(data, half, s.axes[i], direction);
    }
    // The elements that n/2 + 1 do not hold are conjugates; element 0 and n/2 count as real.
    WideArray whole(at(size_of(s.shape)));
    const Dims from = contiguous_strides(half);
    const Dims to = contiguous_strides(s.shape);
    for (std::int64_t i = 0; i < size_of(half); ++i) {
      const std::int64_t k = i / from[at(last)] % half[at(last)];
      const std::int64_t offset = offset_of(i, half, to);
      if (k == 0 || 2 * k == n) {
        whole[at(offset)] = data[at(i)].real();
      } else {
        whole[at(offset)] = data[at(i)];
        whole[at(offset + (n - 2 * k) * to[at(last)])] = std::conj(data[at(i)]);
      }
    }
    transform_axis(whole, s.shape, last, direction);
    data = whole;
  } else {
    for (auto axis : s.axes) transform_axis(data, s.shape, axis, direction);
    if (s.kind == FftKind::r2c) {
      WideArray kept;
      const Dims from = contiguous_strides(s.shape);
      for (std::int64_t i = 0; i < size_of(half); ++i) {
        kept.push_back(data[at(offset_of(i, half, from))]);
      }
      data = kept;
    }
  }
  for (auto& x : data) x *= static_cast<long double>(scale);
  return data;
}

double bound(const FftShape& s) {
  std::int64_t n = 1;
  for (auto axis : s.axes) n *= s.shape[at(axis)];
  const double epsilon = s.precision == DType::float32 ? std::numeric_limits<float>::epsilon()
                                                       : std::numeric_limits<double>::epsilon();
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(n));
  return (power ? 2 : 6) * epsilon * std::sqrt(std::max(1.0, std::log2(static_cast<double>(n))));
}

// --- one comparison ------------------------------------------------------------------------------

template <class T>
Wide widen(const T& x) {
  return Wide(x);
}
template <class T>
Wide widen(const std::complex<T>& x) {
  return {x.real(), x.imag()};
}

template <class Element>
void fill(std::vector<Element>& values, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& value : values) {
    if constexpr (std::is_floating_point_v<Element>) {
      value = static_cast<Element>(uniform(generator));
    } else {
      using Part = typename Element::value_type;
      const double re = uniform(generator);
      value = {static_cast<Part>(re), static_cast<Part>(uniform(generator))};
    }
  }
}

struct Options {
  int direction = -1;
  double scale = 1;
  int threads = 1;
  bool in_place = false;
};

template <class In, class Out>
void compare(const FftShape& s, Options options) {
  const Dims half = halved(s.shape, s.axes.back());
  Strided<In> in(s.kind == FftKind::c2r ? half : s.shape, s.in_strides);
  Strided<Out> out(s.kind == FftKind::r2c ? half : s.shape, s.out_strides);
  fill(in.memory, 1);
  const auto before = in.memory;
  WideArray wide;
  for (std::int64_t i = 0; i < size_of(in.shape); ++i) wide.push_back(widen(in[i]));
  const auto fft = Fft::make(s, options.threads);

  if constexpr (std::is_same_v<In, Out>) {
    if (options.in_place) out.memory = in.memory;
  }
  const void* const from = options.in_place ? static_cast<const void*>(out.origin()) : in.origin();
  run(*fft, from, out.origin(), options.direction, options.scale);

  const WideArray wanted = reference(s, wide, options.direction, options.scale);
  long double error = 0;
  long double norm = 0;
  for (std::int64_t i = 0; i < std::ssize(wanted); ++i) {
    error += std::norm(widen(out[i]) - wanted[at(i)]);
    norm += std::norm(wanted[at(i)]);
  }
  EXPECT_LE(static_cast<double>(std::sqrt(error)), bound(s) * static_cast<double>(std::sqrt(norm)))
      << "kind " << static_cast<int>(s.kind) << " direction " << options.direction << " threads "
      << options.threads << " in place " << options.in_place << "\n"
      << fft->describe();
  EXPECT_EQ(std::memcmp(before.data(), in.memory.data(), before.size() * sizeof(In)), 0)
      << "the input was written";
}

void compare(const FftShape& s, Options options = {}) {
  const auto typed = [&]<class T>(T) {
    switch (s.kind) {
      case FftKind::c2c: return compare<std::complex<T>, std::complex<T>>(s, options);
      case FftKind::r2c: return compare<T, std::complex<T>>(s, options);
      case FftKind::c2r: return compare<std::complex<T>, T>(s, options);
      default: FAIL() << "kernels_fft_trig_test.cpp has the others";
    }
  };
  s.precision == DType::float32 ? typed(float{}) : typed(double{});
}

constexpr FftKind kKinds[] = {FftKind::c2c, FftKind::r2c, FftKind::c2r};
constexpr DType kPrecisions[] = {DType::float32, DType::float64};

/// Contiguous strides of both sides.
FftShape contiguous(FftKind kind, DType precision, const Dims& shape, const Dims& axes) {
  const Dims half = halved(shape, axes.back());
  return {kind,
          precision,
          shape,
          contiguous_strides(kind == FftKind::c2r ? half : shape),
          contiguous_strides(kind == FftKind::r2c ? half : shape),
          axes};
}

// --- lengths -------------------------------------------------------------------------------------

TEST(KernelsFft, EveryLengthUpTo130IsTheSumOfTheDefinition) {
  for (std::int64_t n = 1; n <= 130; ++n) {
    for (auto precision : kPrecisions) {
      for (auto kind : kKinds) {
        compare(contiguous(kind, precision, {n}, {0}), {.direction = n % 2 == 0 ? -1 : 1});
        // Rows (19: some full blocks and a partial one for any vector width), then columns.
        compare(contiguous(kind, precision, {19, n}, {1}), {.direction = n % 2 == 0 ? 1 : -1});
        compare(contiguous(kind, precision, {n, 19}, {0}), {.direction = n % 3 == 0 ? -1 : 1});
      }
    }
  }
}

TEST(KernelsFft, LongerLengthsOfEveryMethodAreTheSumOfTheDefinition) {
  for (std::int64_t n : {1000, 1001, 1009, 2048, 2187, 3125, 4096}) {
    for (auto precision : kPrecisions) {
      for (auto kind : kKinds) {
        compare(contiguous(kind, precision, {n}, {0}), {.direction = -1, .scale = 0.25});
        // The long double sums are slow: the same on columns for the shorter ones only.
        if (n < 2048) compare(contiguous(kind, precision, {n, 2}, {0}), {.direction = 1});
      }
    }
  }
}

/// A few impulses x[j_i] = a_i: X[k] = Σ_i a_i exp(−2πi·j_i·k/n), cheap for any n.
template <class T>
void compare_impulses(std::int64_t n, int threads) {
  const FftShape s = contiguous(FftKind::c2c, dtype_of<T>, {n}, {0});
  std::vector<std::complex<T>> in(at(n));
  std::vector<std::complex<T>> out(at(n));
  const std::int64_t places[] = {0, 1, n / 3, n / 2 + 1, n - 1};
  for (auto j : places) in[at(j)] = {static_cast<T>(1 + j % 7), static_cast<T>(-1 - j % 3)};

  run(*Fft::make(s, threads), in.data(), out.data());

  const auto count = static_cast<long double>(n);
  long double error = 0;
  long double norm = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    Wide wanted = 0;
    for (auto j : places) {
      const auto turns = static_cast<long double>(static_cast<__int128>(j) * k % n) / count;
      wanted += widen(in[at(j)]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
    }
    error += std::norm(widen(out[at(k)]) - wanted);
    norm += std::norm(wanted);
  }
  EXPECT_LE(static_cast<double>(std::sqrt(error / norm)), bound(s)) << "n = " << n;
}

TEST(KernelsFft, LargeLengthsTransformImpulsesExactly) {
  for (std::int64_t n : {10007, 16384, 30030, 65536, 65537, 59049, 100000, 1 << 18}) {
    compare_impulses<float>(n, 1);
    compare_impulses<double>(n, 3);
  }
}

TEST(KernelsFft, LargeRealTransformsMatchTheComplexOne) {
  for (std::int64_t n : {10007, 59049, 65536, 100000}) {
    std::vector<double> x(at(n));
    fill(x, 3);
    const std::vector<std::complex<double>> z(x.begin(), x.end());
    std::vector<std::complex<double>> whole(at(n));
    std::vector<std::complex<double>> half(at(n / 2 + 1));
    std::vector<double> back(at(n));
    const FftShape s = contiguous(FftKind::r2c, DType::float64, {n}, {0});

    run(*Fft::make(contiguous(FftKind::c2c, DType::float64, {n}, {0}), 2), z.data(), whole.data());
    run(*Fft::make(s, 2), x.data(), half.data());
    run(*Fft::make(contiguous(FftKind::c2r, DType::float64, {n}, {0}), 2), half.data(), back.data(),
        1, 1.0 / static_cast<double>(n));

    double error = 0;
    double norm = 0;
    for (std::int64_t k = 0; k <= n / 2; ++k) {
      error += std::norm(half[at(k)] - whole[at(k)]);
      norm += std::norm(whole[at(k)]);
    }
    EXPECT_LE(std::sqrt(error), 2 * bound(s) * std::sqrt(norm)) << "n = " << n;
    double back_error = 0;
    double back_norm = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      back_error += std::pow(back[at(j)] - x[at(j)], 2);
      back_norm += std::pow(x[at(j)], 2);
    }
    EXPECT_LE(std::sqrt(back_error), 2 * bound(s) * std::sqrt(back_norm)) << "n = " << n;
  }
}

// --- layouts -------------------------------------------------------------------------------------

/// Strides of a random layout: a permuted order, padding, and some axes reversed.
Dims random_strides(const Dims& shape, std::mt19937& generator) {
  Dims order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), generator);
  Dims strides(shape.size());
  std::uniform_int_distribution<std::int64_t> padding(0, 2);
  std::int64_t step = 1 + padding(generator) / 2;
  for (auto axis : order) {
    strides[at(axis)] = generator() % 3 == 0 ? -step : step;
    step = step * shape[at(axis)] + padding(generator);
  }
  return strides;
}

TEST(KernelsFft, AnyRankAxesAndStridesAreTransformed) {
  std::mt19937 generator(7);
  const std::int64_t extents[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 23, 32, 37};
  for (int round = 0; round < 300; ++round) {
    const std::size_t rank = 1 + generator() % 4;
    FftShape s;
    s.kind = kKinds[generator() % 3];
    s.precision = kPrecisions[generator() % 2];
    for (std::size_t d = 0; d < rank; ++d) {
      s.shape.push_back(extents[generator() % (rank > 2 ? 8 : std::size(extents))]);
    }
    Dims axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), generator);
    axes.resize(1 + generator() % rank);
    s.axes = axes;
    const Dims half = halved(s.shape, axes.back());
    s.in_strides = random_strides(s.kind == FftKind::c2r ? half : s.shape, generator);
    s.out_strides = random_strides(s.kind == FftKind::r2c ? half : s.shape, generator);
    if (generator() % 4 == 0) s.in_strides[generator() % rank] = 0;  // a broadcast axis
    const bool in_place = s.kind == FftKind::c2c && generator() % 3 == 0;
    if (in_place) s.in_strides = s.out_strides;

    compare(s, {.direction = generator() % 2 == 0 ? -1 : 1,
                .scale = 0.75,
                .threads = 1 + static_cast<int>(generator() % 3),
                .in_place = in_place});
  }
}

TEST(KernelsFft, BlocksOfManyLinesOnSeveralThreadsAreTransformed) {
  for (auto precision : kPrecisions) {
    for (auto kind : kKinds) {
      for (int threads : {1, 2, 5}) {
        compare(contiguous(kind, precision, {37, 64, 6}, {1}), {.threads = threads});
        compare(contiguous(kind, precision, {40, 30, 20}, {0, 1, 2}), {.threads = threads});
        compare(contiguous(kind, precision, {64, 100}, {0, 1}), {.threads = threads});
        compare(contiguous(kind, precision, {100, 64}, {1, 0}), {.threads = threads});
      }
    }
  }
}

TEST(KernelsFft, ResultsDoNotDependOnTheNumberOfThreads) {
  const FftShape s = contiguous(FftKind::c2c, DType::float64, {60, 128}, {0, 1});
  std::vector<std::complex<double>> in(at(size_of(s.shape)));
  std::vector<std::complex<double>> one(in.size());
  std::vector<std::complex<double>> four(in.size());
  fill(in, 5);

  run(*Fft::make(s, 1), in.data(), one.data());
  run(*Fft::make(s, 4), in.data(), four.data());

  EXPECT_EQ(std::memcmp(one.data(), four.data(), one.size() * sizeof one[0]), 0);
}

TEST(KernelsFft, OnePlanRunsOnManyThreadsAtOnce) {
  const FftShape s = contiguous(FftKind::r2c, DType::float64, {16, 180}, {0, 1});
  std::vector<double> in(at(size_of(s.shape)));
  fill(in, 5);
  const auto fft = Fft::make(s, 2);
  const auto count = at(size_of(halved(s.shape, 1)));
  std::vector<std::complex<double>> wanted(count);
  run(*fft, in.data(), wanted.data());
  std::vector<std::vector<std::complex<double>>> results(4, wanted);

  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) run(*fft, in.data(), result.data());
    });
  }
  for (auto& thread : threads) thread.join();

  for (const auto& result : results) EXPECT_EQ(result, wanted);
}

TEST(KernelsFft, EmptyBatchesDoNothing) {
  for (auto kind : kKinds) {
    const auto fft = Fft::make(contiguous(kind, DType::float32, {0, 8}, {1}), 2);
    float untouched = 3;

    run(*fft, &untouched, &untouched);

    EXPECT_EQ(untouched, 3);
    EXPECT_EQ(fft->workspace_bytes(), 0U);
  }
}

// --- values --------------------------------------------------------------------------------------

TEST(KernelsFft, AnImpulseBecomesExactlyConstant) {
  for (std::int64_t n : {1, 2, 3, 4, 8, 15, 16, 60, 64, 143, 256, 1024, 2187, 32768}) {
    std::vector<std::complex<float>> in(at(n));
    std::vector<std::complex<float>> out(at(n));
    in[0] = {3, -2};

    run(*Fft::make(contiguous(FftKind::c2c, DType::float32, {n}, {0}), 1), in.data(), out.data());

    EXPECT_EQ(std::count(out.begin(), out.end(), std::complex<float>{3, -2}), n) << "n = " << n;
  }
}

TEST(KernelsFft, AConstantBecomesAnImpulse) {
  for (std::int64_t n : {1, 2, 7, 16, 60, 97, 101, 512, 1009, 4096}) {
    const FftShape s = contiguous(FftKind::r2c, DType::float64, {n}, {0});
    const std::vector<double> in(at(n), 1.0);
    std::vector<std::complex<double>> out(at(n / 2 + 1));

    run(*Fft::make(s, 1), in.data(), out.data());

    const double norm = static_cast<double>(n);
    EXPECT_LE(std::abs(out[0] - norm), bound(s) * norm);
    for (std::int64_t k = 1; k <= n / 2; ++k) EXPECT_LE(std::abs(out[at(k)]), bound(s) * norm);
  }
}

TEST(KernelsFft, ANaNStaysInItsLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t n : {5, 8, 12, 64, 97, 120, 210, 256}) {
    for (auto kind : kKinds) {
      for (std::int64_t axis : {0, 1}) {
        constexpr std::int64_t kLines = 21;
        const Dims shape = axis == 0 ? Dims{n, kLines} : Dims{kLines, n};
        const FftShape s = contiguous(kind, DType::float64, shape, {axis});
        const std::int64_t in_reals = kind == FftKind::r2c ? 1 : 2;
        const std::int64_t out_reals = kind == FftKind::c2r ? 1 : 2;
        const std::int64_t in_n = kind == FftKind::c2r ? n / 2 + 1 : n;
        const std::int64_t out_n = kind == FftKind::r2c ? n / 2 + 1 : n;
        const std::int64_t line_in = s.in_strides[at(1 - axis)];
        const std::int64_t line_out = s.out_strides[at(1 - axis)];
        std::vector<double> in(at(in_n * kLines * in_reals), 1.0);
        std::vector<double> out(at(out_n * kLines * out_reals));
        in[at((9 * line_in + s.in_strides[at(axis)]) * in_reals)] = nan;

        run(*Fft::make(s, 1), in.data(), out.data());

        for (std::int64_t line = 0; line < kLines; ++line) {
          for (std::int64_t k = 0; k < out_n; ++k) {
            const std::int64_t place = (line * line_out + k * s.out_strides[at(axis)]) * out_reals;
            const bool is_nan =
                std::isnan(out[at(place)]) || std::isnan(out[at(place + out_reals - 1)]);
            EXPECT_EQ(is_nan, line == 9) << "n = " << n << " line " << line << " element " << k;
          }
        }
      }
    }
  }
}

TEST(KernelsFft, ImaginaryPartsThatARealResultCannotHaveAreIgnored) {
  for (std::int64_t n : {1, 2, 9, 16, 30, 64, 101}) {
    for (std::int64_t lines : {1, 7}) {
      const FftShape s = contiguous(FftKind::c2r, DType::float64, {lines, n}, {1});
      std::vector<std::complex<double>> in(at(lines * (n / 2 + 1)));
      fill(in, 11);
      auto cleaned = in;
      for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t start = line * (n / 2 + 1);
        cleaned[at(start)].imag(0);
        if (n % 2 == 0) cleaned[at(start + n / 2)].imag(0);
      }
      std::vector<double> out(at(lines * n));
      std::vector<double> wanted(at(lines * n));

      run(*Fft::make(s, 1), in.data(), out.data(), 1);
      run(*Fft::make(s, 1), cleaned.data(), wanted.data(), 1);

      EXPECT_EQ(out, wanted) << "n = " << n;
    }
  }
}

// --- errors and words
// ------------------------------------------------------------------------------

TEST(KernelsFft, WhatCannotBeRightIsRefusedWithTheValueSeen) {
  const FftShape good = contiguous(FftKind::c2c, DType::float64, {4, 8}, {0, 1});
  const auto message = [](const FftShape& s) {
    try {
      static_cast<void>(Fft::make(s, 1));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  FftShape twice = good;
  twice.axes = {1, 1};
  FftShape outside = good;
  outside.axes = {2};
  FftShape strides = good;
  strides.out_strides = {1};
  FftShape half = good;
  half.precision = DType::float16;
  FftShape empty = good;
  empty.shape = {4, 0};

  EXPECT_NE(message(twice).find("lists axis 1 twice"), std::string::npos);
  EXPECT_NE(message(outside).find("axis 2 is out of range"), std::string::npos);
  EXPECT_NE(message(strides).find("one stride per axis"), std::string::npos);
  EXPECT_NE(message(half).find("float16"), std::string::npos);
  EXPECT_NE(message(empty).find("extent 0"), std::string::npos);
}

TEST(KernelsFft, APlanTellsItsFactorsAndCost) {
  const auto small = Fft::make(contiguous(FftKind::c2c, DType::float64, {1000}, {0}), 1);
  const auto large = Fft::make(contiguous(FftKind::c2c, DType::float64, {1000, 1000}, {0, 1}), 1);

  EXPECT_NE(small->describe().find("1000 = "), std::string::npos);
  EXPECT_GT(small->estimate(), 0);
  EXPECT_GT(large->estimate(), 100 * small->estimate());
}

}  // namespace
}  // namespace mw::kernels
