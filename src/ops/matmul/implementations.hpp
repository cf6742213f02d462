// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The implementations of the matrix product, one file each; candidates.cpp lists them.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ops/matmul/problem.hpp"

namespace mw::matmul_impl {

Answer try_direct(const MatmulProblem& problem, const Context& context);
/// By the host BLAS of this name in vendor/blas_lapack's list.
Answer try_blas(std::string_view name, const MatmulProblem& problem, const Context& context);
Answer try_cublaslt(const MatmulProblem& problem, const Context& context);
Answer try_reference(const MatmulProblem& problem, const Context& context);

/// Row and column strides of a matrix operand.
inline std::pair<std::int64_t, std::int64_t> steps(const OperandLayout& operand) {
  const std::size_t rank = operand.shape.size();
  return {operand.strides[rank - 2], operand.strides[rank - 1]};
}

/// What every host implementation refuses: dtypes without host arithmetic, elements that straddle
/// their own alignment.
std::optional<Refusal> host_refusal(const MatmulProblem& problem);

template <class T>
inline constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

/// A run-time scalar in the arithmetic of T.
template <class T>
T scalar_as(Scalar value) {
  if constexpr (kIsComplex<T>) {
    return T(value);
  } else {
    return static_cast<T>(value.real());
  }
}

}  // namespace mw::matmul_impl
