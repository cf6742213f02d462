// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Transcendental functions as instructions. Each is within 2 ulp of the true value for every
// argument, denormal results and arguments, infinities and NaN included; the bounds beside the
// functions are what tests/unit/codegen_math_test.cpp allows. Polynomials: math_tables.hpp.
#include "codegen/math.hpp"

#include <limits>

#include "codegen/math_parts.hpp"
#include "codegen/math_tables.hpp"

namespace mw::codegen {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr Layout kLayouts[] = {
    {23, 127, 0x1.8p23, {-104.5, 89.0}, 0x1p-126},
    {52, 1023, 0x1.8p52, {-746.0, 710.0}, 0x1p-1022},
};

}  // namespace

const Layout& layout(const Formula& f) { return kLayouts[f.single() ? 0 : 1]; }

#define MW_TABLE(f, name, x) \
  ((f).single() ? (f).polynomial(x, tables::name##32) : (f).polynomial(x, tables::name##64))
#define MW_PART(f, name, i) (f).number((f).single() ? tables::name##32 [i] : tables::name##64 [i])

// ---- exp --------------------------------------------------------------------------------------

Reduced reduce(Formula& f, Value x) {
  const Value round = f.number(layout(f).round);
  const Value steps = f.fma(x, f.number(0x1.71547652b82fep0), round);  // x / ln 2
  const Value k = f.sub(steps, round);
  const Value r = f.fma(k, f.neg(MW_PART(f, kLn2_, 0)), x);
  const Value low = f.mul(k, f.neg(MW_PART(f, kLn2_, 1)));
  return {steps, f.add(r, low), f.sub(low, f.sub(f.add(r, low), r))};
}

namespace {

/// exp(r) − 1, `low` being what is missing from r.
Value exp_minus_one(Formula& f, const Reduced& x) {
  const Value tail = f.fma(f.mul(x.r, x.r), MW_TABLE(f, kExp, x.r), x.low);
  return f.add(x.r, tail);
}

}  // namespace

Value power_of_two(Formula& f, Value k) {
  const Layout& l = layout(f);
  return f.from_bits(f.b.op(Code::shl, f.add(k, f.whole(l.bias)), f.whole(l.mantissa)));
}

Value rounded_bits(Formula& f, Value steps) {
  return f.sub(f.bits(steps), f.bits(f.number(layout(f).round)));
}

namespace {

/// p·2^k in two steps: the first is exact, so that a denormal result is rounded once.
Value scale(Formula& f, Value p, Value k) {
  const Value half = f.b.op(Code::shr, k, f.whole(1));
  return f.mul(f.mul(p, power_of_two(f, half)), power_of_two(f, f.sub(k, half)));
}

Value clamped(Formula& f, Value x) {
  const auto& range = layout(f).log_range;
  return f.max(f.min(x, f.number(range[1])), f.number(range[0]));
}

}  // namespace

Value exp_of(Formula& f, Value x, Value low) {
  Reduced reduced = reduce(f, clamped(f, x));
  if (low) {  // into r: beside it, exp(low) would not be 1 + low to the last bit
    const Value r = f.add(reduced.r, low);
    reduced.low = f.add(reduced.low, f.sub(low, f.sub(r, reduced.r)));
    reduced.r = r;
  }
  const Value p = f.add(exp_minus_one(f, reduced), f.number(1));
  return scale(f, p, rounded_bits(f, reduced.steps));
}

namespace {

/// 2 ulp. 2^k·(exp(r) − 1) + (2^k − 1), computed at half its size so that 2^k does not overflow
/// before the result does. Tiny x is the result, −0 too.
Value expm1_of(Formula& f, Value x) {
  const auto& range = layout(f).log_range;
  // Below −40 the result is −1.
  const Value inside = f.max(f.min(x, f.number(range[1])), f.number(-40));
  const Reduced reduced = reduce(f, inside);
  const Value p = exp_minus_one(f, reduced);
  const Value k = rounded_bits(f, reduced.steps);
  const Value half = power_of_two(f, f.sub(k, f.whole(1)));
  const Value sum = f.fma(half, p, f.sub(half, f.number(0.5)));
  return f.select(f.less(f.abs(x), f.number(layout(f).smallest_normal * 4)), x, f.add(sum, sum));
}

// ---- log --------------------------------------------------------------------------------------

}  // namespace

Parts split(Formula& f, Value x) {
  const Layout& l = layout(f);
  const Value offset = f.bits(f.number(0x1.6a09e667f3bcdp-1));  // √½
  const Value k = f.b.op(Code::shr, f.sub(f.bits(x), offset), f.whole(l.mantissa));
  const Value m = f.from_bits(f.sub(f.bits(x), f.b.op(Code::shl, k, f.whole(l.mantissa))));
  return {f.b.convert(k, f.type()), m};
}

namespace {

/// log(1 + f) + k·ln 2 + low: with s = f/(2+f) and h = f²/2,
/// log(1 + f) = f − (h − s·(h + R)), R = s²·P(s²): f stands alone, so that its error does not grow.
Value log_sum(Formula& f, Value k, Value fraction, Value low) {
  const Value s = f.div(fraction, f.add(fraction, f.number(2)));
  const Value z = f.mul(s, s);
  const Value h = f.mul(f.mul(fraction, fraction), f.number(0.5));
  const Value r = f.mul(z, MW_TABLE(f, kLog, z));
  Value small = f.fma(k, MW_PART(f, kLn2_, 1), f.mul(s, f.add(h, r)));
  if (low) small = f.add(small, low);
  return f.fma(k, MW_PART(f, kLn2_, 0), f.sub(fraction, f.sub(h, small)));
}

/// The values that no polynomial gives: log of `x` is −∞ at 0, NaN below it, ∞ at ∞.
Value with_poles(Formula& f, Value result, Value x) {
  result = f.select(f.equal(x, f.number(kInfinity)), x, result);
  result = f.select(f.equal(x, f.number(0)), f.number(-kInfinity), result);
  return f.select(f.b.op(Code::le, f.number(0), x), result, f.number(kNan));
}

}  // namespace

Raised raise_denormal(Formula& f, Value x) {
  const Layout& l = layout(f);
  const double power = l.mantissa + 2;
  const Value denormal = f.less(x, f.number(l.smallest_normal));
  const Value raised = f.mul(x, f.number(f.single() ? 0x1p25 : 0x1p54));
  return {f.select(denormal, raised, x), f.select(denormal, f.number(-power), f.number(0))};
}

namespace {

/// 1 ulp.
Value log_of(Formula& f, Value x) {
  const Raised raised = raise_denormal(f, x);
  const Parts parts = split(f, raised.x);
  const Value result = log_sum(f, f.add(parts.k, raised.k), f.sub(parts.m, f.number(1)), {});
  return with_poles(f, result, x);
}

/// 2 ulp. log(u) + c/u with u = 1 + x rounded and c what was lost; without exponent, u − 1 is x.
Value log1p_of(Formula& f, Value x) {
  const Value one = f.number(1);
  const Value u = f.add(x, one);
  const Parts parts = split(f, u);
  const Value lost = f.select(f.less(x, one), f.sub(x, f.sub(u, one)), f.sub(one, f.sub(u, x)));
  const Value low = f.div(lost, u);
  const Value whole = f.equal(parts.k, f.number(0));
  const Value fraction = f.select(whole, x, f.sub(parts.m, one));
  const Value result = log_sum(f, parts.k, fraction, f.select(whole, f.number(0), low));
  const Value tiny = f.less(f.abs(x), f.number(layout(f).smallest_normal * 4));
  return f.select(tiny, x, with_poles(f, result, u));
}

// ---- sin, cos -----------------------------------------------------------------------------------

/// 2 ulp. x = k·π/2 + r with π/2 in three parts (Cody and Waite); each fma is exact or rounds
/// relative to what is left. Beyond `limit` the C library's function takes over, for all lanes.
Value sin_or_cos(Formula& f, Value x, MathCall which) {
  const double limit = f.single() ? 0x1p16 : 0x1p27;
  const Value round = f.number(layout(f).round);
  const Value steps = f.fma(x, f.number(0x1.45f306dc9c883p-1), round);  // 2/π
  const Value k = f.sub(steps, round);
  Value r = x;
  for (std::size_t i = 0; i < 3; ++i) r = f.fma(k, f.neg(MW_PART(f, kHalfPi, i)), r);
  const Value z = f.mul(r, r);
  const Value sine = f.fma(f.mul(z, r), MW_TABLE(f, kSin, z), r);
  const Value half = f.mul(z, f.number(0.5));
  const Value w = f.sub(f.number(1), half);
  // 1 − z/2 with what its rounding lost, (1 − w) − z/2.
  const Value lost = f.sub(f.sub(f.number(1), w), half);
  const Value cosine = f.add(w, f.fma(f.mul(z, z), MW_TABLE(f, kCos, z), lost));
  Value quadrant = f.bits(steps);
  if (which == MathCall::cos) quadrant = f.add(quadrant, f.whole(1));
  const auto bit = [&](std::int64_t i) {
    return f.b.op(Code::ne, f.b.op(Code::bit_and, quadrant, f.whole(i)), f.whole(0));
  };
  Value result = f.select(bit(1), cosine, sine);
  result = f.select(bit(2), f.neg(result), result);
  // sin(−0) is −0: the reduction made it +0.
  if (which == MathCall::sin) result = f.select(f.equal(x, f.number(0)), x, result);
  const Value far = f.not_(f.b.op(Code::le, f.abs(x), f.number(limit)));
  const Value chosen = f.b.variable(result, result.vector);
  f.b.begin_if(far.vector ? f.b.op(Code::any, far) : far);
  f.b.set(chosen, f.select(far, f.b.call(which, x), result));
  f.b.end_if();
  return f.b.get(chosen);
}

// ---- tanh, erf ----------------------------------------------------------------------------------

/// 2 ulp. Up to 0.5625 a polynomial, from there 1 − 2/(exp(2x) + 1).
Value tanh_of(Formula& f, Value x) {
  const Value a = f.abs(x);
  const Value z = f.mul(x, x);
  const Value near = f.fma(f.mul(z, a), MW_TABLE(f, kTanh, z), a);
  // Beyond 20 (10 for float32) the result is 1.
  const Value twice = f.mul(f.min(a, f.number(f.single() ? 10 : 20)), f.number(2));
  const Reduced reduced = reduce(f, twice);
  const Value power = power_of_two(f, rounded_bits(f, reduced.steps));
  const Value e = f.fma(exp_minus_one(f, reduced), power, power);
  const Value far = f.sub(f.number(1), f.div(f.number(2), f.add(e, f.number(1))));
  return f.with_sign(f.select(f.less(a, f.number(0.5625)), near, far), x);
}

/// erfc(t) for t ≥ 0.875, given t² = square + low: exp(−t²)·P(u)/(t + c), u = (t − c)/(t + c).
Value erfc_tail(Formula& f, Value t, Value square, Value low) {
  const double c = f.single() ? 3 : 2;
  const Value inverse = f.div(f.number(1), f.add(t, f.number(c)));
  const Value u = f.mul(f.sub(t, f.number(c)), inverse);
  const Value e = exp_of(f, f.neg(square), f.neg(low));
  return f.mul(e, f.mul(MW_TABLE(f, kErfTail, u), inverse));
}

/// 2 ulp.
Value erf_of(Formula& f, Value x) {
  const Value a = f.abs(x);
  const Value z = f.mul(x, x);
  const Value near = f.fma(x, MW_TABLE(f, kErf, z), x);
  // Beyond 6 (4 for float32) the result is 1.
  const Value t = f.min(a, f.number(f.single() ? 4 : 6));
  const Value square = f.mul(t, t);
  const Value low = f.fma(t, t, f.neg(square));
  const Value far = f.sub(f.number(1), erfc_tail(f, t, square, low));
  return f.select(f.less(a, f.number(0.875)), near, f.with_sign(far, x));
}

}  // namespace

Value Formula::with_sign(Value size, Value of) {
  const auto top =
      single() ? std::int64_t(-0x80000000LL) : std::numeric_limits<std::int64_t>::min();
  const Value sign = b.op(Code::bit_and, bits(of), whole(top));
  return from_bits(b.op(Code::bit_or, bits(size), sign));
}

// 1 + erf(v), v = x/√2: below 0 this is erfc(−v), which has to be accurate relative to itself down
// to the smallest number, so t² = x²/2 is carried in two parts and is not the square of a rounded
// x/√2. 4 ulp.
Value twice_normal_cdf(Builder& builder, Value x) {
  Formula f(builder, x.type);
  const Value one = f.number(1);
  const Value v = f.mul(x, f.number(0x1.6a09e667f3bcdp-1));
  const Value a = f.abs(v);
  const Value near = f.fma(v, MW_TABLE(f, kErf, f.mul(v, v)), v);
  // Beyond 15 (39) exp(−t²) is 0; the limit keeps x² finite.
  const Value size = f.min(f.abs(x), f.number(f.single() ? 15 : 39));
  const Value half = f.mul(size, f.number(0.5));
  const Value square = f.mul(size, half);
  const Value low = f.fma(size, half, f.neg(square));
  const Value t = f.min(a, f.number(f.single() ? 10.7 : 27.6));
  const Value tail = erfc_tail(f, t, square, low);
  const Value far = f.select(f.less(x, f.number(0)), tail, f.sub(f.number(2), tail));
  return f.select(f.less(a, f.number(0.875)), f.add(near, one), far);
}

Value math(Builder& builder, MathCall function, Value a, Value b) {
  if (builder.target().device) return builder.call(function, a, b);
  Formula f(builder, a.type);
  switch (function) {
    case MathCall::exp: return exp_of(f, a);
    case MathCall::expm1: return expm1_of(f, a);
    case MathCall::log: return log_of(f, a);
    case MathCall::log1p: return log1p_of(f, a);
    case MathCall::sin:
    case MathCall::cos: return sin_or_cos(f, a, function);
    case MathCall::tanh: return tanh_of(f, a);
    case MathCall::erf: return erf_of(f, a);
    case MathCall::pow: return pow_of(f, a, b);
    case MathCall::rsqrt:  // 1.5 ulp
      return f.div(f.number(1), builder.op(Code::sqrt, a));
  }
  return builder.call(function, a, b);
}

}  // namespace mw::codegen
