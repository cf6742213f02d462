// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/evaluate.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

[[noreturn]] void unknown(Op op) {
  fail(ErrorKind::invalid_argument, "expression: '", name(op), "' has no value by itself");
}

template <class T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    case Op::greater_equal: return a >= b;
    default: unknown(op);
  }
}

// ---- integers
// ---------------------------------------------------------------------------------------

std::uint64_t integer_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

/// By magnitude: quotients and remainders that no machine traps on.
std::int64_t signed_division(Op op, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) {
    return op == Op::remainder ? 0 : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  }
  const bool adjust = a % b != 0 && (a % b < 0) != (b < 0);
  return op == Op::remainder ? a % b + (adjust ? b : 0) : a / b - (adjust ? 1 : 0);
}

std::int64_t signed_binary(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::floor_divide:
    case Op::remainder: return signed_division(op, a, b);
    case Op::minimum: return std::min(a, b);
    case Op::maximum: return std::max(a, b);
    case Op::power:
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
      return static_cast<std::int64_t>(
          integer_power(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    default: unknown(op);
  }
}

std::uint64_t natural_binary(Op op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case Op::floor_divide: return b == 0 ? 0 : a / b;
    case Op::remainder: return b == 0 ? 0 : a % b;
    case Op::minimum: return std::min(a, b);
    case Op::maximum: return std::max(a, b);
    case Op::power: return integer_power(a, b);
    default: unknown(op);
  }
}

std::int64_t shift(Op op, std::int64_t a, std::int64_t count, DType dtype) {
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  const bool beyond = count < 0 || count >= bits;
  const auto natural = static_cast<std::uint64_t>(a);
  if (op == Op::shift_left) return beyond ? 0 : static_cast<std::int64_t>(natural << count);
  if (dtype_class(dtype) == DTypeClass::natural) {
    return beyond ? 0 : static_cast<std::int64_t>(natural >> count);
  }
  return a >> (beyond ? 63 : count);
}

/// Modulo 2⁶⁴, where signed and unsigned are the same; of_integer wraps the result.
std::int64_t integer_value(Op op, DType dtype, std::span<const Number> in) {
  const std::int64_t a = in[0].integer;
  const std::int64_t b = in.size() > 1 ? in[1].integer : 0;
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool natural = dtype_class(dtype) == DTypeClass::natural;
  switch (op) {
    case Op::add: return static_cast<std::int64_t>(ua + ub);
    case Op::subtract: return static_cast<std::int64_t>(ua - ub);
    case Op::multiply: return static_cast<std::int64_t>(ua * ub);
    case Op::square: return static_cast<std::int64_t>(ua * ua);
    case Op::negate: return static_cast<std::int64_t>(0 - ua);
    case Op::absolute: return natural || a >= 0 ? a : static_cast<std::int64_t>(0 - ua);
    case Op::sign: return a == 0 ? 0 : natural || a > 0 ? 1 : -1;
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
    case Op::real:
    case Op::conj: return a;
    case Op::imag: return 0;
    case Op::relu: return natural || a > 0 ? a : 0;
    case Op::clamp: {
      const std::array raised = {Number::of_integer(integer_value(Op::maximum, dtype, in), dtype),
                                 in[2]};
      return integer_value(Op::minimum, dtype, raised);
    }
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    case Op::bit_not: return dtype == DType::bool_ ? (a == 0 ? 1 : 0) : ~a;
    case Op::shift_left:
    case Op::shift_right: return shift(op, a, natural && b < 0 ? 64 : b, dtype);
    default: break;
  }
  return natural ? static_cast<std::int64_t>(natural_binary(op, ua, ub)) : signed_binary(op, a, b);
}

// ---- floats
// -----------------------------------------------------------------------------------------

