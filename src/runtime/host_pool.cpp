// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Host memory: small blocks straight from the C library, large ones through a BlockPool.
#include <pthread.h>

#include <cstdlib>

#include <sys/mman.h>

#include "base/env.hpp"
#include "base/text.hpp"
#include "runtime/block_pool.hpp"
#include "runtime/pools.hpp"

namespace mw {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPooled = std::size_t{64} << 10;  // below, the C library reuses well itself
constexpr std::size_t kPage = std::size_t{4} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAddressSpace = std::size_t{1} << 57;  // no machine has more
constexpr std::size_t kDefaultLimit = std::size_t{1} << 30;

// Blocks of at least four huge pages ask for them: fewer page faults on first touch and fewer TLB
// misses ever after, with at most a quarter of the last one unused.
void* take_host(std::size_t bytes) {
  const bool huge = bytes >= 4 * kHugePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, huge ? kHugePage : kPage, bytes) != 0) return nullptr;
  if (huge) madvise(memory, bytes, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  return memory;
}

void give_host(void* memory, std::size_t) noexcept { std::free(memory); }

std::size_t small_bytes(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

class HostMemory final : public MemoryResource {
 public:
  explicit HostMemory(std::size_t limit) : pool_({take_host, give_host}, limit) {}

  [[nodiscard]] Device device() const override { return Device::cpu(); }

  [[nodiscard]] void* allocate(std::size_t bytes, Stream) override {
    void* memory = nullptr;
    if (bytes < kPooled) {
      const std::size_t rounded = small_bytes(bytes);
      memory = std::aligned_alloc(kAlignment, rounded);
      if (memory) pool_.count_outside(static_cast<std::ptrdiff_t>(rounded));
    } else if (bytes < kAddressSpace) {
      memory = pool_.take(bytes);
    }
    if (!memory) {
      fail(ErrorKind::out_of_memory, "host memory: no block of ", bytes, " bytes (",
           human_bytes(static_cast<double>(bytes)),
           ") to be had; free something, or work in smaller pieces.");
    }
    return memory;
  }

  void deallocate(void* memory, std::size_t bytes, Stream) noexcept override {
    if (bytes < kPooled) {
      pool_.count_outside(-static_cast<std::ptrdiff_t>(small_bytes(bytes)));
      std::free(memory);
    } else {
      pool_.give(memory, bytes);
    }
  }

  BlockPool& pool() { return pool_; }

 private:
  BlockPool pool_;
};

// Never destroyed: arrays may be freed after static destructors have run.
HostMemory& host() {
  static HostMemory& memory = [&]() -> HostMemory& {
    const auto limit = env_count(EnvVar::host_pool_bytes);
    auto& made = *new HostMemory(limit ? static_cast<std::size_t>(*limit) : kDefaultLimit);
    pthread_atfork([] { host().pool().lock(); }, [] { host().pool().unlock(); },
                   [] { host().pool().unlock(); });
    return made;
  }();
  return memory;
}

}  // namespace

MemoryResource& host_memory() { return host(); }

PoolStatistics host_pool_statistics() { return host().pool().statistics(); }

void clear_host_pool() { host().pool().clear(); }

}  // namespace mw
