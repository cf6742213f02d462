// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Memory: where bytes come from. One interface, three sources: the host pool, the device's own
// stream-ordered pool, and the caller's allocator.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <mathwright/device.hpp>

namespace mw {

/// A source of memory on one device. Implementations are safe to call from many threads.
class MemoryResource {
 public:
  virtual ~MemoryResource();
  [[nodiscard]] virtual Device device() const = 0;
  /// At least `bytes` bytes aligned to 256 (device) or 64 (host); ready in the order of `stream`.
  /// Never called with 0. Errors: out_of_memory with the byte count and the device.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Stream stream) = 0;
  /// Gives it back in the order of `stream`. Never throws.
  virtual void deallocate(void* memory, std::size_t bytes, Stream stream) noexcept = 0;
};

/// The pool of large aligned host blocks: freed blocks are kept and reused up to
/// MATHWRIGHT_HOST_POOL_BYTES, because fresh pages alone cost 1.2–3.6 × on streaming work.
/// Lives as long as the process.
[[nodiscard]] MemoryResource& host_memory();

/// The device's default stream-ordered pool (cuMemAllocAsync). Errors: not_found without a driver
/// or without that device.
[[nodiscard]] MemoryResource& device_memory(int device_id);

/// host_memory() or device_memory(id).
[[nodiscard]] MemoryResource& memory_of(Device device);

/// Page-locked host memory for copies to and from a device; pooled. Falls back to host_memory()'s
/// blocks (and says so at debug level) where page-locking is refused.
[[nodiscard]] MemoryResource& pinned_memory();

struct PoolStatistics {
  std::size_t live_bytes = 0;    ///< handed out now
  std::size_t cached_bytes = 0;  ///< freed and kept
  std::size_t peak_bytes = 0;    ///< most ever handed out at once
  std::size_t allocations = 0;
  std::size_t reuses = 0;
};
[[nodiscard]] PoolStatistics host_pool_statistics();

/// Returns every cached block (host and pinned pools) to the system.
void clear_pools();

/// Owns one block; returns it to its resource, on the stream it was taken on, when it goes.
class Buffer {
 public:
  Buffer() = default;
  /// Zero bytes take nothing from the resource. The resource must outlive the buffer.
  Buffer(MemoryResource& resource, std::size_t bytes, Stream stream = {})
      : resource_(&resource),
        memory_(bytes > 0 ? resource.allocate(bytes, stream) : nullptr),
        bytes_(bytes),
        stream_(stream) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Buffer() {
    if (memory_) resource_->deallocate(memory_, bytes_, stream_);
  }

  [[nodiscard]] void* data() const { return memory_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Gives the block back in the order of another stream than the one it was taken on, which may be
  /// gone by then.
  void return_on(Stream stream) { stream_ = stream; }
  void swap(Buffer& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(stream_, other.stream_);
  }

 private:
  MemoryResource* resource_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Stream stream_;
};

}  // namespace mw
