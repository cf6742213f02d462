// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/validate.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "expr/number.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

constexpr std::size_t kMostNodes = 1 << 20;
constexpr auto kOpCount = static_cast<std::size_t>(Op::argmin) + 1;
constexpr auto kDTypeCount = static_cast<std::size_t>(DType::complex128) + 1;

bool is_dtype(DType dtype) {
  return static_cast<std::size_t>(dtype) < kDTypeCount && is_number(dtype);
}

/// "expression: node 3 ('+')": who complains.
std::string where(NodeId id, const Node& node) {
  return text("expression: node ", id, " ('", name(node.op), "') ");
}

void check_parameter(const Node& node, const std::string& who, const std::vector<Parameter>& list) {
  require(node.integer >= 0 && static_cast<std::size_t>(node.integer) < list.size(),
          ErrorKind::invalid_argument, who, "reads number ", node.integer, " of ", list.size());
  const DType wanted = computing_dtype(list[static_cast<std::size_t>(node.integer)].dtype);
  require(node.dtype == wanted, ErrorKind::invalid_argument, who, "has dtype ", node.dtype, "; ",
          wanted, " is wanted");
}

void check_constant(const Node& node, const std::string& who) {
  require(!is_narrow(node.dtype), ErrorKind::invalid_argument, who, "has dtype ", node.dtype,
          "; the dtype it is computed in is wanted");
  const Number value{node.dtype, node.integer, node.real, node.imag};
  require(identical(value, convert(value, node.dtype)), ErrorKind::invalid_argument, who,
          "is no value of dtype ", node.dtype);
}

void check_leaf(const Function& function, const Node& node, const std::string& who) {
  switch (node.op) {
    case Op::element: return check_parameter(node, who, function.elements);
    case Op::tensor: return check_parameter(node, who, function.tensors);
    case Op::scalar: return check_parameter(node, who, function.scalars);
    case Op::constant: return check_constant(node, who);
    default: break;
  }
  require(node.dtype == DType::int64 && node.integer < 0 && node.integer >= -63,
          ErrorKind::invalid_argument, who, "of axis ", node.integer, " and dtype ", node.dtype,
          "; an axis of -63 … -1 and int64 are wanted");
}

void check_types(const Function& function, const Node& node, const std::string& who) {
  const auto operand = [&](std::size_t i) {
    return function.nodes[static_cast<std::size_t>(node.args[i])].dtype;
  };
  if (node.op == Op::cast) return check_cast(operand(0), node.dtype);
  const auto count = static_cast<std::size_t>(arity(node.op));
  std::array<Operand, 3> seen;
  for (std::size_t i = 0; i < count; ++i) seen[i] = {operand(i)};
  const Signature types = signature(node.op, {seen.data(), count});
  require(node.dtype == types.result, ErrorKind::invalid_argument, who, "has dtype ", node.dtype,
          "; ", types.result, " is wanted");
  for (std::size_t i = 0; i < count; ++i) {
    require(computing_dtype(operand(i)) == types.operands[i], ErrorKind::invalid_argument, who,
            "has an operand of dtype ", operand(i), "; ", types.operands[i],
            " is wanted. Convert it by a cast");
  }
}

void check_node(const Function& function, NodeId id) {
  const Node& node = function.nodes[static_cast<std::size_t>(id)];
  require(static_cast<std::size_t>(node.op) < kOpCount, ErrorKind::invalid_argument,
          "expression: node ", id, " is no known operation (", static_cast<int>(node.op), ")");
  const std::string who = where(id, node);
  require(is_dtype(node.dtype), ErrorKind::invalid_argument, who, "has an unusable dtype (",
          static_cast<int>(node.dtype), ")");
  for (int i = 0; i < 3; ++i) {
    const NodeId arg = node.args[static_cast<std::size_t>(i)];
    const bool used = i < arity(node.op);
    require(used ? arg >= 0 && arg < id : arg == kNone, ErrorKind::invalid_argument, who,
            "has operand ", arg, " in place ", i, "; ",
            used ? "a node before it is wanted" : "none is wanted");
    require(!used || !is_reduction(function.nodes[static_cast<std::size_t>(arg)].op),
            ErrorKind::invalid_argument, who,
            "uses a reduction, which can be an output and nothing else");
  }
  if (rule(node.op) == Rule::leaf) return check_leaf(function, node, who);
  check_types(function, node, who);
  require(!is_reduction(node.op) || (node.integer != 0 && node.integer >= kAllAxes),
          ErrorKind::invalid_argument, who, "reduces no axis");
}

void check_names(const Function& function) {
  std::set<std::string_view> parameters;
  for (const auto* list : {&function.elements, &function.tensors, &function.scalars}) {
    for (const auto& parameter : *list) {
      require(!parameter.name.empty() && parameters.insert(parameter.name).second,
              ErrorKind::invalid_argument, "expression: two inputs are named '", parameter.name,
              "', or one has no name");
      require(is_dtype(parameter.dtype), ErrorKind::invalid_argument, "expression: input '",
              parameter.name, "' has an unusable dtype (", static_cast<int>(parameter.dtype), ")");
    }
  }
  require(function.elements.size() <= 1, ErrorKind::invalid_argument,
          "expression: ", function.elements.size(), " elements; an operation has one at most");
}

void check_outputs(const Function& function) {
  std::set<std::string_view> outputs;
  require(!function.outputs.empty(), ErrorKind::invalid_argument,
          "expression: no output; the function has to return an expression, or a dict of them");
  for (const auto& output : function.outputs) {
    require(!output.name.empty() && outputs.insert(output.name).second, ErrorKind::invalid_argument,
            "expression: two outputs are named '", output.name, "', or one has no name");
    require(output.node >= 0 && static_cast<std::size_t>(output.node) < function.nodes.size(),
            ErrorKind::invalid_argument, "expression: output '", output.name, "' is node ",
            output.node, " of ", function.nodes.size());
    require(is_dtype(output.dtype), ErrorKind::invalid_argument, "expression: output '",
            output.name, "' has an unusable dtype (", static_cast<int>(output.dtype), ")");
    check_cast(function.nodes[static_cast<std::size_t>(output.node)].dtype, output.dtype);
  }
}

}  // namespace

void validate(const Function& function) {
  require(function.nodes.size() <= kMostNodes, ErrorKind::invalid_argument,
          "expression: ", function.nodes.size(), " operations; at most ", kMostNodes, " are taken");
  check_names(function);
  for (std::size_t id = 0; id < function.nodes.size(); ++id) {
    check_node(function, static_cast<NodeId>(id));
  }
  check_outputs(function);
}

}  // namespace mw::expr
