// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From a run-time dtype to a compile-time type, in one place:
//
//   visit_blas(dtype, "matmul", [&]<class T>(TypeTag<T>) { kernel<T>(…); });
#pragma once

#include <complex>
#include <string_view>
#include <utility>

#include <mathwright/dtype.hpp>

#include "base/text.hpp"

namespace mw {

template <class T>
struct TypeTag {
  using type = T;
};

/// The four types of BLAS, LAPACK and host FFTs. Errors: unsupported, with the caller's name.
template <class Visitor>
decltype(auto) visit_blas(DType dtype, std::string_view caller, Visitor&& visitor) {
  switch (dtype) {
    case DType::float32: return visitor(TypeTag<float>{});
    case DType::float64: return visitor(TypeTag<double>{});
    case DType::complex64: return visitor(TypeTag<std::complex<float>>{});
    case DType::complex128: return visitor(TypeTag<std::complex<double>>{});
    default: break;
  }
  fail(
      ErrorKind::unsupported, caller, ": dtype ", name(dtype),
      " is not supported on the host; float32, float64, complex64 or complex128 is wanted. Convert "
      "the operands.");
}

}  // namespace mw
