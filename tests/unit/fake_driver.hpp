// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A CUDA driver with one device that is made of host memory: what is queued happens at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "vendor/cuda/api.hpp"

namespace mw::test {

struct FakeDriver {
  cuda::Api table;
  static inline std::atomic<int> events = 0;
  static inline std::atomic<int> live_blocks = 0;
  static inline bool page_locked = false;
  static inline int refuse_after = -1;   // allocations that succeed before memory runs out; -1: all
  static inline bool capturing = false;  // every stream
  static inline bool events_reached = true;                 // what a query of an event says
  static inline bool accepts_events = true;                 // records and waits succeed
  static inline std::vector<std::string>* order = nullptr;  // what was queued where, if wanted

  static void note(const char* what, void* stream) {
    if (order) order->push_back(text(what, " on ", reinterpret_cast<std::uintptr_t>(stream)));
  }
  static void reset() {
    live_blocks = 0;
    page_locked = capturing = false;
    refuse_after = -1;
    events_reached = accepts_events = true;
    order = nullptr;
  }

  FakeDriver() {
    bind_device();
    bind_memory();
    bind_copies();
    bind_order();
    cuda::replace_api(&table);
  }

 private:
  static inline thread_local cuda::CaptureMode capture_mode = cuda::CaptureMode::global;

  void bind_device() {
    using namespace cuda;
    table.cuDeviceGetCount.bind(+[](int* n) { return *n = 1, kSuccess; });
    table.cuDeviceGet.bind(+[](DeviceOrdinal* d, int i) { return *d = i, kSuccess; });
    table.cuDeviceGetName.bind(+[](char* to, int n, DeviceOrdinal) {
      return std::snprintf(to, static_cast<std::size_t>(n), "Fake"), kSuccess;
    });
    table.cuDeviceGetAttribute.bind(
        +[](int* v, DeviceAttribute, DeviceOrdinal) { return *v = 9, kSuccess; });
    table.cuDeviceTotalMem_v2.bind(
        +[](std::size_t* b, DeviceOrdinal) { return *b = std::size_t{1} << 30, kSuccess; });
    table.cuDevicePrimaryCtxRetain.bind(+[](Context* c, DeviceOrdinal) {
      return *c = reinterpret_cast<Context>(&events), kSuccess;
    });
    table.cuCtxGetCurrent.bind(+[](Context* c) { return *c = nullptr, kSuccess; });
    table.cuCtxPushCurrent_v2.bind(+[](Context) { return kSuccess; });
    table.cuCtxPopCurrent_v2.bind(+[](Context*) { return kSuccess; });
    table.cuCtxSynchronize.bind(+[] { return kSuccess; });
  }

  void bind_memory() {
    using namespace cuda;
    table.cuDeviceGetDefaultMemPool.bind(+[](MemPool* p, DeviceOrdinal) {
      return *p = reinterpret_cast<MemPool>(&events), kSuccess;
    });
    table.cuMemPoolGetAttribute.bind(+[](MemPool, MemPoolAttribute, void*) { return kSuccess; });
    table.cuMemPoolSetAttribute.bind(+[](MemPool, MemPoolAttribute, void*) { return kSuccess; });
    table.cuMemPoolTrimTo.bind(+[](MemPool, std::size_t) { return kSuccess; });
    table.cuMemAllocFromPoolAsync.bind(+[](DevicePtr* m, std::size_t n, MemPool, void*) {
      if (refuse_after == 0) return kOutOfMemory;
      if (refuse_after > 0) --refuse_after;
      ++live_blocks;
      return *m = device_ptr(std::malloc(n)), kSuccess;
    });
    table.cuMemFreeAsync.bind(+[](DevicePtr m, void* stream) {
      note("free", stream);
      --live_blocks;
      return std::free(reinterpret_cast<void*>(m)), kSuccess;
    });
    table.cuMemHostAlloc.bind(
        +[](void** m, std::size_t n, unsigned) { return *m = std::malloc(n), kSuccess; });
    table.cuMemFreeHost.bind(+[](void* m) { return std::free(m), kSuccess; });
    table.cuPointerGetAttributes.bind(+[](unsigned, PointerAttribute*, void** values, DevicePtr) {
      *static_cast<MemoryType*>(values[0]) = page_locked ? MemoryType::host : MemoryType::none;
      return kSuccess;
    });
  }

  void bind_copies() {
    using namespace cuda;
    table.cuMemcpyHtoDAsync_v2.bind(+[](DevicePtr t, const void* s, std::size_t n, void*) {
      return std::memcpy(reinterpret_cast<void*>(t), s, n), kSuccess;
    });
    table.cuMemcpyDtoHAsync_v2.bind(+[](void* t, DevicePtr s, std::size_t n, void*) {
      return std::memcpy(t, reinterpret_cast<void*>(s), n), kSuccess;
    });
    table.cuMemcpyDtoDAsync_v2.bind(+[](DevicePtr t, DevicePtr s, std::size_t n, void*) {
      return std::memcpy(reinterpret_cast<void*>(t), reinterpret_cast<void*>(s), n), kSuccess;
    });
    table.cuMemsetD8Async.bind(+[](DevicePtr t, unsigned char v, std::size_t n, void*) {
      return std::memset(reinterpret_cast<void*>(t), v, n), kSuccess;
    });
    table.cuMemsetD2D8Async.bind(
        +[](DevicePtr t, std::size_t pitch, unsigned char v, std::size_t w, std::size_t h, void*) {
          for (std::size_t r = 0; r < h; ++r)
            std::memset(reinterpret_cast<char*>(t) + r * pitch, v, w);
          return kSuccess;
        });
  }

  void bind_order() {
    using namespace cuda;
    table.cuStreamIsCapturing.bind(+[](void*, CaptureStatus* status) {
      return *status = capturing ? CaptureStatus::active : CaptureStatus::none, kSuccess;
    });
    table.cuThreadExchangeStreamCaptureMode.bind(
        +[](CaptureMode* mode) { return *mode = std::exchange(capture_mode, *mode), kSuccess; });
    table.cuStreamWaitEvent.bind(+[](void* stream, void*, unsigned) {
      note("wait", stream);
      return accepts_events ? kSuccess : kInvalidValue;
    });
    table.cuEventQuery.bind(+[](void*) {
      if (capturing && capture_mode != CaptureMode::relaxed) return kInvalidValue;
      return events_reached ? kSuccess : kNotReady;
    });
    table.cuStreamSynchronize.bind(+[](void*) { return kSuccess; });
    table.cuStreamQuery.bind(+[](void*) { return kSuccess; });
    table.cuEventCreate.bind(+[](void** e, unsigned) {
      return *e = reinterpret_cast<void*>(static_cast<std::intptr_t>(++events)), kSuccess;
    });
    table.cuEventRecord.bind(+[](void*, void* stream) {
      note("record", stream);
      return accepts_events ? kSuccess : kInvalidValue;
    });
    table.cuEventSynchronize.bind(+[](void*) { return kSuccess; });
    table.cuEventDestroy_v2.bind(+[](void*) { return --events, kSuccess; });
  }
};

// One driver for all: what the runtime keeps (stages, contexts) outlives a test.
class FakeDevice : public testing::Test {
 protected:
  static FakeDriver& driver() {
    static FakeDriver& fake = *new FakeDriver;
    return fake;
  }
  void SetUp() override {
    cuda::replace_api(&driver().table);
    FakeDriver::reset();
  }
  void TearDown() override { cuda::replace_api(nullptr); }
};

}  // namespace mw::test
