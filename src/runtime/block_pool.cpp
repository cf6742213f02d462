// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/block_pool.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace mw {

namespace {

// bytes = m·2^k, 8 ≤ m < 16, as an index that grows with the size.
std::size_t class_index(std::size_t class_bytes) {
  const auto k = static_cast<std::size_t>(std::bit_width(class_bytes)) - 4;
  return 8 * k + (class_bytes >> k) - 8;
}

}  // namespace

std::size_t size_class_bytes(std::size_t bytes) {
  const int k = static_cast<int>(std::bit_width(bytes - 1)) - 4;
  const std::size_t step = std::size_t{1} << std::max(k, 3);
  return (bytes + step - 1) / step * step;
}

void* BlockPool::take(std::size_t bytes) {
  const std::size_t size = size_class_bytes(bytes);
  {
    const std::lock_guard guard(mutex_);
    if (Free* block = stacks_[class_index(size)]) {
      unlink(block);
      ++statistics_.reuses;
      took(size);
      return block;
    }
  }
  void* fresh = source_.take(size);
  if (fresh == nullptr) {
    clear();  // what is kept may be what is missing
    fresh = source_.take(size);
  }
  if (fresh != nullptr) {
    const std::lock_guard guard(mutex_);
    took(size);
  }
  return fresh;
}

void BlockPool::took(std::size_t bytes) noexcept {
  ++statistics_.allocations;
  statistics_.live_bytes += bytes;
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
}

void BlockPool::give(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = size_class_bytes(bytes);
  Free* surplus = nullptr;  // goes back to the source outside the lock
  {
    const std::lock_guard guard(mutex_);
    statistics_.live_bytes -= size;
    auto* block = new (memory) Free{newest_, nullptr, stacks_[class_index(size)], nullptr, size};
    (newest_ ? newest_->newer : oldest_) = block;
    newest_ = block;
    if (block->below) block->below->above = block;
    stacks_[class_index(size)] = block;
    statistics_.cached_bytes += size;
    while (statistics_.cached_bytes > limit_) {
      Free* victim = oldest_;
      unlink(victim);
      victim->below = surplus;
      surplus = victim;
    }
  }
  while (surplus) {
    Free* next = surplus->below;
    source_.give(surplus, surplus->bytes);
    surplus = next;
  }
}

void BlockPool::unlink(Free* block) noexcept {
  (block->older ? block->older->newer : oldest_) = block->newer;
  (block->newer ? block->newer->older : newest_) = block->older;
  (block->above ? block->above->below : stacks_[class_index(block->bytes)]) = block->below;
  if (block->below) block->below->above = block->above;
  statistics_.cached_bytes -= block->bytes;
}

void BlockPool::clear() noexcept {
  Free* all = nullptr;
  {
    const std::lock_guard guard(mutex_);
    all = oldest_;
    oldest_ = newest_ = nullptr;
    stacks_.fill(nullptr);
    statistics_.cached_bytes = 0;
  }
  while (all) {
    Free* next = all->newer;
    source_.give(all, all->bytes);
    all = next;
  }
}

PoolStatistics BlockPool::statistics() const {
  const std::lock_guard guard(mutex_);
  return statistics_;
}

void BlockPool::count_outside(std::ptrdiff_t bytes) noexcept {
  const std::lock_guard guard(mutex_);
  if (bytes > 0) {
    took(static_cast<std::size_t>(bytes));
  } else {
    statistics_.live_bytes -= static_cast<std::size_t>(-bytes);
  }
}

}  // namespace mw
