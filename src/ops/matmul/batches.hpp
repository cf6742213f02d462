// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The loop over a batch of products: any rank and strides, merged to as few axes as they allow.
#pragma once

#include <array>

#include "ops/matmul/problem.hpp"

namespace mw::matmul_impl {

/// Where the matrices of one product are. `c` is null without C.
struct Pointers {
  const void* a;
  const void* b;
  const void* c;
  void* d;
};

/// The indices of product number `index` of a batch of this shape, 0 on the matrix axes.
[[nodiscard]] Dims batch_indices(const Dims& shape, std::int64_t index);
/// Elements from an operand's first matrix to that of product number `index`.
[[nodiscard]] std::int64_t batch_offset(const OperandLayout& operand, std::int64_t index);

class Batches {
 public:
  explicit Batches(const MatmulProblem& problem);

  /// Number of products.
  [[nodiscard]] std::int64_t count() const { return count_; }

  /// The fastest merged axis, for calls that take a batch of one stride: its extent, and its byte
  /// strides for a, b, c, d. The whole batch is count() / inner_count() such runs.
  [[nodiscard]] std::int64_t inner_count() const { return extents_.empty() ? 1 : extents_.back(); }
  [[nodiscard]] std::array<std::int64_t, 4> inner_bytes() const {
    return steps_.empty() ? std::array<std::int64_t, 4>{} : steps_.back();
  }

  /// Where product number `index` is. Cost O(axes).
  [[nodiscard]] Pointers at(void* const* operands, std::int64_t index) const {
    std::array<std::int64_t, 4> offset{};
    for (std::size_t axis = extents_.size(); axis-- > 0;) {
      const std::int64_t position = index % extents_[axis];
      index /= extents_[axis];
      for (std::size_t i = 0; i < 4; ++i) offset[i] += position * steps_[axis][i];
    }
    const auto moved = [&](std::size_t operand, std::size_t slot) {
      return static_cast<char*>(operands[operand]) + offset[slot];
    };
    return {moved(0, 0), moved(1, 1), has_c_ ? moved(2, 2) : nullptr, moved(result_, 3)};
  }

  /// Calls body(Pointers) for every product, in order.
  template <class Body>
  void for_each(void* const* operands, Body&& body) const {
    for (std::int64_t index = 0; index < count_; ++index) body(at(operands, index));
  }

 private:
  bool has_c_;
  std::size_t result_;  ///< place of D among the operands
  std::int64_t count_;
  Dims extents_;
  std::vector<std::array<std::int64_t, 4>> steps_;  ///< bytes of a, b, c, d per batch axis
};

}  // namespace mw::matmul_impl
