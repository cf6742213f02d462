// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/boxes.hpp"

#include <algorithm>

namespace mw {

namespace {

std::size_t index_of(std::int64_t axis) { return static_cast<std::size_t>(axis); }

}  // namespace

Boxes::Boxes(const FFTProblem& problem) : shape_(problem.shape), steps_(problem.shape) {
  for (const auto axis : problem.axes) steps_[index_of(axis)] = 0;
  for (const auto axis : memory_order(problem.input().shape, problem.input().strides)) {
    if (std::ranges::find(problem.axes, axis) == problem.axes.end()) order_.push_back(axis);
  }
}

Boxes Boxes::whole(const FFTProblem& problem) { return Boxes(problem); }

Boxes Boxes::of(const FFTProblem& problem, std::int64_t transforms) {
  Boxes boxes(problem);
  std::int64_t left = std::max<std::int64_t>(transforms, 1);
  for (std::size_t i = boxes.order_.size(); i-- > 0;) {
    const std::size_t axis = index_of(boxes.order_[i]);
    const std::int64_t extent = boxes.shape_[axis];
    const std::int64_t pieces = (extent + left - 1) / left;
    if (pieces > 1 && left > 1) boxes.split_ = axis;
    boxes.steps_[axis] = pieces > 1 ? (extent + pieces - 1) / pieces : extent;
    left = pieces > 1 ? 1 : left / std::max<std::int64_t>(extent, 1);
    left = std::max<std::int64_t>(left, 1);
    const std::int64_t step = std::max<std::int64_t>(boxes.steps_[axis], 1);
    boxes.count_ *= (extent + step - 1) / step;
  }
  return boxes;
}

Dims Boxes::extents(const Dims& shape) const {
  Dims extents = shape;
  for (const auto axis : order_) extents[index_of(axis)] = steps_[index_of(axis)];
  return extents;
}

Dims Boxes::first(std::int64_t box) const {
  Dims first(shape_.size(), 0);
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::size_t axis = index_of(order_[i]);
    const std::int64_t step = std::max<std::int64_t>(steps_[axis], 1);
    const std::int64_t pieces = std::max<std::int64_t>((shape_[axis] + step - 1) / step, 1);
    first[axis] = box % pieces * step;
    box /= pieces;
  }
  return first;
}

bool Boxes::has_smaller() const {
  return steps_[split_] > 0 && shape_[split_] % steps_[split_] != 0;
}

std::int64_t Boxes::last_extent() const {
  const std::int64_t step = std::max<std::int64_t>(steps_[split_], 1);
  const std::int64_t rest = shape_[split_] % step;
  return rest == 0 ? step : rest;
}

bool Boxes::is_last(const Dims& first) const {
  return steps_[split_] > 0 && first[split_] + steps_[split_] > shape_[split_];
}

}  // namespace mw
