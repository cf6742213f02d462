// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public face of the product, on numbers that can be checked by hand.
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <mathwright/cache.hpp>
#include <mathwright/matmul.hpp>

#include "ops/matmul/problem.hpp"
#include "unit/plan_toy.hpp"

namespace mw {
namespace {

using toy::has;
using toy::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values(const Tensor& tensor) {
  const auto span = tensor.span<double>();
  return {span.begin(), span.end()};
}

/// [[1, 2, 3], [4, 5, 6]] · [[1, 0], [0, 1], [1, 1]] = [[4, 5], [10, 11]].
class MatmulApi : public testing::Test {
 protected:
  void TearDown() override { set_candidates({}); }

  std::vector<double> a_{1, 2, 3, 4, 5, 6};
  std::vector<double> b_{1, 0, 0, 1, 1, 1};
  std::vector<double> c_{1, 1, 2, 2};
  std::vector<double> out_ = std::vector<double>(4, kNaN);
  TensorRef a{a_.data(), {2, 3}};
  TensorRef b{b_.data(), {3, 2}};
  TensorRef c{c_.data(), {2, 2}};
  TensorRef out{out_.data(), {2, 2}};
};

TEST_F(MatmulApi, GivesTheProductByEveryCandidateThatTakesIt) {
  int taken = 0;
  for (const auto& candidate : MatmulProblem::candidates()) {
    set_candidates({candidate.name});
    SCOPED_TRACE(candidate.name);
    try {
      EXPECT_EQ(values(matmul({.a = a, .b = b})), (std::vector<double>{4, 5, 10, 11}));
      EXPECT_EQ(values(matmul({.a = a, .b = b, .c = c}, {.alpha = 2, .beta = -1})),
                (std::vector<double>{7, 9, 18, 20}));
      ++taken;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  EXPECT_GE(taken, 2) << "the direct and the reference product need nothing";
}

TEST_F(MatmulApi, FillsOutAndGivesAViewOfIt) {
  const Tensor result = matmul({.a = a, .b = b, .out = out});

  EXPECT_EQ(out_, (std::vector<double>{4, 5, 10, 11}));
  EXPECT_EQ(result.ref().data, out_.data());
  EXPECT_EQ(result.owner(), nullptr);
}

TEST_F(MatmulApi, MayWriteOverC) {
  (void)matmul({.a = a, .b = b, .c = c, .out = c}, {.beta = 10});

  EXPECT_EQ(c_, (std::vector<double>{14, 15, 30, 31}));
}

TEST_F(MatmulApi, DoesNotReadCWhenBetaIsZero) {
  c_.assign(4, kNaN);

  const auto result = matmul({.a = a, .b = b, .c = c}, {.beta = 0});

  EXPECT_EQ(values(result), (std::vector<double>{4, 5, 10, 11}));
}

TEST_F(MatmulApi, DoesNotReadAWhenAlphaIsZero) {
  a_.assign(6, kNaN);

  const auto result = matmul({.a = a, .b = b, .c = c}, {.alpha = 0, .beta = 3});

  EXPECT_EQ(values(result), (std::vector<double>{3, 3, 6, 6}));
}

TEST_F(MatmulApi, AnEmptySumIsZero) {
  const Tensor result = matmul({.a = {a_.data(), {2, 0}}, .b = {b_.data(), {0, 2}}});

  EXPECT_EQ(values(result), std::vector<double>(4, 0.0));
}

TEST_F(MatmulApi, VectorsGiveANumber) {
  const Tensor result = matmul({.a = {a_.data(), {3}}, .b = {a_.data() + 3, {3}}});

  EXPECT_EQ(result.shape(), Dims{});
  EXPECT_EQ(values(result), std::vector<double>{32});
}

TEST_F(MatmulApi, DoesNotRoundThroughALesserPrecision) {
  const std::vector<float> z{0, 3.14F};
  const std::vector<float> identity{1, 0, 0, 1};

  const Tensor zs = matmul({.a = {z.data(), {2}}, .b = {identity.data(), {2, 2}}});
  const Tensor result = matmul({.a = zs, .b = {z.data(), {2}}});

  EXPECT_EQ(result.span<float>()[0], 3.14F * 3.14F);
}

TEST_F(MatmulApi, RefusesAnOutThatOverlapsAnInput) {
  const TensorRef over(a_.data() + 2, {2, 2});

  EXPECT_TRUE(has(
      message_of(ErrorKind::invalid_argument, [&] { (void)matmul({.a = a, .b = b, .out = over}); }),
      {"matmul", "out overlaps operand a"}));
}

TEST_F(MatmulApi, StaysUnchangedWhenAllRefuse) {
  set_candidates({"nobody"});

  EXPECT_TRUE(
      has(message_of(ErrorKind::unsupported, [&] { (void)matmul({.a = a, .b = b, .out = out}); }),
          {"matmul", "reference: not among the allowed candidates"}));
  for (const double value : out_) EXPECT_TRUE(std::isnan(value));
}

TEST_F(MatmulApi, RepeatsWithOtherOperandsAndScalars) {
  Matmul product({.a = a, .b = b, .c = c}, {.beta = 0});
  product.plan();
  EXPECT_EQ(values(product.execute()), (std::vector<double>{4, 5, 10, 11}));
  std::vector<double> other{6, 5, 4, 3, 2, 1};

  product.reset_operands(TensorRef(other.data(), {2, 3}));
  product.set_alpha(2);
  product.set_beta(1);

  EXPECT_EQ(values(product.execute()), (std::vector<double>{21, 19, 10, 8}));
  EXPECT_EQ(product.shape(), (Dims{2, 2}));
  EXPECT_TRUE(has(product.explain(), {"matmul", "beta·C"}));
}

TEST_F(MatmulApi, TuningKeepsTheResultAndWantsAPlan) {
  Matmul product({.a = a, .b = b, .out = out});
  const TuneOptions quick{.seconds = 0.01, .remember = false};
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, [&] { (void)product.autotune(quick); }),
                  {"plan()"}));
  product.plan();

