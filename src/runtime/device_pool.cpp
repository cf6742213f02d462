// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Device memory: the driver's own stream-ordered pool, told to keep what is freed.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/text.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

namespace {

class DeviceMemory final : public MemoryResource {
 public:
  explicit DeviceMemory(int ordinal) : id_(ordinal) {
    const CudaScope scope(id_);
    const cuda::Api& api = cuda::api();
    cuda::DeviceOrdinal device = 0;
    cuda::call(api.cuDeviceGet, &device, id_);
    int pools = 0;
    cuda::call(api.cuDeviceGetAttribute, &pools, cuda::DeviceAttribute::memory_pools_supported,
               device);
    if (pools == 0) return;
    cuda::call(api.cuDeviceGetDefaultMemPool, &pool_, device);
    // By default the driver gives everything back at each synchronisation, and the next allocation
    // pays for mapping it again. Keep up to a quarter of the device; never less than others asked
    // for.
    std::uint64_t kept = 0;
    cuda::call(api.cuMemPoolGetAttribute, pool_, cuda::MemPoolAttribute::release_threshold, &kept);
    kept = std::max<std::uint64_t>(kept, cuda_device_info(id_).memory_bytes / 4);
    cuda::call(api.cuMemPoolSetAttribute, pool_, cuda::MemPoolAttribute::release_threshold, &kept);
  }

  [[nodiscard]] Device device() const override { return Device::cuda(id_); }

  [[nodiscard]] void* allocate(std::size_t bytes, Stream stream) override {
    const CudaScope scope(id_);
    cuda::DevicePtr memory = 0;
    auto status = try_allocate(memory, bytes, stream);
    if (status == cuda::kOutOfMemory && make_room(stream)) {
      status = try_allocate(memory, bytes, stream);
    }
    require(status != cuda::kOutOfMemory, ErrorKind::out_of_memory, "device memory: no block of ",
            bytes, " bytes (", human_bytes(static_cast<double>(bytes)), ") to be had on ", device(),
            "; free something there (other packages' pools included), or use smaller operands.");
    cuda::check(status, "cuMemAllocFromPoolAsync");
    return reinterpret_cast<void*>(memory);
  }

  void deallocate(void* memory, std::size_t, Stream stream) noexcept override {
    try {
      const CudaScope scope(id_);
      const cuda::Api& api = cuda::api();
      if (pool_ != nullptr &&
          api.cuMemFreeAsync(cuda::device_ptr(memory), stream.handle) == cuda::kSuccess) {
        return;
      }
      // No pools, or the stream is gone: cuMemFree waits for the device, then frees either kind.
      cuda::check_quietly(api.cuMemFree_v2(cuda::device_ptr(memory)), "cuMemFree_v2");
    } catch (...) {  // the driver is shutting down and takes the memory with it
    }
  }

 private:
  cuda::Status try_allocate(cuda::DevicePtr& memory, std::size_t bytes, Stream stream) const {
    const cuda::Api& api = cuda::api();
    if (pool_ == nullptr) return api.cuMemAlloc_v2(&memory, bytes);
    return api.cuMemAllocFromPoolAsync(&memory, bytes, pool_, stream.handle);
  }

  // Returns what the pool keeps to the device; false inside a capture, where nothing may wait.
  [[nodiscard]] bool make_room(Stream stream) const {
    const cuda::Api& api = cuda::api();
    auto capturing = cuda::CaptureStatus::none;
    if (api.cuStreamIsCapturing(stream.handle, &capturing) != cuda::kSuccess ||
        capturing != cuda::CaptureStatus::none || pool_ == nullptr) {
      return false;
    }
    return api.cuCtxSynchronize() == cuda::kSuccess &&
           api.cuMemPoolTrimTo(pool_, 0) == cuda::kSuccess;
  }

  int id_;
  cuda::MemPool pool_ = nullptr;
};

}  // namespace

MemoryResource& device_memory(int device_id) {
  using Known = std::map<std::pair<const cuda::Api*, int>, std::unique_ptr<DeviceMemory>>;
  static std::mutex& mutex = *new std::mutex;
  static Known& known = *new Known;  // never destroyed: tensors may outlive static destructors
  const cuda::Api& api = cuda::api();
  const std::lock_guard lock(mutex);
  auto& memory = known[{&api, device_id}];
  if (!memory) memory = std::make_unique<DeviceMemory>(device_id);
  return *memory;
}

}  // namespace mw
