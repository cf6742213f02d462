// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/operand.hpp"

#include <algorithm>

#include "base/layout.hpp"

namespace mw {

void check_view(const char* operation, const char* operand, const TensorRef& view) {
  require(view.shape.size() == view.strides.size(), ErrorKind::invalid_argument, operation,
          ": operand ", operand, " has shape ", view.shape, " and strides ", view.strides,
          "; one stride for every extent is wanted");
  for (const std::int64_t extent : view.shape) {
    require(extent >= 0, ErrorKind::invalid_argument, operation, ": operand ", operand,
            " has shape ", view.shape, "; extents of at least 0 are wanted");
  }
  require(checked_size(view.shape).has_value(), ErrorKind::invalid_argument, operation,
          ": operand ", operand, " has shape ", view.shape,
          ", more elements than 63 bits can count");
}

std::uint8_t operand_alignment(const void* data) {
  return static_cast<std::uint8_t>(std::min(1U << alignment_class(data), 16U));
}

OperandLayout layout_of(const TensorRef& view) {
  return {.dtype = view.dtype,
          .shape = view.shape,
          .strides = view.strides,
          .alignment = operand_alignment(view.data),
          .conjugate = view.conjugate};
}

OperandLayout dense_like(const OperandLayout& layout) {
  OperandLayout dense = layout;
  dense.alignment = 16;
  dense.conjugate = false;
  Dims stored = layout.shape;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (layout.strides[i] == 0) stored[i] = 1;
  }
  dense.strides = dense_strides(stored, stride_order(layout.shape, layout.strides));
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (layout.strides[i] == 0 && layout.shape[i] != 1) dense.strides[i] = 0;
  }
  return dense;
}

std::size_t dense_bytes(const OperandLayout& layout) {
  const auto [low, high] = offset_range(layout.shape, layout.strides);
  return static_cast<std::size_t>(high - low + 1) * itemsize(layout.dtype);
}

TensorRef view_of(const OperandLayout& layout, void* data, Device device) {
  TensorRef view(data, layout.dtype, layout.shape, layout.strides, device);
  view.conjugate = layout.conjugate;
  return view;
}

std::pair<TensorRef, TensorRef> stored_once(TensorRef source, TensorRef target) {
  for (std::size_t i = 0; i < source.rank(); ++i) {
    if (source.shape[i] <= 1 || source.strides[i] != 0 || target.strides[i] != 0) continue;
    source.shape[i] = target.shape[i] = 1;
  }
  return {std::move(source), std::move(target)};
}

}  // namespace mw
