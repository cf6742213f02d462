// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Copies between host and device, in pieces, through page-locked blocks.
//
// A few blocks are kept and used in turn; each has an event that says when the copy engine is done
// with it. To the device: fill a block, queue its copy, go on with the next block; when the last
// piece has been picked up from the source the call returns, though the device may not have it yet.
// From the device: keep two copies queued, and put one piece in place while the next is on its way.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/copy_device.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

namespace {

constexpr std::int64_t kStageBytes = std::int64_t{4} << 20;
constexpr int kStages = 6;

struct Stage {
  std::byte* memory = nullptr;
  CudaEvent done;
};

// All the blocks of the process. A stage that was queued last is taken last, so taking one rarely
// waits. Never destroyed.
class Stages {
 public:
  static Stages& instance() {
    static Stages& stages = *new Stages;
    return stages;
  }

  /// Nothing if all are on loan and `may_wait` is false. Who holds one must not wait for another.
  std::optional<Stage> take(bool may_wait) {
    std::unique_lock lock(mutex_);
    if (free_.empty() && made_ < kStages) {
      ++made_;
      lock.unlock();
      return make();
    }
    if (free_.empty() && !may_wait) return std::nullopt;
    freed_.wait(lock, [&] { return !free_.empty(); });
    std::optional<Stage> stage(std::move(free_.front()));
    free_.pop_front();
    return stage;
  }

  void give(Stage stage) noexcept {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(stage));
    }
    freed_.notify_one();
  }

 private:
  Stage make() {
    try {
      Stage stage;
      stage.memory = static_cast<std::byte*>(pinned_memory().allocate(kStageBytes, {}));
      return stage;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      --made_;
      throw;
    }
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::deque<Stage> free_;
  int made_ = 0;
};

// A stage on loan.
class StageLoan {
 public:
  explicit StageLoan(bool may_wait) : stage_(Stages::instance().take(may_wait)) {}
  ~StageLoan() {
    if (stage_) Stages::instance().give(std::move(*stage_));
  }
  StageLoan(StageLoan&& other) noexcept : stage_(std::exchange(other.stage_, std::nullopt)) {}
  StageLoan& operator=(StageLoan&& other) noexcept {
    std::swap(stage_, other.stage_);
    return *this;
  }
  explicit operator bool() const { return stage_.has_value(); }
  Stage* operator->() { return &*stage_; }

 private:
  std::optional<Stage> stage_;
};

// One contiguous piece of the dense side, and its elements' places on the host; offsets in
// elements.
struct Piece {
  std::int64_t dense = 0;
  std::int64_t host = 0;
  Dims extents;
  Dims steps;  // of the host side
  [[nodiscard]] std::int64_t size() const {
    std::int64_t count = 1;
    for (auto extent : extents) count *= extent;
    return count;
  }
};

// Cuts the nest (strides[0] dense, strides[1] the host's) into pieces of at most `most` elements.
template <class Visit>
void for_each_piece(const LoopNest& nest, std::int64_t most, Visit&& visit, std::size_t axis = 0,
                    Piece piece = {}) {
  const std::size_t rank = nest.extents.size();
  if (axis == rank) return visit(std::as_const(piece));  // rank 0: the one element
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < rank; ++d) inner *= nest.extents[d];
  const std::int64_t step = std::max<std::int64_t>(most / inner, 1);
  for (std::int64_t i = 0; i < nest.extents[axis]; i += step) {
    Piece part = piece;
    part.dense += i * inner;
    part.host += i * nest.strides[1][axis];
    if (inner > most) {
      for_each_piece(nest, most, visit, axis + 1, part);
      continue;
    }
    part.extents.push_back(std::min(step, nest.extents[axis] - i));
    part.steps.push_back(nest.strides[1][axis]);
    for (std::size_t d = axis + 1; d < rank; ++d) {
      part.extents.push_back(nest.extents[d]);
      part.steps.push_back(nest.strides[1][d]);
    }
    visit(std::as_const(part));
  }
}

// Memory the copy engine reaches by itself.
bool is_page_locked(const void* memory) {
  auto type = cuda::MemoryType::none;
  // The plural form takes any address without an error, ordinary memory being of no type.
  auto attribute = cuda::PointerAttribute::memory_type;
  void* value = &type;
  const auto status =
      cuda::api().cuPointerGetAttributes(1, &attribute, &value, cuda::device_ptr(memory));
  return status == cuda::kSuccess && type == cuda::MemoryType::host;
}

bool one_run(const LoopNest& nest) {
  return nest.extents.empty() || (nest.extents.size() == 1 && nest.strides[1][0] == 1);
}

