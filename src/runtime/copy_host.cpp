// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy_host.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/cpu_limits.hpp"
#include "runtime/thread_pool.hpp"

namespace mw {

namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kBlockBytes = std::int64_t{128} << 10;  // one unit of row-wise work
constexpr std::int64_t kTileRows = 4;                          // of a transposed tile, in lines
constexpr std::int64_t kTileColumns = 16;  // long runs of the target measure best
constexpr std::int64_t kThreadBytes = std::int64_t{128} << 10;  // what is worth a second thread

// Results that would fill most of the last cache are written around it: nothing of them would still
// be there for the next reader, and reading lines only to overwrite them costs a third of the
// traffic.
std::int64_t streaming_bytes() {
  static const auto bytes =
      std::max(static_cast<std::int64_t>(last_level_cache() / 2), std::int64_t{4} << 20);
  return bytes;
}

// The grid: outer axes, then blocks of rows, then blocks of columns, the last varying fastest.
struct Grid {
  CopyBlock whole;  // strides and full extents of rows and columns
  Dims extents;     // outer axes
  Dims target_steps;
  Dims source_steps;  // bytes
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  CopyKernel kernel = nullptr;

  [[nodiscard]] std::int64_t row_blocks() const {
    return (whole.rows + block_rows - 1) / block_rows;
  }
  [[nodiscard]] std::int64_t column_blocks() const {
    return (whole.columns + block_columns - 1) / block_columns;
  }
  [[nodiscard]] std::int64_t tasks() const {
    std::int64_t count = row_blocks() * column_blocks();
    for (auto extent : extents) count *= extent;
    return count;
  }
  void run(std::int64_t begin, std::int64_t end) const;
};

void Grid::run(std::int64_t begin, std::int64_t end) const {
  const std::int64_t across = column_blocks();
  const std::int64_t down = row_blocks();
  std::int64_t column = begin % across;
  std::int64_t row = begin / across % down;
  Dims index(extents.size());
  std::byte* target = whole.target;
  const std::byte* source = whole.source;
  std::int64_t rest = begin / across / down;
  for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
    index[d] = rest % extents[d];
    target += index[d] * target_steps[d];
    source += index[d] * source_steps[d];
  }
  for (std::int64_t task = begin; task < end; ++task) {
    CopyBlock block = whole;
    const std::int64_t first_row = row * block_rows;
    const std::int64_t first_column = column * block_columns;
    block.rows = std::min(block_rows, whole.rows - first_row);
    block.columns = std::min(block_columns, whole.columns - first_column);
    block.target = target + first_row * whole.target_row + first_column * whole.target_column;
    block.source = source + first_row * whole.source_row + first_column * whole.source_column;
    kernel(block);
    if (++column < across) continue;
    column = 0;
    if (++row < down) continue;
    row = 0;
    for (std::size_t d = extents.size(); d-- > 0;) {
      target += target_steps[d];
      source += source_steps[d];
      if (++index[d] < extents[d]) break;
      target -= extents[d] * target_steps[d];
      source -= extents[d] * source_steps[d];
      index[d] = 0;
    }
  }
}

// The axis along which the source is fastest, if walking along the target's fastest axis would
// touch a new line of the source for (nearly) every element; otherwise the last axis.
std::size_t source_axis(const LoopNest& nest, std::int64_t itemsize) {
  const std::size_t last = nest.extents.size() - 1;
  const auto step = [&](std::size_t axis) { return std::abs(nest.strides[1][axis]); };
  if (step(last) * itemsize <= kLine / 4) return last;
  std::size_t best = last;
  for (std::size_t axis = 0; axis < last; ++axis) {
    if (step(axis) > 0 && step(axis) < step(best)) best = axis;
  }
  return best;
}

// Turns the rows axis round if the source runs backwards along it.
void face_forward(CopyBlock& whole) {
  if (whole.source_row >= 0) return;
  whole.target += (whole.rows - 1) * whole.target_row;
  whole.source += (whole.rows - 1) * whole.source_row;
  whole.target_row = -whole.target_row;
  whole.source_row = -whole.source_row;
}

