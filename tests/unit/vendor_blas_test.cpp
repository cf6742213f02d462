// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every BLAS that is found, against plain loops.
#include <sys/wait.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "vendor/blas_lapack/blas.hpp"

namespace mw::blas {
namespace {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;

template <class T>
std::vector<T> random_matrix(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<Real<T>> uniform(-1, 1);
  std::vector<T> out(count);
  for (T& value : out) {
    if constexpr (is_complex<T>) {
      const Real<T> re = uniform(engine);
      value = {re, uniform(engine)};
    } else {
      value = uniform(engine);
    }
  }
  return out;
}

template <class T>
T conjugate(T value) {
  if constexpr (is_complex<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

template <class T>
T element(const T* a, std::int64_t lda, Order order, Op op, std::int64_t i, std::int64_t j) {
  if (op != Op::none) std::swap(i, j);
  const T value = order == Order::row ? a[i * lda + j] : a[i + j * lda];
  return op == Op::conjugate_transpose ? conjugate(value) : value;
}

// |computed - exact| of a sum of k products, each rounded in any order: at most
// (k + 2) eps sum|a||b|, and 2 sqrt(2) times that for complex arithmetic.
template <class T>
Real<T> bound(std::int64_t k, Real<T> magnitude) {
  const Real<T> factor = is_complex<T> ? Real<T>(4) : Real<T>(1);
  return factor * static_cast<Real<T>>(k + 4) * std::numeric_limits<Real<T>>::epsilon() * magnitude;
}

template <class T>
void check_gemm(const Gemm<T>& g, const std::vector<T>& before) {
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      const std::int64_t at = g.order == Order::row ? i * g.ldc + j : i + j * g.ldc;
      T sum{};
      Real<T> magnitude = 0;
      for (std::int64_t p = 0; p < g.k; ++p) {
        const T a = element(g.a, g.lda, g.order, g.op_a, i, p);
        const T b = element(g.b, g.ldb, g.order, g.op_b, p, j);
        sum += a * b;
        magnitude += std::abs(a) * std::abs(b);
      }
      const T old = before[static_cast<std::size_t>(at)];
      const T wanted = g.alpha * sum + g.beta * old;
      magnitude = std::abs(g.alpha) * magnitude + std::abs(g.beta) * std::abs(old);
      // Both sides round: twice the bound.
      ASSERT_LE(std::abs(g.c[at] - wanted), 2 * bound<T>(g.k, magnitude))
          << "at " << i << ", " << j;
    }
  }
}

template <class T>
Gemm<T> shaped(Order order, Op op_a, Op op_b) {
  Gemm<T> g{.order = order, .op_a = op_a, .op_b = op_b, .m = 13, .n = 7, .k = 37};
  const bool row = order == Order::row;
  g.lda = 3 + ((op_a == Op::none) == row ? g.k : g.m);
  g.ldb = 5 + ((op_b == Op::none) == row ? g.n : g.k);
  g.ldc = 2 + (row ? g.n : g.m);
  g.alpha = T(0.75);
  g.beta = T(-0.5);
  if constexpr (is_complex<T>) {
    g.alpha += T(0, 0.25);
    g.beta += T(0, 2);
  }
  return g;
}

template <class T>
void try_gemm(const Blas& blas) {
  for (const Order order : {Order::row, Order::column}) {
    for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (const Op op_b : {Op::none, Op::conjugate_transpose}) {
        SCOPED_TRACE(testing::Message() << kLetter<T> << "gemm order " << int(order) << " ops "
                                        << int(op_a) << ", " << int(op_b));
        const auto a = random_matrix<T>(2000, 1), b = random_matrix<T>(2000, 2);
        const auto before = random_matrix<T>(500, 3);
        auto c = before;
        Gemm<T> g = shaped<T>(order, op_a, op_b);
        g.a = a.data();
        g.b = b.data();
        g.c = c.data();

        blas.gemm(g);

        check_gemm(g, before);
      }
    }
  }
}

class EachBlas : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const BlasRow& row = blas_libraries()[GetParam()];
    const auto loaded = load_blas(row);
    if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
    blas_ = loaded.value();
  }
  const Blas* blas_ = nullptr;
};

