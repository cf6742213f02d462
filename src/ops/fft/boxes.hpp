// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Boxes: the batch of a transform cut into pieces that stay in a cache while the functions and the
// transform go over them. A box holds whole transforms.
#pragma once

#include <cstdint>

#include "ops/fft/problem.hpp"

namespace mw {

class Boxes {
 public:
  /// One box with everything in it.
  [[nodiscard]] static Boxes whole(const FFTProblem& problem);
  /// Boxes of about this many transforms, neighbours in the input's memory.
  [[nodiscard]] static Boxes of(const FFTProblem& problem, std::int64_t transforms);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool is_whole() const { return count_ <= 1; }
  /// The extents of a whole box along the batch axes, those of `shape` along the others.
  [[nodiscard]] Dims extents(const Dims& shape) const;
  /// Where a box begins, 0 along the transformed axes.
  [[nodiscard]] Dims first(std::int64_t box) const;
  /// Whether there are boxes that are smaller than the others: the last ones along an axis; along
  /// which, and how much of it they have.
  [[nodiscard]] bool has_smaller() const;
  [[nodiscard]] std::size_t split_axis() const { return split_; }
  [[nodiscard]] std::int64_t last_extent() const;
  /// Whether the box that begins there is such a smaller one.
  [[nodiscard]] bool is_last(const Dims& first) const;

 private:
  explicit Boxes(const FFTProblem& problem);

  Dims shape_;
  Dims steps_;  ///< 0 along the transformed axes
  Dims order_;  ///< batch axes, the slowest first
  std::int64_t count_ = 1;
  std::size_t split_ = 0;
};

}  // namespace mw
