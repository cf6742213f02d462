// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/print.hpp"

#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

/// A shared subexpression longer than this gets a line of its own.
constexpr std::size_t kShort = 12;

/// How tightly a text holds together, as in Python; an operand that binds less is put in brackets.
enum Binding : int {
  kComparison = 1,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPower,
  kAtom,
};

Binding binding(Op op) {
  switch (op) {
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return kComparison;
    case Op::bit_or: return kBitOr;
    case Op::bit_xor: return kBitXor;
    case Op::bit_and: return kBitAnd;
    case Op::shift_left:
    case Op::shift_right: return kShift;
    case Op::add:
    case Op::subtract: return kSum;
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::remainder: return kProduct;
    case Op::negate:
    case Op::bit_not: return kUnary;
    case Op::power:
    case Op::square: return kPower;
    default: return kAtom;
  }
}

struct Written {
  std::string words;
  Binding tight = kAtom;
};

std::string real_text(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end = dtype == DType::float32
                       ? std::to_chars(buffer, buffer + 32, static_cast<float>(value)).ptr
                       : std::to_chars(buffer, buffer + 32, value).ptr;
  return {buffer, end};
}

std::string axes_text(std::int64_t axes) {
  if (axes == kAllAxes) return "";
  std::string list;
  int count = 0;
  for (int bit = 62; bit >= 0; --bit) {
    if ((axes >> bit & 1) == 0) continue;
    list += text(count++ == 0 ? "" : ", ", -1 - bit);
  }
  return count == 1 ? ", axis=" + list : ", axis=(" + list + ")";
}

class Printer {
 public:
  explicit Printer(const Function& function)
      : function_(function), uses_(function.nodes.size(), 0), written_(function.nodes.size()) {}

  std::string run() {
    for (const auto& output : function_.outputs) ++uses_[static_cast<std::size_t>(output.node)];
    for (std::size_t id = function_.nodes.size(); id-- > 0;) {
      if (uses_[id] == 0) continue;
      for (const NodeId arg : shown_args(function_.nodes[id])) {
        if (arg != kNone) ++uses_[static_cast<std::size_t>(arg)];
      }
    }
    for (std::size_t id = 0; id < function_.nodes.size(); ++id) {
      if (uses_[id] > 0) write(id);
    }
    for (const auto& output : function_.outputs) {
      const std::string& words = written_[static_cast<std::size_t>(output.node)].words;
      const bool alone = function_.outputs.size() == 1 && output.name == "result";
      if (alone && lines_.empty()) return words;
      lines_ += text(output.name, " = ", words, "\n");
    }
    lines_.pop_back();
    return lines_;
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const {
    return function_.nodes[static_cast<std::size_t>(id)];
  }

  /// The operands without the conversions that the type rules would insert again.
  [[nodiscard]] std::array<NodeId, 3> shown_args(const Node& user) const {
    std::array<NodeId, 3> bare = user.args;
    const auto count = static_cast<std::size_t>(arity(user.op));
    if (user.op == Op::cast || count == 0) return bare;
    std::array<Operand, 3> seen;
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      const Node& arg = node(user.args[i]);
      const bool drop = arg.op == Op::cast && !is_narrow(arg.dtype);
      any |= drop;
      if (drop) bare[i] = arg.args[0];
      seen[i] = weak_operand(node(bare[i]));
    }
    return any && infers(user, {seen.data(), count}) ? bare : user.args;
  }

  /// A constant is printed without its dtype, so it is read again as a number that takes the
  /// dtype of what it meets; so does a run-time scalar.
  static Operand weak_operand(const Node& node) {
    if (node.op == Op::scalar) return {node.dtype, true};
    if (node.op != Op::constant) return {node.dtype};
    switch (dtype_class(node.dtype)) {
      case DTypeClass::boolean: return {DType::bool_, true};
      case DTypeClass::real: return {DType::float64, true};
      case DTypeClass::complex: return {DType::complex128, true};
      default: return {DType::int64, true};
    }
  }

