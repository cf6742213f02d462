// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A function for people: as mathematics, as a graph.
#pragma once

#include <string>

#include "expr/function.hpp"

namespace mw::expr {

/// "relu(0.45*x + bias)". Several outputs are a line each, "name = …"; subexpressions that stand
/// in several places and are not short get a line "t0 = …" before. Conversions that the type rules
/// ask for are left out, others are written float16(x).
[[nodiscard]] std::string to_text(const Function& function);

/// One node as it is called in pictures: "x", "0.45", "+", "sum over axes -1".
[[nodiscard]] std::string label(const Function& function, NodeId node);

/// A constant as short as it can be read back in its dtype.
[[nodiscard]] std::string constant_text(const Node& node);

/// The graph for Graphviz's `dot`.
[[nodiscard]] std::string to_dot(const Function& function);

/// The graph as a picture, laid out in layers from inputs to outputs.
[[nodiscard]] std::string to_svg(const Function& function);

}  // namespace mw::expr
