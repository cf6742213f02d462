// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Shape and stride algebra: pure functions over extents and strides of any sign and rank.
//
// Strides count elements. An axis of extent 0 or 1 puts no constraint on its stride.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <mathwright/dims.hpp>
#include <mathwright/tensor.hpp>

namespace mw {

/// Product of the extents; nothing if it does not fit 63 bits.
[[nodiscard]] std::optional<std::int64_t> checked_size(const Dims& shape);

/// Strides of the order in which `order` lists the axes from slowest to fastest, without gaps.
[[nodiscard]] Dims dense_strides(const Dims& shape, const Dims& order);

/// Axes sorted from the slowest (largest |stride|) to the fastest; ties keep the axes' own order.
[[nodiscard]] Dims stride_order(const Dims& shape, const Dims& strides);

/// True if the layout is C order (ignoring axes of extent 1, and every empty shape).
[[nodiscard]] bool is_contiguous(const Dims& shape, const Dims& strides);

/// Lowest and highest element offset touched (both 0 when empty): the view lives in
/// [data + first, data + second].
[[nodiscard]] std::pair<std::int64_t, std::int64_t> offset_range(const Dims& shape,
                                                                 const Dims& strides);

/// False if two index tuples may share an element: no axis of extent > 1 has stride 0, and each
/// stride, sorted, steps over everything below it. (Sufficient and, for layouts that arrays
/// can have by slicing and permuting, necessary.)
[[nodiscard]] bool maps_one_to_one(const Dims& shape, const Dims& strides);

/// False if the two views certainly touch no common byte: the ranges they span are apart, or some
/// cut of their axes by stride shows them interleaved (x[::2] beside x[1::2], the left columns of a
/// matrix beside the right ones). Cost O(rank²).
[[nodiscard]] bool may_overlap(const TensorRef& a, const TensorRef& b);

/// True if they are the same elements in the same order.
[[nodiscard]] bool same_view(const TensorRef& a, const TensorRef& b);

/// Axis in [-rank, rank) as its non-negative number; nothing if out of range.
[[nodiscard]] std::optional<std::int64_t> normalize_axis(std::int64_t axis, std::size_t rank);

/// Largest power of two (at most 64, as log2: 0…6) that divides the address.
[[nodiscard]] std::uint8_t alignment_class(const void* data);

/// A loop nest over several layouts of one shape, with axes merged where every layout allows:
/// `extents[d]`, and for each layout its strides, outermost first. Cost O(rank²).
struct LoopNest {
  Dims extents;
  Dims strides[3];
};

/// Merges axes that are jointly contiguous in every layout, drops extents of 1, and sorts the axes
/// so that the last is the fastest of layout 0. Up to three layouts; unused ones are nullptr.
[[nodiscard]] LoopNest fuse_loops(const Dims& shape, const Dims& a, const Dims* b = nullptr,
                                  const Dims* c = nullptr);

}  // namespace mw
