// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Cosine and sine transforms by r2r(): against the definition in closed form, every candidate
// against the others, orthogonality, what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <mathwright/fft.hpp>

#include "ops/fft/problem.hpp"
#include "plan/select.hpp"

namespace mw {
namespace {

constexpr FFTType kTrigTypes[] = {FFTType::dct1, FFTType::dct2, FFTType::dct3, FFTType::dct4,
                                  FFTType::dst1, FFTType::dst2, FFTType::dst3, FFTType::dst4};

/// The matrix of a type, from its formula in fft.hpp.
double element_of(FFTType type, std::int64_t n64, std::int64_t j64, std::int64_t k64) {
  const double pi = std::numbers::pi;
  const auto n = static_cast<double>(n64);
  const auto j = static_cast<double>(j64);
  const auto k = static_cast<double>(k64);
  const double sign = k64 % 2 == 0 ? 1 : -1;
  const bool first = j64 == 0;
  const bool last = j64 == n64 - 1;
  switch (type) {
    case FFTType::dct1: return first ? 1 : last ? sign : 2 * std::cos(pi * j * k / (n - 1));
    case FFTType::dct2: return 2 * std::cos(pi * k * (2 * j + 1) / (2 * n));
    case FFTType::dct3: return first ? 1 : 2 * std::cos(pi * j * (2 * k + 1) / (2 * n));
    case FFTType::dct4: return 2 * std::cos(pi * (2 * j + 1) * (2 * k + 1) / (4 * n));
    case FFTType::dst1: return 2 * std::sin(pi * (j + 1) * (k + 1) / (n + 1));
    case FFTType::dst2: return 2 * std::sin(pi * (k + 1) * (2 * j + 1) / (2 * n));
    case FFTType::dst3: return last ? sign : 2 * std::sin(pi * (j + 1) * (2 * k + 1) / (2 * n));
    default: return 2 * std::sin(pi * (2 * j + 1) * (2 * k + 1) / (4 * n));
  }
}

std::vector<double> random_reals(std::size_t count) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> x(count);
  for (double& value : x) value = normal(random);
  return x;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(FFTTrigTest, EveryCandidateIsTheFormula) {
  for (const char* candidate : {"native", "fused", "reference"}) {
    set_candidates({candidate, "native"});
    for (const FFTType type : kTrigTypes) {
      for (const std::int64_t n : {2, 3, 8, 15}) {
        const auto x = random_reals(static_cast<std::size_t>(n));
        const Tensor y = r2r({x.data(), {n}}, {.type = type, .scale = 0.5});
        for (std::int64_t k = 0; k < n; ++k) {
          double wanted = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            wanted += x[static_cast<std::size_t>(j)] * element_of(type, n, j, k) / 2;
          }
          EXPECT_NEAR(y.span<double>()[static_cast<std::size_t>(k)], wanted, 1e-13)
              << candidate << " " << name(type) << " " << n << " " << k;
        }
      }
    }
  }
  set_candidates({});
}

TEST(FFTTrigTest, CandidatesAgreeOnSeveralAxesCroppedAndPadded) {
  const auto x = random_reals(4 * 6 * 5);
  const TensorRef operand(x.data(), {4, 6, 5});
  for (const FFTType type : kTrigTypes) {
    for (const bool orthogonalize : {false, true}) {
      const FFTOptions options{.axes = {2, 0},
                               .type = type,
                               .lengths = {7, 3},
                               .norm = FFTNorm::ortho,
                               .orthogonalize = orthogonalize};
      set_candidates({"reference"});
      const Tensor wanted = r2r(operand, options);
      for (const std::vector<std::string>& candidates :
           {std::vector<std::string>{"fused", "native"}, {"fused_axes", "fused", "native"}}) {
        set_candidates(candidates);
        const Tensor seen = r2r(operand, options);
        ASSERT_EQ(seen.shape(), (Dims{3, 6, 7}));
        for (std::size_t i = 0; i < 3 * 6 * 7; ++i) {
          ASSERT_NEAR(seen.span<double>()[i], wanted.span<double>()[i], 1e-13)
              << name(type) << " " << orthogonalize << " " << candidates[0];
        }
      }
      set_candidates({});
    }
  }
}

TEST(FFTTrigTest, OrthogonalizedOnesKeepTheNorm) {
  const auto x = random_reals(21);
  double size = 0;
  for (const double value : x) size += value * value;
  for (const FFTType type : kTrigTypes) {
    const Tensor y =
        r2r({x.data(), {21}}, {.type = type, .norm = FFTNorm::ortho, .orthogonalize = true});
    double seen = 0;
    for (const double value : y.span<double>()) seen += value * value;
    EXPECT_NEAR(seen, size, 1e-13 * size) << name(type);
  }
}

TEST(FFTTrigTest, InPlaceAndTheObject) {
  for (const FFTType type : kTrigTypes) {
    auto x = random_reals(24);
    const Tensor wanted = r2r({x.data(), {4, 6}}, {.type = type});
    FFT transform({x.data(), {4, 6}}, {.type = type, .in_place = true});
    transform.plan();
    (void)transform.execute();
    EXPECT_THROW((void)transform.execute(FFTDirection::inverse), Error);
    for (std::size_t i = 0; i < 24; ++i) {
      EXPECT_NEAR(x[i], wanted.span<double>()[i], 1e-13) << name(type);
    }
  }
}

TEST(FFTTrigTest, RefusalsSayWhatIsWanted) {
  const std::vector<std::complex<double>> z(4);
  const std::vector<double> x(4);
  const TensorRef complex(z.data(), {4});
  const TensorRef real(x.data(), {4});
  const TensorRef one(x.data(), {4, 1});
  const auto expect = [](const std::function<void()>& action, const char* words) {
    const std::string seen = message_of(action);
    EXPECT_NE(seen.find(words), std::string::npos) << seen;
  };
  expect([&] { (void)r2r(real, {}); }, "no type");
  expect([&] { (void)r2r(real, {.type = FFTType::r2c}); }, "type r2c");
  expect([&] { (void)r2r(complex, {.type = FFTType::dct2}); }, "a real dtype is wanted");
  expect([&] { (void)r2r(one, {.axes = {1}, .type = FFTType::dct1}); }, "at least 2");
  expect([&] { (void)rfft(real, {.orthogonalize = true}); }, "orthogonalize");
  expect([&] { (void)planned_directions(FFTType::dst2, FFTDirection::inverse); }, "forward");
}

TEST(FFTTrigTest, WeightsAreAPartOfTheKey) {
  const std::vector<double> x(4);
  const auto problem = [&](FFTType type, bool orthogonalize) {
    return make_fft({x.data(), {4}}, {.type = type, .orthogonalize = orthogonalize},
                    FFTDirections::forward)
        .problem;
  };
  EXPECT_FALSE(problem(FFTType::dct2, true).is_plain());
  EXPECT_TRUE(problem(FFTType::dct2, false).is_plain());
  EXPECT_TRUE(problem(FFTType::dct4, true).is_plain());  // has no weights
  EXPECT_NE(problem(FFTType::dct2, true).title(), problem(FFTType::dct2, false).title());
  EXPECT_EQ(problem(FFTType::dct2, false).case_line(), "");
}

}  // namespace
}  // namespace mw
