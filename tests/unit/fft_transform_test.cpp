// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public face of the FFT: results whose values are known in closed form, the life of an FFT
// object, and every implementation of this machine against the definition.
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <cstring>
#include <functional>
#include <numbers>
#include <thread>

#include <mathwright/fft.hpp>

#include "base/layout.hpp"
#include "ops/fft/problem.hpp"
#include "plan/select.hpp"

namespace mw {
namespace {

using Number = std::complex<double>;

constexpr double kEpsilon = 2.2e-16;

/// Restricts the choice while it lives.
class Only {
 public:
  explicit Only(const std::string& candidate) { set_candidates({candidate}); }
  ~Only() { set_candidates({}); }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;
};

/// x[j] = exp(2πi·jk/n)
std::vector<Number> wave(std::int64_t n, std::int64_t k) {
  std::vector<Number> x;
  for (std::int64_t j = 0; j < n; ++j) {
    const double turn = static_cast<double>(j * k % n) / static_cast<double>(n);
    x.push_back(std::polar(1.0, 2 * std::numbers::pi * turn));
  }
  return x;
}

ErrorKind kind_of_failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::timeout;
}

/// Host implementations, each with a test of its own that skips where the library is not installed.
class FFTCandidateTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      const Only only(GetParam());
      std::vector<Number> x(4, 1);
      (void)fft({x.data(), {4}});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_P(FFTCandidateTest, AWaveIsOneLine) {
  const Only only(GetParam());
  const std::int64_t n = 60;
  auto x = wave(n, 7);

  const Tensor forward = fft({x.data(), {n}});

  for (std::int64_t k = 0; k < n; ++k) {
    const double wanted = k == 7 ? static_cast<double>(n) : 0;
    EXPECT_LE(std::abs(forward.span<Number>()[static_cast<std::size_t>(k)] - wanted),
              static_cast<double>(n) * 4 * kEpsilon * std::sqrt(1 + std::log2(n)));
  }
}

TEST_P(FFTCandidateTest, TheInverseHasTheOtherSign) {
  const Only only(GetParam());
  auto x = wave(60, 7);

  const Tensor inverse = ifft({x.data(), {60}});

  EXPECT_NEAR(std::abs(inverse.span<Number>()[53]), 60, 60 * 16 * kEpsilon);
}

TEST_P(FFTCandidateTest, ACosineHasHalfASpectrum) {
  const Only only(GetParam());
  std::vector<double> x;
  for (const Number& value : wave(24, 5)) x.push_back(value.real());

  const Tensor half = rfft({x.data(), {24}});
  const Tensor back = irfft(half);

  ASSERT_EQ(half.shape(), Dims({13}));
  EXPECT_NEAR(half.span<Number>()[5].real(), 12, 12 * 16 * kEpsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(back.span<double>()[i], 24 * x[i], 24 * 32 * kEpsilon);
  }
}

TEST_P(FFTCandidateTest, F37ImaginaryPartsThatCannotBeAreIgnored) {
  const Only only(GetParam());
  std::vector<Number> plain = {{3, 0}, {1, 2}, {-1, 1}, {2, 0}};
  std::vector<Number> odd = plain;
  odd[0].imag(5);
  odd[3].imag(-7);

  const Tensor wanted = irfft({plain.data(), {4}});
  const Tensor seen = irfft({odd.data(), {4}});

  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(seen.span<double>()[i], wanted.span<double>()[i]);
}

TEST_P(FFTCandidateTest, F15OnePlanForEachAlignment) {
  const Only only(GetParam());
  const auto x = wave(250, 3);
  const Tensor room = Tensor::empty(DType::float64, {501});
  auto* aligned = static_cast<double*>(room.ref().data);
  std::memcpy(aligned, x.data(), 250 * sizeof(Number));
  const Tensor wanted = fft({reinterpret_cast<Number*>(aligned), {250}});
  std::memcpy(aligned + 1, x.data(), 250 * sizeof(Number));

  const Tensor seen = fft({reinterpret_cast<Number*>(aligned + 1), {250}});

  for (std::size_t i = 0; i < 250; ++i) {
    EXPECT_LE(std::abs(seen.span<Number>()[i] - wanted.span<Number>()[i]), 250 * 16 * kEpsilon);
  }
  EXPECT_EQ(std::memcmp(aligned + 1, x.data(), 250 * sizeof(Number)), 0);
}

TEST_P(FFTCandidateTest, F35ConcurrentCallsDoNotDisturbEachOther) {
  const Only only(GetParam());
  std::atomic<int> wrong = 0;
  const auto work = [&](std::int64_t n) {
    auto x = wave(n, 3);
    for (int i = 0; i < 20; ++i) {
      const Tensor y = fft({x.data(), {n}}, {.execution = {.num_threads = 1}});
      if (!(std::abs(y.span<Number>()[3] - static_cast<double>(n)) < 1e-9)) ++wrong;
    }
  };

  std::vector<std::thread> threads;
  for (const std::int64_t n : {100, 243, 257, 500}) threads.emplace_back(work, n);
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Host, FFTCandidateTest,
                         testing::Values("mkl", "nvpl", "native", "fftw", "reference"),
                         [](const auto& row) { return std::string(row.param); });

TEST(FFTTest, FunctionsRefuseAnotherType) {
  std::vector<Number> x(8);
  std::vector<double> y(8);

  EXPECT_EQ(kind_of_failure([&] { (void)fft({y.data(), {8}}); }), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of_failure([&] { (void)rfft({x.data(), {8}}); }), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of_failure([&] {
              (void)fft({x.data(), {8}}, {.type = FFTType::c2r});
            }),
            ErrorKind::invalid_argument);
}

TEST(FFTTest, ABatchOfNothingHasAnEmptyResult) {
  std::vector<Number> x(1);

  const Tensor y = fft({x.data(), {0, 8}}, {.axes = {1}});

  EXPECT_EQ(y.shape(), Dims({0, 8}));
}

TEST(FFTTest, InPlaceIsTheOperandItself) {
  auto x = wave(16, 2);

  const Tensor y = fft({x.data(), {16}}, {.in_place = true});

  EXPECT_EQ(y.ref().data, x.data());
  EXPECT_NEAR(x[2].real(), 16, 16 * 16 * kEpsilon);
}

TEST(FFTTest, F16AReadOnlyOperandIsFine) {
  const auto x = wave(16, 2);

  const Tensor y = fft({x.data(), {16}});

  EXPECT_NEAR(y.span<Number>()[2].real(), 16, 16 * 16 * kEpsilon);
}

TEST(FFTTest, OutTakesTheResultAndOverlapsNothing) {
  auto x = wave(16, 2);
  std::vector<Number> y(31);
  const TensorRef every_second(y.data(), DType::complex128, {16}, {2});

  (void)fft({x.data(), {16}}, {.out = every_second});

  EXPECT_NEAR(y[4].real(), 16, 16 * 16 * kEpsilon);
  EXPECT_EQ(y[5], Number(0));
  EXPECT_EQ(kind_of_failure([&] {
              (void)fft({y.data(), {16}}, {.out = TensorRef(y.data() + 8, {16})});
            }),
            ErrorKind::invalid_argument);
}

TEST(FFTObjectTest, APlanServesBothDirections) {
  auto x = wave(32, 5);
  FFT transform({x.data(), {32}});

  transform.plan();
  const Tensor forward = transform.execute();
  const Tensor inverse = transform.execute(FFTDirection::inverse);

  EXPECT_NEAR(forward.span<Number>()[5].real(), 32, 32 * 16 * kEpsilon);
  EXPECT_NEAR(inverse.span<Number>()[27].real(), 32, 32 * 16 * kEpsilon);
}

TEST(FFTObjectTest, APlanForOneDirectionRefusesTheOther) {
  auto x = wave(32, 5);
  FFT transform({x.data(), {32}});

  transform.plan(FFTDirection::forward);

  EXPECT_EQ(kind_of_failure([&] { (void)transform.execute(FFTDirection::inverse); }),
            ErrorKind::invalid_state);
  transform.plan(FFTDirection::inverse);
  EXPECT_NEAR(transform.execute(FFTDirection::inverse).span<Number>()[27].real(), 32,
              32 * 16 * kEpsilon);
}

TEST(FFTObjectTest, PhasesThatAreOutOfOrderAreErrors) {
  auto x = wave(32, 5);
  FFT transform({x.data(), {32}});

  EXPECT_EQ(kind_of_failure([&] { (void)transform.execute(); }), ErrorKind::invalid_state);
  transform.plan();
  transform.release_operand();
  EXPECT_EQ(kind_of_failure([&] { (void)transform.execute(); }), ErrorKind::invalid_state);
  transform.reset_operand({x.data(), {32}});
  EXPECT_NEAR(transform.execute().span<Number>()[5].real(), 32, 32 * 16 * kEpsilon);
  transform.free();
  EXPECT_EQ(kind_of_failure([&] { (void)transform.execute(); }), ErrorKind::invalid_state);
  EXPECT_EQ(kind_of_failure([&] { transform.plan(); }), ErrorKind::invalid_state);
}

TEST(FFTObjectTest, TuningKeepsTheResultAndWantsAPlan) {
  auto x = wave(32, 5);
  FFT transform({x.data(), {32}});
  const TuneOptions quick{.seconds = 0.01, .remember = false};
  EXPECT_EQ(kind_of_failure([&] { (void)transform.autotune(quick); }), ErrorKind::invalid_state);
  transform.plan();

  EXPECT_GT(transform.autotune(quick).alternatives, 1);

  EXPECT_NEAR(transform.execute().span<Number>()[5].real(), 32, 32 * 16 * kEpsilon);
}

TEST(FFTObjectTest, ExecuteIntoChecksItsAddress) {
  auto x = wave(32, 5);
  std::vector<Number> y(33);
  FFT transform({x.data(), {32}});
  transform.plan();

  transform.execute_into(y.data());

  EXPECT_NEAR(y[5].real(), 32, 32 * 16 * kEpsilon);
  EXPECT_EQ(kind_of_failure([&] { transform.execute_into(nullptr); }), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of_failure([&] { transform.execute_into(reinterpret_cast<char*>(y.data()) + 8); }),
            ErrorKind::invalid_argument);
}

TEST(FFTObjectTest, InPlaceFollowsTheOperand) {
  auto x = wave(32, 5);
  auto z = wave(32, 6);
  FFT transform({x.data(), {32}}, {.in_place = true});
  transform.plan();

  (void)transform.execute();
  transform.reset_operand({z.data(), {32}});
  const Tensor result = transform.execute();

  EXPECT_EQ(result.ref().data, z.data());
  EXPECT_NEAR(z[6].real(), 32, 32 * 16 * kEpsilon);
  EXPECT_EQ(kind_of_failure([&] { transform.execute_into(x.data()); }),
            ErrorKind::invalid_argument);
}

Scalar power(const Scalar& z) { return square(real(z)) + square(imag(z)); }

TEST(FFTFunctionsTest, AWaveUnderAConstantWindowIsOneLineOfPower) {
  std::vector<Number> x = wave(16, 3);
  std::vector<double> window(16, 0.5);
  const FFTOptions options{
      .norm = FFTNorm::forward,
      .prolog = fuse([](Scalar z, Scalar w) { return z * w; }, {{window.data(), {16}}}),
      .epilog = fuse([](Scalar z) { return power(z); })};

  const Tensor result = fft({x.data(), {16}}, options);

  ASSERT_EQ(result.ref().dtype, DType::float64);
  const auto* lines = static_cast<const double*>(result.ref().data);
  for (int k = 0; k < 16; ++k) EXPECT_NEAR(lines[k], k == 3 ? 0.25 : 0, 100 * kEpsilon) << k;
}

TEST(FFTFunctionsTest, OutputsComeByTheirNames) {
  std::vector<std::int16_t> samples{3, -1, 4, 1, -5, 9, 2, -6};
  const FFTOptions options{
      .prolog = fuse([](Scalar x) {
        return Outputs{{"result", x}, {"energy", sum(square(x.astype(DType::float64)))}};
      }),
      .epilog = fuse([](Scalar z) {
        return Outputs{{"result", z}, {"largest", max(power(z))}};
      })};

  const auto outputs = fft_outputs({samples.data(), {8}}, options);

  EXPECT_EQ(outputs.at("result").ref().shape, Dims{5});
  EXPECT_EQ(outputs.at("result").ref().dtype, DType::complex64);
  EXPECT_EQ(*static_cast<const double*>(outputs.at("energy").ref().data), 173);
  const auto* spectrum = static_cast<const std::complex<float>*>(outputs.at("result").ref().data);
  float largest = 0;
  for (int k = 0; k < 5; ++k) largest = std::max(largest, std::norm(spectrum[k]));
  EXPECT_NEAR(*static_cast<const float*>(outputs.at("largest").ref().data), largest,
              1e-5 * largest);
}

TEST(FFTFunctionsTest, AnObjectScalesByDirection) {
  std::vector<Number> x = wave(12, 5);
  FFT transform({x.data(), {12}}, {.norm = FFTNorm::backward});
  transform.plan();

  Tensor there = transform.execute(FFTDirection::forward);
  transform.reset_operand(there.ref());
  const Tensor back = transform.execute(FFTDirection::inverse);

  const auto* seen = static_cast<const Number*>(back.ref().data);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_LE(std::abs(seen[j] - x[j]), 50 * kEpsilon) << j;
}

TEST(FFTFunctionsTest, LengthsCropAndPad) {
  std::vector<float> x{1, 2, 3, 4, 5, 6};

  const Tensor cropped = rfft({x.data(), {2, 3}}, {.axes = {1}, .lengths = {2}});
  const Tensor padded = rfft({x.data(), {2, 3}}, {.axes = {1}, .lengths = {5}});

  ASSERT_EQ(cropped.ref().shape, (Dims{2, 2}));
  ASSERT_EQ(padded.ref().shape, (Dims{2, 3}));
  const auto* two = static_cast<const std::complex<float>*>(cropped.ref().data);
  const auto* five = static_cast<const std::complex<float>*>(padded.ref().data);
  EXPECT_EQ(two[0], 3.F);
  EXPECT_EQ(two[1], -1.F);
  EXPECT_NEAR(five[3].real(), 15, 1e-5);
}

TEST(FFTFunctionsTest, WhatDoesNotFitIsRefusedByName) {
  std::vector<Number> x(8, 1);
  std::vector<double> short_window(7, 1);
  const TensorRef operand(x.data(), {8});
  const auto refused = [&](const FFTOptions& options) {
    return kind_of_failure([&] { (void)fft_outputs(operand, options); });
  };

  EXPECT_EQ(refused({.prolog = fuse([](Scalar z, Scalar w) { return z * w; },
                                    {{short_window.data(), {7}}})}),
            ErrorKind::invalid_argument);
  EXPECT_EQ(refused({.in_place = true, .lengths = {4}}), ErrorKind::invalid_argument);
  EXPECT_EQ(refused({.lengths = {4, 4}}), ErrorKind::invalid_argument);
  EXPECT_EQ(refused({.prolog = fuse([](Scalar z) { return sum(z); })}),
            ErrorKind::invalid_argument);
  FFT several(operand, {.epilog = fuse([](Scalar z) {
                          return Outputs{{"result", z}, {"more", power(z)}};
                        })});
  several.plan();
  EXPECT_EQ(kind_of_failure([&] { several.execute_into(x.data()); }), ErrorKind::invalid_argument);
  EXPECT_EQ(several.execute_outputs().size(), 2U);
}

TEST(FFTObjectTest, ExplainNamesTheChoiceAndTheRefusals) {
  auto x = wave(32, 5);
  FFT transform({x.data(), {4, 8}}, {.axes = {1}});
  transform.plan();

  const std::string page = transform.explain();

  for (const char* word : {"c2c of (8,) points along axes (1,)", "native", "cufft",
                           "runs on CUDA devices only", "reference"}) {
    EXPECT_NE(page.find(word), std::string::npos) << word << " is not in:\n" << page;
  }
}

}  // namespace
}  // namespace mw
