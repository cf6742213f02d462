// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Device copies without a device: the plan and the kernels' index arithmetic run on the host (the
// kernels' text is compiled here as C++), and the staging runs on a driver that is made of memcpy.
#include "runtime/copy_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "fake_driver.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/device_program.hpp"
#include "runtime/memory.hpp"
#include "runtime_layouts.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

using test::plain_copy;
using test::Random;
using test::Sample;
using Way = DeviceCopyPlan::Way;

// What the kernels find on a device: here, one thread of the host per thread of a block.
struct Three {
  unsigned x = 0;
};
thread_local Three blockIdx;
thread_local Three threadIdx;
Three gridDim;
Three blockDim;
std::barrier<>* block_barrier = nullptr;

namespace kernels {
inline void __syncthreads() { block_barrier->arrive_and_wait(); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define __device__
#define __shared__ static
#define MW_DEVICE_TEXT(...) __VA_ARGS__
#include "runtime/copy_kernel.inl"
#undef MW_DEVICE_TEXT
#undef __shared__
#undef __device__
#pragma GCC diagnostic pop
}  // namespace kernels

template <class Element, class Change>
void run_kernel(const DeviceCopyPlan& plan, std::byte* target_bytes,
                const std::byte* source_bytes) {
  auto* target = reinterpret_cast<Element*>(target_bytes);
  const auto* source = reinterpret_cast<const Element*>(source_bytes);
  gridDim.x = 3;
  if (plan.way == Way::any) {  // threads do not talk to each other: one after another will do
    blockDim.x = 5;
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
      for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
        kernels::copy_any<Element, unsigned, Change>(target, source, plan.nest);
      }
    }
    return;
  }
  blockDim.x = 256;
  for (unsigned block = 0; block < gridDim.x; ++block) {
    std::barrier barrier(256);
    block_barrier = &barrier;
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 256; ++t) {
      threads.emplace_back([&, block, t] {
        blockIdx.x = block;
        threadIdx.x = t;
        kernels::copy_turned<Element, unsigned, Change>(target, source, plan.nest);
      });
    }
  }
}

template <class Element>
void run_changed(const DeviceCopyPlan& plan, std::byte* target, const std::byte* source) {
  if constexpr (requires(Element e) { e.y; }) {
    if (plan.conjugates) {
      return run_kernel<Element, kernels::FlipSecond<Element>>(plan, target, source);
    }
  } else {
    if (plan.conjugates) {
      return run_kernel<Element, kernels::FlipUpper<Element>>(plan, target, source);
    }
  }
  run_kernel<Element, kernels::Same<Element>>(plan, target, source);
}

void run_once(const DeviceCopyPlan& plan, std::byte* target, const std::byte* source) {
  if (plan.pairs) {
    if (plan.itemsize == 4) run_changed<kernels::Pair<std::uint16_t>>(plan, target, source);
    if (plan.itemsize == 8) run_changed<kernels::Pair<std::uint32_t>>(plan, target, source);
    if (plan.itemsize == 16) run_changed<kernels::Pair<std::uint64_t>>(plan, target, source);
    return;
  }
  switch (plan.itemsize) {
    case 1: return run_changed<std::uint8_t>(plan, target, source);
    case 2: return run_changed<std::uint16_t>(plan, target, source);
    case 4: return run_changed<std::uint32_t>(plan, target, source);
    case 8: return run_changed<std::uint64_t>(plan, target, source);
    default: return run_changed<kernels::Wide>(plan, target, source);
  }
}

