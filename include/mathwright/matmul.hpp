// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Matrix products: D = F(alpha · A·B + beta · C), over batches, F a function of your own.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <mathwright/expr.hpp>
#include <mathwright/tensor.hpp>
#include <mathwright/tuning.hpp>

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
  /// F, by fuse(): of the element, in float32 for narrow operands, and of tensors that broadcast
  /// against D by NumPy's rules. By default none.
  Fusion epilog = {};
  std::optional<DType> result_type = std::nullopt;  ///< of D; by default C's, else A's
  bool conjugate_a = false;                         ///< use conj(A)
  bool conjugate_b = false;                         ///< use conj(B)
  Execution execution = {};  ///< where the work runs; by default where the operands are
  Stream stream = {};        ///< device work is queued here
};

/// D in new C-ordered memory on the operands' device, or `operands.out` filled (then the result is
/// a view of it that owns nothing).
///
/// Operands share one dtype: float32, float64, complex64 or complex128, or a narrower float, which
/// is computed in float32 (C and D may then be wider). Any strides. Cost: 2mnk flops a batch (8mnk
/// complex). Device work is queued on the stream and the call returns; host work is done on return.
/// Errors: invalid_argument (shapes, dtypes, devices, out, beta), unsupported (no implementation,
/// with all reasons), not_found, out_of_memory.
///
///     std::vector<float> a(6, 1), b(12, 2);
///     mw::Tensor d = mw::matmul({.a = {a.data(), {2, 3}}, .b = {b.data(), {3, 4}}});
MW_API Tensor matmul(const MatmulOperands& operands, const MatmulOptions& options = {});

/// The same with every output of the epilog by its name; D is "result".
///
///     std::vector<float> a(6, 1), b(12, 2);
///     auto outputs = mw::matmul_outputs({.a = {a.data(), {2, 3}}, .b = {b.data(), {3, 4}}},
///         {.epilog = mw::fuse([](mw::Scalar x) {
///            return mw::Outputs{{"result", mw::relu(x)}, {"mask", x > 0}}; })});
MW_API std::map<std::string, Tensor> matmul_outputs(const MatmulOperands& operands,
                                                    const MatmulOptions& options = {});

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
  /// Times the ways there are to run it on the operands, with cold caches, changes to the fastest
  /// unless the plan at hand is as fast, and remembers it. Results go to scratch memory. Errors:
  /// invalid_state before plan(), after free() or a release; out_of_memory.
  TuneReport autotune(const TuneOptions& options = {}, Stream stream = {});
  /// D in new memory (or in the `out` given at construction). Errors: invalid_state before plan()
  /// or after free() or release_operands().
  Tensor execute(Stream stream = {});
  /// Every output of the epilog by its name; D is "result".
  std::map<std::string, Tensor> execute_outputs(Stream stream = {});
  /// D into memory of shape() in C order, at a multiple of 16 bytes. Errors: also invalid_argument
  /// for another address, and of an object made with `out` or an epilog of several outputs.
  void execute_into(void* result, Stream stream = {});

  /// Other operands of the same shapes, strides, dtypes and device; what is absent stays. Errors:
  /// invalid_argument; the object is then as it was.
  void reset_operands(const std::optional<TensorRef>& a,
                      const std::optional<TensorRef>& b = std::nullopt,
                      const std::optional<TensorRef>& c = std::nullopt,
                      const std::optional<TensorRef>& out = std::nullopt);
  /// Errors: invalid_state after free().
  void set_alpha(std::complex<double> alpha);
  /// Errors: invalid_argument without c; invalid_state after free().
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
