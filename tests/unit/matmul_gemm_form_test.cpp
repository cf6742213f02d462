// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The way from strides to a GEMM call, on layouts alone.
#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/gemm_form.hpp"

namespace mw::matmul_impl {
namespace {

OperandLayout layout(Dims shape, Dims strides, bool conjugate = false,
                     std::uint8_t alignment = 16) {
  return {.dtype = conjugate ? DType::complex64 : DType::float32,
          .shape = std::move(shape),
          .strides = std::move(strides),
          .alignment = alignment,
          .conjugate = conjugate};
}

MatmulProblem product(OperandLayout a, OperandLayout b, OperandLayout d) {
  MatmulProblem problem;
  problem.result_shape = d.shape;
  problem.result_strides = d.strides;
  problem.operands = {std::move(a), std::move(b), std::move(d)};
  for (auto& operand : problem.operands) operand.dtype = problem.operands[0].dtype;
  return problem;
}

const GemmForm& form_of(const std::variant<GemmCall, Relayout>& made) {
  return std::get<GemmCall>(made).form;
}

// ---- stored
// -----------------------------------------------------------------------------------------

struct StoredCase {
  const char* name;
  Dims shape, strides;
  std::int64_t rows_ld;     ///< 0: not by rows
  std::int64_t columns_ld;  ///< 0: not by columns
};
void PrintTo(const StoredCase& given, std::ostream* os) { *os << given.name; }

class MatmulStored : public testing::TestWithParam<StoredCase> {};
INSTANTIATE_TEST_SUITE_P(
    Layouts, MatmulStored,
    testing::Values(StoredCase{"rows", {3, 4}, {4, 1}, 4, 0},
                    StoredCase{"columns", {3, 4}, {1, 3}, 0, 3},
                    StoredCase{"padded rows", {3, 4}, {9, 1}, 9, 0},
                    StoredCase{"padded columns", {3, 4}, {1, 9}, 0, 9},
                    StoredCase{"no unit stride", {3, 4}, {8, 2}, 0, 0},
                    StoredCase{"rows reversed", {3, 4}, {-4, 1}, 0, 0},
                    StoredCase{"within rows reversed", {3, 4}, {4, -1}, 0, 0},
                    StoredCase{"repeated row", {3, 4}, {0, 1}, 0, 0},
                    StoredCase{"overlapping rows", {3, 4}, {2, 1}, 0, 0},
                    StoredCase{"a row of any stride", {1, 4}, {77, 1}, 4, 1},
                    StoredCase{"a strided row is a column vector", {1, 4}, {0, 5}, 0, 5},
                    StoredCase{"a column of any stride", {3, 1}, {1, -9}, 1, 3},
                    StoredCase{"a strided column", {3, 1}, {5, 0}, 5, 0},
                    StoredCase{"one element", {1, 1}, {-3, 0}, 1, 1},
                    StoredCase{"no rows", {0, 4}, {4, 1}, 4, 1},
                    StoredCase{"no columns", {3, 0}, {1, 1}, 1, 3}));

TEST_P(MatmulStored, FindsTheOrdersThatFit) {
  const auto& given = GetParam();
  const auto operand = layout(given.shape, given.strides);

  const auto rows = stored(operand, true);
  const auto columns = stored(operand, false);

  EXPECT_EQ(rows ? rows->ld : 0, given.rows_ld);
  EXPECT_EQ(columns ? columns->ld : 0, given.columns_ld);
}

// ---- gemm_call
// --------------------------------------------------------------------------------------

TEST(MatmulGemmCall, TakesDsOrderAndTransposesTheRest) {
  const Dims rows{4, 1};
  const Dims columns{1, 4};
  for (const bool a_rows : {true, false}) {
    for (const bool b_rows : {true, false}) {
      for (const bool d_rows : {true, false}) {
        const auto made = gemm_call(product(layout({4, 4}, a_rows ? rows : columns),
                                            layout({4, 4}, b_rows ? rows : columns),
                                            layout({4, 4}, d_rows ? rows : columns)));
        const GemmForm& form = form_of(made);
        const auto op = [&](bool operand_rows) {
          return operand_rows == d_rows ? GemmOp::none : GemmOp::transpose;
        };
        EXPECT_EQ(form.by_rows, d_rows);
        EXPECT_EQ(form.op_a, op(a_rows));
        EXPECT_EQ(form.op_b, op(b_rows));
      }
    }
  }
}

TEST(MatmulGemmCall, ConjugatesOnlyWithATransposition) {
  const auto turned = gemm_call(
      product(layout({3, 4}, {1, 3}, true), layout({4, 5}, {5, 1}), layout({3, 5}, {5, 1})));
  EXPECT_EQ(form_of(turned).op_a, GemmOp::conjugate_transpose);

  const auto straight = gemm_call(
      product(layout({3, 4}, {4, 1}, true), layout({4, 5}, {5, 1}), layout({3, 5}, {5, 1})));

  ASSERT_TRUE(std::holds_alternative<Relayout>(straight));
  const auto& entries = std::get<Relayout>(straight).entries;
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].operand, 0U);
  EXPECT_FALSE(entries[0].layout.conjugate);
}

