// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "base/text.hpp"

namespace mw {
namespace {

/// Every element offset of a layout, in C order of the indices: the plain definition.
std::vector<std::int64_t> offsets(const Dims& shape, const Dims& strides) {
  std::vector<std::int64_t> all{0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t base : all) {
      for (std::int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + i * strides[axis]);
    }
    all = std::move(next);
  }
  return all;
}

struct Layout {
  Dims shape;
  Dims strides;
};

/// A layout as arrays get it by slicing, permuting, reversing and repeating.
Layout random_layout(std::mt19937& random) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const auto rank = static_cast<std::size_t>(pick(0, 5));
  Layout layout{Dims(rank), Dims(rank)};
  Dims order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(i);
  std::shuffle(order.begin(), order.end(), random);
  std::int64_t step = 1;
  for (const std::int64_t axis64 : order) {
    const auto axis = static_cast<std::size_t>(axis64);
    layout.shape[axis] = pick(0, 9) == 0 ? pick(0, 1) : pick(1, 4);
    step *= pick(1, 2);
    layout.strides[axis] = pick(0, 7) == 0 ? 0 : pick(0, 2) == 0 ? -step : step;
    step *= std::max<std::int64_t>(layout.shape[axis], 1);
  }
  return layout;
}

class RandomLayouts : public testing::Test {
 protected:
  template <class Check>
  void for_many(Check&& check) {
    std::mt19937 random(20);  // NOLINT: the same layouts every time
    for (int i = 0; i < 3000; ++i) {
      const Layout layout = random_layout(random);
      SCOPED_TRACE(text("shape ", layout.shape, " strides ", layout.strides));
      check(layout);
      if (testing::Test::HasFailure()) return;
    }
  }
};

TEST(CheckedSize, IsTheProductOrNothingWhenItOverflows) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 32;

  EXPECT_EQ(checked_size({}), 1);
  EXPECT_EQ(checked_size({3, 4}), 12);
  EXPECT_EQ(checked_size({kHalf, kHalf / 4}), std::int64_t{1} << 62);
  EXPECT_EQ(checked_size({kHalf, kHalf / 2}), std::nullopt);
}

TEST(CheckedSize, OfAnEmptyShapeIsZeroHoweverLargeTheRest) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;

  EXPECT_EQ(checked_size({kHuge, kHuge, 0}), 0);
  EXPECT_EQ(checked_size({0, kHuge, kHuge}), 0);
}

TEST(DenseStrides, FollowTheGivenOrderWithoutGaps) {
  EXPECT_EQ(dense_strides({2, 3, 4}, {0, 1, 2}), (Dims{12, 4, 1}));
  EXPECT_EQ(dense_strides({2, 3, 4}, {2, 1, 0}), (Dims{1, 2, 6}));
  EXPECT_EQ(dense_strides({2, 3, 4}, {1, 0, 2}), (Dims{4, 8, 1}));
  EXPECT_EQ(dense_strides({}, {}), Dims{});
}

TEST(StrideOrder, SortsByMagnitudeAndKeepsTies) {
  EXPECT_EQ(stride_order({2, 3, 4}, {1, -50, 7}), (Dims{1, 2, 0}));
  EXPECT_EQ(stride_order({2, 2, 2}, {5, -5, 5}), (Dims{0, 1, 2}));
}

TEST(OffsetRange, ReachesBelowZeroForNegativeStrides) {
  EXPECT_EQ(offset_range({3, 4}, {-4, 1}), (std::pair<std::int64_t, std::int64_t>{-8, 3}));
  EXPECT_EQ(offset_range({3, 4}, {4, -1}), (std::pair<std::int64_t, std::int64_t>{-3, 8}));
  EXPECT_EQ(offset_range({}, {}), (std::pair<std::int64_t, std::int64_t>{0, 0}));
  EXPECT_EQ(offset_range({5, 0}, {100, 1}), (std::pair<std::int64_t, std::int64_t>{0, 0}));
}

TEST(OffsetRange, CountsIn64Bits) {
  constexpr std::int64_t kStep = std::int64_t{1} << 40;

  EXPECT_EQ(offset_range({3, 2}, {kStep, -kStep}),
            (std::pair<std::int64_t, std::int64_t>{-kStep, 2 * kStep}));
}

TEST_F(RandomLayouts, OffsetRangeIsWhatTheIndicesReach) {
  for_many([](const Layout& layout) {
    const auto all = offsets(layout.shape, layout.strides);

    const auto [low, high] = offset_range(layout.shape, layout.strides);

    if (all.empty()) {
      EXPECT_EQ(low, 0);
      EXPECT_EQ(high, 0);
    } else {
      EXPECT_EQ(low, *std::min_element(all.begin(), all.end()));
      EXPECT_EQ(high, *std::max_element(all.begin(), all.end()));
    }
  });
}

