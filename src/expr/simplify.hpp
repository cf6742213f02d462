// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Fewer and cheaper operations with exactly the same value at every point, signed zeros, NaN and
// infinities included.
#pragma once

#include "expr/function.hpp"

namespace mw::expr {

/// Constants are folded as evaluate.hpp computes them; equal operations become one; operations
/// that give an operand back (x·1, -(-x), a cast that changes nothing, where of a constant) and
/// nodes that no output needs disappear; a division by a power of two becomes a product. Not done
/// because it is not exact: x·0, x + 0.0, any reordering. Parameters and outputs stay as they are.
[[nodiscard]] Function simplify(const Function& function);

}  // namespace mw::expr