TEST(MatmulGemmCall, TriesTheOtherOrderBeforeACopy) {
  // D is a row: both orders fit. A by rows and conjugated fits a call by columns alone.
  const auto made = gemm_call(
      product(layout({1, 4}, {4, 1}, true), layout({4, 5}, {1, 4}), layout({1, 5}, {5, 1})));

  EXPECT_TRUE(std::holds_alternative<GemmCall>(made));
}

TEST(MatmulGemmCall, AsksForCopiesOfExactlyWhatDoesNotFit) {
  const auto made =
      gemm_call(product(layout({3, 4}, {8, 2}), layout({4, 5}, {-5, 1}), layout({3, 5}, {10, 2})));

  ASSERT_TRUE(std::holds_alternative<Relayout>(made));
  const auto& entries = std::get<Relayout>(made).entries;
  ASSERT_EQ(entries.size(), 3U);
  const std::size_t operands[] = {entries[0].operand, entries[1].operand, entries[2].operand};
  EXPECT_EQ(std::vector<std::size_t>(std::begin(operands), std::end(operands)),
            (std::vector<std::size_t>{0, 1, 2}));
  for (const auto& entry : entries) {
    EXPECT_TRUE(is_contiguous(entry.layout.shape, entry.layout.strides));
    EXPECT_EQ(entry.layout.alignment, 16);
  }
}

TEST(MatmulGemmCall, AsksForACopyOfWhatIsMisaligned) {
  const auto made = gemm_call(
      product(layout({3, 4}, {4, 1}, false, 2), layout({4, 5}, {5, 1}), layout({3, 5}, {5, 1})));

  ASSERT_TRUE(std::holds_alternative<Relayout>(made));
  EXPECT_EQ(std::get<Relayout>(made).entries.size(), 1U);
}

TEST(MatmulGemmCall, IsContentWithTheLayoutsItAskedFor) {
  const Dims strides[] = {{12, 4, 1}, {1, 3, 9},  {-12, 4, 1}, {0, 4, 1},   {0, 0, 1},
                          {0, 1, 0},  {24, 8, 2}, {1, 12, 3},  {12, -4, -1}};
  for (const auto& a : strides) {
    for (const bool conjugate : {false, true}) {
      auto problem = product(layout({3, 3, 4}, a, conjugate), layout({3, 4, 2}, {8, 2, 1}),
                             layout({3, 3, 2}, {6, 2, 1}));
      for (int round = 0; round < 2; ++round) {
        const auto made = gemm_call(problem);
        if (std::holds_alternative<GemmCall>(made)) break;
        ASSERT_EQ(round, 0) << "asked twice for " << text(a);
        for (const auto& entry : std::get<Relayout>(made).entries) {
          problem.operands[entry.operand] = entry.layout;
        }
      }
    }
  }
}

// 64-bit strides stay whole on the way to the call.
TEST(MatmulGemmCall, KeepsBatchStridesOf64Bits) {
  constexpr std::int64_t kRows = (std::int64_t{1} << 30) + 1;
  constexpr std::int64_t kStride = 2 * kRows;
  auto problem = product(layout({2, kRows, 2}, {kStride, 2, 1}), layout({2, 2, 1}, {2, 1, 1}),
                         layout({2, kRows, 1}, {kRows, 1, 1}));

  const Batches batches(problem);

  EXPECT_EQ(kStride, (std::int64_t{1} << 31) + 2);
  EXPECT_EQ(batches.inner_bytes()[0], kStride * 4);
  void* const operands[] = {nullptr, nullptr, nullptr};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batches.at(operands, 1).a),
            static_cast<std::uintptr_t>(kStride) * 4);
}

