// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A product as a call of cuBLASLt: everything about it but the algorithm and the addresses.
//
// The library is column-major. A row-major product is passed as its transpose, Dᵀ = op(B)ᵀ·op(A)ᵀ,
// which is the same memory with A and B exchanged.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/matmul/batches.hpp"
#include "ops/matmul/cublaslt_epilog.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "vendor/cublaslt/api.hpp"

namespace mw::matmul_impl {

[[nodiscard]] std::optional<cublaslt::DataType> cublaslt_type(DType dtype);

/// A scalar in the library's scale type.
union ScaleValue {
  std::uint16_t r16;
  float r32;
  double r64;
  std::complex<float> c32;
  std::complex<double> c64;

  ScaleValue(ScalarValue value, cublaslt::DataType type);
};

/// The library's view of one matrix in a call: rows × columns in column-major order.
struct CublasLtMatrix {
  std::int64_t rows, columns, ld;
  std::int64_t batch_elements;
};

/// The operands in the library's order: X·Y with X = A, Y = B in column-major calls, and X = B,
/// Y = A (transposed product) in row-major ones.
struct CublasLtShape {
  std::int64_t m, n, k;
  GemmOp op_x, op_y;
  CublasLtMatrix x, y, c, d;
  bool exchanged;
};

/// Immutable; shared by the plans that differ in the algorithm only.
class CublasLtCall {
 public:
  /// The device is current.
  CublasLtCall(const MatmulProblem& problem, const GemmForm& form, std::int64_t ldc,
               const NativeEpilog& epilog, int device_id);

  [[nodiscard]] const MatmulProblem& problem() const { return problem_; }
  [[nodiscard]] const NativeEpilog& epilog() const { return epilog_; }
  [[nodiscard]] const Batches& batches() const { return batches_; }
  [[nodiscard]] const CublasLtShape& shape() const { return shape_; }
  [[nodiscard]] int device_id() const { return device_id_; }
  [[nodiscard]] cublaslt::Context context() const { return context_; }
  [[nodiscard]] cublaslt::ComputeType compute_type() const { return compute_; }
  [[nodiscard]] cublaslt::DataType scale_type() const { return scale_; }
  /// Of X, Y, C and D.
  [[nodiscard]] const std::array<cublaslt::DataType, 4>& types() const { return types_; }
  /// Whether there is nothing to compute. The layouts are then missing.
  [[nodiscard]] bool empty() const {
    return shape_.m == 0 || shape_.n == 0 || batches_.count() == 0;
  }

  /// The description without the addresses of an epilog's operands; make_desc() gives one to put
  /// them in.
  [[nodiscard]] cublaslt::MatmulDesc desc() const { return desc_.get(); }
  [[nodiscard]] cublaslt::DescOwner make_desc() const;
  [[nodiscard]] cublaslt::Layout x() const { return x_.get(); }
  [[nodiscard]] cublaslt::Layout y() const { return y_.get(); }
  [[nodiscard]] cublaslt::Layout c() const { return c_.get(); }
  [[nodiscard]] cublaslt::Layout d() const { return d_.get(); }

 private:
  void choose_types();
  void make_layouts();

  MatmulProblem problem_;
  NativeEpilog epilog_;
  Batches batches_;
  CublasLtShape shape_;
  int device_id_;
  cublaslt::Context context_;
  cublaslt::ComputeType compute_{};
  cublaslt::DataType scale_{};
  std::array<cublaslt::DataType, 4> types_{};
  cublaslt::DescOwner desc_;
  cublaslt::LayoutOwner x_, y_, c_, d_;
};

}  // namespace mw::matmul_impl