void run_plan(const DeviceCopyPlan& plan) {
  const auto item = static_cast<std::int64_t>(plan.itemsize);
  if (plan.way == Way::dense) {
    std::memcpy(plan.target, plan.source, static_cast<std::size_t>(plan.nest.size * item));
  } else if (plan.way == Way::pitched) {
    for (std::int64_t r = 0; r < plan.nest.extents[0]; ++r) {
      std::memcpy(plan.target + r * plan.nest.target[0] * item,
                  plan.source + r * plan.nest.source[0] * item,
                  static_cast<std::size_t>(plan.nest.extents[1] * item));
    }
  } else {
    std::function<void(std::size_t, std::int64_t, std::int64_t)> outer =
        [&](std::size_t d, std::int64_t to, std::int64_t from) {
          if (d == plan.outer.size()) {
            return run_once(plan, plan.target + to * item, plan.source + from * item);
          }
          for (std::int64_t i = 0; i < plan.outer[d]; ++i) {
            outer(d + 1, to + i * plan.outer_target[d], from + i * plan.outer_source[d]);
          }
        };
    outer(0, 0, 0);
  }
}

constexpr DType kTypes[] = {DType::uint8,     DType::float16,   DType::float32,   DType::float64,
                            DType::complex32, DType::complex64, DType::complex128};

TEST(DeviceCopyPlan, RunOnTheHostEqualsPlainLoops) {
  Random random(3);
  int ways[4] = {};
  int turned_left = 8;  // 768 host threads each: enough for every edge, not for every round

  for (int round = 0; round < 700; ++round) {
    const DType dtype = kTypes[round % 7];
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 11)), 3000);
    Sample source = random.sample(dtype, shape, {.zero_strides = true});
    Sample target = random.sample(dtype, shape, {});
    source.view.conjugate = random.one_in(3) && is_complex(dtype);
    const DeviceCopyPlan plan =
        plan_device_copy(source.view, target.view, source.view.conjugate, random.one_in(2));
    if (plan.way == Way::turned && (!plan.outer.empty() || turned_left-- <= 0)) continue;
    Sample expected = target;
    plain_copy(source.view, expected.view);

    run_plan(plan);

    ++ways[static_cast<int>(plan.way)];
    ASSERT_EQ(target.storage, expected.storage)
        << name(dtype) << text(shape) << " from " << text(source.view.strides) << " to "
        << text(target.view.strides) << ", way " << static_cast<int>(plan.way);
  }
  for (const int used : ways) EXPECT_GT(used, 0);
}

TEST(DeviceCopyPlan, OfATransposeGoesThroughTiles) {
  const TensorRef source(nullptr, DType::float32, {64, 100}, {1, 64});
  const TensorRef target(nullptr, DType::float32, {64, 100}, {100, 1});

  EXPECT_EQ(plan_device_copy(source, target, false).way, Way::turned);
}

TEST(DeviceCopyPlan, WidensElementsWhereEverythingIsEven) {
  const TensorRef source(nullptr, DType::float16, {6, 5, 64}, {1024, 128, 1});
  const TensorRef target(nullptr, DType::float16, {6, 5, 64}, {2048, 256, 1});

  const auto plan = plan_device_copy(source, target, false);

  EXPECT_EQ(plan.way, Way::any);
  EXPECT_EQ(plan.itemsize, 16U);
}

TEST(DeviceCopyProgram, Compiles) {
  if (const auto compiler = nvrtc::load(); !compiler) {
    GTEST_SKIP() << "no NVRTC: " << compiler.refusal().reason;
  }
  struct Variant {
    Way way;
    std::size_t itemsize;
    bool conjugates, pairs;
    std::int64_t size;
  };
  // Each element type, change, way and index width at least once.
  constexpr Variant kVariants[] = {{Way::any, 1, false, false, 1000},
                                   {Way::turned, 2, false, false, 1000},
                                   {Way::turned, 4, true, false, std::int64_t{1} << 40},
                                   {Way::any, 8, true, true, std::int64_t{1} << 40},
                                   {Way::turned, 16, true, false, 1000}};
  for (const Variant& variant : kVariants) {
    DeviceCopyPlan plan;
    plan.way = variant.way;
    plan.itemsize = variant.itemsize;
    plan.conjugates = variant.conjugates;
    plan.pairs = variant.pairs;
    plan.nest.size = variant.size;
    const CopyProgram program = copy_program(plan);

    std::string image;
    EXPECT_NO_THROW(image = compile_device_program(
                        {.source = program.source, .name = program.name, .options = {}}, 90));

    EXPECT_NE(image.find(program.name), std::string::npos);
  }
}