TEST(MatmulBatches, OffsetsBeyond31BitsAreRight) {
  constexpr std::int64_t kCount = 8209;
  constexpr std::int64_t kMatrix = 512 * 512;
  const auto problem =
      product(layout({kCount, 512, 1}, {512, 1, 1}), layout({kCount, 1, 512}, {512, 512, 1}),
              layout({kCount, 512, 512}, {kMatrix, 512, 1}));
  void* const operands[] = {nullptr, nullptr, nullptr};

  const Pointers last = Batches(problem).at(operands, kCount - 1);

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(last.d),
            static_cast<std::uintptr_t>((kCount - 1) * kMatrix * 4));
}

TEST(MatmulBatches, VisitEveryProductOnceInOrder) {
  // Permuted and repeated batch axes.
  const auto problem =
      product(layout({2, 3, 2, 1, 1}, {1, 2, 6, 1, 1}), layout({2, 3, 2, 1, 1}, {0, 1, 0, 1, 1}),
              layout({2, 3, 2, 1, 1}, {6, 2, 1, 1, 1}));
  std::vector<float> memory(12);
  void* const operands[] = {memory.data(), memory.data(), memory.data()};
  std::vector<std::ptrdiff_t> a, b, d;

  Batches(problem).for_each(operands, [&](const Pointers& at) {
    a.push_back(static_cast<const float*>(at.a) - memory.data());
    b.push_back(static_cast<const float*>(at.b) - memory.data());
    d.push_back(static_cast<float*>(at.d) - memory.data());
  });

  EXPECT_EQ(a, (std::vector<std::ptrdiff_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
  EXPECT_EQ(b, (std::vector<std::ptrdiff_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(d, (std::vector<std::ptrdiff_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

// ---- fold_batch
// -------------------------------------------------------------------------------------

TEST(MatmulFoldBatch, JoinsRowsUnderASharedB) {
  const auto folded = fold_batch(product(
      layout({5, 3, 4}, {12, 4, 1}), layout({5, 4, 2}, {0, 2, 1}), layout({5, 3, 2}, {6, 2, 1})));

  EXPECT_EQ(folded.batch_rank(), 0U);
  EXPECT_EQ(folded.m(), 15);
  EXPECT_EQ(folded.a().strides, (Dims{4, 1}));
  EXPECT_EQ(folded.d().strides, (Dims{2, 1}));
}

TEST(MatmulFoldBatch, JoinsColumnsUnderASharedA) {
  const auto folded = fold_batch(product(layout({5, 3, 4}, {0, 4, 1}), layout({5, 4, 2}, {8, 1, 4}),
                                         layout({5, 3, 2}, {6, 1, 3})));

  EXPECT_EQ(folded.batch_rank(), 0U);
  EXPECT_EQ(folded.n(), 10);
  EXPECT_EQ(folded.b().strides, (Dims{1, 4}));
}

TEST(MatmulFoldBatch, JoinsSeveralAxesAndDropsUnitOnes) {
  const auto folded = fold_batch(product(layout({2, 1, 5, 3, 4}, {60, 99, 12, 4, 1}),
                                         layout({2, 1, 5, 4, 2}, {0, 0, 0, 2, 1}),
                                         layout({2, 1, 5, 3, 2}, {30, 30, 6, 2, 1})));

  EXPECT_EQ(folded.batch_rank(), 0U);
  EXPECT_EQ(folded.m(), 30);
}

TEST(MatmulFoldBatch, LeavesWhatDoesNotGoOn) {
  const auto gaps = product(layout({5, 3, 4}, {13, 4, 1}), layout({5, 4, 2}, {0, 2, 1}),
                            layout({5, 3, 2}, {6, 2, 1}));
  const auto own_b = product(layout({5, 3, 4}, {12, 4, 1}), layout({5, 4, 2}, {8, 2, 1}),
                             layout({5, 3, 2}, {6, 2, 1}));

  EXPECT_TRUE(same(fold_batch(gaps), gaps));
  EXPECT_TRUE(same(fold_batch(own_b), own_b));
}

}  // namespace
}  // namespace mw::matmul_impl
