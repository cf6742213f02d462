// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The vocabulary of CBLAS, and one struct of arguments per routine, so that no two integers can
// change places. The values of the enumerations are those of cblas.h.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace mw::blas {

enum class Order : int { row = 101, column = 102 };
enum class Op : int { none = 111, transpose = 112, conjugate_transpose = 113 };
enum class Uplo : int { upper = 121, lower = 122 };
enum class Diag : int { non_unit = 131, unit = 132 };
enum class Side : int { left = 141, right = 142 };

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

/// C = alpha op(A) op(B) + beta C; op(A) is m × k, op(B) k × n. C is not read if beta is 0.
template <class T>
struct Gemm {
  Order order = Order::column;
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = T(1);
  const T* a = nullptr;
  std::int64_t lda = 1;
  const T* b = nullptr;
  std::int64_t ldb = 1;
  T beta = T(0);
  T* c = nullptr;
  std::int64_t ldc = 1;
};

/// `count` products; the operands of product i start i strides (in elements) after the first's. A
/// stride of 0 uses one matrix for all; that of C may not be 0.
template <class T>
struct GemmBatch {
  Gemm<T> first;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  std::int64_t count = 0;
};

/// y = alpha op(A) x + beta y; A is m × n. Increments may be negative: the vector then starts at
/// its other end, as in BLAS.
template <class T>
struct Gemv {
  Order order = Order::column;
  Op op = Op::none;
  std::int64_t m = 0, n = 0;
  T alpha = T(1);
  const T* a = nullptr;
  std::int64_t lda = 1;
  const T* x = nullptr;
  std::int64_t incx = 1;
  T beta = T(0);
  T* y = nullptr;
  std::int64_t incy = 1;
};

/// C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric (symm) or Hermitian
/// (hemm) of which one triangle is read; C is m × n.
template <class T>
struct Symm {
  Order order = Order::column;
  Side side = Side::left;
  Uplo uplo = Uplo::lower;
  std::int64_t m = 0, n = 0;
  T alpha = T(1);
  const T* a = nullptr;
  std::int64_t lda = 1;
  const T* b = nullptr;
  std::int64_t ldb = 1;
  T beta = T(0);
  T* c = nullptr;
  std::int64_t ldc = 1;
};

/// trmm: B = alpha op(A) B (left) or alpha B op(A) (right). trsm: the same with the inverse of
/// op(A). A is triangular, B m × n and overwritten.
template <class T>
struct Triangular {
  Order order = Order::column;
  Side side = Side::left;
  Uplo uplo = Uplo::lower;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
  std::int64_t m = 0, n = 0;
  T alpha = T(1);
  const T* a = nullptr;
  std::int64_t lda = 1;
  T* b = nullptr;
  std::int64_t ldb = 1;
};

}  // namespace mw::blas
