// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives, by a table of one rule per operation.
#pragma once

#include <optional>
#include <string_view>

#include "expr/builder.hpp"

namespace mw::expr {

/// d output / d input at each point, as a function of the same inputs with an output of the same
/// name and dtype. Of a sum: the derivative of its term. Comparisons, bit operations, rounding and
/// integers have derivative 0; at a kink (relu at 0, max of equals) the derivative of one side.
///
/// Errors: invalid_argument for an unknown output or input (the known ones are listed), an output
/// or input of integer or bool dtype, a product, max, min, argmax or argmin over points, and, with
/// respect to a complex input, for what has no complex derivative (abs, real, imag, conj).
[[nodiscard]] Function grad(const Function& function, std::string_view output,
                            std::string_view input);

/// f'(x) of an operation with one operand, where y = f(x) is known; nothing if it is 0 everywhere
/// it exists.
[[nodiscard]] std::optional<Term> derivative(Builder& f, Op op, Term x, Term y);

}  // namespace mw::expr