  const TuneReport report = product.autotune(quick);

  EXPECT_GT(report.alternatives, 1);
  EXPECT_FALSE(report.candidate.empty());
  for (const double value : out_) EXPECT_TRUE(std::isnan(value)) << "tuning wrote to out";
  EXPECT_EQ(values(product.execute()), (std::vector<double>{4, 5, 10, 11}));
}

TEST_F(MatmulApi, LargeBatchesOfTinyProductsNeedNoLibrary) {
  constexpr std::int64_t kOuter = 5, kInner = 10000, kPadded = 4 * kInner + 3;
  std::vector<double> x(kOuter * kPadded);
  std::vector<double> y(4 * kInner);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 7) - 3;
  const Dims shape{kOuter, kInner, 2, 2};
  const MatmulOperands operands{.a = {x.data(), DType::float64, shape, {kPadded, 4, 2, 1}},
                                .b = {y.data(), {kInner, 2, 2}}};
  Matmul product(operands, {.execution = {.num_threads = 3}});
  product.plan();

  const auto result = values(product.execute());

  set_candidates({"reference"});
  EXPECT_EQ(result, values(matmul(operands)));
  EXPECT_TRUE(has(product.explain(), {"* direct", "rows of D in registers, 3 threads"}));
}

TEST_F(MatmulApi, ResultsOfTwoExecutionsAreDifferentMemory) {
  Matmul product({.a = a, .b = b});
  product.plan();
  const Tensor first = product.execute();
  a_.assign(6, 0.0);

  const Tensor second = product.execute();

  EXPECT_EQ(values(first), (std::vector<double>{4, 5, 10, 11}));
  EXPECT_EQ(values(second), std::vector<double>(4, 0.0));
}

TEST_F(MatmulApi, ExecuteIntoChecksItsAddress) {
  Matmul product({.a = a, .b = b});
  product.plan();

  product.execute_into(out_.data());

  EXPECT_EQ(out_, (std::vector<double>{4, 5, 10, 11}));
  for (void* const wrong : {static_cast<void*>(nullptr), static_cast<void*>(out_.data() + 1)}) {
    EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, [&] { product.execute_into(wrong); }),
                    {"matmul"}));
  }
}

TEST_F(MatmulApi, ExecuteIntoHasNoPlaceForOtherOutputs) {
  const auto rectified = fuse([](Scalar x) {
    return Outputs{{"result", relu(x)}, {"mask", x > 0}};
  });
  Matmul product({.a = a, .b = b}, {.epilog = rectified});
  product.plan();

  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_argument, [&] { product.execute_into(out_.data()); }),
          {"execute_outputs()"}));
}

TEST_F(MatmulApi, NamesTheStateThatForbidsACall) {
  Matmul product({.a = a, .b = b});
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_state, [&] { (void)product.execute(); }), {"plan()"}));
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, [&] { product.reset_operands({}); }),
                  {"requires at least one operand"}));
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_argument, [&] { product.reset_operands({}, {}, c); }),
          {"made without c"}));
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, [&] { product.set_beta(1); }),
                  {"made without c"}));
  product.plan();
  product.release_operands();
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_state, [&] { (void)product.execute(); }), {"released"}));
  product.free();
  product.free();
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_state, [&] { (void)product.execute(); }), {"freed"}));
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_state, [&] { product.reset_operands(a); }), {"freed"}));
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, [&] { product.set_alpha(2); }), {"freed"}));
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, [&] { product.set_beta(2); }), {"freed"}));
}

// Two alignments of one shape have a plan each, and both are right.
TEST_F(MatmulApi, AMisalignedOperandHasItsOwnPlan) {
  std::vector<char> bytes(sizeof(double) * 6 + 1);
  char* const odd = bytes.data() + 1;
  std::memcpy(odd, a_.data(), sizeof(double) * 6);
  const TensorRef misaligned(odd, DType::float64, {2, 3}, {3, 1});

  EXPECT_EQ(values(matmul({.a = a, .b = b})), (std::vector<double>{4, 5, 10, 11}));
  EXPECT_EQ(values(matmul({.a = misaligned, .b = b})), (std::vector<double>{4, 5, 10, 11}));
  EXPECT_EQ(values(matmul({.a = a, .b = b})), (std::vector<double>{4, 5, 10, 11}));
}

TEST_F(MatmulApi, ConcurrentCallsWithOneCacheGiveTheirOwnResults) {
  clear_plan_cache();
  std::vector<std::thread> threads;

  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (std::int64_t n = 1; n < 40; ++n) {
        const std::vector<double> ones(static_cast<std::size_t>(n * n), 1.0);
        const std::vector<double> mine(static_cast<std::size_t>(n * n), t);
        const TensorRef x(ones.data(), {n, n});
        const TensorRef y(mine.data(), {n, n});
        const Tensor result = matmul({.a = x, .b = y}, {.execution = {.num_threads = 2}});
        for (const double value : result.span<double>()) {
          if (value != static_cast<double>(n * t)) ADD_FAILURE() << value << " for " << n * t;
        }
      }
    });
  }

  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace mw
