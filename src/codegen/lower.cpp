// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Each operation of op.def as instructions. What the results are is said by expr/evaluate.hpp; here
// is how they are reached without branches.
#include "codegen/lower.hpp"

#include <limits>

#include "base/text.hpp"
#include "codegen/lower_complex.hpp"
#include "codegen/math.hpp"
#include "expr/types.hpp"

namespace mw::codegen {

namespace {

using expr::Node;
using expr::Op;

bool is_float(DType type) { return type == DType::float32 || type == DType::float64; }
bool is_signed_integer(DType type) { return dtype_class(type) == DTypeClass::integer; }

class Lowering {
 public:
  Lowering(Builder& builder, const expr::Function& function, const Leaves& leaves)
      : b(builder), function_(function), leaves_(leaves) {}

  std::vector<Pair> run() {
    for (const Node& node : function_.nodes) values_.push_back(lowered(node));
    std::vector<Pair> outputs;
    for (const auto& output : function_.outputs) {
      const Node& node = function_.nodes[std::size_t(output.node)];
      const Pair value = values_[std::size_t(output.node)];
      outputs.push_back(
          expr::is_reduction(node.op) ? value : cast(value, expr::computing_dtype(output.dtype)));
    }
    return outputs;
  }

 private:
  const Pair& operand(const Node& node, std::size_t i) const {
    return values_[std::size_t(node.args[i])];
  }

  Pair lowered(const Node& node) {
    const DType type = expr::computing_dtype(node.dtype);
    switch (node.op) {
      case Op::element: return cast(leaves_.element(node.integer), type);
      case Op::tensor: return cast(leaves_.tensor(node.integer), type);
      case Op::scalar: return cast(leaves_.scalar(node.integer), type);
      case Op::index: return {leaves_.index(node.integer), {}};
      case Op::constant: return constant(node, type);
      case Op::cast: return narrowed(cast(operand(node, 0), type), node.dtype);
      case Op::complex: return {operand(node, 0).re, operand(node, 1).re};
      case Op::where: {
        const Value condition = operand(node, 0).re;
        const Pair &x = operand(node, 1), &y = operand(node, 2);
        return {b.select(condition, x.re, y.re), x.im ? b.select(condition, x.im, y.im) : Value()};
      }
      default: break;
    }
    if (expr::is_reduction(node.op)) return operand(node, 0);
    const Pair& x = operand(node, 0);
    const Pair y = expr::arity(node.op) > 1 ? operand(node, 1) : Pair();
    if (x.im) return lower_complex(b, node.op, x, y);
    const Value z = expr::arity(node.op) > 2 ? operand(node, 2).re : Value();
    return {real(node.op, x.re, y.re, z), {}};
  }

  Pair constant(const Node& node, DType type) {
    if (!is_complex(type) && !is_float(type)) return {b.constant_integer(node.integer, type), {}};
    const DType part = real_dtype(type);
    return {b.constant(part, node.real), is_complex(type) ? b.constant(part, node.imag) : Value()};
  }

  Pair cast(const Pair& value, DType type) {
    if (is_complex(type)) {
      const DType part = real_dtype(type);
      return {b.convert(value.re, part),
              value.im ? b.convert(value.im, part) : b.constant(part, 0)};
    }
    if (value.im && type == DType::bool_) {
      return {b.op(Code::bit_or, b.convert(value.re, type), b.convert(value.im, type)), {}};
    }
    return {b.convert(value.re, type), {}};
  }

  /// A cast to a narrow type is the operand rounded to it, still of its arithmetic type.
  Pair narrowed(const Pair& value, DType to) {
    if (expr::computing_dtype(to) == to) return value;
    const DType part = real_dtype(to);
    return {b.narrow(value.re, part), value.im ? b.narrow(value.im, part) : Value()};
  }

  // ---- real numbers: floats, integers, bool ---------------------------------------------------

  Value number(DType type, double x) { return b.constant(type, x); }
  Value copy_sign(Value size, Value of) {
    const DType bits = size.type == DType::float32 ? DType::int32 : DType::int64;
    const auto top = size.type == DType::float32 ? std::int64_t(std::numeric_limits<int>::min())
                                                 : std::numeric_limits<std::int64_t>::min();
    const Value mask = b.constant_integer(top, bits);
    const Value sign = b.op(Code::bit_and, b.bitcast(of, bits), mask);
    const Value rest = b.op(Code::bit_and, b.bitcast(size, bits), b.op(Code::bit_not, mask));
    return b.bitcast(b.op(Code::bit_or, rest, sign), size.type);
  }

