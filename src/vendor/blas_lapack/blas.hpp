// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// One BLAS, whichever library it comes from.
//
//   const auto blas = blas::default_blas();
//   if (!blas) return blas.refusal();
//   const blas::BlasThreads threads(**blas, 4);
//   (*blas)->gemm(blas::Gemm<double>{.m = m, .n = n, .k = k, .a = a, .lda = m, …});
//
// Libraries differ in the decoration of their names (scipy_cblas_dgemm64_, cblas_dgemm_64,
// cblas_dgemm) and in the width of their integers. Both are found out once, when a library is
// loaded; a call is then one predictable branch and one indirect call. LAPACK will take the same
// rows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/outcome.hpp"
#include "dl/library.hpp"
#include "vendor/blas_lapack/routines.hpp"
#include "vendor/blas_lapack/threads.hpp"

namespace mw::blas {

class Blas {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }        ///< for example "mkl"
  [[nodiscard]] const std::string& version() const { return version_; }  ///< as the library says it
  [[nodiscard]] const std::string& path() const { return library_->path(); }
  [[nodiscard]] const std::string& how() const { return library_->how(); }
  [[nodiscard]] int integer_bits() const { return wide_ ? 64 : 32; }
  /// Whether sizes, strides and increments of these magnitudes can be passed to this library.
  template <class... Sizes>
  [[nodiscard]] bool fits(Sizes... sizes) const {
    return wide_ || ((sizes >= -kLargest32 && sizes <= kLargest32) && ...);
  }
  /// Whether gemm_batch is the library's own and not a loop over gemm.
  template <class T>
  [[nodiscard]] bool has_own_batch() const {
    return wide_ ? bool(table<T, std::int64_t>().gemm_batch_strided)
                 : bool(table<T, std::int32_t>().gemm_batch_strided);
  }

  // T is float, double or one of their complex types. Arguments are not checked beyond the range of
  // the library's integers (invalid_argument; only a 32-bit library can refuse): what a library
  // does with a wrong leading dimension is its own affair.
  template <class T>
  void gemm(const Gemm<T>& args) const;
  template <class T>
  void gemm_batch(const GemmBatch<T>& args) const;
  template <class T>
  void gemv(const Gemv<T>& args) const;
  template <class T>
  void symm(const Symm<T>& args) const;
  template <class T>
  void hemm(const Symm<T>& args) const;
  template <class T>
  void trmm(const Triangular<T>& args) const;
  template <class T>
  void trsm(const Triangular<T>& args) const;

  [[nodiscard]] ThreadControl& threads() const { return threads_; }

 private:
  friend class Loader;
  static constexpr std::int64_t kLargest32 = std::numeric_limits<std::int32_t>::max();

  template <class Int>
  using Tables =
      std::tuple<Routines<float, Int>, Routines<double, Int>, Routines<std::complex<float>, Int>,
                 Routines<std::complex<double>, Int>>;

  template <class T, class Int>
  [[nodiscard]] const Routines<T, Int>& table() const {
    if constexpr (sizeof(Int) == 8) {
      return std::get<Routines<T, Int>>(wide_tables_);
    } else {
      return std::get<Routines<T, Int>>(narrow_tables_);
    }
  }

  // Calls with the table that fits and a conversion to its integer.
  template <class T, class Call>
  void invoke(Call&& call) const {
    if (wide_) [[likely]] {
      call(table<T, std::int64_t>(), [](std::int64_t size) { return size; });
    } else {
      call(table<T, std::int32_t>(), narrow);
    }
  }
  static std::int32_t narrow(std::int64_t size);

  const dl::Library* library_ = nullptr;
  std::string name_, version_;
  bool wide_ = true;
  Tables<std::int64_t> wide_tables_;
  Tables<std::int32_t> narrow_tables_;
  mutable ThreadControl threads_;
};

