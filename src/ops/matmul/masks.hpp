// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The bit masks of RELU_AUX and DRELU on the host: bit i % 8 of byte (i / 8, j) stands for D[i, j].
// The fused pass reads and writes a bool for every element instead; these go between the two.
#pragma once

#include <optional>

#include "ops/matmul/problem.hpp"

namespace mw::matmul_impl {

/// The operand that is a mask of bits, if the problem has one.
[[nodiscard]] std::optional<std::size_t> mask_operand(const MatmulProblem& problem);

/// The layout of the bools that stand for it: of D's shape, by columns, dense.
[[nodiscard]] OperandLayout bool_layout(const MatmulProblem& problem);

/// Bools from bits, for every element of D.
void unpack_mask(const MatmulProblem& problem, const OperandLayout& mask, const void* bits,
                 bool* bools, int threads);
/// Bits from bools; padding is 0.
void pack_mask(const MatmulProblem& problem, const OperandLayout& mask, const bool* bools,
               void* bits, int threads);

}  // namespace mw::matmul_impl
