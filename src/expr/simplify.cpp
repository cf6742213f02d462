// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/simplify.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "expr/evaluate.hpp"
#include "expr/node_table.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

bool whole(DType dtype) { return is_integer(dtype) || dtype == DType::bool_; }

/// Whether every value of one dtype is one of the other: a conversion there and on from there is
/// the conversion from the first.
bool holds(DType from, DType to) {
  if (from == to || from == DType::bool_) return true;
  if (is_complex(from) != is_complex(to) && is_complex(from)) return false;
  const DType a = real_dtype(from);
  const DType b = real_dtype(to);
  const auto bits_a = static_cast<int>(itemsize(a)) * 8;
  const auto bits_b = static_cast<int>(itemsize(b)) * 8;
  if (is_integer(b)) {
    if (!is_integer(a)) return false;
    const bool natural_a = dtype_class(a) == DTypeClass::natural;
    const bool natural_b = dtype_class(b) == DTypeClass::natural;
    return natural_a == natural_b ? bits_a <= bits_b : natural_a && bits_a < bits_b;
  }
  if (b != DType::float32 && b != DType::float64) return false;
  return whole(a) ? 2 * bits_a <= bits_b : bits_a <= bits_b;
}

bool is_idempotent(Op op) {
  switch (op) {
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
    case Op::sign:
    case Op::relu: return true;
    case Op::absolute: return true;
    default: return false;
  }
}

/// Rewrites one node at a time over a table of nodes that are simple already.
class Rewriter {
 public:
  NodeId add(const Node& node) {
    if (const auto value = folded(node)) return constant(*value);
    if (const NodeId same = as_operand(node); same != kNone) return same;
    if (const auto other = rewritten(node)) return add(*other);
    return table_.add(node);
  }

  std::vector<Node> take() { return table_.take(); }

 private:
  [[nodiscard]] const Node& arg(const Node& node, int i) const {
    return table_[node.args[static_cast<std::size_t>(i)]];
  }
  [[nodiscard]] static Number value(const Node& node) {
    return {node.dtype, node.integer, node.real, node.imag};
  }
  [[nodiscard]] static bool is_constant(const Node& node) { return node.op == Op::constant; }
  /// A constant equal to a whole number, of integer or float dtype; -0.0 is not 0.
  [[nodiscard]] static bool is(const Node& node, int wanted) {
    return is_constant(node) &&
           identical(value(node), convert(Number::of_integer(wanted), node.dtype));
  }

  NodeId constant(const Number& number) {
    return table_.add({.op = Op::constant,
                       .dtype = computing_dtype(number.dtype),
                       .integer = number.integer,
                       .real = number.real,
                       .imag = number.imag});
  }

  [[nodiscard]] std::optional<Number> folded(const Node& node) const {
    const auto count = static_cast<std::size_t>(arity(node.op));
    if (count == 0 || is_reduction(node.op)) return std::nullopt;
    std::array<Number, 3> operands;
    for (std::size_t i = 0; i < count; ++i) {
      const Node& operand = table_[node.args[i]];
      if (!is_constant(operand)) return std::nullopt;
      operands[i] = value(operand);
    }
    return apply(node, {operands.data(), count});
  }

  /// The operand that the node gives back unchanged; none if it does not.
  [[nodiscard]] NodeId as_operand(const Node& node) const {
    switch (arity(node.op)) {
      case 1: return as_only_operand(node);
      case 2: return as_one_of_two(node);
      case 3: return node.op == Op::where ? as_branch(node) : kNone;
      default: return kNone;
    }
  }

  [[nodiscard]] NodeId as_only_operand(const Node& node) const {
    const Node& a = arg(node, 0);
    const NodeId inner = a.args[0];
    switch (node.op) {
      case Op::cast:
        // What is rounded to a narrow dtype is held in the dtype it is computed in.
        return computing_dtype(a.dtype) == node.dtype || a.dtype == node.dtype ? node.args[0]
                                                                               : kNone;
      case Op::negate:
      case Op::conj:
      case Op::bit_not: return a.op == node.op ? inner : kNone;
      case Op::real: return a.op == Op::complex ? inner : kNone;
      case Op::imag: return a.op == Op::complex ? a.args[1] : kNone;
      default: break;
    }
    if (is_idempotent(node.op) && a.op == node.op && a.dtype == node.dtype) return node.args[0];
    const bool rounds = rule(node.op) == Rule::ordered && is_idempotent(node.op) &&
                        node.op != Op::sign && node.op != Op::relu;
    const bool natural = dtype_class(a.dtype) == DTypeClass::natural;
    if (rounds && is_integer(a.dtype)) return node.args[0];
    if (natural && (node.op == Op::relu || node.op == Op::absolute)) return node.args[0];
    return kNone;
  }

