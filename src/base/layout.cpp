// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/layout.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace mw {

namespace {

/// The stride of the axis after one of this extent. Shapes of more elements than 63 bits count are
/// refused elsewhere; here they must only not be undefined.
std::int64_t next_stride(std::int64_t stride, std::int64_t extent) {
  std::int64_t next = 0;
  (void)__builtin_mul_overflow(stride, std::max<std::int64_t>(extent, 1), &next);
  return next;
}

/// The bytes of a view, cut in two at a stride: axes that step at least `coarse` bytes move a
/// window over which the others are spread.
struct Windows {
  std::intptr_t start = 0;  ///< of one window
  std::int64_t length = 0;  ///< from its first byte to its last
  std::int64_t period = 0;  ///< every window starts a multiple of this further; 0: there is one
};

std::int64_t byte_step(const TensorRef& t, std::size_t axis) {
  return t.strides[axis] * static_cast<std::int64_t>(itemsize(t.dtype));
}

Windows windows_of(const TensorRef& t, std::int64_t coarse) {
  Windows seen{.start = reinterpret_cast<std::intptr_t>(t.data),
               .length = static_cast<std::int64_t>(itemsize(t.dtype))};
  for (std::size_t axis = 0; axis < t.rank(); ++axis) {
    if (t.shape[axis] == 1) continue;
    const std::int64_t step = byte_step(t, axis);
    if (std::abs(step) >= coarse) {
      seen.period = std::gcd(seen.period, step);
    } else {
      const std::int64_t reach = (t.shape[axis] - 1) * step;
      seen.length += std::abs(reach);
      seen.start += std::min<std::int64_t>(reach, 0);
    }
  }
  return seen;
}

/// True if no window of one meets a window of the other, however far they are moved. With no axis
/// coarse enough to move them, these are the ranges from first to last byte.
bool apart_when_cut(const TensorRef& a, const TensorRef& b, std::int64_t coarse) {
  const Windows in_a = windows_of(a, coarse);
  const Windows in_b = windows_of(b, coarse);
  const std::int64_t period = std::gcd(in_a.period, in_b.period);
  std::int64_t distance = in_b.start - in_a.start;
  if (period == 0) return distance >= in_a.length || -distance >= in_b.length;
  distance = (distance % period + period) % period;
  return distance >= in_a.length && distance + in_b.length <= period;
}

}  // namespace

Dims contiguous_strides(const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step = next_stride(step, shape[i]);
  }
  return strides;
}

std::optional<std::int64_t> checked_size(const Dims& shape) {
  std::int64_t size = 1;
  bool overflow = false;
  for (auto extent : shape) {
    if (extent == 0) return 0;
    overflow |= __builtin_mul_overflow(size, extent, &size);
  }
  return overflow ? std::nullopt : std::optional(size);
}

Dims dense_strides(const Dims& shape, const Dims& order) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    strides[axis] = step;
    step = next_stride(step, shape[axis]);
  }
  return strides;
}

Dims stride_order(const Dims& shape, const Dims& strides) {
  Dims order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(strides[static_cast<std::size_t>(a)]) >
           std::abs(strides[static_cast<std::size_t>(b)]);
  });
  return order;
}

bool is_contiguous(const Dims& shape, const Dims& strides) {
  std::int64_t step = 1;
  bool contiguous = true;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    contiguous &= strides[i] == step;
    step *= shape[i];
  }
  return contiguous;
}

std::pair<std::int64_t, std::int64_t> offset_range(const Dims& shape, const Dims& strides) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {0, 0};
    const std::int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

bool maps_one_to_one(const Dims& shape, const Dims& strides) {
  if (std::ranges::find(shape, 0) != shape.end()) return true;
  const Dims order = stride_order(shape, strides);
  std::int64_t reach = 0;  // the largest offset of all faster axes
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    if (shape[axis] == 1) continue;
    const std::int64_t step = std::abs(strides[axis]);
    if (step <= reach) return false;
    reach += (shape[axis] - 1) * step;
  }
  return true;
}

bool may_overlap(const TensorRef& a, const TensorRef& b) {
  if (a.device != b.device || a.size() == 0 || b.size() == 0) return false;
  if (apart_when_cut(a, b, std::numeric_limits<std::int64_t>::max())) return false;
  for (const TensorRef* t : {&a, &b}) {
    for (std::size_t axis = 0; axis < t->rank(); ++axis) {
      if (t->shape[axis] > 1 && apart_when_cut(a, b, std::abs(byte_step(*t, axis)))) return false;
    }
  }
  return true;
}

bool same_view(const TensorRef& a, const TensorRef& b) {
  if (a.data != b.data || a.dtype != b.dtype || a.device != b.device || !(a.shape == b.shape)) {
    return false;
  }
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

std::optional<std::int64_t> normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return axis < 0 ? axis + count : axis;
}

std::uint8_t alignment_class(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return static_cast<std::uint8_t>(std::countr_zero(address | 64U));
}

LoopNest fuse_loops(const Dims& shape, const Dims& a, const Dims* b, const Dims* c) {
  const Dims* layouts[3] = {&a, b, c};
  LoopNest nest;
  for (auto axis64 : stride_order(shape, a)) {
    const auto axis = static_cast<std::size_t>(axis64);
    if (shape[axis] == 1) continue;
    // The new axis is faster than the last one kept; they merge when, in every layout, one step of
    // the slower axis is the whole faster axis.
    bool merges = !nest.extents.empty();
    for (int k = 0; k < 3 && merges; ++k) {
      if (layouts[k]) merges = nest.strides[k].back() == (*layouts[k])[axis] * shape[axis];
    }
    if (merges) {
      nest.extents.back() *= shape[axis];
    } else {
      nest.extents.push_back(shape[axis]);
    }
    for (int k = 0; k < 3; ++k) {
      if (!layouts[k]) continue;
      if (merges) {
        nest.strides[k].back() = (*layouts[k])[axis];
      } else {
        nest.strides[k].push_back((*layouts[k])[axis]);
      }
    }
  }
  return nest;
}

}  // namespace mw
