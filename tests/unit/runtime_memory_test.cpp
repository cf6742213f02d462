// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <mathwright/error.hpp>
#include <mathwright/tensor.hpp>

#include "runtime/block_pool.hpp"
#include "runtime/copy.hpp"

namespace mw {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A source that counts, and has only so much to give.
struct Counter {
  static inline std::size_t out = 0;
  static inline std::size_t most = 0;
  static void* take(std::size_t bytes) {
    if (out + bytes > most) return nullptr;
    out += bytes;
    return std::malloc(bytes);
  }
  static void give(void* memory, std::size_t bytes) noexcept {
    out -= bytes;
    std::free(memory);
  }
};

class BlockPoolOf16MiB : public testing::Test {
 protected:
  BlockPoolOf16MiB() {
    Counter::out = 0;
    Counter::most = 1000 * kMiB;
  }
  BlockPool pool_{{Counter::take, Counter::give}, 16 * kMiB};
};

TEST(BlockPool, SizeClassesWasteAtMostAnEighth) {
  for (std::size_t bytes = 64; bytes < (std::size_t{1} << 50); bytes += bytes / 37 + 1) {
    const std::size_t rounded = size_class_bytes(bytes);

    ASSERT_GE(rounded, bytes);
    ASSERT_LE(rounded - bytes, bytes / 8) << bytes;
    ASSERT_EQ(size_class_bytes(rounded), rounded);
  }
}

TEST_F(BlockPoolOf16MiB, HandsAFreedBlockOutAgain) {
  void* first = pool_.take(3 * kMiB);
  pool_.give(first, 3 * kMiB);

  void* second = pool_.take(3 * kMiB - 100);

  EXPECT_EQ(second, first);
  EXPECT_EQ(pool_.statistics().reuses, 1U);
  EXPECT_EQ(pool_.statistics().allocations, 2U);
  EXPECT_EQ(pool_.statistics().cached_bytes, 0U);
  pool_.give(second, 3 * kMiB - 100);
}

TEST_F(BlockPoolOf16MiB, KeepsNoMoreThanItsLimitAndDropsTheOldestFirst) {
  std::vector<void*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(pool_.take(4 * kMiB));
  EXPECT_EQ(pool_.statistics().live_bytes, 20 * kMiB);

  for (void* block : blocks) pool_.give(block, 4 * kMiB);

  EXPECT_EQ(pool_.statistics().cached_bytes, 16 * kMiB);
  EXPECT_EQ(pool_.statistics().live_bytes, 0U);
  EXPECT_EQ(pool_.statistics().peak_bytes, 20 * kMiB);
  EXPECT_EQ(Counter::out, 16 * kMiB);
  for (int i = 4; i > 0; --i) {  // the last freed comes first; block 0 has gone
    void* block = pool_.take(4 * kMiB);
    EXPECT_EQ(block, blocks[static_cast<std::size_t>(i)]);
    Counter::give(block, 4 * kMiB);
  }
}

TEST_F(BlockPoolOf16MiB, DoesNotKeepABlockLargerThanItsLimit) {
  pool_.give(pool_.take(32 * kMiB), 32 * kMiB);

  EXPECT_EQ(pool_.statistics().cached_bytes, 0U);
  EXPECT_EQ(Counter::out, 0U);
}

TEST_F(BlockPoolOf16MiB, GivesUpWhatItKeepsBeforeItFails) {
  pool_.give(pool_.take(8 * kMiB), 8 * kMiB);
  Counter::most = 10 * kMiB;

  void* other = pool_.take(10 * kMiB);
  void* too_much = pool_.take(1 * kMiB);

  EXPECT_NE(other, nullptr);
  EXPECT_EQ(too_much, nullptr);
  pool_.give(other, 10 * kMiB);
}

TEST(HostPool, BlocksAreAlignedAndWritable) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{63}, std::size_t{65537}, 3 * kMiB, 33 * kMiB}) {
    const Buffer buffer(host_memory(), bytes);
    std::memset(buffer.data(), 1, bytes);

    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (bytes < 65536 ? 64 : 4096), 0U);
  }
}

