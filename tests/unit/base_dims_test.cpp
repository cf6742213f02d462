// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <mathwright/dims.hpp>

namespace mw {
namespace {

Dims counting(std::size_t count) {
  Dims dims(count);
  std::iota(dims.begin(), dims.end(), 1);
  return dims;
}

// Around the eight numbers that are kept inside, and well beyond them.
class DimsOfAnyRank : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, DimsOfAnyRank, testing::Values(0, 1, 7, 8, 9, 16, 17, 64));

TEST_P(DimsOfAnyRank, HoldsWhatIsPushed) {
  std::vector<std::int64_t> expected;
  Dims dims;

  for (std::size_t i = 0; i < GetParam(); ++i) {
    dims.push_back(static_cast<std::int64_t>(i) * 3);
    expected.push_back(static_cast<std::int64_t>(i) * 3);
  }

  EXPECT_EQ(dims.size(), GetParam());
  EXPECT_EQ(dims.empty(), GetParam() == 0);
  EXPECT_TRUE(std::equal(dims.begin(), dims.end(), expected.begin(), expected.end()));
}

TEST_P(DimsOfAnyRank, CopyIsEqualAndIndependent) {
  const Dims original = counting(GetParam());
  Dims copy = original;

  EXPECT_EQ(copy, original);
  copy.push_back(99);

  EXPECT_EQ(original, counting(GetParam()));
  EXPECT_FALSE(copy == original);
}

TEST_P(DimsOfAnyRank, MoveTakesEverythingAndLeavesNothing) {
  Dims original = counting(GetParam());

  Dims moved = std::move(original);

  EXPECT_EQ(moved, counting(GetParam()));
  EXPECT_TRUE(original.empty());  // NOLINT(bugprone-use-after-move): the claim
  original.push_back(5);
  EXPECT_EQ(original, Dims{5});
}

TEST_P(DimsOfAnyRank, AssignmentReplacesAnyOtherRank) {
  for (const std::size_t before : {0U, 8U, 9U, 40U}) {
    Dims target = counting(before);
    Dims second = counting(before);

    target = counting(GetParam());
    const Dims source = counting(GetParam());
    second = source;

    EXPECT_EQ(target, source);
    EXPECT_EQ(second, source);
  }
}

TEST_P(DimsOfAnyRank, InsertAndEraseAreInverseAtEveryPlace) {
  const Dims original = counting(GetParam());

  for (std::size_t at = 0; at <= GetParam(); ++at) {
    Dims changed = original;
    changed.insert(at, -7);
    ASSERT_EQ(changed.size(), GetParam() + 1);
    EXPECT_EQ(changed[at], -7);
    changed.erase(at);
    EXPECT_EQ(changed, original);
  }
}

TEST_P(DimsOfAnyRank, SpanGivesTheSameNumbers) {
  const Dims dims = counting(GetParam());

  const std::span<const std::int64_t> span = dims;

  EXPECT_EQ(Dims(span), dims);
}

TEST(Dims, TwoNumbersAreACountAndAValue) {
  const Dims ones(3, 1);

  EXPECT_EQ(ones, (Dims{1, 1, 1}));
}

TEST(Dims, TakesARangeOfAnyIntegers) {
  const std::vector<int> numbers{2, -3};

  EXPECT_EQ(Dims(numbers.begin(), numbers.end()), (Dims{2, -3}));
}

TEST(Dims, SelfAssignmentKeepsTheValue) {
  Dims dims = counting(12);
  const Dims& same = dims;

  dims = same;

  EXPECT_EQ(dims, counting(12));
}

TEST(Dims, ResizeFillsWithTheGivenValueAndCutsTheEnd) {
  Dims dims{1, 2};

  dims.resize(10, 7);
  EXPECT_EQ(dims, (Dims{1, 2, 7, 7, 7, 7, 7, 7, 7, 7}));
  dims.resize(1);

  EXPECT_EQ(dims, Dims{1});
}

TEST(Dims, EqualityLooksAtLengthAndEveryNumber) {
  EXPECT_EQ((Dims{1, 2}), (Dims{1, 2}));
  EXPECT_FALSE((Dims{1, 2}) == (Dims{1, 3}));
  EXPECT_FALSE((Dims{1, 2}) == (Dims{1, 2, 2}));
  EXPECT_FALSE(Dims{} == Dims{0});
}

TEST(Dims, HoldsNumbersOf63Bits) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  const std::array<std::int64_t, 2> values{kLarge, -kLarge};

  const Dims dims(values);

  EXPECT_EQ(dims[0], kLarge);
  EXPECT_EQ(dims.back(), -kLarge);
}

}  // namespace
}  // namespace mw