template <class T>
T float_remainder(T a, T b) {
  if (b == 0) return std::numeric_limits<T>::quiet_NaN();
  const T r = std::fmod(a, b);
  if (r == 0) return std::copysign(T{0}, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

template <class T>
T float_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(T{0}, a / b);
  const T down = std::floor(q);
  return q - down > T{0.5} ? down + 1 : down;
}

/// Operations whose every step is rounded to T, float or double.
template <class T>
T stepwise(Op op, T a, T b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::floor_divide: return float_floor_divide(a, b);
    case Op::remainder: return float_remainder(a, b);
    case Op::square: return a * a;
    case Op::minimum: return std::isnan(a) || a < b ? a : b;
    case Op::maximum: return std::isnan(a) || a > b ? a : b;
    case Op::relu: return std::isnan(a) || a > 0 ? a : 0;
    case Op::negate: return -a;
    case Op::absolute: return std::abs(a);
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::trunc: return std::trunc(a);
    case Op::round: return std::nearbyint(a);
    case Op::real:
    case Op::conj: return a;
    case Op::imag: return 0;
    default: unknown(op);
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// x/2·(1 + tanh u) = x / (1 + exp(-2u)), without the cancellation at negative x.
double gelu_tanh(double x) {
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

/// Functions computed in double and rounded once.
bool rounded_once(Op op, double a, double b, double& result) {
  switch (op) {
    case Op::power: result = std::pow(a, b); return true;
    case Op::sqrt: result = std::sqrt(a); return true;
    case Op::rsqrt: result = 1 / std::sqrt(a); return true;
    case Op::exp: result = std::exp(a); return true;
    case Op::expm1: result = std::expm1(a); return true;
    case Op::log: result = std::log(a); return true;
    case Op::log1p: result = std::log1p(a); return true;
    case Op::sin: result = std::sin(a); return true;
    case Op::cos: result = std::cos(a); return true;
    case Op::tanh: result = std::tanh(a); return true;
    case Op::erf: result = std::erf(a); return true;
    case Op::sigmoid: result = sigmoid(a); return true;
    case Op::silu: result = a * sigmoid(a); return true;
    case Op::gelu: result = 0.5 * a * std::erfc(-a / std::numbers::sqrt2); return true;
    case Op::gelu_tanh: result = gelu_tanh(a); return true;
    default: return false;
  }
}

double float_value(Op op, DType dtype, std::span<const Number> in) {
  const double a = in[0].real;
  const double b = in.size() > 1 ? in[1].real : 0;
  if (op == Op::clamp) {
    return stepwise(Op::minimum, stepwise(Op::maximum, a, b), in[2].real);
  }
  double result = 0;
  if (rounded_once(op, a, b, result)) return result;
  if (dtype == DType::float64) return stepwise(op, a, b);
  return stepwise(op, static_cast<float>(a), static_cast<float>(b));
}

// ---- complex numbers
// --------------------------------------------------------------------------------

using Complex = std::complex<double>;

Complex multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Smith's: scaled by the larger part of the divisor, so that its square cannot overflow.
Complex divide(Complex a, Complex b) {
  if (std::abs(b.real()) >= std::abs(b.imag())) {
    if (b.real() == 0 && b.imag() == 0) return {a.real() / b.real(), a.imag() / b.real()};
    const double ratio = b.imag() / b.real();
    const double scale = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / scale, (a.imag() - a.real() * ratio) / scale};
  }
  const double ratio = b.real() / b.imag();
  const double scale = b.real() * ratio + b.imag();
  return {(a.real() * ratio + a.imag()) / scale, (a.imag() * ratio - a.real()) / scale};
}

Complex complex_exp(Complex z) {
  const double size = std::exp(z.real());
  if (z.imag() == 0) return {size, z.imag()};
  return {size * std::cos(z.imag()), size * std::sin(z.imag())};
}

Complex complex_value(Op op, Complex a, Complex b) {
  switch (op) {
    case Op::add: return {a.real() + b.real(), a.imag() + b.imag()};
    case Op::subtract: return {a.real() - b.real(), a.imag() - b.imag()};
    case Op::multiply: return multiply(a, b);
    case Op::divide: return divide(a, b);
    case Op::square: return multiply(a, a);
    case Op::negate: return -a;
    case Op::conj: return std::conj(a);
    case Op::exp: return complex_exp(a);
    default: unknown(op);
  }
}

Number of_complex_operand(const Node& node, std::span<const Number> in) {
  const Complex a(in[0].real, in[0].imag);
  const Complex b = in.size() > 1 ? Complex(in[1].real, in[1].imag) : Complex();
  switch (node.op) {
    case Op::absolute: return Number::of_real(std::hypot(a.real(), a.imag()), node.dtype);
    case Op::real: return Number::of_real(a.real(), node.dtype);
    case Op::imag: return Number::of_real(a.imag(), node.dtype);
    case Op::equal: return Number::of_integer(a == b ? 1 : 0, DType::bool_);
    case Op::not_equal: return Number::of_integer(a == b ? 0 : 1, DType::bool_);
    default: return Number::of_complex(complex_value(node.op, a, b), node.dtype);
  }
}

Number compared(Op op, const Number& a, const Number& b) {
  bool result = false;
  switch (dtype_class(a.dtype)) {
    case DTypeClass::real: result = compare(op, a.real, b.real); break;
    case DTypeClass::natural:
      result =
          compare(op, static_cast<std::uint64_t>(a.integer), static_cast<std::uint64_t>(b.integer));
      break;
    default: result = compare(op, a.integer, b.integer); break;
  }
  return Number::of_integer(result ? 1 : 0, DType::bool_);
}

Number tested(Op op, const Number& a) {
  const bool nan = std::isnan(a.real) || std::isnan(a.imag);
  const bool infinite = std::isinf(a.real) || std::isinf(a.imag);
  const bool result = op == Op::isnan ? nan : op == Op::isinf ? infinite : !nan && !infinite;
  return Number::of_integer(result ? 1 : 0, DType::bool_);
}

Number leaf(const Node& node, const Point& point) {
  const auto which = static_cast<std::size_t>(node.integer);
  switch (node.op) {
    case Op::element: return convert(point.elements[which], node.dtype);
    case Op::tensor: return convert(point.tensors[which], node.dtype);
    case Op::scalar: return convert(point.scalars[which], node.dtype);
    case Op::index: {
      const auto axis = static_cast<std::int64_t>(point.index.size()) + node.integer;
      require(axis >= 0, ErrorKind::invalid_argument, "expression: index(", node.integer,
              ") in a space of ", point.index.size(), " axes; it has none of that number");
      return Number::of_integer(point.index[static_cast<std::size_t>(axis)], node.dtype);
    }
    default:
      return {.dtype = node.dtype, .integer = node.integer, .real = node.real, .imag = node.imag};
  }
}

}  // namespace

Number apply(const Node& node, std::span<const Number> operands) {
  if (node.op == Op::cast) return convert(operands[0], node.dtype);
  std::array<Number, 3> computed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    computed[i] = convert(operands[i], computing_dtype(operands[i].dtype));
  }
  const std::span<const Number> in(computed.data(), operands.size());
  if (is_reduction(node.op)) return in[0];
  if (node.op == Op::where) return in[0].integer != 0 ? in[1] : in[2];
  if (node.op == Op::complex) return Number::of_complex({in[0].real, in[1].real}, node.dtype);
  if (rule(node.op) == Rule::test) return tested(node.op, in[0]);
  const DType dtype = in[0].dtype;
  if (is_complex(dtype)) return of_complex_operand(node, in);
  if (rule(node.op) == Rule::compare) return compared(node.op, in[0], in[1]);
  if (dtype_class(dtype) == DTypeClass::real) {
    return Number::of_real(float_value(node.op, dtype, in), node.dtype);
  }
  return Number::of_integer(integer_value(node.op, dtype, in), node.dtype);
}

std::vector<Number> evaluate_nodes(const Function& function, const Point& point) {
  std::vector<Number> values;
  values.reserve(function.nodes.size());
  for (const auto& node : function.nodes) {
    std::array<Number, 3> operands;
    const auto count = static_cast<std::size_t>(arity(node.op));
    for (std::size_t i = 0; i < count; ++i) {
      operands[i] = values[static_cast<std::size_t>(node.args[i])];
    }
    values.push_back(rule(node.op) == Rule::leaf ? leaf(node, point)
                                                 : apply(node, {operands.data(), count}));
  }
  return values;
}

std::vector<Number> evaluate(const Function& function, const Point& point) {
  const auto values = evaluate_nodes(function, point);
  std::vector<Number> results;
  for (const auto& output : function.outputs) {
    const auto node = static_cast<std::size_t>(output.node);
    const Number& value = values[node];
    results.push_back(is_reduction(function.nodes[node].op) ? value : convert(value, output.dtype));
  }
  return results;
}

}  // namespace mw::expr