  [[nodiscard]] bool infers(const Node& user, std::span<const Operand> seen) const {
    try {
      const Signature types = signature(user.op, seen);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (types.operands[i] != computing_dtype(node(user.args[i]).dtype)) return false;
      }
      return types.result == user.dtype;
    } catch (const Error&) {
      return false;
    }
  }

  void write(std::size_t id) {
    const Node& at = function_.nodes[id];
    Written written = expression(static_cast<NodeId>(id), at);
    if (rule(at.op) != Rule::leaf && uses_[id] > 1 && written.words.size() > kShort) {
      const std::string name = fresh_name();
      lines_ += text(name, " = ", written.words, "\n");
      written = {name, kAtom};
    }
    written_[id] = std::move(written);
  }

  std::string fresh_name() {
    for (;;) {
      std::string name = text("t", next_++);
      bool taken = false;
      for (const auto* list : {&function_.elements, &function_.tensors, &function_.scalars}) {
        for (const auto& parameter : *list) taken |= parameter.name == name;
      }
      for (const auto& output : function_.outputs) taken |= output.name == name;
      if (!taken) return name;
    }
  }

  [[nodiscard]] std::string operand(NodeId id, int least) const {
    const Written& written = written_[static_cast<std::size_t>(id)];
    return written.tight < least ? "(" + written.words + ")" : written.words;
  }

  [[nodiscard]] Written expression(NodeId id, const Node& at) const {
    const auto args = shown_args(at);
    const Binding tight = binding(at.op);
    switch (at.op) {
      case Op::constant: return constant(at);
      case Op::negate:
      case Op::bit_not: return {text(name(at.op), operand(args[0], kUnary)), kUnary};
      case Op::square: return {operand(args[0], kAtom) + "**2", kPower};
      case Op::power:
        return {text(operand(args[0], kAtom), "**", operand(args[1], kUnary)), kPower};
      case Op::cast: return {text(at.dtype, "(", operand(args[0], 0), ")")};
      default: break;
    }
    if (rule(at.op) == Rule::leaf) return {label(function_, id)};
    if (tight < kUnary) return infix(at.op, args, tight);
    std::string list;
    for (int i = 0; i < arity(at.op); ++i) {
      list += text(i == 0 ? "" : ", ", operand(args[static_cast<std::size_t>(i)], 0));
    }
    if (is_reduction(at.op)) list += axes_text(at.integer);
    return {text(name(at.op), "(", list, ")")};
  }

  [[nodiscard]] Written infix(Op op, const std::array<NodeId, 3>& args, Binding tight) const {
    const bool close = op == Op::multiply || op == Op::divide;
    // Python chains comparisons, so those in comparisons are bracketed on both sides.
    const int left = tight == kComparison ? tight + 1 : tight;
    return {text(operand(args[0], left), close ? "" : " ", name(op), close ? "" : " ",
                 operand(args[1], tight + 1)),
            tight};
  }

  static Written constant(const Node& at) {
    std::string words = constant_text(at);
    const bool negative = words.front() == '-';
    return {std::move(words), negative ? kUnary : kAtom};
  }

  const Function& function_;
  std::vector<int> uses_;
  std::vector<Written> written_;
  std::string lines_;
  int next_ = 0;
};

}  // namespace

std::string constant_text(const Node& node) {
  switch (dtype_class(node.dtype)) {
    case DTypeClass::boolean: return node.integer != 0 ? "True" : "False";
    case DTypeClass::integer: return text(node.integer);
    case DTypeClass::natural: return text(static_cast<std::uint64_t>(node.integer));
    case DTypeClass::real: return real_text(node.real, node.dtype);
    case DTypeClass::complex: break;
  }
  const DType part = real_dtype(node.dtype);
  const std::string imag = real_text(node.imag, part);
  return text("(", real_text(node.real, part), imag.front() == '-' ? "" : "+", imag, "j)");
}

std::string label(const Function& function, NodeId id) {
  const Node& node = function.nodes[static_cast<std::size_t>(id)];
  const auto which = static_cast<std::size_t>(node.integer);
  switch (node.op) {
    case Op::element: return function.elements[which].name;
    case Op::tensor: return function.tensors[which].name;
    case Op::scalar: return function.scalars[which].name;
    case Op::constant: return constant_text(node);
    case Op::index: return text("index(", node.integer, ")");
    case Op::square: return "square";
    case Op::cast: return std::string(name(node.dtype));
    default: break;
  }
  if (!is_reduction(node.op)) return std::string(name(node.op));
  const std::string axes = axes_text(node.integer);
  return text(name(node.op), axes.empty() ? " of all" : axes);
}

std::string to_text(const Function& function) { return Printer(function).run(); }

}  // namespace mw::expr
