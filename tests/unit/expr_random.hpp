// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Random functions and awkward values for property tests.
#pragma once

#include <limits>
#include <random>
#include <vector>

#include <mathwright/error.hpp>

#include "expr/builder.hpp"
#include "expr/number.hpp"
#include "expr/types.hpp"

namespace mw::expr {

inline const std::vector<DType>& number_dtypes() {
  static const std::vector<DType> all = [] {
    std::vector<DType> list;
    for (int i = 0; i <= static_cast<int>(DType::complex128); ++i) {
      if (is_number(static_cast<DType>(i))) list.push_back(static_cast<DType>(i));
    }
    return list;
  }();
  return all;
}

/// Whether the specification rounds this operation as every back end does. The others are
/// polynomials, within stated bounds of it; on complex numbers products are sums as well.
inline bool is_exact(Op op, DType dtype) {
  switch (op) {
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::erf:
    case Op::rsqrt:
    case Op::absolute:
    case Op::power:
    case Op::sigmoid:
    case Op::silu:
    case Op::gelu:
    case Op::gelu_tanh: return false;
    default: return !is_complex(dtype);
  }
}

class RandomExpressions {
 public:
  /// `exact`: only functions that every back end rounds as the specification does.
  explicit RandomExpressions(unsigned seed, bool exact = false) : random_(seed), exact_(exact) {}

  [[nodiscard]] std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  /// Zeros of both signs, infinities, NaN, the ends of ranges, denormal numbers of every dtype,
  /// and ordinary ones.
  [[nodiscard]] Number number(DType dtype) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double awkward[] = {0.0,     -0.0,  1.0,    -1.0,    0.5,     -2.5,   2.0,
                              inf,     -inf,  nan,    1e300,   3e38,    65519., 0x1p31,
                              -0x1p63, 1e-40, 5e-324, -3e-310, 0x1p-24, 0x1p-9, -0x1p-16};
    const auto pick = [&] {
      return below(3) > 0 ? awkward[below(std::size(awkward))]
                          : std::normal_distribution<double>(0, 3)(random_);
    };
    const DTypeClass kind = dtype_class(dtype);
    if (kind == DTypeClass::real) return Number::of_real(pick(), dtype);
    if (kind == DTypeClass::complex) return Number::of_complex({pick(), pick()}, dtype);
    const std::int64_t ends[] = {0, 1, -1, 2, 7, -128, 127, 255, -32768, 1LL << 31, -(1LL << 31)};
    const std::int64_t whole = below(4) == 0 ? std::numeric_limits<std::int64_t>::min() +
                                                   static_cast<std::int64_t>(below(3))
                                             : ends[below(std::size(ends))];
    return Number::of_integer(whole, dtype);
  }

  /// One element, some tensors and scalars, `size` operations that the type rules accept, two
  /// outputs.
  [[nodiscard]] Function function(int size) {
    Builder f;
    std::vector<Term> terms = {f.element("x", any_dtype()), f.tensor("a", any_dtype()),
                               f.tensor("b", any_dtype()), f.scalar("s", DType::float64),
                               f.index(-1)};
    for (int i = 0; i < size; ++i) {
      if (below(5) == 0) terms.push_back(literal(f));
      try {
        terms.push_back(operation(f, terms));
      } catch (const Error&) {  // refused by the type rules
        continue;
      }
    }
    f.output("result", terms.back());
    f.output("other", terms[below(terms.size())]);
    return f.finish();
  }

 private:
  [[nodiscard]] DType any_dtype() {
    const auto& dtypes = number_dtypes();
    for (;;) {
      const DType dtype = dtypes[below(dtypes.size())];
      if (!exact_ || !is_complex(dtype)) return dtype;
    }
  }

  Term literal(Builder& f) {
    const double values[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.25, 3.7};
    switch (below(4)) {
      case 0: return f.literal(static_cast<std::int64_t>(below(4)));
      case 1:
        if (exact_) return f.literal(0.5);
        return f.literal(std::complex<double>(1, below(2) == 0 ? 0 : -2));
      case 2: return f.literal(below(2) == 0);
      default: return f.literal(values[below(std::size(values))]);
    }
  }

  Term operation(Builder& f, const std::vector<Term>& terms) {
    const auto recent = [&] { return below(3) == 0 ? terms.back() : terms[below(terms.size())]; };
    if (below(5) == 0) return f.cast(recent(), any_dtype());
    const Op op = any_operation();
    if (op == Op::cast) return f.cast(recent(), DType::float64);
    std::vector<Term> operands;
    for (int i = 0; i < arity(op); ++i) operands.push_back(recent());
    return f.apply(op, operands);
  }

  Op any_operation() {
    for (;;) {
      const auto op = static_cast<Op>(
          static_cast<std::size_t>(Op::add) +
          below(static_cast<std::size_t>(Op::sum) - static_cast<std::size_t>(Op::add)));
      // A polynomial is a hundred instructions: one in three is enough for tests that compile.
      const bool exact = is_exact(op, DType::float32);
      if (exact_ ? exact && op != Op::complex : exact || below(3) == 0) return op;
    }
  }

  std::mt19937 random_;
  bool exact_;
};

}  // namespace mw::expr
