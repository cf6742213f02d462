// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/splice.hpp"

#include "expr/types.hpp"

namespace mw {

using expr::kNone;
using expr::Node;
using expr::NodeId;
using expr::Op;

Splice::Splice(const expr::Function& old, std::optional<DType> c)
    : old_(old), type_(old.elements.front().dtype), c_(c) {
  made_.elements = old.elements;
  made_.scalars = old.scalars;
  if (c) made_.tensors.push_back({"c", *c});
  made_.tensors.insert(made_.tensors.end(), old.tensors.begin(), old.tensors.end());
}

NodeId Splice::add(Node node) {
  made_.nodes.push_back(node);
  return static_cast<NodeId>(made_.nodes.size()) - 1;
}

NodeId Splice::apply(Op op, NodeId a, NodeId b, NodeId c) {
  return add({.op = op, .dtype = type_, .args = {a, b, c}});
}

NodeId Splice::constant(double value) {
  return add({.op = Op::constant, .dtype = type_, .real = value});
}

NodeId Splice::element() { return add({.op = Op::element, .dtype = type_}); }

NodeId Splice::tensor(std::string name, DType stored) {
  made_.tensors.push_back({std::move(name), stored});
  return converted(add({.op = Op::tensor,
                        .dtype = expr::computing_dtype(stored),
                        .integer = static_cast<std::int64_t>(made_.tensors.size()) - 1}));
}

NodeId Splice::scalar(std::string name) {
  made_.scalars.push_back({std::move(name), type_});
  return add({.op = Op::scalar,
              .dtype = type_,
              .integer = static_cast<std::int64_t>(made_.scalars.size()) - 1});
}

NodeId Splice::converted(NodeId value) {
  const bool same = made_.nodes[static_cast<std::size_t>(value)].dtype == type_;
  return same ? value : apply(Op::cast, value);
}

NodeId Splice::plus_c(NodeId x, NodeId scale) {
  const NodeId beta = scalar("beta");
  const NodeId c =
      converted(add({.op = Op::tensor, .dtype = expr::computing_dtype(*c_), .integer = 0}));
  const NodeId zero = constant(0);
  const NodeId counts =
      add({.op = Op::not_equal, .dtype = DType::bool_, .args = {beta, zero, kNone}});
  NodeId term = apply(Op::multiply, beta, c);
  if (scale != kNone) term = apply(Op::multiply, term, scale);
  return apply(Op::add, x, apply(Op::where, counts, term, zero));
}

void Splice::copy_old(NodeId x) {
  place_.resize(old_.nodes.size());
  for (std::size_t i = 0; i < old_.nodes.size(); ++i) {
    Node node = old_.nodes[i];
    if (node.op == Op::element) {
      place_[i] = x;
      continue;
    }
    if (node.op == Op::tensor && c_) ++node.integer;
    for (NodeId& arg : node.args) {
      if (arg != kNone) arg = place_[static_cast<std::size_t>(arg)];
    }
    place_[i] = add(node);
  }
}

expr::Output Splice::output(const expr::Output& old) const {
  expr::Output output = old;
  output.node = place_[static_cast<std::size_t>(old.node)];
  return output;
}

expr::FunctionPtr Splice::finish() {
  return std::make_shared<const expr::Function>(std::move(made_));
}

}  // namespace mw
