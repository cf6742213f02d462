// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// pow: |x|^y = exp(y·log|x|), with the logarithm in so many more bits as the product needs: float32
// in float64, float64 as a sum of two numbers; then the cases of the standard (C99 F.9.4.4).
#include <limits>

#include "codegen/math_parts.hpp"
#include "codegen/math_tables.hpp"

namespace mw::codegen {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number as high + low, |low| ≤ ulp(high)/2.
struct Two {
  Value high, low;
};

/// a + b exactly, if |a| ≥ |b|.
Two fast_sum(Formula& f, Value a, Value b) {
  const Value sum = f.add(a, b);
  return {sum, f.sub(b, f.sub(sum, a))};
}
Two sum(Formula& f, Value a, Value b) {
  const Value high = f.add(a, b);
  const Value part = f.sub(high, a);
  return {high, f.add(f.sub(a, f.sub(high, part)), f.sub(b, part))};
}
Two product(Formula& f, Value a, Value b) {
  const Value high = f.mul(a, b);
  return {high, f.fma(a, b, f.neg(high))};
}
Two times(Formula& f, Two a, Two b) {
  const Two main = product(f, a.high, b.high);
  const Value cross = f.fma(a.high, b.low, f.mul(a.low, b.high));
  return fast_sum(f, main.high, f.add(main.low, cross));
}

/// log of x = 2^k·m to about 2^-66 of itself. With s = (m − 1)/(m + 1) as two numbers and z = s²:
/// log m = 2s·(1 + z/3 + z²/2·P(z)); the series' first term is two numbers too, the rest is small.
Two log_two(Formula& f, const Parts& parts, Value extra_k) {
  const Value one = f.number(1);
  const Value top = f.sub(parts.m, one);  // exact
  const Two bottom = fast_sum(f, f.select(f.less(parts.m, one), one, parts.m),
                              f.select(f.less(parts.m, one), parts.m, one));
  Two s;
  s.high = f.div(top, bottom.high);
  const Value left = f.fma(f.neg(s.high), bottom.high, top);
  s.low = f.div(f.fma(f.neg(s.high), bottom.low, left), bottom.high);
  const Two z = times(f, s, s);
  // c = 2/3 + z·P(z), and log m = 2s + s·z·c.
  const Value rest = f.mul(z.high, f.polynomial(z.high, tables::kLogPow64));
  Two c = fast_sum(f, f.number(tables::kTwoThirds64[0]), rest);
  c.low = f.add(c.low, f.number(tables::kTwoThirds64[1]));
  const Two cubic = times(f, times(f, s, z), c);
  const Value two = f.number(2);
  Two log = fast_sum(f, f.mul(s.high, two), cubic.high);
  log.low = f.add(log.low, f.fma(s.low, two, cubic.low));
  const Value k = f.add(parts.k, extra_k);
  // k·ln 2: the first part times k is exact.
  Two whole = sum(f, f.mul(k, f.number(tables::kLn2_64[0])), log.high);
  whole.low = f.add(whole.low, f.fma(k, f.number(tables::kLn2_64[1]), log.low));
  return fast_sum(f, whole.high, whole.low);
}

/// |x|^y for finite x > 0.
Value positive_power(Formula& f, Value x, Value y) {
  const Raised raised = raise_denormal(f, x);
  const Two log = log_two(f, split(f, raised.x), raised.k);
  // Beyond this y the result is 0, 1 or ∞ whatever x is; the limit keeps the product finite.
  const Value limit = f.number(0x1p66);
  const Value bounded = f.max(f.min(y, limit), f.neg(limit));
  const Value high = f.mul(bounded, log.high);
  const Value low = f.fma(bounded, log.low, f.fma(bounded, log.high, f.neg(high)));
  return exp_of(f, high, f.select(f.less(f.abs(high), f.number(1000)), low, f.number(0)));
}

/// float32: everything in float64, to 2^-36 of the logarithm.
Value positive_power_single(Formula& single, Value x, Value y) {
  Formula f(single.b, DType::float64);
  const Parts parts = split(f, f.b.convert(x, f.type()));
  const Value fraction = f.sub(parts.m, f.number(1));
  const Value s = f.div(fraction, f.add(fraction, f.number(2)));
  const Value z = f.mul(s, s);
  const Value series = f.fma(f.polynomial(z, tables::kLogPow32), z, f.number(2));
  const Value log = f.fma(parts.k, f.number(0x1.62e42fefa39efp-1), f.mul(s, series));
  const Value exponent = f.mul(f.b.convert(y, f.type()), log);
  // float32 overflows and vanishes well within ±200.
  const Value inside = f.max(f.min(exponent, f.number(200)), f.number(-200));
  const Reduced reduced = reduce(f, inside);
  const Value p =
      f.fma(f.mul(reduced.r, reduced.r), f.polynomial(reduced.r, tables::kExpPow32), reduced.r);
  const Value power = power_of_two(f, rounded_bits(f, reduced.steps));
  return f.b.convert(f.fma(p, power, power), DType::float32);
}

/// Whether y is an odd integer, and whether it is an integer at all.
struct Parity {
  Value odd, integer;
};
Parity parity(Formula& f, Value y) {
  const Value half = f.mul(y, f.number(0.5));
  const Value integer = f.equal(f.b.op(Code::floor, y), y);
  const Value even = f.equal(f.b.op(Code::floor, half), half);
  return {f.both(integer, f.not_(even)), integer};
}

}  // namespace

Value pow_of(Formula& f, Value x, Value y) {
  const Value zero = f.number(0);
  const Value one = f.number(1);
  const Value infinity = f.number(kInfinity);
  const Value a = f.abs(x);
  const Parity whole = parity(f, y);
  const Value falls = f.less(y, zero);
  Value size = f.single() ? positive_power_single(f, a, y) : positive_power(f, a, y);
  size = f.select(f.equal(a, zero), f.select(falls, infinity, zero), size);
  size = f.select(f.equal(a, infinity), f.select(falls, zero, infinity), size);
  // y = ±∞ grows or vanishes by the side of 1 on which |x| is.
  const Value endless = f.equal(f.abs(y), infinity);
  const Value grows = f.b.op(Code::ne, f.less(a, one), falls);  // exactly one of them
  const Value limit = f.select(f.equal(a, one), one, f.select(grows, zero, infinity));
  size = f.select(endless, f.select(f.equal(a, one), one, limit), size);
  const Value negative = f.less(f.bits(x), f.whole(0));
  Value result = f.select(f.both(negative, whole.odd), f.neg(size), size);
  const Value undefined =
      f.both(f.both(f.less(x, zero), f.not_(whole.integer)), f.less(a, infinity));
  result = f.select(undefined, f.number(kNan), result);
  result = f.select(f.either(f.is_nan(x), f.is_nan(y)), f.number(kNan), result);
  return f.select(f.either(f.equal(x, one), f.equal(y, zero)), one, result);
}

}  // namespace mw::codegen