  Value real(Op op, Value x, Value y, Value z) {
    if (const auto direct = direct_code(op, x.type)) return b.op(*direct, x, y);
    switch (op) {
      case Op::greater: return b.op(Code::lt, y, x);
      case Op::greater_equal: return b.op(Code::le, y, x);
      case Op::square: return b.mul(x, x);
      case Op::clamp: return b.op(Code::min, b.op(Code::max, x, y), z);
      case Op::relu: return b.op(Code::max, x, number(x.type, 0));
      case Op::sign: return sign(x);
      case Op::floor_divide: return floor_divide(x, y);
      case Op::remainder: return remainder(x, y);
      case Op::power: return is_float(x.type) ? math(b, MathCall::pow, x, y) : power(x, y);
      case Op::isnan: return is_float(x.type) ? b.op(Code::ne, x, x) : never(x);
      case Op::isinf: return is_float(x.type) ? b.op(Code::eq, size(x), infinity(x)) : never(x);
      case Op::isfinite:
        return is_float(x.type) ? b.op(Code::lt, size(x), infinity(x))
                                : b.op(Code::bit_not, never(x));
      // Whole numbers, and reals as complex ones, are their own.
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round:
      case Op::real:
      case Op::conj: return x;
      case Op::imag: return number(x.type, 0);
      default: return function(op, x);
    }
  }

  static std::optional<Code> direct_code(Op op, DType type) {
    const bool floating = is_float(type);
    switch (op) {
      case Op::add: return Code::add;
      case Op::subtract: return Code::sub;
      case Op::multiply: return Code::mul;
      case Op::divide: return Code::div;
      case Op::negate: return Code::neg;
      case Op::minimum: return Code::min;
      case Op::maximum: return Code::max;
      case Op::absolute: return Code::abs;
      case Op::sqrt: return Code::sqrt;
      case Op::equal: return Code::eq;
      case Op::not_equal: return Code::ne;
      case Op::less: return Code::lt;
      case Op::less_equal: return Code::le;
      case Op::bit_and: return Code::bit_and;
      case Op::bit_or: return Code::bit_or;
      case Op::bit_xor: return Code::bit_xor;
      case Op::bit_not: return Code::bit_not;
      case Op::shift_left: return Code::shl;
      case Op::shift_right: return Code::shr;
      case Op::floor: return floating ? std::optional(Code::floor) : std::nullopt;
      case Op::ceil: return floating ? std::optional(Code::ceil) : std::nullopt;
      case Op::trunc: return floating ? std::optional(Code::trunc) : std::nullopt;
      case Op::round: return floating ? std::optional(Code::rint) : std::nullopt;
      default: return std::nullopt;
    }
  }

  Value size(Value x) { return b.op(Code::abs, x); }
  Value infinity(Value x) { return number(x.type, std::numeric_limits<double>::infinity()); }
  Value never(Value x) { return b.op(Code::ne, x, x); }
  Value less(Value x, Value y) { return b.op(Code::lt, x, y); }

  /// The operand itself where it is neither above nor below 0: 0, NaN.
  Value sign(Value x) {
    const Value zero = number(x.type, 0);
    const Value rest = is_float(x.type) ? b.select(b.op(Code::eq, x, zero), zero, x) : zero;
    const Value below = is_float(x.type) || is_signed_integer(x.type)
                            ? b.select(less(x, zero), number(x.type, -1), rest)
                            : rest;
    return b.select(less(zero, x), number(x.type, 1), below);
  }

  /// Whether a remainder of truncating division has the wrong sign.
  Value off_by_one(Value r, Value divisor) {
    const Value zero = number(r.type, 0);
    return b.op(Code::bit_and, b.op(Code::ne, r, zero),
                b.op(Code::ne, less(r, zero), less(divisor, zero)));
  }

  Value floor_divide(Value x, Value y) {
    const Value one = number(x.type, 1);
    const Value quotient = b.op(Code::div, x, y);
    if (!is_float(x.type)) {
      if (!is_signed_integer(x.type)) return quotient;
      const Value r = b.op(Code::rem, x, y);
      return b.select(off_by_one(r, y), b.sub(quotient, one), quotient);
    }
    const Value zero = number(x.type, 0);
    const Value r = b.op(Code::rem, x, y);
    Value q = b.op(Code::div, b.sub(x, r), y);
    q = b.select(off_by_one(r, y), b.sub(q, one), q);
    // To the nearest whole number, down at a tie.
    const Value down = b.op(Code::floor, q);
    const Value up = less(number(x.type, 0.5), b.sub(q, down));
    const Value nearest = b.select(up, b.add(down, one), down);
    const Value whole = b.select(b.op(Code::eq, q, zero), copy_sign(zero, quotient), nearest);
    return b.select(b.op(Code::eq, y, zero), quotient, whole);
  }

