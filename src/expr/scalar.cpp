// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/scalar.hpp"

#include <utility>

#include "base/text.hpp"
#include "expr/types.hpp"

namespace mw {

namespace expr {

namespace {

thread_local BuilderPtr recording;  // NOLINT: what index() has no argument for

/// The builder that the scalars belong to.
BuilderPtr builder_of(std::initializer_list<const Scalar*> scalars, std::string_view what) {
  for (const Scalar* scalar : scalars) {
    if (const auto& builder = ScalarAccess::builder(*scalar)) return builder;
  }
  require(recording != nullptr, ErrorKind::invalid_argument, "expression: '", what,
          "' of numbers outside of a function that is being recorded; call it inside the function "
          "given to fuse()");
  return recording;
}

Scalar made(Op op, std::initializer_list<const Scalar*> scalars) {
  const BuilderPtr builder = builder_of(scalars, name(op));
  std::array<Term, 3> terms;
  std::size_t count = 0;
  for (const Scalar* scalar : scalars) terms[count++] = ScalarAccess::term(builder, *scalar);
  return ScalarAccess::make(builder, builder->apply(op, {terms.data(), count}));
}

Scalar reduced(Op op, const Scalar& x, std::initializer_list<int> axes) {
  const BuilderPtr builder = builder_of({&x}, name(op));
  std::int64_t bits = axes.size() == 0 ? kAllAxes : 0;
  for (const int axis : axes) {
    require(axis < 0 && axis >= -63, ErrorKind::invalid_argument, "expression: '", name(op),
            "' over axis ", axis, "; axes count from the end here, -1 is the last");
    bits |= std::int64_t{1} << (-1 - axis);
  }
  return ScalarAccess::make(builder, builder->reduce(op, ScalarAccess::term(builder, x), bits));
}

}  // namespace

Scalar ScalarAccess::make(const BuilderPtr& builder, Term term) {
  Scalar scalar(0.0);
  scalar.builder_ = builder;
  scalar.node_ = term.node;
  scalar.weak_ = term.weak;
  return scalar;
}

Term ScalarAccess::term(const BuilderPtr& builder, const Scalar& scalar) {
  if (scalar.builder_ == nullptr) {
    switch (scalar.kind_) {
      case DType::bool_: return builder->literal(scalar.integer_ != 0);
      case DType::int64: return builder->literal(scalar.integer_);
      case DType::float64: return builder->literal(scalar.number_.real());
      default: return builder->literal(scalar.number_);
    }
  }
  require(scalar.builder_ == builder, ErrorKind::invalid_argument,
          "expression: a value of another function, kept from when that one was recorded; use the "
          "parameters of this one only");
  return {scalar.node_, scalar.weak_};
}

Number ScalarAccess::value(const Scalar& scalar) {
  require(scalar.builder_ == nullptr, ErrorKind::invalid_argument,
          "fuse: a run-time scalar is a value computed in a function; a number is wanted");
  return {scalar.kind_, scalar.integer_, scalar.number_.real(), scalar.number_.imag()};
}

Recording::Recording(BuilderPtr builder) : before_(std::exchange(recording, std::move(builder))) {}
Recording::~Recording() { recording = std::move(before_); }

}  // namespace expr

using expr::Op;

Scalar::Scalar(bool value) : Scalar(DType::bool_, value ? 1 : 0, 0) {}

Scalar Scalar::astype(DType dtype) const {
  const auto builder = expr::builder_of({this}, "astype");
  return expr::ScalarAccess::make(builder,
                                  builder->cast(expr::ScalarAccess::term(builder, *this), dtype));
}

Scalar index(int axis) {
  const auto builder = expr::builder_of({}, "index");
  return expr::ScalarAccess::make(builder, builder->index(axis));
}

#define MW_ONE(function, op) \
  Scalar function(const Scalar& x) { return expr::made(Op::op, {&x}); }
#define MW_TWO(function, op) \
  Scalar function(const Scalar& a, const Scalar& b) { return expr::made(Op::op, {&a, &b}); }
#define MW_THREE(function, op)                                         \
  Scalar function(const Scalar& a, const Scalar& b, const Scalar& c) { \
    return expr::made(Op::op, {&a, &b, &c});                           \
  }
#define MW_REDUCTION(function)                                        \
  Scalar function(const Scalar& x, std::initializer_list<int> axes) { \
    return expr::reduced(Op::function, x, axes);                      \
  }

MW_TWO(operator+, add)
MW_TWO(operator-, subtract)
MW_TWO(operator*, multiply)
MW_TWO(operator/, divide)
MW_TWO(operator%, remainder)
MW_ONE(operator-, negate)
MW_TWO(floor_divide, floor_divide)
MW_TWO(pow, power)
MW_TWO(operator==, equal)
MW_TWO(operator!=, not_equal)
MW_TWO(operator<, less)
MW_TWO(operator<=, less_equal)
MW_TWO(operator>, greater)
MW_TWO(operator>=, greater_equal)
MW_TWO(operator&, bit_and)
MW_TWO(operator|, bit_or)
MW_TWO(operator^, bit_xor)
MW_ONE(operator~, bit_not)
MW_TWO(operator<<, shift_left)
MW_TWO(operator>>, shift_right)
MW_THREE(where, where)
MW_TWO(minimum, minimum)
MW_TWO(maximum, maximum)
MW_THREE(clamp, clamp)
MW_ONE(isnan, isnan)
MW_ONE(isinf, isinf)
MW_ONE(isfinite, isfinite)
MW_ONE(abs, absolute)
MW_ONE(sign, sign)
MW_ONE(square, square)
MW_ONE(floor, floor)
MW_ONE(ceil, ceil)
MW_ONE(trunc, trunc)
MW_ONE(round, round)
MW_ONE(sqrt, sqrt)
MW_ONE(rsqrt, rsqrt)
MW_ONE(exp, exp)
MW_ONE(expm1, expm1)
MW_ONE(log, log)
MW_ONE(log1p, log1p)
MW_ONE(sin, sin)
MW_ONE(cos, cos)
MW_ONE(tanh, tanh)
MW_ONE(erf, erf)
MW_ONE(sigmoid, sigmoid)
MW_ONE(relu, relu)
MW_ONE(silu, silu)
MW_ONE(gelu, gelu)
MW_ONE(gelu_tanh, gelu_tanh)
MW_ONE(real, real)
MW_ONE(imag, imag)
MW_ONE(conj, conj)
MW_TWO(complex, complex)
MW_REDUCTION(sum)
MW_REDUCTION(prod)
MW_REDUCTION(max)
MW_REDUCTION(min)
MW_REDUCTION(argmax)
MW_REDUCTION(argmin)

#undef MW_ONE
#undef MW_TWO
#undef MW_THREE
#undef MW_REDUCTION

}  // namespace mw