TEST_P(EachBlas, TellsItsNameVersionAndPath) {
  EXPECT_EQ(blas_->name(), blas_libraries()[GetParam()].name);
  EXPECT_FALSE(blas_->path().empty());
  EXPECT_FALSE(blas_->how().empty());
  EXPECT_TRUE(blas_->integer_bits() == 32 || blas_->integer_bits() == 64);
  RecordProperty("version", blas_->version());
  RecordProperty("path", blas_->path());
}

TEST_P(EachBlas, GemmEqualsPlainLoopsForEveryTypeOrderAndOp) {
  try_gemm<float>(*blas_);
  try_gemm<double>(*blas_);
  try_gemm<std::complex<float>>(*blas_);
  try_gemm<std::complex<double>>(*blas_);
}

TEST_P(EachBlas, BatchEqualsOneProductAfterAnother) {
  using T = std::complex<double>;
  const auto a = random_matrix<T>(3000, 1), b = random_matrix<T>(3000, 2);
  const auto before = random_matrix<T>(3000, 3);
  auto c = before;
  GemmBatch<T> batch{.first = shaped<T>(Order::row, Op::none, Op::transpose)};
  batch.first.a = a.data();
  batch.first.b = b.data();
  batch.first.c = c.data();
  batch.stride_a = 560;
  batch.stride_b = 0;  // one B for all
  batch.stride_c = 130;
  batch.count = 5;

  blas_->gemm_batch(batch);

  for (std::int64_t i = 0; i < batch.count; ++i) {
    Gemm<T> one = batch.first;
    one.a += i * batch.stride_a;
    one.c += i * batch.stride_c;
    check_gemm(one, {before.begin() + i * batch.stride_c, before.end()});
  }
}

TEST_P(EachBlas, GemvEqualsGemmWithOneColumn) {
  const auto a = random_matrix<double>(2000, 1), x = random_matrix<double>(64, 2);
  const auto before = random_matrix<double>(64, 3);
  auto y = before;
  const Gemv<double> g{.order = Order::row,
                       .m = 17,
                       .n = 29,
                       .alpha = 2,
                       .a = a.data(),
                       .lda = 31,
                       .x = x.data(),
                       .beta = 0.5,
                       .y = y.data()};

  blas_->gemv(g);

  check_gemm(Gemm<double>{.order = Order::row,
                          .m = 17,
                          .n = 1,
                          .k = 29,
                          .alpha = 2,
                          .a = a.data(),
                          .lda = 31,
                          .b = x.data(),
                          .beta = 0.5,
                          .c = y.data()},
             before);
}

// A triangular matrix as a full one with zeros, so that gemm's check serves.
TEST_P(EachBlas, TrmmAndTrsmUndoEachOther) {
  const std::int64_t m = 9, n = 5;
  auto a = random_matrix<double>(81, 1);
  for (std::size_t i = 0; i < 9; ++i) a[i * 9 + i] += 4;  // far from singular: condition below 8
  const auto before = random_matrix<double>(45, 2);
  auto b = before;
  const Triangular<double> t{.order = Order::row,
                             .side = Side::left,
                             .uplo = Uplo::lower,
                             .m = m,
                             .n = n,
                             .alpha = 1,
                             .a = a.data(),
                             .lda = m,
                             .b = b.data(),
                             .ldb = n};

  blas_->trmm(t);
  auto full = a;
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = i + 1; j < 9; ++j) full[i * 9 + j] = 0;
  check_gemm(Gemm<double>{.order = Order::row,
                          .m = m,
                          .n = n,
                          .k = m,
                          .a = full.data(),
                          .lda = m,
                          .b = before.data(),
                          .ldb = n,
                          .c = b.data(),
                          .ldc = n},
             std::vector<double>(45));
  blas_->trsm(t);

  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], before[i], 8 * bound<double>(m, 8));
}

