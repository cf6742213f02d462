// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Operations of complex numbers as instructions on their parts.
#pragma once

#include "codegen/lower.hpp"

namespace mw::codegen {

/// Both operands complex (the second absent for functions of one). Errors: invalid_argument for an
/// operation that complex numbers do not have.
[[nodiscard]] Pair lower_complex(Builder& builder, expr::Op op, const Pair& x, const Pair& y);

}  // namespace mw::codegen
