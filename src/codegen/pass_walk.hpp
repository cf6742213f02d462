// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// How a pass walks its space: axes flipped, ordered, and merged where every operand allows, so that
// the innermost is the one along which most bytes lie next to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mathwright/dims.hpp>

#include "codegen/pass.hpp"

namespace mw::codegen {

/// A number that is linear in the point: an array's element offset, an index, a position.
struct WalkOperand {
  Dims strides;           ///< one per axis
  std::int64_t base = 0;  ///< at the walk's origin
  double weight = 0;      ///< bytes that its elements are: whose order counts
  /// In a flat walk, where its stride along the last axis does not tell: the value of its last two
  /// axes' strides before they became one.
  std::int64_t row_stride = 0, column_stride = 0;
};

struct WalkAxis {
  struct Part {
    std::size_t axis;  ///< of the space
    bool flipped;
  };
  std::int64_t extent = 1;
  std::vector<Part> parts;  ///< what was merged, slowest first
};

/// A box of the walk's axes.
struct WalkBox {
  Dims first, extent;
};

struct Walk {
  Dims shape;  ///< of the space
  std::vector<WalkAxis> axes;
  std::vector<WalkOperand> operands;
  /// Flat: the last axis stands for rows of this many columns, which not all operands have
  /// contiguous. 0: it does not.
  std::int64_t period = 0;

  [[nodiscard]] std::size_t rank() const { return axes.size(); }
  [[nodiscard]] Dims extents() const;
  [[nodiscard]] bool empty() const;
};

/// At least one axis. Operands come with strides along the axes of `shape`.
[[nodiscard]] Walk make_walk(const Dims& shape, std::vector<WalkOperand> operands, bool merge);

/// The same with an axis moved to the end.
[[nodiscard]] Walk with_last(Walk walk, std::size_t axis);

/// What an operand is along the last two axes of a walk.
enum class RowReach : std::uint8_t {
  uniform,   ///< does not change
  dense,     ///< contiguous across rows
  periodic,  ///< the same in every row, and along every other axis
  rows,      ///< one number a row
  other,
};
[[nodiscard]] RowReach row_reach(const Walk& walk, const WalkOperand& operand);

/// The walk with its last two axes as one; each operand's stride along it is 1 (dense) or 0.
[[nodiscard]] Walk flattened(const Walk& walk);

/// A part of the space as a box of the walk; nothing where it cuts through a merged axis.
[[nodiscard]] std::optional<WalkBox> box_of(const Walk& walk, const PassPart& part);

}  // namespace mw::codegen