TEST_P(EachBlas, HemmReadsOneTriangleAndConjugatesTheOther) {
  using T = std::complex<float>;
  const std::int64_t m = 11, n = 6;
  const auto a = random_matrix<T>(121, 1), b = random_matrix<T>(66, 2);
  std::vector<T> c(66);
  const Symm<T> s{.order = Order::row,
                  .side = Side::left,
                  .uplo = Uplo::upper,
                  .m = m,
                  .n = n,
                  .a = a.data(),
                  .lda = m,
                  .b = b.data(),
                  .ldb = n,
                  .c = c.data(),
                  .ldc = n};

  blas_->hemm(s);

  auto full = a;
  for (std::size_t i = 0; i < 11; ++i) {
    full[i * 11 + i] = full[i * 11 + i].real();
    for (std::size_t j = 0; j < i; ++j) full[i * 11 + j] = std::conj(full[j * 11 + i]);
  }
  check_gemm(Gemm<T>{.order = Order::row,
                     .m = m,
                     .n = n,
                     .k = m,
                     .a = full.data(),
                     .lda = m,
                     .b = b.data(),
                     .ldb = n,
                     .c = c.data(),
                     .ldc = n},
             std::vector<T>(66));
}

TEST_P(EachBlas, SizesBeyond32BitsNeedALibraryWith64BitIntegers) {
  const std::int64_t large = std::int64_t{1} << 32;

  EXPECT_TRUE(blas_->fits(100, 200));
  EXPECT_EQ(blas_->fits(100, large), blas_->integer_bits() == 64);
  if (blas_->integer_bits() == 32) {
    double x = 0;
    EXPECT_THROW(blas_->gemv(Gemv<double>{.m = 0, .n = large, .a = &x, .x = &x, .y = &x}), Error);
  }
}

TEST_P(EachBlas, ThreadCountsHoldForAScopeAndNest) {
  const auto a = random_matrix<double>(64 * 64, 1), b = random_matrix<double>(64 * 64, 2);
  std::vector<double> c(64 * 64);
  const Gemm<double> g{.m = 64,
                       .n = 64,
                       .k = 64,
                       .a = a.data(),
                       .lda = 64,
                       .b = b.data(),
                       .ldb = 64,
                       .c = c.data(),
                       .ldc = 64};

  {
    const BlasThreads one(*blas_, 1);
    blas_->gemm(g);
    {
      const BlasThreads two(*blas_, 2);
      blas_->gemm(g);
    }
    blas_->gemm(g);
  }

  check_gemm(g, std::vector<double>(c.size()));
}

std::string row_name(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = blas_libraries()[info.param].name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Libraries, EachBlas,
                         testing::Range(std::size_t{0}, blas_libraries().size()), row_name);

TEST(DefaultBlas, IsTheFirstThatLoads) {
  const auto all = all_blas();
  if (all.empty()) GTEST_SKIP() << default_blas().refusal().reason;

  const auto chosen = default_blas();

  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen.value(), all.front());
  EXPECT_EQ(default_blas().value(), chosen.value());
}

TEST(DefaultBlas, TheNamedLibraryIsTheOnlyOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto all = all_blas();
  if (all.empty()) GTEST_SKIP() << default_blas().refusal().reason;
  setenv("NVMATH_BLAS_CPU_LIBRARY", all.back()->path().c_str(), 1);

  EXPECT_EXIT(
      {
        const auto chosen = default_blas();
        const bool right = chosen && chosen.value()->name() == "named" &&
                           chosen.value()->path() == all.back()->path() && all_blas().size() == 1;
        if (chosen) try_gemm<float>(*chosen.value());
        std::_Exit(right && !testing::Test::HasFailure() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");

  unsetenv("NVMATH_BLAS_CPU_LIBRARY");
}

TEST(DefaultBlas, ANamedLibraryThatIsMissingIsARefusalWithTheVariablesName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("MATHWRIGHT_BLAS_LIBRARY", "/nowhere/libblas.so", 1);

  EXPECT_EXIT(
      {
        const auto chosen = default_blas();
        const bool right =
            !chosen && chosen.refusal().reason.find("MATHWRIGHT_BLAS_LIBRARY") != std::string::npos;
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");

  unsetenv("MATHWRIGHT_BLAS_LIBRARY");
}

}  // namespace
}  // namespace mw::blas
