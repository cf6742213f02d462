// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms over any axes.
//
//   forward   X[k] = Σ_j x[j] exp(−2πi jk/n)        inverse   x[j] = Σ_k X[k] exp(+2πi jk/n)
//
// per transformed axis, by default unnormalised in both directions: inverse(forward(x)) = n·x.
// Functions of your own may be fused into both ends (FFTOptions::prolog and epilog).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <mathwright/expr.hpp>
#include <mathwright/tensor.hpp>
#include <mathwright/tuning.hpp>

namespace mw {

enum class FFTType : std::uint8_t {
  c2c,  ///< complex to complex
  r2c,  ///< real to complex: the last listed axis becomes n/2+1, the rest is redundant
  c2r,  ///< complex to real: the last listed axis, of extent m, becomes 2(m−1) or 2m−1
  dct1,
  dct2,
  dct3,
  dct4,  ///< real to real: the cosine transforms, see r2r()
  dst1,
  dst2,
  dst3,
  dst4,  ///< and the sine transforms
};
enum class FFTDirection : std::int8_t { forward = -1, inverse = +1 };
/// Whether a c2r result's last axis has an even (2(m−1)) or odd (2m−1) extent.
enum class FFTParity : std::uint8_t { even, odd };
enum class ResultLayout : std::uint8_t {
  natural,    ///< C order
  optimized,  ///< the order of the operand's strides: what is quickest to write
};

/// By which power of the number n of points a transform is divided: forward, inverse. Cosine and
/// sine transforms are forward, and count 2n points an axis; dct1 2(n−1), dst1 2(n+1).
enum class FFTNorm : std::uint8_t {
  none,      ///< 0, 0
  backward,  ///< 0, 1
  ortho,     ///< ½, ½
  forward,   ///< 1, 0
};

struct FFTOptions {
  Dims axes = {};                              ///< which axes; negative ones wrap; empty means all
  std::optional<FFTType> type = std::nullopt;  ///< by dtype if absent: real r2c, complex c2c
  bool in_place = false;                       ///< write over the operand; not r2c and c2r
  FFTParity last_axis_parity = FFTParity::even;
  ResultLayout result_layout = ResultLayout::natural;
  /// The transforms' lengths, one for each of `axes` (of the real side for the halved axis): a
  /// longer operand is cropped to its first points, a shorter one padded with zeros. Empty: the
  /// operand's.
  Dims lengths = {};
  FFTNorm norm = FFTNorm::none;
  double scale = 1;  ///< a factor on the transform, beside that of `norm`
  /// Cosine and sine transforms: the first or last elements are multiplied by √2 before or divided
  /// by it after the transform, so that its matrix is orthogonal with FFTNorm::ortho.
  bool orthogonalize = false;
  /// Functions, by fuse(): of the operand's elements before the transform, of the transform's
  /// elements after it. Their first parameter is the element (narrow ones in float32), the others
  /// tensors that broadcast against the operand, or the result, by NumPy's rules. By default none.
  Fusion prolog = {}, epilog = {};
  std::optional<TensorRef> out = std::nullopt;  ///< where the result goes, any one-to-one layout
  Execution execution = {};
  Stream stream = {};
};

/// Forward complex transform. Operand: complex32, complex64 or complex128, any rank ≥ 1, any
/// strides, any lengths; it is not written unless in_place. Result: same shape and dtype. With a
/// prolog, the operand may have any dtype, and integers and floats of at most 16 bits (as the
/// prolog gives them) are transformed in single precision, wider integers in double. With an
/// epilog, the result has the shape and dtype of that. Cost: 5·N·log2(N) flops for N points a
/// transform. Errors: invalid_argument (dtype, axes, lengths, shapes, out, the functions),
/// unsupported (with every candidate's reason), not_found, out_of_memory.
///
///     std::vector<std::complex<float>> x(64, 1);
///     mw::Tensor y = mw::fft({x.data(), {64}});
///     mw::Tensor power = mw::fft({x.data(), {64}}, {.epilog = mw::fuse([](mw::Scalar z) {
///       return mw::square(mw::real(z)) + mw::square(mw::imag(z)); })});
MW_API Tensor fft(const TensorRef& operand, const FFTOptions& options = {});
/// Inverse complex transform.
MW_API Tensor ifft(const TensorRef& operand, const FFTOptions& options = {});
/// Forward transform of real data (float16, bfloat16, float32, float64; any with a prolog); the
/// last listed axis of the result has n/2+1 entries.
MW_API Tensor rfft(const TensorRef& operand, const FFTOptions& options = {});
/// Inverse of rfft. The operand is taken as the half of a Hermitian spectrum: imaginary parts of
/// the entries that must be real (index 0, and n/2 for even n, of the last axis) are ignored.
MW_API Tensor irfft(const TensorRef& operand, const FFTOptions& options = {});
/// Cosine or sine transform of real data by the options' type, along every axis listed:
///
///   dct1  y[k] = x[0] + (−1)^k x[n−1] + 2 Σ_(0<j<n−1) x[j] cos(π·jk/(n−1))     n ≥ 2
///   dct2  y[k] = 2 Σ_j x[j] cos(π·k(2j+1)/2n)
///   dct3  y[k] = x[0] + 2 Σ_(j>0) x[j] cos(π·j(2k+1)/2n)
///   dct4  y[k] = 2 Σ_j x[j] cos(π(2j+1)(2k+1)/4n)
///   dst1  y[k] = 2 Σ_j x[j] sin(π(j+1)(k+1)/(n+1))
///   dst2  y[k] = 2 Σ_j x[j] sin(π(k+1)(2j+1)/2n)
///   dst3  y[k] = (−1)^k x[n−1] + 2 Σ_(j<n−1) x[j] sin(π(j+1)(2k+1)/2n)
///   dst4  y[k] = 2 Σ_j x[j] sin(π(2j+1)(2k+1)/4n)
///
/// The inverse of a type is the same type, of type 2 type 3 and of type 3 type 2, with
/// FFTNorm::forward. Operand and result as for rfft, but neither side is halved. On the CPU.
/// Errors: also invalid_argument for a type that is absent or no such one.
MW_API Tensor r2r(const TensorRef& operand, const FFTOptions& options);
/// Any of them, by the options' type and the direction (the type's default if absent), with every
/// output of the functions by its name; the epilog's main one is "result".
MW_API std::map<std::string, Tensor> fft_outputs(
    const TensorRef& operand, const FFTOptions& options = {},
    std::optional<FFTDirection> direction = std::nullopt);

/// The same transform many times: plan once, execute often. One thread at a time.
class MW_API FFT {
 public:
  explicit FFT(const TensorRef& operand, const FFTOptions& options = {});
  ~FFT();
  FFT(FFT&&) noexcept;
  FFT& operator=(FFT&&) noexcept;

