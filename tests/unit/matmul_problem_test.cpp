// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// make_matmul: what it makes of a call, and each of its errors.
#include <gtest/gtest.h>

#include "ops/matmul/problem.hpp"
#include "unit/plan_toy.hpp"

namespace mw {
namespace {

using toy::has;
using toy::message_of;

/// A view of no memory: problems are made of layouts alone.
TensorRef view(Dims shape, DType dtype = DType::float64) {
  Dims strides = contiguous_strides(shape);
  return {nullptr, dtype, std::move(shape), std::move(strides)};
}

MatmulProblem problem_of(const MatmulOperands& operands, const MatmulOptions& options = {}) {
  return make_matmul(operands, options).problem;
}

std::string refusal(const MatmulOperands& operands, const MatmulOptions& options = {}) {
  return message_of(ErrorKind::invalid_argument, [&] { (void)make_matmul(operands, options); });
}

TEST(MatmulProblemOf, MatricesHasTheirExtents) {
  const auto problem = problem_of({.a = view({2, 3}), .b = view({3, 4})});

  EXPECT_EQ(problem.m(), 2);
  EXPECT_EQ(problem.n(), 4);
  EXPECT_EQ(problem.k(), 3);
  EXPECT_EQ(problem.batch(), 1);
  EXPECT_EQ(problem.result_shape, (Dims{2, 4}));
  EXPECT_EQ(problem.result_strides, (Dims{4, 1}));
  EXPECT_FALSE(problem.has_c);
}

TEST(MatmulProblemOf, VectorsDropTheirAxis) {
  EXPECT_EQ(problem_of({.a = view({3}), .b = view({3, 4})}).result_shape, Dims{4});
  EXPECT_EQ(problem_of({.a = view({2, 3}), .b = view({3})}).result_shape, Dims{2});
  EXPECT_EQ(problem_of({.a = view({3}), .b = view({3})}).result_shape, Dims{});
  EXPECT_EQ(problem_of({.a = view({5, 2, 3}), .b = view({3})}).result_shape, (Dims{5, 2}));
  EXPECT_EQ(problem_of({.a = view({3}), .b = view({5, 3, 4})}).result_shape, (Dims{5, 4}));
}

TEST(MatmulProblemOf, VectorsWithStridedOutKeepItsStrides) {
  TensorRef out(nullptr, DType::float64, {5, 2}, {1, 5});

  const auto problem = problem_of({.a = view({5, 2, 3}), .b = view({3}), .out = out});

  EXPECT_EQ(problem.d().shape, (Dims{5, 2, 1}));
  EXPECT_EQ(problem.d().strides[0], 1);
  EXPECT_EQ(problem.d().strides[1], 5);
}

TEST(MatmulProblemOf, BatchesBroadcastWithStrideZero) {
  const auto problem = problem_of({.a = view({4, 1, 2, 3}), .b = view({5, 3, 2})});

  EXPECT_EQ(problem.result_shape, (Dims{4, 5, 2, 2}));
  EXPECT_EQ(problem.a().shape, (Dims{4, 5, 2, 3}));
  EXPECT_EQ(problem.a().strides, (Dims{6, 0, 3, 1}));
  EXPECT_EQ(problem.b().strides, (Dims{0, 6, 2, 1}));
  EXPECT_EQ(problem.batch(), 20);
}

TEST(MatmulProblemOf, AnEmptyBatchAxisBroadcastsAgainstOne) {
  EXPECT_EQ(problem_of({.a = view({0, 2, 3}), .b = view({1, 3, 4})}).result_shape, (Dims{0, 2, 4}));
  EXPECT_EQ(problem_of({.a = view({1, 2, 3}), .b = view({0, 3, 4})}).result_shape, (Dims{0, 2, 4}));
}

// An odd stride on an axis of extent 1 says nothing, and makes no other plan either.
TEST(MatmulProblemOf, OddStridesOfUnitBatchesDoNotCount) {
  TensorRef odd(nullptr, DType::float32, {1, 3, 4}, {7, 4, 1});

  const auto problem = problem_of({.a = odd, .b = view({5, 4, 2}, DType::float32)});
  const auto usual =
      problem_of({.a = view({1, 3, 4}, DType::float32), .b = view({5, 4, 2}, DType::float32)});

  EXPECT_TRUE(same(problem, usual));
}

TEST(MatmulProblemOf, ConjugationIsTheFlagXorTheOption) {
  TensorRef lazy = view({2, 2}, DType::complex64);
  lazy.conjugate = true;
  const TensorRef plain = view({2, 2}, DType::complex64);

  EXPECT_TRUE(problem_of({.a = lazy, .b = plain}).a().conjugate);
  EXPECT_FALSE(problem_of({.a = lazy, .b = plain}, {.conjugate_a = true}).a().conjugate);
  EXPECT_TRUE(problem_of({.a = plain, .b = plain}, {.conjugate_b = true}).b().conjugate);
  EXPECT_FALSE(
      problem_of({.a = view({2, 2}), .b = view({2, 2})}, {.conjugate_a = true}).a().conjugate);
}

TEST(MatmulProblemOf, ScalarsAndArgumentsFollowTheCall) {
  const auto request = make_matmul({.a = view({2, 2}), .b = view({2, 2}), .c = view({2, 2})},
                                   {.alpha = 3, .beta = 0.5});

  EXPECT_TRUE(request.problem.has_c);
  EXPECT_EQ(request.arguments.scalars, (std::vector<ScalarValue>{3, 0.5}));
  EXPECT_EQ(request.arguments.inputs.size(), 3U);
  EXPECT_EQ(request.arguments.in_place, 2U);
}

TEST(MatmulProblemOf, BetaWithoutCIsZero) {
  EXPECT_EQ(make_matmul({.a = view({2, 2}), .b = view({2, 2})}, {.beta = 7}).arguments.scalars[1],
            ScalarValue(0));
}

TEST(MatmulProblemOf, WorkCountsFlopsAndBytesIn64Bits) {
  const auto large = problem_of({.a = view({100000, 100000}), .b = view({100000, 100000})});
  const auto shared = problem_of({.a = view({10, 2, 3}), .b = view({3, 4})});
  const auto complex =
      problem_of({.a = view({2, 3}, DType::complex64), .b = view({3, 4}, DType::complex64)});

  EXPECT_DOUBLE_EQ(large.work().flops, 2e15);
  EXPECT_DOUBLE_EQ(large.work().bytes, 3 * 8e10);
  EXPECT_DOUBLE_EQ(shared.work().bytes, 8.0 * (60 + 12 + 80));
  EXPECT_DOUBLE_EQ(complex.work().flops, 8.0 * 24);
}

TEST(MatmulProblemOf, EveryMemberIsInTheKey) {
  const auto made = [](TensorRef a) { return problem_of({.a = std::move(a), .b = view({3, 4})}); };
  const auto base = made(view({2, 3}));
  TensorRef turned = view({2, 3});
  turned.strides = {1, 2};
  TensorRef misaligned = view({2, 3});
  misaligned.data = reinterpret_cast<void*>(std::uintptr_t{8});

  EXPECT_TRUE(same(base, made(view({2, 3}))));
  EXPECT_FALSE(same(base, made(turned)));
  EXPECT_FALSE(same(base, made(misaligned)));
  EXPECT_FALSE(same(base, made(view({5, 3}))));
  EXPECT_FALSE(same(
      base, problem_of({.a = view({2, 3}), .b = view({3, 4}), .c = view({2, 4})}, {.beta = 1})));
  EXPECT_FALSE(same(base, problem_of({.a = view({2, 3}),
                                      .b = view({3, 4}),
                                      .out = TensorRef(nullptr, DType::float64, {2, 4}, {1, 2})})));
}

TEST(MatmulProblemOf, NamesItsOperandsAndFormula) {
  const auto with_c =
      problem_of({.a = view({2, 3}), .b = view({3, 4}), .c = view({2, 4})}, {.beta = 1});
  const auto without = problem_of({.a = view({5, 2, 3}), .b = view({3, 4})});

  EXPECT_STREQ(with_c.operand_name(2), "c");
  EXPECT_STREQ(with_c.operand_name(3), "result");
  EXPECT_STREQ(without.operand_name(2), "result");
  EXPECT_TRUE(has(with_c.title(), {"beta·C", "m=2", "n=4", "k=3", "float64"}));
  EXPECT_TRUE(has(without.title(), {"5 of them"}));
}

// ---- errors
// -----------------------------------------------------------------------------------------

TEST(MatmulErrors, ADtypeWithoutArithmeticIsNamed) {
  EXPECT_TRUE(has(refusal({.a = view({2, 2}, DType::int32), .b = view({2, 2}, DType::int32)}),
                  {"matmul", "int32", "float32", "Convert"}));
}

TEST(MatmulErrors, MixedDtypesAreNamed) {
  const auto message = refusal({.a = view({2, 2}), .b = view({2, 2}, DType::float32)});

  EXPECT_TRUE(has(message, {"operand b", "float32", "float64"}));
}

TEST(MatmulErrors, MixedDevicesAreNamed) {
  TensorRef far = view({2, 2});
  far.device = Device::cuda(1);

  EXPECT_TRUE(has(refusal({.a = view({2, 2}), .b = far}), {"operand b", "cuda:1", "cpu"}));
}

TEST(MatmulErrors, ScalarsAreNoOperands) {
  EXPECT_TRUE(has(refusal({.a = view({}), .b = view({2, 2})}), {"operand a", "alpha"}));
  EXPECT_TRUE(has(refusal({.a = view({2, 2}), .b = view({})}), {"operand b", "alpha"}));
}

TEST(MatmulErrors, InnerExtentsThatDifferAreBothNamed) {
  EXPECT_TRUE(
      has(refusal({.a = view({2, 3}), .b = view({4, 5})}), {"(2, 3)", "(4, 5)", "3 and 4"}));
  EXPECT_TRUE(has(refusal({.a = view({3}), .b = view({4})}), {"3 and 4"}));
}

TEST(MatmulErrors, BatchesThatDoNotBroadcastAreNamed) {
  EXPECT_TRUE(has(refusal({.a = view({4, 2, 3}), .b = view({5, 3, 2})}),
                  {"(4, 2, 3)", "(5, 3, 2)", "4 against 5"}));
  EXPECT_TRUE(has(refusal({.a = view({0, 2, 3}), .b = view({5, 3, 2})}), {"0 against 5"}));
}

TEST(MatmulErrors, CWantsBetaAndTheResultsShape) {
  EXPECT_TRUE(
      has(refusal({.a = view({2, 3}), .b = view({3, 4}), .c = view({2, 4})}), {"c", "beta"}));
  EXPECT_TRUE(has(refusal({.a = view({2, 3}), .b = view({3, 4}), .c = view({4})}, {.beta = 1}),
                  {"c has shape (4,)", "(2, 4)"}));
  EXPECT_TRUE(has(refusal({.a = view({2, 3}), .b = view({3, 4}), .c = view({2, 4}, DType::float32)},
                          {.beta = 1}),
                  {"operand c", "float32"}));
}

TEST(MatmulErrors, AConjugatedCIsRefused) {
  TensorRef c = view({2, 2}, DType::complex64);
  c.conjugate = true;
  const TensorRef a = view({2, 2}, DType::complex64);

  EXPECT_TRUE(has(refusal({.a = a, .b = a, .c = c}, {.beta = 1}), {"c", "conjugated"}));
}

TEST(MatmulErrors, OutWantsTheResultsShapeAndDtype) {
  EXPECT_TRUE(has(refusal({.a = view({2, 3}), .b = view({3, 4}), .out = view({4, 2})}),
                  {"out has shape (4, 2)", "(2, 4)"}));
  EXPECT_TRUE(
      has(refusal({.a = view({2, 3}), .b = view({3, 4}), .out = view({2, 4}, DType::float32)}),
          {"operand out", "float32"}));
}

TEST(MatmulErrors, ComplexScalarsWantComplexOperands) {
  EXPECT_TRUE(has(refusal({.a = view({2, 2}), .b = view({2, 2})}, {.alpha = {1, 1}}),
                  {"alpha", "complex", "float64"}));
  EXPECT_TRUE(
      has(refusal({.a = view({2, 2}), .b = view({2, 2}), .c = view({2, 2})}, {.beta = {{0, 1}}}),
          {"beta", "complex"}));
}

TEST(MatmulErrors, AResultOfTooManyElementsIsRefused) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;

  EXPECT_TRUE(has(refusal({.a = view({kLarge, 1}), .b = view({1, kLarge})}), {"63 bits"}));
}

TEST(MatmulErrors, ViewsThatMakeNoSenseAreNamed) {
  TensorRef lacks = view({2, 2});
  lacks.strides = {1};
  TensorRef negative = view({2, 2});
  negative.shape[1] = -2;

  EXPECT_TRUE(has(refusal({.a = view({2, 2}), .b = lacks}), {"operand b", "strides (1,)"}));
  EXPECT_TRUE(has(refusal({.a = negative, .b = view({2, 2})}), {"operand a", "(2, -2)"}));
}

}  // namespace
}  // namespace mw
