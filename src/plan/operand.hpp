// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// OperandLayout: everything about an operand that a plan may depend on, which is all but its
// address.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <mathwright/tensor.hpp>

#include "base/fields.hpp"

namespace mw {

struct OperandLayout {
  DType dtype = DType::float32;
  Dims shape;
  Dims strides;                 ///< in elements; any sign, zero repeats
  std::uint8_t alignment = 16;  ///< largest power of two dividing the address, in bytes, at most 16
  bool conjugate = false;       ///< stands for its complex conjugate

  auto fields() const {
    return std::tuple{field("dtype", dtype), field("shape", shape), field("strides", strides),
                      field("alignment", alignment), field("conjugate", conjugate)};
  }

  [[nodiscard]] bool aligned_to_element() const {
    return alignment >= std::min<std::size_t>(itemsize(real_dtype(dtype)), 16);
  }
};

/// The operands of a problem, inputs first and the result last.
using Operands = std::vector<OperandLayout>;

/// What every operation asks of every view: a stride for each extent, no negative extent, a number
/// of elements that 63 bits hold. Errors: invalid_argument naming the operand.
void check_view(const char* operation, const char* operand, const TensorRef& view);

/// OperandLayout::alignment of an address.
[[nodiscard]] std::uint8_t operand_alignment(const void* data);

/// The layout of a view.
[[nodiscard]] OperandLayout layout_of(const TensorRef& view);

/// A layout of the same shape without gaps: axes in the same order of strides, repeated axes
/// (stride 0) still repeated, fully aligned, not conjugated. What a staging buffer looks like.
[[nodiscard]] OperandLayout dense_like(const OperandLayout& layout);

/// Bytes from the first to the last element of a dense_like() layout.
[[nodiscard]] std::size_t dense_bytes(const OperandLayout& layout);

/// A view of `data` with this layout.
[[nodiscard]] TensorRef view_of(const OperandLayout& layout, void* data, Device device);

/// Two views of one shape without the axes that both repeat (stride 0): what a copy from one to the
/// other has to touch, each stored element once.
[[nodiscard]] std::pair<TensorRef, TensorRef> stored_once(TensorRef source, TensorRef target);

}  // namespace mw
