// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A function of the expression language as CUDA C++ text to be spliced into a kernel of our own: it
// takes the sums of a run of columns, reads its tensors, and stores its outputs.
//
// The text defines what kernels/matmul_cuda/common.inl asks for, on top of types.inl there:
// EpilogArgs, EpilogColumns, epilog_columns(), epilog(). Tensors that do not depend on the row are
// read once per thread and column; others as wide as their layout allows.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "expr/function.hpp"

namespace mw::codegen {

/// A tensor or an output as the code sees it.
struct DeviceArray {
  enum class Columns : std::uint8_t { repeated, unit, strided };

  DType dtype = DType::float32;
  bool rows = true;                 ///< depends on the row
  Columns columns = Columns::unit;  ///< stride between columns: 0, 1, any
  int vector = 1;                   ///< elements per access, where columns are `unit`
  bool dense = false;               ///< one row is exactly MW_N elements after the other
};

struct DeviceFunctionForm {
  expr::FunctionPtr function;      ///< at most one element, no reductions
  DType element = DType::float32;  ///< of the sums: float32, float64, complex64, complex128
  std::vector<DeviceArray> tensors, outputs;  ///< in the function's order
  bool turned = false;  ///< rows of the code are the function's axis -1, columns its axis -2
};

/// The text, or why not: reductions, indices of axes beyond one batch axis, dtypes without text.
[[nodiscard]] Outcome<std::string> device_function(const DeviceFunctionForm& form);

/// EpilogArgs in words of 8 bytes: for every tensor, then every output, its address and the strides
/// of rows, columns and products; then the run-time scalars, real and imaginary part each.
inline constexpr int kWordsPerArray = 4;

}  // namespace mw::codegen
