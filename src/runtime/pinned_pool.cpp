// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory, kept in a BlockPool because locking pages costs milliseconds.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "runtime/block_pool.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/pools.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

namespace {

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr std::size_t kLargest = std::size_t{1} << 56;
constexpr std::size_t kLimit = std::size_t{256} << 20;

// Blocks that are ordinary memory because page-locking was refused.
struct Pageable {
  std::mutex mutex;
  std::unordered_set<void*> blocks;
};
Pageable& pageable() {
  static Pageable& instance = *new Pageable;
  return instance;
}

// The context to allocate in: the current one; portable blocks are good for all of them.
int current_device() {
  cuda::Context context = nullptr;
  cuda::DeviceOrdinal device = 0;
  cuda::call(cuda::api().cuCtxGetCurrent, &context);
  if (context != nullptr) cuda::call(cuda::api().cuCtxGetDevice, &device);
  return device;
}

void* take_pinned(std::size_t bytes) {
  const CudaScope scope(current_device());
  void* memory = nullptr;
  const auto status = cuda::api().cuMemHostAlloc(&memory, bytes, cuda::kHostAllocPortable);
  if (status == cuda::kSuccess) return memory;
  log(LogLevel::debug, [&] {
    return text("pinned memory: cuMemHostAlloc of ", human_bytes(static_cast<double>(bytes)),
                " returned status ", status, "; ordinary host memory is used instead");
  });
  memory = host_memory().allocate(bytes, {});
  const std::lock_guard lock(pageable().mutex);
  pageable().blocks.insert(memory);
  return memory;
}

void give_pinned(void* memory, std::size_t bytes) noexcept {
  {
    const std::lock_guard lock(pageable().mutex);
    if (pageable().blocks.erase(memory) > 0) return host_memory().deallocate(memory, bytes, {});
  }
  cuda::check_quietly(cuda::api().cuMemFreeHost(memory), "cuMemFreeHost");
}

class PinnedMemory final : public MemoryResource {
 public:
  [[nodiscard]] Device device() const override { return Device::cpu(); }

  [[nodiscard]] void* allocate(std::size_t bytes, Stream) override {
    void* memory = bytes < kLargest ? pool_.take(std::max(bytes, kSmallest)) : nullptr;
    require(memory != nullptr, ErrorKind::out_of_memory, "pinned memory: no block of ", bytes,
            " bytes (", human_bytes(static_cast<double>(bytes)), ") to be had.");
    return memory;
  }

  // The next owner may write at once, so what the stream still does with the block must be over.
  void deallocate(void* memory, std::size_t bytes, Stream stream) noexcept override {
    try {
      const CudaScope scope(current_device());
      if (cuda::api().cuStreamQuery(stream.handle) == cuda::kNotReady) {
        cuda::check_quietly(cuda::api().cuStreamSynchronize(stream.handle), "cuStreamSynchronize");
      }
    } catch (...) {  // the driver is shutting down: nothing runs any more
    }
    pool_.give(memory, std::max(bytes, kSmallest));
  }

  void clear() { pool_.clear(); }

 private:
  BlockPool pool_{{take_pinned, give_pinned}, kLimit};
};

std::atomic<PinnedMemory*> pinned{nullptr};

}  // namespace

MemoryResource& pinned_memory() {
  if (PinnedMemory* memory = pinned.load(std::memory_order_acquire)) return *memory;
  if (const auto driver = cuda::load(); !driver) {
    log(LogLevel::debug, [&] {
      return text("pinned memory: ordinary host memory is used: ", driver.refusal().reason);
    });
    return host_memory();
  }
  static PinnedMemory& memory = *new PinnedMemory;  // never destroyed, like the host pool
  pinned.store(&memory, std::memory_order_release);
  return memory;
}

void clear_pinned_pool() {
  if (PinnedMemory* memory = pinned.load(std::memory_order_acquire)) memory->clear();
}

}  // namespace mw
