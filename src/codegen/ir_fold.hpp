// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What is known about an instruction before it runs.
#pragma once

#include <array>
#include <optional>

#include "codegen/ir_scalar.hpp"

namespace mw::codegen {

/// The constant that an instruction with constant operands makes; nothing for those whose value is
/// not known here (calls).
[[nodiscard]] std::optional<Instruction> fold(const Instruction& instruction,
                                              const std::array<const Instruction*, 3>& args);

/// The operand that the instruction gives back unchanged (x + 0 of integers, x · 1, a select whose
/// condition is known, …); -1: none.
[[nodiscard]] int unchanged_operand(const Instruction& instruction,
                                    const std::array<const Instruction*, 3>& args);

/// An integer as a value of a type holds it.
[[nodiscard]] std::int64_t wrapped(std::int64_t value, DType type);

}  // namespace mw::codegen
