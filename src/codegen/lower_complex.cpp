// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower_complex.hpp"

#include <limits>

#include "base/text.hpp"
#include "codegen/math.hpp"

namespace mw::codegen {

namespace {

/// The textbook product, no recovery of infinities. complex64 products of parts are exact in
/// float64, but three times the cost: float32, each part rounded twice.
Pair multiply(Builder& b, const Pair& x, const Pair& y) {
  return {b.sub(b.mul(x.re, y.re), b.mul(x.im, y.im)), b.add(b.mul(x.re, y.im), b.mul(x.im, y.re))};
}

/// Smith's: scaled by the larger part of the divisor, so that its square cannot overflow. With
/// (p, q) = (c, d), or (d, c) where |d| is larger, r = q/p and s = p + q·r, x / (c + di) is
/// (a + b·r, b − a·r)/s, or (a·r + b, b·r − a)/s. Divisor 0: a/0, b/0.
Pair divide(Builder& b, const Pair& x, const Pair& y) {
  const auto div = [&](Value p, Value q) { return b.op(Code::div, p, q); };
  const Value straight = b.op(Code::le, b.op(Code::abs, y.im), b.op(Code::abs, y.re));
  const Value large = b.select(straight, y.re, y.im);
  const Value small = b.select(straight, y.im, y.re);
  const Value ratio = div(small, large);
  const Value scale = b.add(large, b.mul(small, ratio));
  const Value first = b.select(straight, x.re, x.im);
  const Value second = b.select(straight, x.im, x.re);
  const Value re = div(b.add(first, b.mul(second, ratio)), scale);
  const Value turned = b.mul(first, ratio);
  const Value im = div(b.select(straight, b.sub(second, turned), b.sub(turned, second)), scale);
  const Value zero = b.op(Code::eq, large, b.constant(large.type, 0));
  return {b.select(zero, div(x.re, y.re), re), b.select(zero, div(x.im, y.re), im)};
}

/// hypot: m·√(1 + (n/m)²) for m ≥ n would round four times; scaling both by a power of two that
/// brings m near 1 rounds three times. float32 has room in float64.
Value absolute(Builder& b, const Pair& x) {
  const DType type = x.re.type;
  const Value infinity = b.constant(type, std::numeric_limits<double>::infinity());
  const Value p = b.op(Code::abs, x.re);
  const Value q = b.op(Code::abs, x.im);
  Value result;
  if (type == DType::float32) {
    const Value wide_p = b.convert(p, DType::float64);
    const Value wide_q = b.convert(q, DType::float64);
    const Value sum = b.fma(wide_p, wide_p, b.mul(wide_q, wide_q));
    result = b.convert(b.op(Code::sqrt, sum), type);
  } else {
    // Large numbers are brought down, small ones up, by 2^600; in between squares neither overflow
    // nor vanish.
    const Value large = b.op(Code::max, p, q);
    const Value one = b.constant(type, 1);
    const auto pick = [&](double down, double up) {
      return b.select(
          b.op(Code::lt, b.constant(type, 0x1p500), large), b.constant(type, down),
          b.select(b.op(Code::lt, large, b.constant(type, 0x1p-500)), b.constant(type, up), one));
    };
    const Value scale = pick(0x1p-600, 0x1p600);
    const Value back = pick(0x1p600, 0x1p-600);
    const Value u = b.mul(p, scale);
    const Value v = b.mul(q, scale);
    result = b.mul(b.op(Code::sqrt, b.fma(u, u, b.mul(v, v))), back);
  }
  // One infinite part makes an infinite size, whatever the other is.
  const Value endless =
      b.op(Code::bit_or, b.op(Code::eq, p, infinity), b.op(Code::eq, q, infinity));
  return b.select(endless, infinity, result);
}

/// exp(x)·(cos y + i·sin y); a zero imaginary part stays one.
Pair exponential(Builder& b, const Pair& x) {
  const Value size = math(b, MathCall::exp, x.re);
  const Value real = b.op(Code::eq, x.im, b.constant(x.im.type, 0));
  const Value re = b.mul(size, math(b, MathCall::cos, x.im));
  const Value im = b.mul(size, math(b, MathCall::sin, x.im));
  return {b.select(real, size, re), b.select(real, x.im, im)};
}

Value either(Builder& b, Value x, Value y) { return b.op(Code::bit_or, x, y); }

}  // namespace

Pair lower_complex(Builder& b, expr::Op op, const Pair& x, const Pair& y) {
  using expr::Op;
  const auto abs = [&](Value v) { return b.op(Code::abs, v); };
  const auto infinity = [&] {
    return b.constant(x.re.type, std::numeric_limits<double>::infinity());
  };
  switch (op) {
    case Op::add: return {b.add(x.re, y.re), b.add(x.im, y.im)};
    case Op::subtract: return {b.sub(x.re, y.re), b.sub(x.im, y.im)};
    case Op::multiply: return multiply(b, x, y);
    case Op::square: return multiply(b, x, x);
    case Op::divide: return divide(b, x, y);
    case Op::negate: return {b.op(Code::neg, x.re), b.op(Code::neg, x.im)};
    case Op::conj: return {x.re, b.op(Code::neg, x.im)};
    case Op::absolute: return {absolute(b, x), {}};
    case Op::real: return {x.re, {}};
    case Op::imag: return {x.im, {}};
    case Op::exp: return exponential(b, x);
    case Op::equal:
      return {b.op(Code::bit_and, b.op(Code::eq, x.re, y.re), b.op(Code::eq, x.im, y.im)), {}};
    case Op::not_equal:
      return {either(b, b.op(Code::ne, x.re, y.re), b.op(Code::ne, x.im, y.im)), {}};
    case Op::isnan: return {either(b, b.op(Code::ne, x.re, x.re), b.op(Code::ne, x.im, x.im)), {}};
    case Op::isinf:
      return {
          either(b, b.op(Code::eq, abs(x.re), infinity()), b.op(Code::eq, abs(x.im), infinity())),
          {}};
    case Op::isfinite:
      return {b.op(Code::bit_and, b.op(Code::lt, abs(x.re), infinity()),
                   b.op(Code::lt, abs(x.im), infinity())),
              {}};
    default: break;
  }
  fail(ErrorKind::invalid_argument, "codegen: '", expr::name(op),
       "' of complex numbers has no meaning");
}

}  // namespace mw::codegen
