// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The host kernel of products with few columns: D = F(alpha·A·B [+ beta·C]) for a range of rows,
// made for n, k, dtypes and epilog.
//
// Lanes run along the columns. A tile of R rows × C vectors of D is summed in registers: per step
// of k it takes C vectors of B (which stay in the first-level cache) and R broadcast numbers of A,
// for R·C fused multiply-adds. The epilog is applied to the registers, so A, C and D are touched
// once.
#pragma once

#include <vector>

#include "codegen/host.hpp"
#include "expr/function.hpp"

namespace mw::matmul_impl {

/// What the code depends on. The function has one element, x; its tensors and outputs are the
/// kernel's arrays, in that order.
struct SkinnyForm {
  enum class Columns : std::uint8_t { repeated, unit, strided };

  std::shared_ptr<const expr::Function> function;
  DType arithmetic = DType::float32;             ///< float32 or float64
  DType a = DType::float32, b = DType::float32;  ///< in memory
  std::int64_t n = 1, k = 1;
  std::vector<DType> arrays;
  std::vector<Columns> columns;
  /// Results go around the caches: whole vectors only, rows at multiples of
  /// skinny_stream_alignment().
  bool stream = false;
};

/// Order of the kernel's arguments. Pointers: a, b, the arrays. Scalars: alpha, those of the
/// function. Integers: these, then the row stride and the column stride of every array.
enum SkinnyInteger : std::uint8_t {
  kFirstRow,
  kEndRow,
  kRowsOfA,     ///< stride
  kColumnsOfA,  ///< stride
  kRowsOfB,     ///< stride; the columns of B have stride 1
  kRowIndex,    ///< of row 0, for the function's indices
  kSkinnyIntegers,
};

[[nodiscard]] codegen::Kernel skinny_kernel(const SkinnyForm& form, const codegen::Target& target);

/// Rows that the kernel's tile takes at once: ranges for threads should be multiples of it.
[[nodiscard]] std::int64_t skinny_rows(const SkinnyForm& form, const codegen::Target& target);

/// What must divide the addresses of rows of streamed results; 0: streaming does not pay. Rows
/// written in one go fill cache lines one after another, wherever they begin (numbers that NumPy
/// allocates begin at 16 bytes beyond a line). Of longer ones a tile writes a part of each of its
/// rows, which must be whole lines, or the processor writes them out half filled (400k×32×32, rows
/// at 16 bytes beyond a line: 20 ms instead of 11).
[[nodiscard]] std::int64_t skinny_stream_alignment(const SkinnyForm& form,
                                                   const codegen::Target& target);

}  // namespace mw::matmul_impl