TEST_F(RandomLayouts, OneToOneMeansNoOffsetTwice) {
  for_many([](const Layout& layout) {
    const auto all = offsets(layout.shape, layout.strides);
    const bool distinct = std::set(all.begin(), all.end()).size() == all.size();

    EXPECT_EQ(maps_one_to_one(layout.shape, layout.strides), distinct);
  });
}

TEST_F(RandomLayouts, ContiguousMeansOffsetsCountUp) {
  for_many([](const Layout& layout) {
    const auto all = offsets(layout.shape, layout.strides);
    bool counts_up = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      counts_up &= all[i] == static_cast<std::int64_t>(i);

    EXPECT_EQ(is_contiguous(layout.shape, layout.strides), counts_up);
  });
}

TEST(MapsOneToOne, RefusesRepeatsAndOverlappingWindows) {
  EXPECT_TRUE(maps_one_to_one({3, 4}, {4, 1}));
  EXPECT_TRUE(maps_one_to_one({3, 4}, {-4, -1}));
  EXPECT_TRUE(maps_one_to_one({3, 1}, {1, 0}));
  EXPECT_TRUE(maps_one_to_one({0, 5}, {0, 0}));
  EXPECT_FALSE(maps_one_to_one({3, 4}, {0, 1}));
  EXPECT_FALSE(maps_one_to_one({3, 4}, {1, 1}));
  EXPECT_FALSE(maps_one_to_one({5, 3}, {1, 1}));
}

TEST(MayOverlap, LooksAtBytesDtypesAndDevices) {
  double memory[16] = {};
  const TensorRef front(memory, {8});
  const TensorRef back(memory + 8, {8});
  const TensorRef middle(memory + 7, {2});
  const TensorRef reversed(memory + 7, DType::float64, {8}, {-1});
  const TensorRef bytes(memory + 8, DType::int8, {1}, {1});
  TensorRef elsewhere = front;
  elsewhere.device = Device::cuda();

  EXPECT_FALSE(may_overlap(front, back));
  EXPECT_TRUE(may_overlap(front, middle));
  EXPECT_TRUE(may_overlap(middle, back));
  EXPECT_TRUE(may_overlap(front, reversed));
  EXPECT_FALSE(may_overlap(reversed, back));
  EXPECT_FALSE(may_overlap(front, bytes));
  EXPECT_TRUE(may_overlap(back, bytes));
  EXPECT_FALSE(may_overlap(front, elsewhere));
  EXPECT_FALSE(may_overlap(front, TensorRef(memory, {0})));
}

TEST(MayOverlap, TellsInterleavedViewsApart) {
  double memory[48] = {};
  const auto view = [&](std::int64_t first, const Dims& shape, const Dims& strides) {
    return TensorRef(memory + first, DType::float64, shape, strides);
  };
  const TensorRef even = view(0, {8}, {2});
  const TensorRef left = view(0, {6, 4}, {8, 1});  // columns of a (6, 8) matrix
  const TensorRef top_left = view(0, {2, 2, 3}, {24, 8, 1});

  EXPECT_FALSE(may_overlap(even, view(1, {8}, {2})));
  EXPECT_FALSE(may_overlap(even, view(15, {8}, {-2})));
  EXPECT_FALSE(may_overlap(even, view(3, {3}, {4})));
  EXPECT_FALSE(may_overlap(left, view(4, {6, 4}, {8, 1})));
  EXPECT_FALSE(may_overlap(left, view(4, {4, 6}, {1, 8})));
  EXPECT_FALSE(may_overlap(top_left, view(3, {2, 2, 5}, {24, 8, 1})));
  EXPECT_TRUE(may_overlap(even, view(2, {4}, {3})));
  EXPECT_TRUE(may_overlap(left, view(3, {6, 4}, {8, 1})));
  EXPECT_TRUE(may_overlap(left, view(5, {3, 4}, {8, 1})));
}

TEST(MayOverlap, TellsRealPartsFromImaginaryOnes) {
  std::complex<double> memory[8] = {};
  auto* const parts = reinterpret_cast<double*>(memory);
  const TensorRef all(memory, {8});
  const TensorRef real(parts, DType::float64, {8}, {2});
  const TensorRef imaginary(parts + 1, DType::float64, {8}, {2});

  EXPECT_FALSE(may_overlap(real, imaginary));
  EXPECT_TRUE(may_overlap(all, imaginary));
}

TEST_F(RandomLayouts, ViewsThatShareAByteMayOverlap) {
  std::vector<float> memory(1 << 16);
  float* const middle = memory.data() + memory.size() / 2;
  std::optional<Layout> before;
  std::int64_t shift = 0;
  int told_apart = 0;
  for_many([&](const Layout& layout) {
    const Layout other = std::exchange(before, layout).value_or(layout);
    shift = (shift + 1) % 23;
    const TensorRef a(middle, DType::float32, layout.shape, layout.strides);
    const TensorRef b(middle + shift, DType::float32, other.shape, other.strides);
    const auto in_a = offsets(layout.shape, layout.strides);
    const std::set<std::int64_t> seen(in_a.begin(), in_a.end());
    bool shared = false;
    for (const auto offset : offsets(other.shape, other.strides)) {
      shared |= seen.contains(offset + shift);
    }

    const bool answer = may_overlap(a, b);

    EXPECT_TRUE(answer || !shared) << text("and shape ", other.shape, " strides ", other.strides);
    told_apart += !answer && !in_a.empty();
  });
  EXPECT_GT(told_apart, 300) << "the question is asked in earnest";
}

