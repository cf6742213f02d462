// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/batches.hpp"

namespace mw::matmul_impl {

Batches::Batches(const MatmulProblem& problem)
    : has_c_(problem.has_c), result_(problem.d_index()), count_(problem.batch()) {
  const auto step_of = [&](const OperandLayout& operand, std::size_t axis) {
    return operand.strides[axis] * static_cast<std::int64_t>(itemsize(operand.dtype));
  };
  for (std::size_t axis = 0; axis < problem.batch_rank(); ++axis) {
    const std::int64_t extent = problem.d().shape[axis];
    if (extent == 1) continue;
    const std::array<std::int64_t, 4> step{step_of(problem.a(), axis), step_of(problem.b(), axis),
                                           has_c_ ? step_of(problem.c(), axis) : 0,
                                           step_of(problem.d(), axis)};
    // Two axes merge when one step of the slower is the whole faster axis, for every operand.
    bool merges = !extents_.empty();
    for (std::size_t i = 0; i < 4 && merges; ++i) merges = steps_.back()[i] == step[i] * extent;
    if (merges) {
      extents_.back() *= extent;
      steps_.back() = step;
    } else {
      extents_.push_back(extent);
      steps_.push_back(step);
    }
  }
}

Dims batch_indices(const Dims& shape, std::int64_t index) {
  Dims indices(shape.size(), 0);
  for (std::size_t axis = shape.size() - 2; axis-- > 0;) {
    indices[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return indices;
}

std::int64_t batch_offset(const OperandLayout& operand, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t axis = operand.shape.size() - 2; axis-- > 0;) {
    offset += index % operand.shape[axis] * operand.strides[axis];
    index /= operand.shape[axis];
  }
  return offset;
}

}  // namespace mw::matmul_impl
