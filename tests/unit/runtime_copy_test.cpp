// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/text.hpp"
#include "runtime_layouts.hpp"

namespace mw {
namespace {

using test::plain_copy;
using test::Random;
using test::Sample;

constexpr DType kTypes[] = {DType::uint8,     DType::float16,   DType::float32,   DType::float64,
                            DType::complex32, DType::complex64, DType::complex128};

void expect_copied(Random& random, DType dtype, const Dims& shape) {
  Sample source = random.sample(dtype, shape, {.zero_strides = true, .misaligned = true});
  Sample target = random.sample(dtype, shape, {.misaligned = true});
  source.view.conjugate = random.one_in(3);
  target.view.conjugate = random.one_in(3);
  Sample expected = target;
  plain_copy(source.view, expected.view);

  copy(source.view, target.view, {}, random.one_in(2) ? 1 : 3);

  ASSERT_EQ(target.storage, expected.storage)
      << name(dtype) << ' ' << text(shape) << " from " << text(source.view.strides) << " to "
      << text(target.view.strides);
}

class CopyRank : public testing::TestWithParam<int> {};

TEST_P(CopyRank, EqualsPlainLoopsForRandomLayouts) {
  const auto rank = static_cast<std::size_t>(GetParam());
  Random random(static_cast<unsigned>(1 + rank));

  for (int round = 0; round < 40; ++round) {
    for (const DType dtype : kTypes) expect_copied(random, dtype, random.shape(rank, 2000));
  }
}
INSTANTIATE_TEST_SUITE_P(All, CopyRank, testing::Range(0, 9));

TEST(Copy, EqualsPlainLoopsForRanksBeyondTheInlineOnes) {
  Random random(7);

  for (int round = 0; round < 50; ++round) {
    expect_copied(random, DType::float32, random.shape(12, 3000));
  }
}

// Large enough for several threads, for streaming stores and for every edge of the squares.
TEST(Copy, EqualsPlainLoopsForLargeTransposes) {
  Random random(11);

  for (const DType dtype : kTypes) {
    expect_copied(random, dtype, {301, 517});
    expect_copied(random, dtype, {256, 64, 16});
    expect_copied(random, dtype, {3, 100001});
  }
}

TEST(Copy, StreamsAlignedTransposesAboveTheLastCache) {
  const std::int64_t n = 2112;  // 17 MiB of float32 in whole lines
  const Tensor source = Tensor::empty(DType::float32, {n, n});
  const Tensor target = Tensor::zeros(DType::float32, {n, n});
  for (std::int64_t i = 0; i < n * n; ++i)
    source.span<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
  TensorRef turned = source;
  turned.strides = {1, n};

  copy(turned, target);

  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      wrong += target.span<float>()[static_cast<std::size_t>(i * n + j)] !=
               static_cast<float>(j * n + i);
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Copy, OfAnEmptyViewTouchesNothing) {
  const TensorRef nothing(nullptr, DType::float32, {3, 0, 2}, {0, 2, 1});

  EXPECT_NO_THROW(copy(nothing, nothing));
  EXPECT_NO_THROW(fill_zero(nothing));
}

TEST(Copy, OntoItselfConjugatesInPlace) {
  std::vector<std::complex<float>> values = {{1, 2}, {3, -4}};
  TensorRef plain(values.data(), {2});
  TensorRef marked = plain;
  marked.conjugate = true;

  copy(marked, plain);

  EXPECT_EQ(values[0], std::complex<float>(1, -2));
  EXPECT_EQ(values[1], std::complex<float>(3, 4));
}

TEST(Copy, IgnoresTheConjugateMarkOfRealNumbers) {
  std::vector<float> from = {1, -2};
  std::vector<float> to(2);
  TensorRef marked(from.data(), {2});
  marked.conjugate = true;

  copy(marked, TensorRef(to.data(), {2}));

  EXPECT_EQ(to, from);
}

TEST(Copy, RefusesWhatDoesNotMatch) {
  std::vector<double> data(6);
  const TensorRef a(data.data(), {2, 3});
  const TensorRef b(data.data(), {3, 2});
  TensorRef other = a;
  other.dtype = DType::int64;
  TensorRef fixed = a;
  fixed.readonly = true;

  const auto kind = [](const TensorRef& from, const TensorRef& to) {
    try {
      copy(from, to);
    } catch (const Error& error) {
      return std::optional(error.kind());
    }
    return std::optional<ErrorKind>();
  };

  EXPECT_EQ(kind(a, b), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(a, other), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(a, fixed), ErrorKind::invalid_argument);
}

TEST(Copy, BetweenTwoDevicesIsRefusedBeforeAnyDriverIsAsked) {
  TensorRef first(nullptr, DType::float32, {4}, {1}, Device::cuda(0));
  TensorRef second(nullptr, DType::float32, {4}, {1}, Device::cuda(1));

  const auto answer = can_copy(first, second);

  ASSERT_FALSE(answer);
  EXPECT_NE(answer.refusal().reason.find("cuda:1"), std::string::npos);
}

TEST(FillZero, ClearsTheElementsAndNothingElse) {
  Random random(13);

  for (int round = 0; round < 200; ++round) {
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 5)), 3000);
    Sample sample = random.sample(DType::complex128, shape, {.misaligned = true});
    Sample expected = sample;
    const std::vector<std::byte> zero(16);
    plain_copy(TensorRef(const_cast<std::byte*>(zero.data()), DType::complex128, shape,
                         Dims(shape.size())),
               expected.view);

    fill_zero(sample.view);

    ASSERT_EQ(sample.storage, expected.storage) << text(shape);
  }
}

}  // namespace
}  // namespace mw
