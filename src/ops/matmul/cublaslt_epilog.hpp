// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What of an epilog cuBLASLt does itself.
//
// The library is column-major and its bias runs along the rows of its D, its masks and auxiliary
// matrices lie in its order. A call of a row-major product passes the transpose, so there the
// library's bias is one along the columns.
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "ops/matmul/problem.hpp"
#include "vendor/cublaslt/api.hpp"

namespace mw::matmul_impl {

struct NativeEpilog {
  cublaslt::Epilogue value = cublaslt::Epilogue::none;
  // Operands, by their places in the problem.
  std::optional<std::size_t> bias, aux, gradient;
  std::int64_t aux_ld = 0;  ///< bits for masks, elements else
  DType bias_type = DType::float32, aux_type = DType::float32;
  bool mask = false;
};

/// The library's epilog for the problem's, in a call whose D is by rows or not. A refusal says what
/// it lacks.
[[nodiscard]] Outcome<NativeEpilog> native_epilog(const MatmulProblem& problem, bool by_rows);

}  // namespace mw::matmul_impl