struct BlasRow {
  const char* name;  ///< as explanations call it
  dl::LibraryId library;
  int integer_bits;  ///< of undecorated names; 0: the library tells
};

/// The libraries that are looked for, best first. The first row is the override.
[[nodiscard]] std::span<const BlasRow> blas_libraries();

/// Loaded once; a refusal holds the places searched and how to get it.
[[nodiscard]] Outcome<const Blas*> load_blas(const BlasRow& row);

/// The library MATHWRIGHT_BLAS_LIBRARY names (nothing else if it is set), or the first that loads.
[[nodiscard]] Outcome<const Blas*> default_blas();

/// All that load, best first; only the named one if the variable is set. For comparing them.
[[nodiscard]] std::vector<const Blas*> all_blas();

// ---- the calls
// ------------------------------------------------------------------------------------

template <class T>
void Blas::gemm(const Gemm<T>& g) const {
  invoke<T>([&](const auto& table, auto size) {
    table.gemm(g.order, g.op_a, g.op_b, size(g.m), size(g.n), size(g.k), scalar(g.alpha), g.a,
               size(g.lda), g.b, size(g.ldb), scalar(g.beta), g.c, size(g.ldc));
  });
}

template <class T>
void Blas::gemm_batch(const GemmBatch<T>& batch) const {
  const Gemm<T>& g = batch.first;
  if (has_own_batch<T>()) {
    invoke<T>([&](const auto& table, auto size) {
      table.gemm_batch_strided(g.order, g.op_a, g.op_b, size(g.m), size(g.n), size(g.k),
                               scalar(g.alpha), g.a, size(g.lda), size(batch.stride_a), g.b,
                               size(g.ldb), size(batch.stride_b), scalar(g.beta), g.c, size(g.ldc),
                               size(batch.stride_c), size(batch.count));
    });
    return;
  }
  Gemm<T> one = g;
  for (std::int64_t i = 0; i < batch.count; ++i) {
    gemm(one);
    one.a += batch.stride_a;
    one.b += batch.stride_b;
    one.c += batch.stride_c;
  }
}

template <class T>
void Blas::gemv(const Gemv<T>& g) const {
  invoke<T>([&](const auto& table, auto size) {
    table.gemv(g.order, g.op, size(g.m), size(g.n), scalar(g.alpha), g.a, size(g.lda), g.x,
               size(g.incx), scalar(g.beta), g.y, size(g.incy));
  });
}

template <class T>
void Blas::symm(const Symm<T>& s) const {
  invoke<T>([&](const auto& table, auto size) {
    table.symm(s.order, s.side, s.uplo, size(s.m), size(s.n), scalar(s.alpha), s.a, size(s.lda),
               s.b, size(s.ldb), scalar(s.beta), s.c, size(s.ldc));
  });
}

template <class T>
void Blas::hemm(const Symm<T>& s) const {
  static_assert(is_complex<T>, "a real Hermitian matrix is symmetric: use symm");
  invoke<T>([&](const auto& table, auto size) {
    table.hemm(s.order, s.side, s.uplo, size(s.m), size(s.n), scalar(s.alpha), s.a, size(s.lda),
               s.b, size(s.ldb), scalar(s.beta), s.c, size(s.ldc));
  });
}

template <class T>
void Blas::trmm(const Triangular<T>& t) const {
  invoke<T>([&](const auto& table, auto size) {
    table.trmm(t.order, t.side, t.uplo, t.op, t.diag, size(t.m), size(t.n), scalar(t.alpha), t.a,
               size(t.lda), t.b, size(t.ldb));
  });
}

template <class T>
void Blas::trsm(const Triangular<T>& t) const {
  invoke<T>([&](const auto& table, auto size) {
    table.trsm(t.order, t.side, t.uplo, t.op, t.diag, size(t.m), size(t.n), scalar(t.alpha), t.a,
               size(t.lda), t.b, size(t.ldb));
  });
}

}  // namespace mw::blas
