// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// make_fft(): what it refuses and in which words, and the problem it makes.
#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "ops/fft/problem.hpp"

namespace mw {
namespace {

/// A view whose memory is never looked at.
TensorRef operand_of(DType dtype, const Dims& shape, Device device = Device::cpu()) {
  static std::uint64_t memory[2];
  return {memory, dtype, shape, contiguous_strides(shape), device};
}

FFTRequest make(const TensorRef& operand, const FFTOptions& options = {}) {
  const FFTType type = resolved_type(operand.dtype, options);
  return make_fft(operand, options, planned_directions(type, std::nullopt));
}

/// The message that refuses a request.
std::string refusal(const TensorRef& operand, const FFTOptions& options = {}) {
  try {
    (void)make(operand, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    return error.what();
  }
  return "accepted";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

TEST(FFTProblemTest, F26RefusesDTypesByNameAndRemedy) {
  const auto integers = refusal(operand_of(DType::int32, {8}));
  const auto small = refusal(operand_of(DType::float8_e4m3fn, {8}));

  expect_words(integers, {"fft: operand has dtype int32", "float32, float64", "Convert"});
  expect_words(small, {"float8_e4m3fn"});
}

TEST(FFTProblemTest, F24TakesHalfPrecisionOnTheCpuToo) {
  EXPECT_EQ(make(operand_of(DType::float16, {8})).problem.result().dtype, DType::complex32);
  EXPECT_EQ(make(operand_of(DType::complex32, {8})).problem.result().dtype, DType::complex32);
  EXPECT_EQ(make(operand_of(DType::bfloat16, {8})).problem.result().dtype, DType::complex64);
}

TEST(FFTProblemTest, AcceptsHalfPrecisionForCudaDevices) {
  const auto on_device = make(operand_of(DType::complex32, {8}, Device::cuda()));
  const auto to_device =
      make(operand_of(DType::float16, {8}), {.execution = {.space = Execution::Space::cuda}});

  EXPECT_EQ(on_device.problem.result().dtype, DType::complex32);
  EXPECT_EQ(to_device.problem.result().dtype, DType::complex32);
}

TEST(FFTProblemTest, F26RefusesATypeThatTheDTypeContradicts) {
  const auto real_of_complex = refusal(operand_of(DType::complex64, {8}), {.type = FFTType::r2c});
  const auto complex_of_real = refusal(operand_of(DType::float64, {8}), {.type = FFTType::c2c});
  const auto inverse_of_real = refusal(operand_of(DType::float32, {8}), {.type = FFTType::c2r});

  expect_words(real_of_complex, {"r2c", "complex64", "a real dtype is wanted"});
  expect_words(complex_of_real, {"c2c", "float64", "a complex dtype is wanted"});
  expect_words(inverse_of_real, {"c2r", "float32", "a complex dtype is wanted"});
}

TEST(FFTProblemTest, F26RefusesAxesThatAreNotThere) {
  const auto scalar = refusal(operand_of(DType::complex64, {}));
  const auto beyond = refusal(operand_of(DType::complex64, {3, 4}), {.axes = {0, 2}});
  const auto before = refusal(operand_of(DType::complex64, {3, 4}), {.axes = {-3}});
  const auto twice = refusal(operand_of(DType::complex64, {3, 4}), {.axes = {1, -1}});

  expect_words(scalar, {"no axes"});
  expect_words(beyond, {"axis 2", "(0, 2)", "out of range", "(3, 4)", "-2 to 1"});
  expect_words(before, {"axis -3", "out of range"});
  expect_words(twice, {"(1, -1)", "axis 1", "more than once"});
}

TEST(FFTProblemTest, F26RefusesTransformsWithoutPoints) {
  const auto empty = refusal(operand_of(DType::complex64, {3, 0}), {.axes = {1}});
  const auto empty_result = refusal(operand_of(DType::complex64, {3, 1}), {.type = FFTType::c2r});

  expect_words(empty, {"(3, 0)", "no points along axis 1"});
  expect_words(empty_result, {"length 0", "last_axis_parity odd"});
}

TEST(FFTProblemTest, AcceptsABatchOfNothing) {
  const auto request = make(operand_of(DType::complex64, {0, 8}), {.axes = {1}});

  EXPECT_EQ(request.problem.transforms(), 0);
}

TEST(FFTProblemTest, F26RefusesInPlaceWhereTheResultDoesNotFit) {
  const auto real = refusal(operand_of(DType::float32, {8}), {.in_place = true});
  const auto inverse =
      refusal(operand_of(DType::complex64, {8}), {.type = FFTType::c2r, .in_place = true});
  const auto with_out = refusal(operand_of(DType::complex64, {8}),
                                {.in_place = true, .out = operand_of(DType::complex64, {8})});
  TensorRef locked = operand_of(DType::complex64, {8});
  locked.readonly = true;
  TensorRef lazy = operand_of(DType::complex64, {8});
  lazy.conjugate = true;
  TensorRef repeated = operand_of(DType::complex64, {4, 8});
  repeated.strides = {0, 1};

  expect_words(real, {"in_place", "r2c"});
  expect_words(inverse, {"in_place", "c2r"});
  expect_words(with_out, {"in_place and out"});
  expect_words(refusal(locked, {.in_place = true}), {"read-only"});
  expect_words(refusal(lazy, {.in_place = true}), {"conjugated"});
  expect_words(refusal(repeated, {.in_place = true}), {"share one element", "(0, 1)"});
}

TEST(FFTProblemTest, F26RefusesAnOutOfAnotherKind) {
  const TensorRef operand = operand_of(DType::float32, {4, 6});
  const auto refused = [&](const TensorRef& out) { return refusal(operand, {.out = out}); };

  expect_words(refused(operand_of(DType::float32, {4, 4})), {"out has dtype float32", "complex64"});
  expect_words(refused(operand_of(DType::complex64, {4, 6})), {"out has shape (4, 6)", "(4, 4)"});
  expect_words(refused(operand_of(DType::complex64, {4, 4}, Device::cuda(1))),
               {"out is on cuda:1", "cpu"});
  const TensorRef complex = operand_of(DType::complex64, {4, 6});
  expect_words(refusal(complex, {.out = complex}), {"out is the operand itself", "in_place"});
}

TEST(FFTProblemTest, F26RefusesViewsThatAreNone) {
  TensorRef short_strides = operand_of(DType::complex64, {4, 6});
  short_strides.strides = {1};
  const std::int64_t huge = std::int64_t{1} << 40;

  expect_words(refusal(short_strides), {"operand", "one stride for every extent"});
  expect_words(refusal(operand_of(DType::complex64, {huge, huge})), {"63 bits"});
  expect_words(refusal(operand_of(DType::complex64, {-4, 6})), {"(-4, 6)"});
}

TEST(FFTProblemTest, F26RefusesADirectionThatTheTypeLacks) {
  EXPECT_THROW((void)planned_directions(FFTType::r2c, FFTDirection::inverse), Error);
  EXPECT_THROW((void)planned_directions(FFTType::c2r, FFTDirection::forward), Error);
  const FFTProblem forward_only =
      make_fft(operand_of(DType::complex64, {8}), {}, FFTDirections::forward).problem;

  try {
    (void)executed_direction(forward_only, FFTDirection::inverse);
    FAIL() << "executed a direction that was not planned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_state);
    expect_words(error.what(), {"direction inverse", "plan()"});
  }
}

TEST(FFTProblemTest, DefaultDirectionsAreForwardButForC2R) {
  const auto direction = [](DType dtype, FFTType type) {
    const auto request = make(operand_of(dtype, {8}), {.type = type});
    return executed_direction(request.problem, std::nullopt);
  };

  EXPECT_EQ(direction(DType::complex64, FFTType::c2c), FFTDirection::forward);
  EXPECT_EQ(direction(DType::float64, FFTType::r2c), FFTDirection::forward);
  EXPECT_EQ(direction(DType::complex64, FFTType::c2r), FFTDirection::inverse);
}

TEST(FFTProblemTest, TheLastListedAxisIsTheHalvedOne) {
  const auto forward = make(operand_of(DType::float64, {6, 8, 5}), {.axes = {2, 0}});
  const auto even =
      make(operand_of(DType::complex64, {6, 8, 5}), {.axes = {2, 1}, .type = FFTType::c2r});
  const auto odd = make(operand_of(DType::complex64, {6, 8, 5}),
                        {.axes = {-2}, .type = FFTType::c2r, .last_axis_parity = FFTParity::odd});

  EXPECT_EQ(forward.problem.result_shape, Dims({4, 8, 5}));
  EXPECT_EQ(forward.problem.result().dtype, DType::complex128);
  EXPECT_EQ(even.problem.result_shape, Dims({6, 14, 5}));
  EXPECT_EQ(even.problem.result().dtype, DType::float32);
  EXPECT_EQ(odd.problem.result_shape, Dims({6, 15, 5}));
  EXPECT_EQ(odd.problem.axes, Dims({1}));
}

TEST(FFTProblemTest, F30OneRuleForTheResultsStrides) {
  TensorRef operand = operand_of(DType::complex64, {5, 6, 7});
  operand.strides = {1, 5, 30};  // Fortran order
  TensorRef broadcast = operand_of(DType::complex64, {5, 6, 7});
  broadcast.strides = {1, 0, 5};
  const FFTOptions optimized = {.axes = {0}, .result_layout = ResultLayout::optimized};

  EXPECT_EQ(make(operand, {.axes = {0}}).problem.result_strides, Dims({42, 7, 1}));
  EXPECT_EQ(make(operand, optimized).problem.result_strides, Dims({1, 5, 30}));
  EXPECT_EQ(make(broadcast, optimized).problem.result_strides, Dims({1, 35, 5}));
  operand.device = Device::cuda();
  EXPECT_EQ(make(operand, optimized).problem.result_strides, Dims({1, 5, 30}));
}

TEST(FFTProblemTest, F33KeysDifferWheneverTheProblemDoes) {
  TensorRef padded = operand_of(DType::complex64, {4, 6});
  padded.strides = {8, 1};
  TensorRef moved = operand_of(DType::complex64, {4, 6});
  moved.data = static_cast<char*>(moved.data) + 8;
  std::vector<FFTProblem> problems = {
      make(operand_of(DType::complex64, {4, 6})).problem,
      make(operand_of(DType::complex64, {6, 4})).problem,
      make(operand_of(DType::complex128, {4, 6})).problem,
      make(operand_of(DType::complex64, {4, 6}), {.axes = {0}}).problem,
      make(operand_of(DType::complex64, {4, 6}), {.axes = {1, 0}}).problem,
      make(operand_of(DType::complex64, {4, 6}), {.type = FFTType::c2r}).problem,
      make(operand_of(DType::complex64, {4, 6}), {.in_place = true}).problem,
      make(padded).problem,
      make(moved).problem,
      make_fft(operand_of(DType::complex64, {4, 6}), {}, FFTDirections::forward).problem,
  };

  for (std::size_t i = 0; i < problems.size(); ++i) {
    for (std::size_t j = 0; j < problems.size(); ++j) {
      EXPECT_EQ(same(problems[i], problems[j]), i == j) << i << " against " << j;
    }
  }
}

TEST(FFTProblemTest, F14CountsAreNot32Bit) {
  const auto request = make(operand_of(DType::complex64, {1 << 17, 1 << 16}));
  const double points = 8589934592.0;  // 2^33

  EXPECT_EQ(request.problem.points(), points);
  EXPECT_EQ(request.problem.work().flops, 5 * points * 33);
  EXPECT_EQ(request.problem.work().bytes, 2 * 8 * points);
}

}  // namespace
}  // namespace mw
