// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Matrix products: D = alpha · A·B + beta · C, over batches.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <string>

#include <mathwright/tensor.hpp>

namespace mw {

/// The operands of a product. With A of shape (…, m, k) and B of shape (…, k, n), D has shape
/// (…, m, n). The leading axes are batches and broadcast by NumPy's rules. A one-dimensional A is a
/// row (1, k), a one-dimensional B a column (k, 1); the axis added is absent from D.
struct MatmulOperands {
  TensorRef a;
  TensorRef b;
  std::optional<TensorRef> c = std::nullopt;    ///< exactly D's shape; needs beta
  std::optional<TensorRef> out = std::nullopt;  ///< where D goes, any one-to-one layout; may be c
};

struct MatmulOptions {
  std::complex<double> alpha = 1;
  /// Scales C, which is not read when beta is 0 (so NaN in it stays out of D). Required with c.
  std::optional<std::complex<double>> beta = std::nullopt;
  bool conjugate_a = false;  ///< use conj(A)
  bool conjugate_b = false;  ///< use conj(B)
  Execution execution = {};  ///< where the work runs; by default where the operands are
  Stream stream = {};        ///< device work is queued here
};

/// D in new C-ordered memory on the operands' device, or `operands.out` filled (then the result is
/// a view of it that owns nothing).
///
/// Operands share one dtype: float32, float64, complex64 or complex128 (on CUDA also float16 and
/// bfloat16, computed in float32). Any strides. Cost: 2mnk flops a batch (8mnk complex).
/// Device work is queued on the stream and the call returns; host work is done on return.
/// Errors: invalid_argument (shapes, dtypes, devices, out, beta), unsupported (no implementation,
/// with all reasons), not_found, out_of_memory.
///
///     std::vector<float> a(6, 1), b(12, 2);
///     mw::Tensor d = mw::matmul({.a = {a.data(), {2, 3}}, .b = {b.data(), {3, 4}}});
MW_API Tensor matmul(const MatmulOperands& operands, const MatmulOptions& options = {});

/// The same product many times: plan once, execute often. One thread at a time.
class MW_API Matmul {
 public:
  /// Errors: as matmul(). The operands' memory must outlive their use.
  explicit Matmul(const MatmulOperands& operands, const MatmulOptions& options = {});
  ~Matmul();
  Matmul(Matmul&&) noexcept;
  Matmul& operator=(Matmul&&) noexcept;

  /// Chooses the implementation. Errors: unsupported, with every candidate's reason.
  void plan();
  /// D in new memory (or in the `out` given at construction). Errors: invalid_state before plan()
  /// or after free() or release_operands().
  Tensor execute(Stream stream = {});
  /// D into memory of the planned result's layout: shape(), C order, or that of `out`.
  void execute_into(void* result, Stream stream = {});

  /// Other operands of the same shapes, strides, dtypes and device; what is absent stays. Errors:
  /// invalid_argument; the object is then as it was.
  void reset_operands(const std::optional<TensorRef>& a,
                      const std::optional<TensorRef>& b = std::nullopt,
                      const std::optional<TensorRef>& c = std::nullopt,
                      const std::optional<TensorRef>& out = std::nullopt);
  void set_alpha(std::complex<double> alpha);
  /// Errors: invalid_argument without c.
  void set_beta(std::complex<double> beta);
  void release_operands();
  void free();

  [[nodiscard]] const Dims& shape() const;            ///< of D
  [[nodiscard]] std::string explain() const;          ///< what was planned and why
  [[nodiscard]] std::size_t workspace_bytes() const;  ///< in the execution space

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mw
