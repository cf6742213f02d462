// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_walk.hpp"

#include <algorithm>
#include <cstdlib>

namespace mw::codegen {

namespace {

/// Reverses the axes along which more bytes run backwards than forwards.
void flip(Walk& walk) {
  for (std::size_t d = 0; d < walk.rank(); ++d) {
    double forwards = 0;
    for (const auto& operand : walk.operands) {
      if (operand.strides[d] != 0)
        forwards += operand.strides[d] > 0 ? operand.weight : -operand.weight;
    }
    if (forwards >= 0) continue;
    for (auto& operand : walk.operands) {
      operand.base += operand.strides[d] * (walk.axes[d].extent - 1);
      operand.strides[d] = -operand.strides[d];
    }
    for (auto& part : walk.axes[d].parts) part.flipped = !part.flipped;
  }
}

/// How many more bytes have axis a slower than axis b; repeated operands have no say.
double slower_by(const Walk& walk, std::size_t a, std::size_t b) {
  double votes = 0;
  for (const auto& operand : walk.operands) {
    const auto sa = std::abs(operand.strides[a]);
    const auto sb = std::abs(operand.strides[b]);
    if (sa != 0 && sb != 0 && sa != sb) votes += sa > sb ? operand.weight : -operand.weight;
  }
  return votes;
}

void swap_axes(Walk& walk, std::size_t a, std::size_t b) {
  std::swap(walk.axes[a], walk.axes[b]);
  for (auto& operand : walk.operands) std::swap(operand.strides[a], operand.strides[b]);
}

/// Slowest first. Votes are not transitive, so each axis only moves past those it is slower than.
void order(Walk& walk) {
  for (std::size_t d = 1; d < walk.rank(); ++d) {
    for (std::size_t at = d; at > 0 && slower_by(walk, at, at - 1) > 0; --at) {
      swap_axes(walk, at, at - 1);
    }
  }
}

void erase_axis(Walk& walk, std::size_t d) {
  walk.axes.erase(walk.axes.begin() + static_cast<std::ptrdiff_t>(d));
  for (auto& operand : walk.operands) operand.strides.erase(d);
}

void drop_unit_axes(Walk& walk) {
  for (std::size_t d = walk.rank(); d-- > 0 && walk.rank() > 1;) {
    if (walk.axes[d].extent == 1) erase_axis(walk, d);
  }
}

/// Whether the axes d and d + 1 are one for every operand.
bool mergeable(const Walk& walk, std::size_t d) {
  const std::int64_t inner = walk.axes[d + 1].extent;
  return std::ranges::all_of(walk.operands, [&](const WalkOperand& operand) {
    return operand.strides[d] == operand.strides[d + 1] * inner;
  });
}

/// Puts axis d + 1 into axis d, which keeps the inner stride.
void merge_axis(Walk& walk, std::size_t d) {
  WalkAxis& outer = walk.axes[d];
  const WalkAxis& inner = walk.axes[d + 1];
  outer.extent *= inner.extent;
  outer.parts.insert(outer.parts.end(), inner.parts.begin(), inner.parts.end());
  for (auto& operand : walk.operands) operand.strides[d] = operand.strides[d + 1];
  erase_axis(walk, d + 1);
}

}  // namespace

Dims Walk::extents() const {
  Dims out;
  for (const auto& axis : axes) out.push_back(axis.extent);
  return out;
}

bool Walk::empty() const {
  return std::ranges::any_of(axes, [](const WalkAxis& axis) { return axis.extent == 0; });
}

Walk make_walk(const Dims& shape, std::vector<WalkOperand> operands, bool merge) {
  Walk walk{.shape = shape, .axes = {}, .operands = std::move(operands)};
  for (std::size_t d = 0; d < shape.size(); ++d) walk.axes.push_back({shape[d], {{d, false}}});
  if (shape.empty()) {
    walk.axes.emplace_back();
    for (auto& operand : walk.operands) operand.strides.push_back(0);
  }
  drop_unit_axes(walk);
  if (walk.rank() == 1 && walk.axes[0].extent == 1) {  // one point: as any contiguous row
    for (auto& operand : walk.operands) operand.strides[0] = operand.weight > 0 ? 1 : 0;
  }
  flip(walk);
  order(walk);
  if (!merge) return walk;
  for (std::size_t d = walk.rank() - 1; d-- > 0;) {
    if (mergeable(walk, d)) merge_axis(walk, d);
  }
  return walk;
}

Walk with_last(Walk walk, std::size_t axis) {
  for (std::size_t d = axis; d + 1 < walk.rank(); ++d) swap_axes(walk, d, d + 1);
  return walk;
}

RowReach row_reach(const Walk& walk, const WalkOperand& operand) {
  const std::size_t last = walk.rank() - 1;
  const std::int64_t row = operand.strides[last - 1];
  const std::int64_t column = operand.strides[last];
  if (row == 0 && column == 0) return RowReach::uniform;
  if (column == 1 && row == walk.axes[last].extent) return RowReach::dense;
  if (column == 0) return RowReach::rows;
  const bool same_everywhere = std::all_of(operand.strides.begin(), operand.strides.begin() + last,
                                           [](std::int64_t stride) { return stride == 0; });
  return same_everywhere ? RowReach::periodic : RowReach::other;
}

Walk flattened(const Walk& walk) {
  Walk flat = walk;
  const std::size_t row = walk.rank() - 2;
  flat.period = walk.axes.back().extent;
  for (auto& operand : flat.operands) {
    const bool dense = row_reach(walk, operand) == RowReach::dense;
    operand.row_stride = operand.strides[row];
    operand.column_stride = operand.strides[row + 1];
    operand.strides[row + 1] = dense ? 1 : 0;
  }
  merge_axis(flat, row);
  return flat;
}

std::optional<WalkBox> box_of(const Walk& walk, const PassPart& part) {
  WalkBox box{.first = Dims(walk.rank()), .extent = Dims(walk.rank(), 1)};
  for (std::size_t d = 0; d < walk.rank(); ++d) {
    bool first_part = true;
    for (const auto& [axis, flipped] : walk.axes[d].parts) {
      const std::int64_t whole = walk.shape[axis];
      const std::int64_t extent = part.extent[axis];
      const std::int64_t first = flipped ? whole - part.first[axis] - extent : part.first[axis];
      // Only the slowest of the merged axes may be cut.
      if (!first_part && extent != whole) return std::nullopt;
      box.first[d] = box.first[d] * whole + first;
      box.extent[d] *= extent;
      first_part = false;
    }
  }
  return box;
}

}  // namespace mw::codegen
