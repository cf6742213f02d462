// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/batches.hpp"

namespace mw::matmul_impl {

Batches::Batches(const MatmulProblem& problem) : has_c_(problem.has_c), count_(problem.batch()) {
  const auto size = static_cast<std::int64_t>(itemsize(problem.d().dtype));
  for (std::size_t axis = 0; axis < problem.batch_rank(); ++axis) {
    const std::int64_t extent = problem.d().shape[axis];
    if (extent == 1) continue;
    const std::array<std::int64_t, 4> step{
        problem.a().strides[axis] * size, problem.b().strides[axis] * size,
        has_c_ ? problem.c().strides[axis] * size : 0, problem.d().strides[axis] * size};
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

}  // namespace mw::matmul_impl