TEST(SameView, IgnoresStridesOfSingleElementsOnly) {
  float memory[6] = {};
  const TensorRef view(memory, {2, 1, 3});
  TensorRef odd = view;
  odd.strides[1] = 777;
  TensorRef turned = view;
  turned.strides = {1, 1, 2};

  EXPECT_TRUE(same_view(view, odd));
  EXPECT_FALSE(same_view(view, turned));
  EXPECT_FALSE(same_view(view, TensorRef(memory + 1, {2, 1, 3})));
  EXPECT_FALSE(same_view(view, TensorRef(memory, {2, 3})));
}

TEST(NormalizeAxis, WrapsNegativeAxesAndRefusesTheRest) {
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(-3, 3), 0);
  EXPECT_EQ(normalize_axis(3, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(-4, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(0, 0), std::nullopt);
}

TEST(AlignmentClass, IsTheLargestPowerOfTwoUpTo64) {
  alignas(128) char memory[128] = {};

  EXPECT_EQ(alignment_class(memory), 6);
  EXPECT_EQ(alignment_class(memory + 64), 6);
  EXPECT_EQ(alignment_class(memory + 32), 5);
  EXPECT_EQ(alignment_class(memory + 8), 3);
  EXPECT_EQ(alignment_class(memory + 12), 2);
  EXPECT_EQ(alignment_class(memory + 1), 0);
  EXPECT_EQ(alignment_class(nullptr), 6);
}

TEST(ContiguousStrides, CountAnEmptyAxisAsOne) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}), (Dims{4, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Dims{});
}

TEST_F(RandomLayouts, FusedLoopsVisitTheSamePairsOfOffsets) {
  for_many([](const Layout& layout) {
    const Dims dense = contiguous_strides(layout.shape);
    std::multiset<std::pair<std::int64_t, std::int64_t>> expected;
    const auto first = offsets(layout.shape, layout.strides);
    const auto second = offsets(layout.shape, dense);
    for (std::size_t i = 0; i < first.size(); ++i) expected.emplace(first[i], second[i]);

    const LoopNest nest = fuse_loops(layout.shape, layout.strides, &dense);
    const auto fused_first = offsets(nest.extents, nest.strides[0]);
    const auto fused_second = offsets(nest.extents, nest.strides[1]);

    std::multiset<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::size_t i = 0; i < fused_first.size(); ++i)
      seen.emplace(fused_first[i], fused_second[i]);
    EXPECT_EQ(seen, expected);
    EXPECT_TRUE(nest.strides[2].empty());
    for (const std::int64_t extent : nest.extents) EXPECT_NE(extent, 1);
  });
}

TEST(FuseLoops, MergesWhatEveryLayoutAllows) {
  const Dims c_order{12, 4, 1};
  const Dims padded{16, 4, 1};

  const LoopNest one = fuse_loops({2, 3, 4}, c_order);
  const LoopNest two = fuse_loops({2, 3, 4}, c_order, &padded);

  EXPECT_EQ(one.extents, Dims{24});
  EXPECT_EQ(one.strides[0], Dims{1});
  EXPECT_EQ(two.extents, (Dims{2, 12}));
  EXPECT_EQ(two.strides[0], (Dims{12, 1}));
  EXPECT_EQ(two.strides[1], (Dims{16, 1}));
}

TEST(FuseLoops, SortsTheFastestAxisOfTheFirstLayoutLast) {
  const Dims f_order{1, 2, 6};
  const Dims c_order{12, 4, 1};

  const LoopNest nest = fuse_loops({2, 3, 4}, f_order, &c_order);

  EXPECT_EQ(nest.extents, (Dims{4, 3, 2}));
  EXPECT_EQ(nest.strides[0], (Dims{6, 2, 1}));
  EXPECT_EQ(nest.strides[1], (Dims{1, 4, 12}));
}

TEST(FuseLoops, KeepsARankOfMoreThanEight) {
  Dims shape(std::size_t{12}, 2);
  Dims strides(std::size_t{12});
  for (std::size_t i = 0; i < 12; ++i)
    strides[i] = std::int64_t{3} << (2 * (11 - i));  // gaps all over

  const LoopNest nest = fuse_loops(shape, strides);

  EXPECT_EQ(nest.extents, shape);
  EXPECT_EQ(nest.strides[0], strides);
}

}  // namespace
}  // namespace mw