// ---- a driver made of host memory
// -------------------------------------------------------------------

using test::FakeDevice;
using test::FakeDriver;

TEST_F(FakeDevice, CopiesThereAndBackForRandomHostLayouts) {
  Random random(17);

  for (int round = 0; round < 300; ++round) {
    const DType dtype = kTypes[round % 7];
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 6)), 3000);
    Sample source = random.sample(dtype, shape, {.zero_strides = true, .misaligned = true});
    Sample target = random.sample(dtype, shape, {.misaligned = true});
    Sample expected = target;
    source.view.conjugate = random.one_in(3);
    target.view.conjugate = random.one_in(3);
    expected.view.conjugate = target.view.conjugate;
    plain_copy(source.view, expected.view);
    FakeDriver::page_locked = random.one_in(3);
    const Tensor there = Tensor::empty(dtype, shape, Device::cuda(0));

    copy(source.view, there);
    copy(there, target.view);

    ASSERT_EQ(target.storage, expected.storage) << name(dtype) << text(shape);
  }
  EXPECT_EQ(FakeDriver::live_blocks, 0);
}

TEST_F(FakeDevice, CopiesLargeViewsPieceByPiece) {
  Random random(19);
  const Dims shape = {1500, 2000};  // 12 MB: three stages, and a permuted host side
  Sample source = random.sample(DType::float32, {1, 1}, {});
  source.storage.resize(12'000'000);
  for (std::size_t i = 0; i < source.storage.size(); i += 7) {
    source.storage[i] = static_cast<std::byte>(i * 31);
  }
  source.view = TensorRef(source.storage.data(), DType::float32, shape, {1, 1500});
  const Tensor there = Tensor::empty(DType::float32, shape, Device::cuda(0));
  std::vector<std::byte> back(12'000'000);

  copy(source.view, there);
  copy(there, TensorRef(back.data(), DType::float32, shape, {1, 1500}));

  EXPECT_TRUE(back == source.storage);
}

TEST_F(FakeDevice, ManyThreadsShareTheStages) {
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 10; ++t) {
      threads.emplace_back([&, t] {
        std::vector<float> from(3'000'000, static_cast<float>(t));
        std::vector<float> to(from.size());
        const auto size = static_cast<std::int64_t>(from.size());
        const Tensor there = Tensor::empty(DType::float32, {size}, Device::cuda(0));
        copy(TensorRef(from.data(), {size}), there, {}, 1);
        copy(there, TensorRef(to.data(), {size}), {}, 1);
        wrong += to != from;
      });
    }
  }

  EXPECT_EQ(wrong, 0);
}

TEST_F(FakeDevice, FillZeroClearsTheElementsAndNothingElse) {
  Random random(23);

  for (int round = 0; round < 200; ++round) {
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 5)), 1000);
    Sample sample = random.sample(DType::float64, shape, {});
    Sample expected = sample;
    fill_zero(expected.view);
    sample.view.device = Device::cuda(0);

    fill_zero(sample.view);

    ASSERT_EQ(sample.storage, expected.storage) << text(shape);
  }
}

TEST_F(FakeDevice, RunningOutOfMemoryNamesBytesAndDevice) {
  FakeDriver::refuse_after = 0;

  try {
    (void)Tensor::empty(DType::float64, {1000}, Device::cuda(0));
    FAIL() << "got memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("8000 bytes"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos);
  }
}

TEST_F(FakeDevice, ADeviceThatIsNotThereIsNamed) {
  EXPECT_EQ(cuda_device_count(), 1);
  EXPECT_EQ(cuda_device_info(0).name, "Fake");
  try {
    (void)cuda_device_info(3);
    FAIL() << "device 3 is there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("cuda:3"), std::string::npos);
  }
}

}  // namespace
}  // namespace mw