  /// Chooses the implementation. With a direction, only that one can be executed.
  void plan(std::optional<FFTDirection> direction = std::nullopt);
  /// Times the ways there are to run it on the operands, with cold caches, changes to the fastest
  /// unless the plan at hand is as fast, and remembers it. Results go to scratch memory. Errors:
  /// invalid_state before plan(), after free() or a release; out_of_memory.
  TuneReport autotune(const TuneOptions& options = {}, Stream stream = {});
  /// The transform in new memory (or in `out`, or in place). The default direction is forward for
  /// c2c and r2c, inverse for c2r. Errors: invalid_argument (direction), invalid_state.
  Tensor execute(std::optional<FFTDirection> direction = std::nullopt, Stream stream = {});
  /// Every output of the functions by its name; the epilog's main one is "result".
  std::map<std::string, Tensor> execute_outputs(
      std::optional<FFTDirection> direction = std::nullopt, Stream stream = {});
  /// The transform into memory for the planned result, at a multiple of 16 bytes. Errors: also
  /// invalid_argument for another address, and of an object made with `out`, in place, or with
  /// functions of several outputs.
  void execute_into(void* result, std::optional<FFTDirection> direction = std::nullopt,
                    Stream stream = {});
  void reset_operand(const TensorRef& operand, const std::optional<TensorRef>& out = std::nullopt);
  void release_operand();
  void free();

  [[nodiscard]] const Dims& shape() const;  ///< of the result
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] std::size_t workspace_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mw
