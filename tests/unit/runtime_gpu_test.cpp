// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What only a device can show: the same claims as on the host, where there is one.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <vector>

#include "base/text.hpp"
#include "runtime/capability.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"
#include "runtime_layouts.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {
namespace {

using test::plain_copy;
using test::Random;
using test::Sample;

constexpr DType kTypes[] = {DType::uint8,     DType::float16,   DType::float32,   DType::float64,
                            DType::complex32, DType::complex64, DType::complex128};

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device on this machine";
  }
};

// A sample's storage on the device, and the sample's view of it.
struct Twin {
  Tensor storage;
  TensorRef view;
  Twin(Sample& sample, Stream stream) {
    const auto bytes = static_cast<std::int64_t>(sample.storage.size());
    storage = Tensor::copy(TensorRef(sample.storage.data(), DType::uint8, {bytes}, {1}),
                           Device::cuda(0), stream);
    view = sample.view;
    view.device = Device::cuda(0);
    view.data = static_cast<std::byte*>(storage.ref().data) + sample.origin;
  }
  [[nodiscard]] std::vector<std::byte> bytes() const {
    const Tensor back = Tensor::copy(storage);
    const auto data = back.span<std::uint8_t>();
    std::vector<std::byte> out(data.size());
    std::memcpy(out.data(), data.data(), data.size());
    return out;
  }
};

TEST_F(Gpu, CopiesWithinTheDeviceEqualPlainLoops) {
  Random random(29);

  for (int round = 0; round < 400; ++round) {
    const DType dtype = kTypes[round % 7];
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 10)), 20000);
    Sample source = random.sample(dtype, shape, {.zero_strides = true});
    Sample target = random.sample(dtype, shape, {});
    const Twin device_source(source, {});
    Twin device_target(target, {});
    source.view.conjugate = random.one_in(3);
    plain_copy(source.view, target.view);
    TensorRef from = device_source.view;
    from.conjugate = source.view.conjugate;

    copy(from, device_target.view);

    ASSERT_EQ(device_target.bytes(), target.storage)
        << name(dtype) << text(shape) << " from " << text(source.view.strides) << " to "
        << text(target.view.strides);
  }
}

TEST_F(Gpu, CopiesAcrossEqualPlainLoops) {
  Random random(31);

  for (int round = 0; round < 200; ++round) {
    const DType dtype = kTypes[round % 7];
    const Dims shape = random.shape(static_cast<std::size_t>(random.in(0, 5)), 20000);
    Sample source = random.sample(dtype, shape, {.zero_strides = true, .misaligned = true});
    Sample middle = random.sample(dtype, shape, {});
    Sample target = random.sample(dtype, shape, {.misaligned = true});
    const Twin on_device(middle, {});
    Sample expected = target;
    source.view.conjugate = random.one_in(2);
    plain_copy(source.view, expected.view);

    copy(source.view, on_device.view);
    copy(on_device.view, target.view);

    ASSERT_EQ(target.storage, expected.storage) << name(dtype) << text(shape);
  }
}

// The source belongs to the caller again as soon as copy() returns, page-locked or not, whatever
// the stream is still busy with.
TEST_F(Gpu, TheSourceMayBeOverwrittenAtOnce) {
  const CudaScope scope(0);
  cuda::StreamOwner owner;
  cuda::call(cuda::api().cuStreamCreate, owner.receive(), cuda::kStreamNonBlocking);
  const Stream stream{owner.get()};
  const std::int64_t size = 3'000'000;
  const auto bytes = static_cast<std::size_t>(size) * sizeof(float);
  const Tensor busy = Tensor::empty(DType::uint8, {1 << 28}, Device::cuda(0), stream);
  for (MemoryResource* resource : {&host_memory(), &pinned_memory()}) {
    const Buffer buffer(*resource, bytes);
    auto* values = static_cast<float*>(buffer.data());
    for (int round = 0; round < 50; ++round) {
      const auto mark = static_cast<float>(round);
      std::fill_n(values, size, mark);
      const Tensor there = Tensor::empty(DType::float32, {size}, Device::cuda(0), stream);
      fill_zero(busy, stream);

      copy(TensorRef(values, {size}), there, stream);
      std::fill_n(values, size, -1.0F);

      const Tensor back = Tensor::copy(there, Device::cpu(), stream);
      for (const float value : back.span<float>()) ASSERT_EQ(value, mark);
    }
  }
}

TEST_F(Gpu, EventsOrderTwoStreams) {
  const CudaScope scope(0);
  cuda::StreamOwner first;
  cuda::StreamOwner second;
  cuda::call(cuda::api().cuStreamCreate, first.receive(), cuda::kStreamNonBlocking);
  cuda::call(cuda::api().cuStreamCreate, second.receive(), cuda::kStreamNonBlocking);
  const std::int64_t size = 1 << 26;
  Tensor data = Tensor::zeros(DType::uint8, {size}, Device::cuda(0), Stream{first.get()});
  cuda::call(cuda::api().cuMemsetD8Async, cuda::device_ptr(data.ref().data),
             static_cast<unsigned char>(7), static_cast<std::size_t>(size), first.get());

  CudaEvent event;
  event.record(0, Stream{first.get()});
  event.make_wait(Stream{second.get()});
  const Tensor back = Tensor::copy(data, Device::cpu(), Stream{second.get()});

  EXPECT_EQ(back.span<std::uint8_t>().back(), 7);
}

TEST_F(Gpu, MemoryIsReusedAndAnImpossibleRequestIsACleanError) {
  const auto& info = cuda_device_info(0);

  try {
    (void)Tensor::empty(DType::uint8, {static_cast<std::int64_t>(info.memory_bytes) * 2},
                        Device::cuda(0));
    FAIL() << "got twice the device's memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  }
  EXPECT_NO_THROW((void)Tensor::zeros(DType::uint8, {1000}, Device::cuda(0)));
}

TEST_F(Gpu, IsInTheCapabilityReport) {
  const std::string report = to_text(capability_report());

  EXPECT_NE(report.find(cuda_device_info(0).name), std::string::npos);
  EXPECT_GT(cuda_device_info(0).bandwidth, 0);
}

}  // namespace
}  // namespace mw