TEST(HostPool, CountsWhatItHandsOut) {
  const auto before = host_pool_statistics();
  {
    const Buffer small(host_memory(), 100);
    const Buffer large(host_memory(), kMiB);
    const auto during = host_pool_statistics();

    EXPECT_EQ(during.live_bytes - before.live_bytes, 128 + kMiB);
    EXPECT_GE(during.peak_bytes, during.live_bytes);
  }

  EXPECT_EQ(host_pool_statistics().live_bytes, before.live_bytes);
  clear_pools();
  EXPECT_EQ(host_pool_statistics().cached_bytes, 0U);
}

TEST(HostPool, AnImpossibleRequestIsACleanError) {
  for (const std::size_t bytes : {std::size_t{1} << 62, ~std::size_t{0}}) {
    try {
      const Buffer never(host_memory(), bytes);
      FAIL() << "got a block of " << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos);
    }
  }
}

TEST(HostPool, ServesManyThreads) {
  const auto before = host_pool_statistics().live_bytes;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t] {
        for (int round = 0; round < 300; ++round) {
          const std::size_t bytes = std::size_t{1} << (10 + (round + t) % 10);
          const Buffer buffer(host_memory(), bytes);
          std::memset(buffer.data(), t, bytes);
          ASSERT_EQ(static_cast<char*>(buffer.data())[bytes - 1], t);
        }
      });
    }
  }

  EXPECT_EQ(host_pool_statistics().live_bytes, before);
}

TEST(HostPool, WorksInAForkedChild) {
  { const Buffer warm(host_memory(), kMiB); }

  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    const Buffer buffer(host_memory(), kMiB);
    std::memset(buffer.data(), 7, kMiB);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Tensor, SharesItsMemoryAndReturnsItWithTheLastCopy) {
  const auto before = host_pool_statistics().live_bytes;
  Tensor copy_of_it;
  {
    const Tensor tensor = Tensor::empty(DType::float64, {1000, 1000});
    tensor.span<double>()[999'999] = 3.5;
    copy_of_it = tensor;
  }

  EXPECT_EQ(copy_of_it.span<double>()[999'999], 3.5);
  EXPECT_GT(host_pool_statistics().live_bytes, before);
  copy_of_it = Tensor();
  EXPECT_EQ(host_pool_statistics().live_bytes, before);
}

TEST(Tensor, ZerosAreZeroInReusedMemory) {
  {
    const Tensor dirty = Tensor::empty(DType::float32, {512, 512});
    std::memset(dirty.ref().data, 0xff, static_cast<std::size_t>(dirty.size()) * 4);
  }

  const Tensor zeros = Tensor::zeros(DType::float32, {512, 512});

  for (const float value : zeros.span<float>()) ASSERT_EQ(value, 0.0F);
}

TEST(Tensor, CopyIsCOrderedAndResolvesConjugation) {
  std::vector<std::complex<double>> values = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}};
  TensorRef view(values.data(), DType::complex128, {2, 3}, {1, 2});
  view.conjugate = true;

  const Tensor made = Tensor::copy(view);

  EXPECT_EQ(made.ref().strides, (Dims{3, 1}));
  EXPECT_FALSE(made.ref().conjugate);
  EXPECT_EQ(made.span<std::complex<double>>()[1], std::complex<double>(3, -3));
}

TEST(Tensor, EmptyShapesAndScalarsAreAllowed) {
  const Tensor none = Tensor::empty(DType::float32, {3, 0});
  const Tensor scalar = Tensor::zeros(DType::float32, {});

  EXPECT_EQ(none.span<float>().size(), 0U);
  EXPECT_EQ(scalar.span<float>().size(), 1U);
}

TEST(Tensor, RefusesImpossibleShapesAndWrongSpans) {
  const auto kind = [](auto&& act) {
    try {
      act();
    } catch (const Error& error) {
      return name(error.kind());
    }
    return std::string_view("nothing thrown");
  };
  const std::int64_t huge = std::int64_t{1} << 40;
  const Tensor tensor = Tensor::zeros(DType::float32, {2});

  EXPECT_EQ(kind([&] { (void)Tensor::empty(DType::float32, {huge, huge}); }), "out_of_memory");
  EXPECT_EQ(kind([&] { (void)Tensor::empty(DType::float64, {huge << 20}); }), "out_of_memory");
  EXPECT_EQ(kind([&] { (void)Tensor::empty(DType::float32, {-1}); }), "invalid_argument");
  EXPECT_EQ(kind([&] { (void)tensor.span<double>(); }), "invalid_argument");
}

}  // namespace
}  // namespace mw
