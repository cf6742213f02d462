// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every library with FFTW's interface that is found, against the sum that defines the transform.
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "vendor/fftw/api.hpp"

namespace mw::fftw {
namespace {

template <class R>
std::vector<std::complex<R>> random_signal(std::size_t count) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<R> uniform(-1, 1);
  std::vector<std::complex<R>> out(count);
  for (auto& value : out) {
    const R re = uniform(engine);
    value = {re, uniform(engine)};
  }
  return out;
}

// X[k] = sum_j x[j] exp(sign 2 pi i jk / n), in double.
template <class R>
std::complex<double> sum(const std::complex<R>* x, std::ptrdiff_t stride, std::ptrdiff_t n,
                         std::ptrdiff_t k, int sign) {
  std::complex<double> out;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const double angle =
        sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
    out += std::complex<double>(x[j * stride]) * std::polar(1.0, angle);
  }
  return out;
}

// Error of an FFT of length n in precision R: below 10 log2(n) eps times the norm of the signal, at
// most sqrt(2 n) for values in the unit square (Higham, Accuracy and Stability, section 24.1).
template <class R>
double bound(std::ptrdiff_t n) {
  const double size = static_cast<double>(n);
  return 10 * (std::log2(size) + 1) * static_cast<double>(std::numeric_limits<R>::epsilon()) *
         std::sqrt(2 * size) * std::sqrt(size);
}

class EachFftw : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto loaded = load_fftw(fftw_libraries()[GetParam()]);
    if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
    fftw_ = loaded.value();
  }

  // A strided batch: signals of length n at distance 1, elements at distance howmany.
  template <class R>
  void check_c2c(std::ptrdiff_t n, int sign, int threads) {
    if (!fftw_->has<R>()) return;
    const std::ptrdiff_t howmany = 3;
    auto x = random_signal<R>(static_cast<std::size_t>(n * howmany));
    const auto before = x;
    std::vector<std::complex<R>> y(x.size());
    const IoDim dims[] = {{n, howmany, 1}};
    const IoDim batch[] = {{howmany, 1, n}};

    auto plan = fftw_->plan<R>({.dims = dims,
                                .batch = batch,
                                .input = x.data(),
                                .output = y.data(),
                                .sign = sign,
                                .threads = threads});
    ASSERT_TRUE(plan) << plan.refusal().reason;
    plan->execute(x.data(), y.data());

    EXPECT_EQ(x, before) << "the input was written";
    for (std::ptrdiff_t b = 0; b < howmany; ++b)
      for (std::ptrdiff_t k = 0; k < n; ++k)
        ASSERT_LE(std::abs(std::complex<double>(y[static_cast<std::size_t>(b * n + k)]) -
                           sum(x.data() + b, howmany, n, k, sign)),
                  bound<R>(n))
            << "n " << n << ", k " << k;
  }

  const Fftw* fftw_ = nullptr;
};

TEST_P(EachFftw, TellsItsNameVersionAndPath) {
  EXPECT_EQ(fftw_->name(), fftw_libraries()[GetParam()].name);
  EXPECT_FALSE(fftw_->version().empty());
  EXPECT_FALSE(fftw_->path().empty());
  EXPECT_TRUE(fftw_->has<double>() || fftw_->has<float>());
}

TEST_P(EachFftw, ComplexTransformsEqualTheSum) {
  for (const std::ptrdiff_t n : {1, 2, 15, 16, 97, 210}) {
    check_c2c<double>(n, kForward, 1);
    check_c2c<float>(n, kInverse, 1);
  }
}

TEST_P(EachFftw, ThreadsDoNotChangeTheTransform) {
  check_c2c<double>(128, kForward, 2);
  check_c2c<float>(128, kForward, 2);
}

TEST_P(EachFftw, RealTransformsEqualTheSumAndComeBack) {
  if (!fftw_->has<double>()) GTEST_SKIP() << "no double precision in " << fftw_->path();
  const std::ptrdiff_t n = 30;
  std::vector<double> x(static_cast<std::size_t>(n)), back(x.size());
  std::vector<std::complex<double>> full(x.size()), y(static_cast<std::size_t>(n / 2 + 1));
  const auto signal = random_signal<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) full[i] = x[i] = signal[i].real();
  const IoDim dims[] = {{n, 1, 1}};

  auto forward =
      fftw_->plan<double>({.kind = Kind::r2c, .dims = dims, .input = x.data(), .output = y.data()});
  ASSERT_TRUE(forward) << forward.refusal().reason;
  forward->execute(x.data(), y.data());
  auto inverse = fftw_->plan<double>({.kind = Kind::c2r,
                                      .dims = dims,
                                      .input = y.data(),
                                      .output = back.data(),
                                      .flags = estimate | preserve_input});
  ASSERT_TRUE(inverse) << inverse.refusal().reason;
  const auto spectrum = y;
  inverse->execute(y.data(), back.data());

  EXPECT_EQ(y, spectrum) << "preserve_input";
  for (std::ptrdiff_t k = 0; k <= n / 2; ++k)
    EXPECT_LE(std::abs(y[static_cast<std::size_t>(k)] - sum(full.data(), 1, n, k, kForward)),
              bound<double>(n));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i] / static_cast<double>(n), x[i], bound<double>(n));
}

TEST_P(EachFftw, PlansForUnalignedArraysTakeAnyAddress) {
  if (!fftw_->has<float>()) GTEST_SKIP() << "no single precision in " << fftw_->path();
  const std::ptrdiff_t n = 64;
  auto x = random_signal<float>(65);
  std::vector<std::complex<float>> y(65);
  const IoDim dims[] = {{n, 1, 1}};

  auto plan = fftw_->plan<float>(
      {.dims = dims, .input = x.data(), .output = y.data(), .flags = estimate | unaligned});
  ASSERT_TRUE(plan) << plan.refusal().reason;
  plan->execute(x.data() + 1, y.data() + 1);

  for (std::ptrdiff_t k = 0; k < n; ++k)
    EXPECT_LE(std::abs(std::complex<double>(y[static_cast<std::size_t>(k + 1)]) -
                       sum(x.data() + 1, 1, n, k, kForward)),
              bound<float>(n));
}

TEST_P(EachFftw, ThreadsMayPlanExecuteAndDestroyAtOnce) {
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 8; ++worker)
    workers.emplace_back([&, worker] {
      for (int round = 0; round < 8; ++round) check_c2c<double>(24 + worker, kForward, 1);
    });

  for (std::thread& worker : workers) worker.join();

  EXPECT_FALSE(HasFatalFailure());
}

std::string row_name(const testing::TestParamInfo<std::size_t>& info) {
  return fftw_libraries()[info.param].name;
}
INSTANTIATE_TEST_SUITE_P(Libraries, EachFftw,
                         testing::Range(std::size_t{0}, fftw_libraries().size()), row_name);

}  // namespace
}  // namespace mw::fftw
