// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/types.hpp"

namespace mw::expr {

namespace {

struct OpRow {
  std::string_view name;
  int arity;
  Rule rule;
};

constexpr OpRow kOps[] = {
#define MW_EXPR_OP(id, name, arity, rule) {name, arity, Rule::rule},
#include "expr/op.def"
#undef MW_EXPR_OP
};

const OpRow& op_row(Op op) { return kOps[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view name(Op op) { return op_row(op).name; }
int arity(Op op) { return op_row(op).arity; }
Rule rule(Op op) { return op_row(op).rule; }
bool is_reduction(Op op) {
  return op_row(op).rule == Rule::reduce || op_row(op).rule == Rule::position;
}

}  // namespace mw::expr
