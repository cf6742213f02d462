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
/// Generated CUDA kernels for few columns, and for batches of small products.
Answer try_cuda_skinny(const MatmulProblem& problem, const Context& context);
Answer try_cuda_batched(const MatmulProblem& problem, const Context& context);
/// A generated CUDA kernel for large products of 16-bit operands.
Answer try_cuda_warpgroups(const MatmulProblem& problem, const Context& context);
/// cuBLASLt on panels that stay in cache, the epilog applied to each.
Answer try_cuda_panels(const MatmulProblem& problem, const Context& context);
Answer try_cublaslt(const MatmulProblem& problem, const Context& context);
Answer try_reference(const MatmulProblem& problem, const Context& context);
/// The part of the reference that has epilogs and every dtype.
Answer try_fused_reference(const MatmulProblem& problem, const Context& context);
/// MXFP8 and NVFP4: operands widened, another candidate's product, the result narrowed.
Answer try_block_scaled(const MatmulProblem& problem, const Context& context);
/// Generated code for few columns, and for batches of small products.
Answer try_skinny(const MatmulProblem& problem, const Context& context);
/// A host BLAS on panels that stay in cache, the epilog applied to each.
Answer try_panels(const MatmulProblem& problem, const Context& context);

/// Row and column strides of a matrix operand.
inline std::pair<std::int64_t, std::int64_t> steps(const OperandLayout& operand) {
  const std::size_t rank = operand.shape.size();
  return {operand.strides[rank - 2], operand.strides[rank - 1]};
}

/// What every host implementation refuses: dtypes without host arithmetic, elements that straddle
/// their own alignment.
std::optional<Refusal> host_refusal(const MatmulProblem& problem);

/// What every implementation refuses whose code sees one point after another: results that take
/// several.
std::optional<Refusal> pointwise_refusal(const MatmulProblem& problem);

template <class T>
inline constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

/// A run-time scalar in the arithmetic of T.
template <class T>
T scalar_as(ScalarValue value) {
  if constexpr (kIsComplex<T>) {
    return T(value);
  } else {
    return static_cast<T>(value.real());
  }
}

}  // namespace mw::matmul_impl
