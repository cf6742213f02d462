// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Our declarations of CBLAS's and FFTW's functions, types and numbers against their headers, where
// those are installed.
#include <complex>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include "unit/vendor_signature.hpp"
#include "vendor/blas_lapack/routines.hpp"
#include "vendor/fftw/api.hpp"

#if __has_include(<cblas.h>)
#define MW_HAS_CBLAS_HEADER
#include <cblas.h>
#endif
#if __has_include(<fftw3.h>)
#define MW_HAS_FFTW_HEADER
#include <fftw3.h>
#endif

using mw::vendor::Compatible;
using mw::vendor::number;

#ifdef MW_HAS_CBLAS_HEADER

namespace mw::blas {

// cblas.h declares for each letter; a header without 64-bit integers has int, which openblas calls
// blasint.
#ifdef OPENBLAS_VERSION
using HeaderInt = blasint;
#else
using HeaderInt = int;
#endif

template <class T>
struct Header;
template <>
struct Header<float> {
  static constexpr auto gemm = &cblas_sgemm;
  static constexpr auto gemv = &cblas_sgemv;
  static constexpr auto symm = &cblas_ssymm;
  static constexpr auto trmm = &cblas_strmm;
  static constexpr auto trsm = &cblas_strsm;
};
template <>
struct Header<std::complex<double>> {
  static constexpr auto gemm = &cblas_zgemm;
  static constexpr auto gemv = &cblas_zgemv;
  static constexpr auto symm = &cblas_zsymm;
  static constexpr auto trmm = &cblas_ztrmm;
  static constexpr auto trsm = &cblas_ztrsm;
  static constexpr auto hemm = &cblas_zhemm;
};

template <class Row, auto Theirs>
constexpr bool matches =
    Compatible<typename Row::Signature, std::remove_pointer_t<decltype(Theirs)>>::value;

template <class T>
constexpr bool all_match() {
  using R = Routines<T, HeaderInt>;
  return matches<decltype(R::gemm), Header<T>::gemm> &&
         matches<decltype(R::gemv), Header<T>::gemv> &&
         matches<decltype(R::symm), Header<T>::symm> &&
         matches<decltype(R::trmm), Header<T>::trmm> && matches<decltype(R::trsm), Header<T>::trsm>;
}
static_assert(all_match<float>());
static_assert(all_match<std::complex<double>>());
static_assert(matches<decltype(Routines<std::complex<double>, HeaderInt>::hemm),
                      Header<std::complex<double>>::hemm>);

static_assert(number(Order::row) == number(CblasRowMajor));
static_assert(number(Order::column) == number(CblasColMajor));
static_assert(number(Op::none) == number(CblasNoTrans));
static_assert(number(Op::transpose) == number(CblasTrans));
static_assert(number(Op::conjugate_transpose) == number(CblasConjTrans));
static_assert(number(Uplo::upper) == number(CblasUpper));
static_assert(number(Uplo::lower) == number(CblasLower));
static_assert(number(Diag::non_unit) == number(CblasNonUnit));
static_assert(number(Diag::unit) == number(CblasUnit));
static_assert(number(Side::left) == number(CblasLeft));
static_assert(number(Side::right) == number(CblasRight));

}  // namespace mw::blas

TEST(VendorHeaders, CblasDeclarationsMatchTheHeader) { SUCCEED() << "checked at compile time"; }

#else

TEST(VendorHeaders, CblasDeclarationsMatchTheHeader) { GTEST_SKIP() << "cblas.h is not installed"; }

#endif  // MW_HAS_CBLAS_HEADER

#ifdef MW_HAS_FFTW_HEADER

namespace mw::fftw {

#define MW_FUNCTION(result, name, arguments, since)                                            \
  static_assert(                                                                               \
      Compatible<decltype(Routines<double>::name)::Signature, decltype(::fftw_##name)>::value, \
      "fftw_" #name);                                                                          \
  static_assert(                                                                               \
      Compatible<decltype(Routines<float>::name)::Signature, decltype(::fftwf_##name)>::value, \
      "fftwf_" #name);
#include "vendor/fftw/api.def"
#undef MW_FUNCTION

static_assert(sizeof(IoDim) == sizeof(fftw_iodim64));
static_assert(offsetof(IoDim, input_stride) == offsetof(fftw_iodim64, is));
static_assert(offsetof(IoDim, output_stride) == offsetof(fftw_iodim64, os));
static_assert(kForward == FFTW_FORWARD && kInverse == FFTW_BACKWARD);
static_assert(measure == FFTW_MEASURE && destroy_input == FFTW_DESTROY_INPUT);
static_assert(unaligned == FFTW_UNALIGNED && preserve_input == FFTW_PRESERVE_INPUT);
static_assert(patient == FFTW_PATIENT && estimate == FFTW_ESTIMATE);
static_assert(wisdom_only == FFTW_WISDOM_ONLY);

}  // namespace mw::fftw

TEST(VendorHeaders, FftwDeclarationsMatchTheHeader) { SUCCEED() << "checked at compile time"; }

#else

TEST(VendorHeaders, FftwDeclarationsMatchTheHeader) { GTEST_SKIP() << "fftw3.h is not installed"; }

#endif  // MW_HAS_FFTW_HEADER