// The layout of `other` without its gaps, so that one side of the staging is walked in order.
TensorRef dense_like(const TensorRef& other, Device device) {
  return {nullptr, other.dtype, other.shape,
          dense_strides(other.shape, stride_order(other.shape, other.strides)), device};
}

// Dense after turning negative strides round and merging?
bool is_dense_nest(const LoopNest& nest) {
  std::int64_t step = 1;
  for (std::size_t d = nest.extents.size(); d-- > 0;) {
    if (nest.strides[0][d] != step) return false;
    step *= nest.extents[d];
  }
  return true;
}

}  // namespace

void copy_to_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                    Stream stream, int threads) {
  const int device_id = target.device.id;
  const CopyLoops loops = copy_loops(source, target);
  if (!is_dense_nest(loops.nest)) {
    TensorRef dense = dense_like(source, target.device);
    const Buffer room(device_memory(device_id),
                      static_cast<std::size_t>(dense.size()) * itemsize(dense.dtype), stream);
    dense.data = room.data();
    copy_to_device(source, dense, conjugates, stream, threads);
    return copy_within_device(dense, target, false, stream);
  }
  const CudaScope scope(device_id);
  const cuda::Api& api = cuda::api();
  const auto item = static_cast<std::int64_t>(itemsize(target.dtype));
  if (!conjugates && one_run(loops.nest) && is_page_locked(source.data)) {
    cuda::call(api.cuMemcpyHtoDAsync_v2, cuda::device_ptr(loops.target), loops.source,
               static_cast<std::size_t>(target.size() * item), stream.handle);
    CudaEvent read;  // the caller may overwrite the source when this returns
    read.record(device_id, stream);
    return read.wait();
  }
  for_each_piece(loops.nest, kStageBytes / item, [&](const Piece& piece) {
    StageLoan stage(true);
    stage->done.wait();
    const TensorRef from(const_cast<std::byte*>(loops.source) + piece.host * item, source.dtype,
                         piece.extents, piece.steps);
    const TensorRef to(stage->memory, source.dtype, piece.extents,
                       contiguous_strides(piece.extents));
    copy_host(from, to, conjugates, threads);
    cuda::call(api.cuMemcpyHtoDAsync_v2, cuda::device_ptr(loops.target + piece.dense * item),
               stage->memory, static_cast<std::size_t>(piece.size() * item), stream.handle);
    stage->done.record(device_id, stream);
  });
}

void copy_from_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                      Stream stream, int threads) {
  const int device_id = source.device.id;
  // Loops in the order of the device's side: here the "target" of the nest is what is read.
  const CopyLoops loops = copy_loops(target, source);
  if (!is_dense_nest(loops.nest)) {
    TensorRef dense = dense_like(target, source.device);
    const Buffer room(device_memory(device_id),
                      static_cast<std::size_t>(dense.size()) * itemsize(dense.dtype), stream);
    dense.data = room.data();
    copy_within_device(source, dense, false, stream);
    return copy_from_device(dense, target, conjugates, stream, threads);
  }
  const CudaScope scope(device_id);
  const cuda::Api& api = cuda::api();
  const auto item = static_cast<std::int64_t>(itemsize(target.dtype));
  auto* const host = const_cast<std::byte*>(loops.source);
  if (!conjugates && one_run(loops.nest) && is_page_locked(target.data)) {
    cuda::call(api.cuMemcpyDtoHAsync_v2, host, cuda::device_ptr(loops.target),
               static_cast<std::size_t>(source.size() * item), stream.handle);
    return cuda::call(api.cuStreamSynchronize, stream.handle);
  }
  struct Coming {
    StageLoan stage;
    Piece piece;
  };
  std::optional<Coming> coming;
  const auto put = [&] {
    if (!coming) return;
    coming->stage->done.wait();
    const TensorRef from(coming->stage->memory, source.dtype, coming->piece.extents,
                         contiguous_strides(coming->piece.extents));
    const TensorRef to(host + coming->piece.host * item, source.dtype, coming->piece.extents,
                       coming->piece.steps);
    copy_host(from, to, conjugates, threads);
    coming.reset();
  };
  for_each_piece(loops.nest, kStageBytes / item, [&](const Piece& piece) {
    Coming next{StageLoan(false), piece};
    if (!next.stage) {
      put();
      next.stage = StageLoan(true);
    }
    next.stage->done.wait();
    cuda::call(api.cuMemcpyDtoHAsync_v2, next.stage->memory,
               cuda::device_ptr(loops.target + piece.dense * item),
               static_cast<std::size_t>(piece.size() * item), stream.handle);
    next.stage->done.record(device_id, stream);
    put();
    coming.emplace(std::move(next));
  });
  put();
}

}  // namespace mw