bool lines_are_whole(const Grid& grid) {
  const auto aligned = [](std::int64_t bytes) { return bytes % kLine == 0; };
  return aligned(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(grid.whole.target))) &&
         aligned(grid.whole.target_row) &&
         std::all_of(grid.target_steps.begin(), grid.target_steps.end(), aligned);
}

Grid make_grid(const CopyLoops& loops, std::int64_t itemsize, bool conjugates) {
  const LoopNest& nest = loops.nest;
  const std::size_t rank = nest.extents.size();
  Grid grid;
  grid.whole.target = loops.target;
  grid.whole.source = loops.source;
  const std::size_t last = rank - 1;  // of no meaning at rank 0
  const std::size_t along = rank > 1 ? source_axis(nest, itemsize) : last;
  const std::size_t rows = along != last ? along : last - 1;
  std::int64_t bytes = itemsize;
  for (std::size_t d = 0; d < rank; ++d) {
    bytes *= nest.extents[d];
    const std::int64_t target_step = nest.strides[0][d] * itemsize;
    const std::int64_t source_step = nest.strides[1][d] * itemsize;
    if (d == last) {
      grid.whole.columns = nest.extents[d];
      grid.whole.target_column = target_step;
      grid.whole.source_column = source_step;
    } else if (d == rows) {
      grid.whole.rows = nest.extents[d];
      grid.whole.target_row = target_step;
      grid.whole.source_row = source_step;
    } else {
      grid.extents.push_back(nest.extents[d]);
      grid.target_steps.push_back(target_step);
      grid.source_steps.push_back(source_step);
    }
  }

  CopyTraits traits{static_cast<std::size_t>(itemsize), conjugates};
  if (rank > 1 && along != last) {
    face_forward(grid.whole);
    traits.transposes = grid.whole.target_column == itemsize && grid.whole.source_row == itemsize;
    traits.streams = traits.transposes && bytes >= streaming_bytes() && lines_are_whole(grid);
    grid.block_rows = kTileRows * kLine / itemsize;
    grid.block_columns = kTileColumns * kLine / itemsize;
  } else {
    grid.block_columns = std::min(grid.whole.columns, kBlockBytes / itemsize);
    grid.block_rows = std::max<std::int64_t>(kBlockBytes / itemsize / grid.block_columns, 1);
    traits.streams = bytes >= streaming_bytes();
  }
  grid.kernel = copy_kernel(traits);
  return grid;
}

}  // namespace

CopyLoops copy_loops(const TensorRef& source, const TensorRef& target) {
  CopyLoops loops;
  const auto size = static_cast<std::int64_t>(itemsize(target.dtype));
  loops.target = static_cast<std::byte*>(target.data);
  loops.source = static_cast<const std::byte*>(source.data);
  Dims target_steps = target.strides;
  Dims source_steps = source.strides;
  for (std::size_t d = 0; d < target.rank(); ++d) {
    if (target_steps[d] >= 0 || target.shape[d] < 2) continue;
    loops.target += (target.shape[d] - 1) * target_steps[d] * size;
    loops.source += (target.shape[d] - 1) * source_steps[d] * size;
    target_steps[d] = -target_steps[d];
    source_steps[d] = -source_steps[d];
  }
  loops.nest = fuse_loops(target.shape, target_steps, &source_steps);
  return loops;
}

void copy_host(const TensorRef& source, const TensorRef& target, bool conjugates, int threads) {
  const std::int64_t size = target.size();
  if (size == 0) return;
  const auto item = static_cast<std::int64_t>(itemsize(target.dtype));
  const Grid grid = make_grid(copy_loops(source, target), item, conjugates);
  const std::int64_t tasks = grid.tasks();
  const std::int64_t task_bytes = std::max<std::int64_t>(size / tasks, 1) * item;
  parallel_for(tasks, std::max<std::int64_t>(kThreadBytes / task_bytes, 1), threads,
               [&](std::int64_t begin, std::int64_t end, int) { grid.run(begin, end); });
}

void fill_zero_host(const TensorRef& target, int threads) {
  static constexpr std::byte kZero[16] = {};
  TensorRef zero(const_cast<std::byte*>(kZero), target.dtype, target.shape, Dims(target.rank()));
  copy_host(zero, target, false, threads);
}

}  // namespace mw
