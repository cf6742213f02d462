// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What holds of every function that the rest of the library sees.
#pragma once

#include "expr/function.hpp"

namespace mw::expr {

/// Errors: invalid_argument naming the node or output, if
///   an operand is missing, superfluous, or does not come before its user;
///   a dtype does not follow from the operands' by the type rules, or an operand's is not the one
///   in which the operation is computed (where a cast belongs);
///   a leaf names a parameter that there is none of, or a constant its dtype does not have;
///   a reduction is anything but an output, or reduces no axis;
///   names are empty or equal, there is no output, or more than one element.
void validate(const Function& function);

}  // namespace mw::expr