  [[nodiscard]] NodeId as_one_of_two(const Node& node) const {
    const Node& a = arg(node, 0);
    const Node& b = arg(node, 1);
    const bool same = node.args[0] == node.args[1];
    const bool integers = whole(node.dtype);
    const NodeId first = node.args[0];
    const NodeId second = node.args[1];
    switch (node.op) {
      case Op::multiply:
        // (a + bi)·(1 + 0i) has the terms b·0 and a·0: not exact.
        if (is_complex(node.dtype)) return kNone;
        return is(b, 1) ? first : is(a, 1) ? second : kNone;
      case Op::divide: return is(b, 1) && !is_complex(node.dtype) ? first : kNone;
      case Op::floor_divide: return is(b, 1) && integers ? first : kNone;
      case Op::add:
        if (is_minus_zero(b) || (integers && is(b, 0))) return first;
        return is_minus_zero(a) || (integers && is(a, 0)) ? second : kNone;
      case Op::subtract: return is(b, 0) ? first : kNone;
      case Op::power: return is(b, 1) ? first : kNone;
      case Op::minimum:
      case Op::maximum: return same ? first : kNone;
      case Op::bit_and: return same || is(b, -1) ? first : is(a, -1) ? second : kNone;
      case Op::bit_or: return same || is(b, 0) ? first : is(a, 0) ? second : kNone;
      case Op::bit_xor: return is(b, 0) ? first : is(a, 0) ? second : kNone;
      case Op::shift_left:
      case Op::shift_right: return is(b, 0) ? first : kNone;
      case Op::complex:
        return a.op == Op::real && b.op == Op::imag && a.args[0] == b.args[0] ? a.args[0] : kNone;
      default: return kNone;
    }
  }

  [[nodiscard]] NodeId as_branch(const Node& node) const {
    const Node& condition = arg(node, 0);
    if (is_constant(condition)) return node.args[condition.integer != 0 ? 1 : 2];
    return node.args[1] == node.args[2] ? node.args[1] : kNone;
  }

  [[nodiscard]] static bool is_minus_zero(const Node& node) {
    const auto minus_zero = [](double x) { return x == 0 && std::signbit(x); };
    return is_constant(node) && !whole(node.dtype) && minus_zero(node.real) &&
           (!is_complex(node.dtype) || minus_zero(node.imag));
  }

  /// Another operation of the same value; nothing if this one is as simple as it gets.
  [[nodiscard]] std::optional<Node> rewritten(const Node& node) {
    Node other = node;
    if (arity(node.op) == 0) return std::nullopt;
    const Node& a = arg(node, 0);
    switch (node.op) {
      case Op::square:
      case Op::absolute:
        if (a.op == Op::negate || (a.op == Op::absolute && a.dtype == node.dtype &&
                                   table_[a.args[0]].dtype == node.dtype)) {
          other.args[0] = a.args[0];
          return other;
        }
        return std::nullopt;
      case Op::bit_not:
        if (a.op != Op::equal && a.op != Op::not_equal) return std::nullopt;
        other = a;
        other.op = a.op == Op::equal ? Op::not_equal : Op::equal;
        return other;
      case Op::where:
        if (a.op != Op::bit_not) return std::nullopt;
        other.args = {a.args[0], node.args[2], node.args[1]};
        return other;
      case Op::real:
        if (a.op != Op::conj) return std::nullopt;
        other.args[0] = a.args[0];
        return other;
      case Op::cast: return shorter_cast(node);
      case Op::divide: return as_product(node);
      default: return std::nullopt;
    }
  }

  /// A cast of a cast that loses nothing is one cast. (To an integer, floats saturate and integers
  /// wrap, so the way through a float counts.)
  [[nodiscard]] std::optional<Node> shorter_cast(const Node& node) const {
    const Node& middle = arg(node, 0);
    if (middle.op != Op::cast) return std::nullopt;
    const DType from = table_[middle.args[0]].dtype;
    if (!holds(from, middle.dtype)) return std::nullopt;
    if (is_integer(node.dtype) && is_integer(from) && !is_integer(middle.dtype)) {
      return std::nullopt;
    }
    Node other = node;
    other.args[0] = middle.args[0];
    return other;
  }

  /// x / 2ᵏ = x · 2⁻ᵏ, both rounded from the same number.
  [[nodiscard]] std::optional<Node> as_product(const Node& node) {
    const Node b = arg(node, 1);
    if (!is_constant(b) || is_complex(node.dtype) || !std::isnormal(b.real)) return std::nullopt;
    int exponent = 0;
    if (std::abs(std::frexp(b.real, &exponent)) != 0.5) return std::nullopt;
    const int limit = node.dtype == DType::float32 ? 126 : 1022;
    if (exponent - 1 > limit || exponent - 1 < -limit) return std::nullopt;
    Node other = node;
    other.op = Op::multiply;
    other.args[1] = constant(Number::of_real(1 / b.real, node.dtype));
    return other;
  }

  NodeTable table_;
};

std::vector<char> needed(const Function& function) {
  std::vector<char> result(function.nodes.size(), 0);
  for (const auto& output : function.outputs) result[static_cast<std::size_t>(output.node)] = 1;
  for (std::size_t id = function.nodes.size(); id-- > 0;) {
    if (result[id] == 0) continue;
    for (const NodeId arg : function.nodes[id].args) {
      if (arg != kNone) result[static_cast<std::size_t>(arg)] = 1;
    }
  }
  return result;
}

Function once(const Function& function) {
  const auto wanted = needed(function);
  Rewriter rewriter;
  std::vector<NodeId> places(function.nodes.size(), kNone);
  for (std::size_t id = 0; id < function.nodes.size(); ++id) {
    if (wanted[id] == 0) continue;
    Node node = function.nodes[id];
    for (auto& arg : node.args) {
      if (arg != kNone) arg = places[static_cast<std::size_t>(arg)];
    }
    places[id] = rewriter.add(node);
  }
  Function result = function;
  for (auto& output : result.outputs) output.node = places[static_cast<std::size_t>(output.node)];
  result.nodes = rewriter.take();
  return result;
}

}  // namespace

Function simplify(const Function& function) {
  // A rewritten node may leave others without a use; each round drops those of the last.
  Function result = once(function);
  for (std::size_t before = 0; before != result.nodes.size();) {
    before = result.nodes.size();
    result = once(result);
  }
  return result;
}

}  // namespace mw::expr
