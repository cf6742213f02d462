// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the files of the transcendental functions share: a shorthand for formulas, and the two
// halves of exp and log.
#pragma once

#include "codegen/builder.hpp"

namespace mw::codegen {

/// Shorthand for formulas in one float type: constants are made as they are written.
class Formula {
 public:
  Formula(Builder& builder, DType type) : b(builder), type_(type) {}

  [[nodiscard]] bool single() const { return type_ == DType::float32; }
  [[nodiscard]] DType type() const { return type_; }
  /// The integer type of the same size.
  [[nodiscard]] DType bits_type() const { return single() ? DType::int32 : DType::int64; }

  Value number(double x) { return b.constant(type_, x); }
  Value whole(std::int64_t x) { return b.constant_integer(x, bits_type()); }
  Value bits(Value x) { return b.bitcast(x, bits_type()); }
  Value from_bits(Value x) { return b.bitcast(x, type_); }

  Value add(Value x, Value y) { return b.add(x, y); }
  Value sub(Value x, Value y) { return b.sub(x, y); }
  Value mul(Value x, Value y) { return b.mul(x, y); }
  Value div(Value x, Value y) { return b.op(Code::div, x, y); }
  Value fma(Value x, Value y, Value z) { return b.fma(x, y, z); }
  Value neg(Value x) { return b.op(Code::neg, x); }
  Value abs(Value x) { return b.op(Code::abs, x); }
  Value min(Value x, Value y) { return b.op(Code::min, x, y); }
  Value max(Value x, Value y) { return b.op(Code::max, x, y); }
  Value less(Value x, Value y) { return b.op(Code::lt, x, y); }
  Value equal(Value x, Value y) { return b.op(Code::eq, x, y); }
  Value both(Value x, Value y) { return b.op(Code::bit_and, x, y); }
  Value either(Value x, Value y) { return b.op(Code::bit_or, x, y); }
  Value not_(Value x) { return b.op(Code::bit_not, x); }
  Value select(Value c, Value x, Value y) { return b.select(c, x, y); }
  Value is_nan(Value x) { return b.op(Code::ne, x, x); }

  /// |size| with the sign of `of`.
  Value with_sign(Value size, Value of);
  /// c₀ + x·(c₁ + x·(c₂ + …)).
  template <class T, std::size_t n>
  Value polynomial(Value x, const T (&coefficients)[n]) {
    Value sum = number(coefficients[n - 1]);
    for (std::size_t i = n - 1; i-- > 0;) sum = fma(sum, x, number(coefficients[i]));
    return sum;
  }

  Builder& b;

 private:
  DType type_;
};

/// What differs between the two float types.
struct Layout {
  int mantissa;         ///< bits after the leading one
  int bias;             ///< of the exponent
  double round;         ///< 1.5·2^mantissa: adding it rounds to an integer, in the low bits
  double log_range[2];  ///< where exp is neither 0 nor infinite, somewhat widened
  double smallest_normal;
};
[[nodiscard]] const Layout& layout(const Formula& f);

/// x as k·ln 2 + r + low, |r| ≤ ln2/2: exp(x) = 2^k·exp(r + low). k in the low bits of `steps`.
struct Reduced {
  Value steps, r, low;
};
[[nodiscard]] Reduced reduce(Formula& f, Value x);
/// The integer in the low bits of a number that `round` was added to.
[[nodiscard]] Value rounded_bits(Formula& f, Value steps);
/// 2^k for k in the normal range.
[[nodiscard]] Value power_of_two(Formula& f, Value k);
/// exp(x + low), `low` far below x. 1 ulp.
[[nodiscard]] Value exp_of(Formula& f, Value x, Value low = {});

/// x = 2^k·m with √½ ≤ m < √2, for normal x > 0.
struct Parts {
  Value k, m;  ///< k as a float
};
[[nodiscard]] Parts split(Formula& f, Value x);

/// Denormal x raised by 2^(mantissa + 2), and that exponent, negative, as a float.
struct Raised {
  Value x, k;
};
[[nodiscard]] Raised raise_denormal(Formula& f, Value x);

[[nodiscard]] Value pow_of(Formula& f, Value x, Value y);

}  // namespace mw::codegen