  Value remainder(Value x, Value y) {
    const Value r = b.op(Code::rem, x, y);
    if (!is_float(x.type) && !is_signed_integer(x.type)) return r;
    const Value moved = b.select(off_by_one(r, y), b.add(r, y), r);
    if (!is_float(x.type)) return moved;
    const Value zero = number(x.type, 0);
    const Value signed_zero = b.select(b.op(Code::eq, r, zero), copy_sign(zero, y), moved);
    return b.select(b.op(Code::eq, y, zero),
                    number(x.type, std::numeric_limits<double>::quiet_NaN()), signed_zero);
  }

  /// Integer power by squaring, one round per bit of the exponent.
  Value power(Value x, Value y) {
    const DType type = x.type;
    const Value zero = number(type, 0);
    const Value one = number(type, 1);
    Value result = one;
    Value base = x;
    const int bits = static_cast<int>(itemsize(type)) * 8 - (is_signed_integer(type) ? 1 : 0);
    for (int i = 0; i < bits; ++i) {
      const Value bit = b.op(Code::bit_and, b.op(Code::shr, y, number(type, i)), one);
      result = b.select(b.op(Code::ne, bit, zero), b.mul(result, base), result);
      if (i + 1 < bits) base = b.mul(base, base);
    }
    if (!is_signed_integer(type)) return result;
    // 1 and −1 have inverses; of other whole numbers they round to 0.
    const Value odd = b.op(Code::ne, b.op(Code::bit_and, y, one), zero);
    const Value minus = number(type, -1);
    const Value inverse =
        b.select(b.op(Code::eq, x, one), one,
                 b.select(b.op(Code::eq, x, minus), b.select(odd, minus, one), zero));
    return b.select(less(y, zero), inverse, result);
  }

  // ---- functions of floats --------------------------------------------------------------------

  /// 1/(1 + exp(−x)), below 0 as exp(x)/(1 + exp(x)): nothing overflows, and the smallest results
  /// are reached.
  Value sigmoid(Value x) {
    const Value one = number(x.type, 1);
    const Value e = math(b, MathCall::exp, b.op(Code::neg, size(x)));
    const Value above = b.select(less(x, number(x.type, 0)), e, one);
    return b.op(Code::div, above, b.add(one, e));
  }

  Value function(Op op, Value x) {
    switch (op) {
      case Op::exp: return math(b, MathCall::exp, x);
      case Op::expm1: return math(b, MathCall::expm1, x);
      case Op::log: return math(b, MathCall::log, x);
      case Op::log1p: return math(b, MathCall::log1p, x);
      case Op::sin: return math(b, MathCall::sin, x);
      case Op::cos: return math(b, MathCall::cos, x);
      case Op::tanh: return math(b, MathCall::tanh, x);
      case Op::erf: return math(b, MathCall::erf, x);
      case Op::rsqrt: return math(b, MathCall::rsqrt, x);
      case Op::sigmoid: return sigmoid(x);
      case Op::silu: return b.mul(x, sigmoid(x));
      case Op::gelu: return b.mul(b.mul(x, number(x.type, 0.5)), twice_normal_cdf(b, x));
      case Op::gelu_tanh: return gelu_tanh(x);
      default: break;
    }
    fail(ErrorKind::invalid_argument, "codegen: '", expr::name(op), "' of ", name(x.type),
         " has no instructions");
  }

  /// x/2·(1 + tanh u) = x·sigmoid(2u), u = √(2/π)·(x + 0.044715·x³): no cancellation below 0.
  Value gelu_tanh(Value x) {
    constexpr double kScale = 1.5957691216057307;  // 2·√(2/π)
    const Value inner =
        b.fma(b.mul(x, x), number(x.type, 0.044715 * kScale), number(x.type, kScale));
    return b.mul(x, sigmoid(b.mul(x, inner)));
  }

  Builder& b;
  const expr::Function& function_;
  const Leaves& leaves_;
  std::vector<Pair> values_;
};

}  // namespace

std::vector<Pair> lower(Builder& builder, const expr::Function& function, const Leaves& leaves) {
  return Lowering(builder, function, leaves).run();
}

}  // namespace mw::codegen
