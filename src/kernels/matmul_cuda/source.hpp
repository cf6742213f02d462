// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for D = F(alpha·A·B + beta·C) with few columns and a small inner dimension, for many
// small products, and for large ones of 16-bit operands. Templates as text (*.inl), an epilog
// spliced in:
//
//   lanes       small k: B in registers, lanes share rows
//   tiles       arithmetic outside the Tensor Cores: B and tiles of A in shared memory
//   mma         Tensor Cores, fed without shared memory (also float64)
//   batched     many small products, through shared memory
//   warpgroups  large products on capability 9.0: tiles fetched by the tensor memory unit, wgmma
//
// C and D are stored by rows with column stride 1. For warpgroups A and B have one stride of 1, and
// the text is the same for every m, n and k. For the others A is stored by rows, B has any strides,
// and n and k are constants of the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <mathwright/dtype.hpp>

#include "base/outcome.hpp"

namespace mw::matmul_cuda {

enum class Template : std::uint8_t { lanes, tiles, mma, batched, warpgroups };

/// What is asked for.
struct Shape {
  DType operand = DType::float32;  ///< of A and B
  DType c = DType::float32;
  bool has_c = false;
  bool tf32 = false;  ///< float32 may be rounded to tf32
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t count = 1;                 ///< products
  int vec_a = 1, vec_b = 1, vec_c = 1;    ///< elements that one access may move
  bool dense_a = false, dense_c = false;  ///< rows follow each other
  int capability = 90;
  int multiprocessors = 1;
};

/// How it is done. Names are those of the templates' macros; what a template lacks is 0.
struct Params {
  Template kind = Template::lanes;
  Shape shape;
  int threads = 128;
  int blocks = 1;  ///< per multiprocessor, what registers are limited for
  int rows = 0, columns = 0, lanes = 0;
  int lanes_row = 0, lanes_col = 0, depth = 0, stages = 0;
  int mma = 0, group = 0, run = 0, tiles = 0, pair_a = 0, pair_c = 0;
  bool b_shared = false;
  bool a_by_k = false, b_by_k = false;  ///< neighbours in memory are neighbours along k
  /// All results have 16 bits: the epilog's exponentials and quotients need no more than 2^-20.
  bool narrow_results = false;
  unsigned shared_bytes = 0;   ///< dynamic
  std::int64_t grid = 1;       ///< blocks in all
  std::int64_t per_count = 1;  ///< Arguments::count: products (batched), blocks per product
};

/// The template and its numbers for a shape, from measurements on one H200 (docs/benchmarks.md).
[[nodiscard]] Outcome<Params> choose(const Shape& shape);

/// The same for the template `batched`.
[[nodiscard]] Outcome<Params> choose_batched(const Shape& shape);

/// For the template `warpgroups`. Refusal: other capabilities and dtypes.
[[nodiscard]] Outcome<Params> choose_warpgroups(const Shape& shape, bool a_by_k, bool b_by_k);
inline constexpr std::int64_t kWarpgroupRows = 128;  ///< of A, that one fetch brings
inline constexpr std::int64_t kWarpgroupDepth = 64;  ///< along k, likewise

/// The program, with a kernel of this name that takes Arguments by value. `epilog` defines what
/// common.inl says.
inline constexpr const char* kKernelName = "mw_kernel";
[[nodiscard]] std::string source(const Params& params, std::string_view epilog);

/// The dtype of sums: float32 for float16 and bfloat16.
[[nodiscard]] DType sum_dtype(DType operand);
/// The templates' dtypes and their accesses, also for code of its own.
[[nodiscard]] const char* types_text();
/// A dtype's name in that text: "F16", "C64", …; null if it has none.
[[nodiscard]] const char* type_name(DType dtype);

/// Of the kernel's one argument, in words of 8 bytes: what the template has of its own
/// (warpgroups), this, then alpha and beta (4 or 8 bytes a real number, packed), then the epilog's.
struct Arguments {
  const void* a;
  const void* b;
  const void* c;
  std::int64_t m, lda, ldb, ldb1, ldc, batch_a, batch_b, batch_c, count;
};

/// Of warpgroups. The maps are the driver's, of 128 bytes each.
struct WarpgroupArguments {
  std::uint64_t map_a[16], map_b[16];
  std::int64_t n, k;
  std::int64_t products_a, products_b;  ///< 1 if products have an operand of their own, else 0
};

}  // namespace mw::matmul_cuda
