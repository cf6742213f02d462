// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms over any axes.
//
//   forward   X[k] = Σ_j x[j] exp(−2πi jk/n)        inverse   x[j] = Σ_k X[k] exp(+2πi jk/n)
//
// per transformed axis, unnormalised in both directions: inverse(forward(x)) = n·x.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <mathwright/tensor.hpp>

namespace mw {

enum class FFTType : std::uint8_t {
  c2c,  ///< complex to complex
  r2c,  ///< real to complex: the last listed axis becomes n/2+1, the rest is redundant
  c2r,  ///< complex to real: the last listed axis, of extent m, becomes 2(m−1) or 2m−1
};
enum class FFTDirection : std::int8_t { forward = -1, inverse = +1 };
/// Whether a c2r result's last axis has an even (2(m−1)) or odd (2m−1) extent.
enum class FFTParity : std::uint8_t { even, odd };
enum class ResultLayout : std::uint8_t {
  natural,    ///< C order
  optimized,  ///< the order of the operand's strides: what is quickest to write
};

struct FFTOptions {
  Dims axes = {};                              ///< which axes; negative ones wrap; empty means all
  std::optional<FFTType> type = std::nullopt;  ///< by dtype if absent: real r2c, complex c2c
  bool in_place = false;                       ///< write over the operand; c2c only
  FFTParity last_axis_parity = FFTParity::even;
  ResultLayout result_layout = ResultLayout::natural;
  std::optional<TensorRef> out = std::nullopt;  ///< where the result goes, any one-to-one layout
  Execution execution = {};
  Stream stream = {};
};

/// Forward complex transform. Operand: complex64 or complex128 (on CUDA also complex32), any rank ≥
/// 1, any strides, any lengths; it is not written unless in_place. Result: same shape and dtype.
/// Cost: 5·N·log2(N) flops for N points a transform. Errors: invalid_argument (dtype, axes, shapes,
/// out), unsupported (with every candidate's reason), not_found, out_of_memory.
///
///     std::vector<std::complex<float>> x(64, 1);
///     mw::Tensor y = mw::fft({x.data(), {64}});
MW_API Tensor fft(const TensorRef& operand, const FFTOptions& options = {});
/// Inverse complex transform.
MW_API Tensor ifft(const TensorRef& operand, const FFTOptions& options = {});
/// Forward transform of float32 or float64 data; the last listed axis of the result has n/2+1
/// entries.
MW_API Tensor rfft(const TensorRef& operand, const FFTOptions& options = {});
/// Inverse of rfft. The operand is taken as the half of a Hermitian spectrum: imaginary parts of
/// the entries that must be real (index 0, and n/2 for even n, of the last axis) are ignored.
MW_API Tensor irfft(const TensorRef& operand, const FFTOptions& options = {});

/// The same transform many times: plan once, execute often. One thread at a time.
class MW_API FFT {
 public:
  explicit FFT(const TensorRef& operand, const FFTOptions& options = {});
  ~FFT();
  FFT(FFT&&) noexcept;
  FFT& operator=(FFT&&) noexcept;

  /// Chooses the implementation. With a direction, only that one can be executed.
  void plan(std::optional<FFTDirection> direction = std::nullopt);
  /// The transform in new memory (or in `out`, or in place). The default direction is forward for
  /// c2c and r2c, inverse for c2r. Errors: invalid_argument (direction), invalid_state.
  Tensor execute(std::optional<FFTDirection> direction = std::nullopt, Stream stream = {});
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
