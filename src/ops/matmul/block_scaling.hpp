// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Block-scaled operands: MXFP8 and NVFP4. A scale belongs to every 32 (16) elements along k:
//
//   A[i, l] = a[i, l] · s_a[i, l / block]        B[l, j] = b[l, j] · s_b[l / block, j]
//
// MXFP8: float8 elements, scales 2^(s - 127) in a byte. NVFP4: two float4 a byte, the first in the
// low bits, packed along k; scales in float8_e4m3fn.
//
// Scales are one vector, in tiles of 128 rows by 4 blocks ("rows" along the axis that is not
// blocked). Tiles follow each other along the blocks first; inside of one the scale of row r and
// block j is at 16·(r mod 32) + 4·(r div 32) + j. Products of a batch follow each other.
#pragma once

#include <optional>

#include "ops/matmul/problem.hpp"

namespace mw {

/// The elements that share a scale.
[[nodiscard]] constexpr std::int64_t block_length(BlockFormat format) {
  return format == BlockFormat::nvfp4 ? 16 : 32;
}

/// Place of a scale among those of one matrix with so many blocks a row.
[[nodiscard]] constexpr std::int64_t block_scale_offset(std::int64_t row, std::int64_t block,
                                                        std::int64_t blocks) {
  const std::int64_t tile = row / 128 * (blocks / 4) + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

/// The problem of such a product: that of the de-quantised operands is its `inner`. Its operands:
/// a, b (packed), [c,] the epilog's, scales of a and b, auxiliary results, [d_out_scale,] d.
/// A result of the operands' own format gets scales that are found from each block's largest
/// magnitude: MXFP8 the smallest power of two that avoids overflow, NVFP4 a sixth of it.
/// Errors: as make_matmul(), and invalid_argument for extents that do not fill tiles.
[[nodiscard]] MatmulRequest make_block_scaled(const MatmulOperands& operands,
                                              const MatmulOptions& options,
                                              const MatmulExtras& extras);

}  // namespace mw
