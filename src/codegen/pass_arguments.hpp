// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The integers that every kernel of a pass takes.
#pragma once

#include "codegen/pass_point.hpp"

namespace mw::codegen {

/// In the order of PassLoops: extents; numbers at the origin; flat: column, row; strides.
struct PassArguments {
  std::vector<Value> extent;
  std::vector<Value> base;                       ///< per operand; none: addressed by a pointer
  Value column, row, period;                     ///< flat
  std::vector<std::vector<Value>> outer;         ///< [operand][loop]
  std::vector<Value> inner;                      ///< strided: between lanes
  std::vector<Value> row_stride, column_stride;  ///< gathered
};

/// Declares them as the next integers of the kernel.
[[nodiscard]] PassArguments declare_arguments(Builder& builder, const PassForm& form);

}  // namespace mw::codegen
