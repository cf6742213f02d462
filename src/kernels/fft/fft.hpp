// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The native host FFT: X[k] = scale · Σ_j x[j] exp(±2πi·jk/n) along any axes of an array of any
// layout.
//
//   const auto fft = Fft::make({.kind = FftKind::c2c, .precision = DType::float64, .shape = {64,
//   64},
//                               .in_strides = {64, 1}, .out_strides = {64, 1}, .axes = {0, 1}}, 2);
//   fft->execute(in, out, -1, 1.0, workspace);  // workspace: fft->workspace_bytes(), 64-byte
//   aligned
//
// How it is built, from the bottom:
//   kernels.inc.hpp  the arithmetic, written once over vectors, compiled once per instruction set
//   (isa_*.cpp) lane_fft.hpp     V transforms at once, one per vector lane: any strides, no
//   shuffles inside line_fft.hpp     one transform of a contiguous line, which borrows the lanes
//   for its subsequences bluestein.hpp    lengths with a large prime factor, as a convolution of a
//   smooth length nd.cpp           axes, blocks of lines, threads
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>

namespace mw::kernels {

/// dct and dst are the cosine and sine transforms of types I–IV, real to real, as in trig.hpp.
enum class FftKind : std::uint8_t { c2c, r2c, c2r, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

/// What is transformed. For r2c and c2r the last listed axis has n reals on the real side and
/// n/2 + 1 complex numbers on the other; r2c works on it first and c2r last. Both sides of dct and
/// dst are real; they take every listed axis by the same type.
struct FftShape {
  FftKind kind = FftKind::c2c;
  DType precision = DType::float64;  ///< of the real part: float32 or float64
  Dims shape;                        ///< extents, of the real side for r2c and c2r
  Dims in_strides;   ///< per axis, in elements of the input's type; any sign, or zero
  Dims out_strides;  ///< per axis, in elements of the output's type; one-to-one
  Dims axes;         ///< distinct, in [0, rank); the axes not listed are a batch
};

/// A plan: immutable, and usable from many threads at once.
class Fft {
 public:
  virtual ~Fft() = default;

  /// Plans for at most `threads` threads. Cost: O(Σ n) for tables not yet in use by another plan.
  /// Errors: invalid_argument for ranks, axes or extents that do not fit together; unsupported for
  /// another precision.
  [[nodiscard]] static std::shared_ptr<const Fft> make(const FftShape& shape, int threads);

  /// Bytes of the block that execute() needs, aligned to 64; 0 is possible.
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;

  /// Transforms `in` to `out`, both the addresses of element (0, …, 0). direction −1 is forward
  /// (exp(−2πi·jk/n)), +1 inverse, and of no meaning to dct and dst; nothing is normalised, every
  /// result is multiplied by `scale`. Where both sides have the same type and strides, in == out is
  /// allowed; otherwise the two must not overlap and `in` is only
  /// read. c2r ignores the imaginary parts that a real result cannot have (those of the halved
  /// axis's first and, for even n, last element). Allocates nothing.
  virtual void execute(const void* in, void* out, int direction, double scale,
                       void* workspace) const = 0;

  /// Rough seconds for one execution: the cycles of each pass (see LaneFft::cost) at 3 GHz, or the
  /// bytes of each axis at 8 GB/s and core if that is more, over the threads used.
  [[nodiscard]] virtual double estimate() const = 0;

  /// One line per axis in the order of execution: its factors, its method, its threads.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace mw::kernels
