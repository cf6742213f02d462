// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Host-to-host copies of any layout.
//
// After negative target strides are turned round and axes are merged, two axes matter: `columns`,
// the fastest of the target, and `rows`, the fastest of the source if that is another one (a
// transpose) or else the next. A block of rows × columns is the unit of work: the rest of the axes,
// and the blocks of these two, are a grid that threads share. Two families of kernels do a block:
//
//   rows        target and source run along columns: memcpy, or a strided loop, row by row
//   transpose   both have stride 1, along different axes: squares of 64 bytes a side, turned in
//               registers, so that every cache line is read once and written once, whole
//
// Elements are unsigned integers of their size: a copy never looks at a value. Conjugation is the
// one exception, and is an exclusive or with the sign bit of the imaginary part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/layout.hpp"

namespace mw {

/// A rectangle of elements in two places; strides in bytes.
struct CopyBlock {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t target_row = 0;
  std::int64_t target_column = 0;
  std::int64_t source_row = 0;
  std::int64_t source_column = 0;
};

using CopyKernel = void (*)(const CopyBlock&);

/// What a kernel may count on, beyond the element size.
struct CopyTraits {
  std::size_t itemsize = 1;
  bool conjugates = false;  ///< flip the sign of the imaginary part (itemsize 4, 8, 16)
  bool transposes = false;  ///< target_column == source_row == itemsize
  bool streams = false;     ///< the block's lines are whole and aligned: write around the caches
};

/// The kernel for these traits. Item sizes are 1, 2, 4, 8 and 16 (nullptr for others).
[[nodiscard]] CopyKernel copy_kernel(const CopyTraits& traits);

/// Elements of one layout to another's places, as copy() promises; `conjugates` is the exclusive or
/// of the two views' flags. Views of equal shape and item size, in host memory.
void copy_host(const TensorRef& source, const TensorRef& target, bool conjugates, int threads);

/// Sets the elements of a host view to zero bytes.
void fill_zero_host(const TensorRef& target, int threads);

/// Axes with a negative target stride turned round (in both layouts): same elements, other origin.
/// Strides are in elements, the data pointers move with them.
struct CopyLoops {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  LoopNest nest;  // strides[0] of the target, all positive; strides[1] of the source
};
[[nodiscard]] CopyLoops copy_loops(const TensorRef& source, const TensorRef& target);

}  // namespace mw
