// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// BlockPool: freed blocks of host-readable memory, kept by size for reuse.
//
// Sizes are rounded up to classes in geometric steps of one eighth (so at most 12.5 % is wasted),
// and a freed block serves only its own class: a lookup is one array access, and a block never
// shrinks. What is kept is bounded; when it grows over the bound, the blocks freed longest ago go
// back first. The links of the lists live in the free blocks themselves, so giving back never
// allocates.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "runtime/memory.hpp"

namespace mw {

/// Rounds up to m·2^k with 8 ≤ m < 16; `bytes` at least 64 and at most 2^60.
[[nodiscard]] std::size_t size_class_bytes(std::size_t bytes);

class BlockPool {
 public:
  /// Where blocks come from and go to. `take` returns nullptr when there is none to be had.
  struct Source {
    void* (*take)(std::size_t bytes);
    void (*give)(void* memory, std::size_t bytes) noexcept;
  };

  /// Keeps at most `limit` bytes of free blocks.
  BlockPool(Source source, std::size_t limit) : source_(source), limit_(limit) {}
  ~BlockPool() { clear(); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// A block of size_class_bytes(bytes); nullptr if the source has none even after a clear().
  [[nodiscard]] void* take(std::size_t bytes);
  /// `bytes` as in take().
  void give(void* memory, std::size_t bytes) noexcept;
  void clear() noexcept;
  [[nodiscard]] PoolStatistics statistics() const;
  /// Counts blocks that bypass the lists (small ones).
  void count_outside(std::ptrdiff_t bytes) noexcept;

  /// Held across fork(), so that a child never inherits the lists half-changed.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  // At the start of a free block: its neighbours in its class and in the order of freeing.
  struct Free {
    Free* older = nullptr;
    Free* newer = nullptr;
    Free* below = nullptr;  // the class's list is a stack
    Free* above = nullptr;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kClasses = 8 * 64;

  void unlink(Free* block) noexcept;
  void took(std::size_t bytes) noexcept;

  const Source source_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::array<Free*, kClasses> stacks_{};
  Free* oldest_ = nullptr;
  Free* newest_ = nullptr;
  PoolStatistics statistics_;
};

}  // namespace mw
