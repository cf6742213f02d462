// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_split.hpp"

#include <algorithm>

namespace mw::codegen {

namespace {

// An item should last some 10 µs, so that taking it costs nothing, and be small enough that threads
// end together. It also bounds how many numbers one lane adds up: 2^16 / lanes.
constexpr std::int64_t kItemPoints = 1 << 16;
// Rows long enough that a lane of a strided operand is used by several before it is forgotten.
constexpr std::int64_t kTiledItemPoints = 1 << 20;
constexpr std::int64_t kTile = 128;
// Waking a thread costs about as much as this many points of a cheap function.
constexpr std::int64_t kSmallPoints = 1 << 15;
// Partial results that one copy a thread would make the larger part of the work.
constexpr std::int64_t kLargePartials = 1 << 16;

std::int64_t points_from(const Walk& walk, std::size_t axis) {
  std::int64_t points = 1;
  for (std::size_t d = axis; d < walk.rank(); ++d) points *= walk.axes[d].extent;
  return points;
}

std::int64_t kept_points(const Walk& walk, const WalkOperand& partial) {
  std::int64_t points = 1;
  for (std::size_t d = 0; d < walk.rank(); ++d) {
    if (partial.strides[d] != 0) points *= walk.axes[d].extent;
  }
  return points;
}

/// Whether every reduction keeps the axis: items that differ there share no partial result.
bool kept_by_all(const PassLoops& loops, std::size_t axis) {
  for (std::size_t i = 0; i < loops.form.reductions.size(); ++i) {
    if (loops.walk.operands[loops.form.first_partial() + i].strides[axis] == 0) return false;
  }
  return true;
}

bool has_strided(const PassForm& form) {
  return std::any_of(form.reach.begin(),
                     form.reach.begin() + static_cast<std::ptrdiff_t>(form.arrays.size()),
                     [](Reach reach) { return reach == Reach::strided; });
}

void cut(Split& split, const Walk& walk, std::size_t axis, std::int64_t piece) {
  const std::int64_t extent = walk.axes[axis].extent;
  if (axis + 1 == walk.rank()) piece = (piece + 63) / 64 * 64;  // whole vectors and cache lines
  split.axis = axis;
  split.piece = std::clamp<std::int64_t>(piece, 1, std::max<std::int64_t>(extent, 1));
  split.pieces = (extent + split.piece - 1) / split.piece;
  split.items = split.pieces;
  for (std::size_t d = 0; d < split.lead; ++d) split.items *= walk.axes[d].extent;
}

}  // namespace

Split plan_split(const PassLoops& loops, int threads) {
  const Walk& walk = loops.walk;
  Split split;
  const std::int64_t points = points_from(walk, 0);
  split.small = points < kSmallPoints;
  if (walk.rank() > 1 && !loops.form.flat && has_strided(loops.form)) split.tile = kTile;
  const std::int64_t target = split.tile != 0 ? kTiledItemPoints : kItemPoints;
  while (split.lead + 1 < walk.rank() && points_from(walk, split.lead + 1) > target) ++split.lead;
  const std::int64_t inner = std::max<std::int64_t>(points_from(walk, split.lead + 1), 1);
  cut(split, walk, split.lead, std::max<std::int64_t>(target / inner, 1));
  if (loops.form.reductions.empty()) return split;

  bool shared = true;
  for (std::size_t d = 0; d <= split.axis; ++d) shared = shared && kept_by_all(loops, d);
  if (shared) return split;
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < loops.form.reductions.size(); ++i) {
    kept += kept_points(walk, walk.operands[loops.form.first_partial() + i]);
  }
  for (std::size_t d = 0; kept > kLargePartials && d < walk.rank(); ++d) {
    const std::int64_t extent = walk.axes[d].extent;
    if (!kept_by_all(loops, d) || extent < 4 * 64 * threads) continue;
    split.lead = 0;
    cut(split, walk, d, extent / (4 * threads));
    return split;
  }
  const std::int64_t wanted = kept <= 4096 ? 4 * threads : threads;
  split.copies = split.small ? 1 : std::min<std::int64_t>(wanted, split.items);
  return split;
}

WalkBox Split::item(const Walk& walk, std::int64_t index, std::int64_t head) const {
  WalkBox box{Dims(walk.rank(), std::int64_t{0}), walk.extents()};
  box.first[axis] = index % pieces * piece + head;
  box.extent[axis] = std::min(piece, walk.axes[axis].extent - box.first[axis]);
  index /= pieces;
  for (std::size_t d = lead; d-- > 0;) {
    box.first[d] = index % walk.axes[d].extent;
    box.extent[d] = 1;
    index /= walk.axes[d].extent;
  }
  return box;
}

}  // namespace mw::codegen
