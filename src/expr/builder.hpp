// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Builder: writes a function node by node. It applies the type rules, inserts the conversions they
// ask for, and gives equal operations one node.
//
//   Builder f;
//   const Term x = f.element("x", DType::float32), bias = f.tensor("bias", DType::float32);
//   f.output("result", f.apply(Op::relu, {f.apply(Op::add, {x, bias})}));
//   Function function = f.finish();
#pragma once

#include <complex>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/node_table.hpp"
#include "expr/number.hpp"

namespace mw::expr {

/// A value under construction. Weak ones (literals, run-time scalars, and what is made of them
/// alone) take the dtype of what they meet.
struct Term {
  NodeId node = kNone;
  bool weak = false;
};

/// Errors of every member: invalid_argument that names the operation and says what to write
/// instead.
class Builder {
 public:
  Builder() = default;
  /// Continues another function: its nodes and parameters, without its outputs.
  explicit Builder(const Function& start);

  Term element(std::string parameter, DType dtype);
  Term tensor(std::string parameter, DType dtype);
  /// Weak, as the number that will be passed for it would be.
  Term scalar(std::string parameter, DType dtype);
  /// The point's index along an axis, int64. Axes count from the end: -1 is the last.
  Term index(std::int64_t axis);
  Term literal(bool value);
  Term literal(std::int64_t value);
  Term literal(double value);
  Term literal(std::complex<double> value);
  /// A number that insists on its dtype.
  Term constant(const Number& value);

  /// Any operation but leaves, casts and reductions.
  Term apply(Op op, std::span<const Term> operands);
  Term apply(Op op, std::initializer_list<Term> operands) {
    return apply(op, std::span(operands.begin(), operands.size()));
  }
  Term cast(Term value, DType dtype);
  /// `axes` as Node::integer: bit i stands for axis -1 - i, or kAllAxes.
  Term reduce(Op op, Term value, std::int64_t axes);

  /// The operation stores its result in this dtype; outputs that follow from a produced element
  /// then do as well, where it is narrower than what they are computed in.
  void stores(DType result) { stores_ = result; }
  /// Adds an output. Without a dtype it is stored as its value is, except that what was computed
  /// from float16 (bfloat16, complex32) only is stored as that; a cast says otherwise.
  void output(std::string output_name, Term value, std::optional<DType> dtype = std::nullopt);

  [[nodiscard]] DType dtype(Term term) const { return node(term).dtype; }
  /// Errors: invalid_argument for a term of another builder or after finish().
  [[nodiscard]] const Node& node(Term term) const {
    if (finished_ || static_cast<std::size_t>(term.node) >= table_.size()) refuse_stranger();
    return table_[term.node];
  }
  /// Parameters and outputs so far.
  [[nodiscard]] const Function& function() const { return function_; }

  /// The function, valid. Errors: no output.
  [[nodiscard]] Function finish();

 private:
  [[noreturn]] static void refuse_stranger();
  Term parameter(Op op, std::vector<Parameter>& list, std::string name, DType dtype);
  /// The value as an operand of this dtype.
  NodeId converted(Op op, Term value, DType dtype);
  void refuse_reductions(Op op, std::span<const Term> operands) const;
  /// x ** n for the small n of kSmallPowers and all whole n of complex x; none for others.
  std::optional<Term> small_power(Term base, Term exponent);
  Term repeated_product(Term base, std::int64_t exponent);
  [[nodiscard]] DType stored_dtype(NodeId node) const;

  NodeTable table_;
  Function function_;  ///< its nodes are in the table
  std::optional<DType> stores_;
  bool finished_ = false;
  std::vector<NodeId> weak_casts_;  ///< these say nothing of how an output is to be stored
};

}  // namespace mw::expr
