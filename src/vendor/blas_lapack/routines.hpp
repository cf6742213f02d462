// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The table of CBLAS routines for one type and one integer width.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dl/symbol_table.hpp"
#include "vendor/blas_lapack/types.hpp"

namespace mw::blas {

template <class T>
inline constexpr char kLetter = '?';
template <>
inline constexpr char kLetter<float> = 's';
template <>
inline constexpr char kLetter<double> = 'd';
template <>
inline constexpr char kLetter<std::complex<float>> = 'c';
template <>
inline constexpr char kLetter<std::complex<double>> = 'z';

/// How CBLAS takes a scalar: by value if real, by address if complex.
template <class T>
using ScalarArgument = std::conditional_t<is_complex<T>, const T*, T>;

template <class T>
[[nodiscard]] constexpr ScalarArgument<T> scalar(const T& value) {
  if constexpr (is_complex<T>) {
    return &value;
  } else {
    return value;
  }
}

template <class T, class Int>
struct Routines {
  using Scalar = ScalarArgument<T>;

#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/blas_lapack/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/blas_lapack/api.def"
#undef MW_FUNCTION
  }
};

}  // namespace mw::blas
