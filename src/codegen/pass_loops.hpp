// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The loops of a pass on the host, and the arguments of the kernel they make.
#pragma once

#include <optional>

#include "codegen/pass_point.hpp"
#include "codegen/pass_walk.hpp"

namespace mw::codegen {

/// A pass in one way of walking its space.
struct PassLoops {
  Walk walk;
  Walk rows;  ///< the same before its last two axes became one, in a flat walk
  PassForm form;

  /// The kernel over a box of the walk. Integers: extents; the numbers (indices, positions) at the
  /// box's origin; flat: the column and the row there; then fixed().
  [[nodiscard]] Kernel kernel(const Target& target) const;
  /// Strides, in the kernel's order: the same for every box.
  [[nodiscard]] Dims fixed() const;
  [[nodiscard]] std::size_t varying() const;  ///< integers before fixed()
  /// All but fixed(), for a box.
  void put_varying(const WalkBox& box, std::int64_t* integers) const;
  /// How far the box's origin is from that of the walk, in elements of the operand (flat walks: as
  /// far as the kernel does not go itself).
  [[nodiscard]] std::int64_t offset(std::size_t operand, const WalkBox& box) const;
};

/// `merge`: fewest axes; else those of the space, so that every box can be walked. `lanes` decides
/// whether short rows are walked flat.
[[nodiscard]] PassLoops plan_loops(const PassProblem& problem, bool merge, int lanes);

/// The kernel that combines `copies` of a reduction's partial results and writes the output, and
/// its arguments. Pointers: the output, the slots of the first copy. Integers: extents, copies,
/// then per slot the distance of copies in elements; strides of output and slots.
struct PassFinish {
  Walk walk;  ///< of the kept axes; operands: output, partial results
  Reduction reduction;
  DType output = DType::float32;

  [[nodiscard]] Kernel kernel(const Target& target) const;
  [[nodiscard]] Dims integers(std::int64_t copies) const;
};
[[nodiscard]] PassFinish plan_finish(const PassLoops& loops, std::size_t reduction);

}  // namespace mw::codegen
