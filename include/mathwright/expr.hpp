// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Functions of your own, fused into an operation: written once as a lambda over Scalar, which is
// run once to record what it computes.
//
//     mw::fuse([](mw::Scalar x, mw::Scalar bias) { return mw::relu(x + bias); }, {bias})
//
// The lambda sees one element, extra tensors (which broadcast against the result by NumPy's
// rules) and run-time numbers. It must not branch on a value: a Scalar is no bool, use where().
// docs/expressions.md has the types and every operation.
#pragma once

#include <complex>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mathwright/tensor.hpp>

namespace mw {

namespace expr {
class Builder;
struct ScalarAccess;
struct FusionAccess;
}  // namespace expr

/// A number of the function: given, computed, or written down. Written-down numbers are weak: they
/// take the dtype of what they meet, so `0.5 * x` stays float32 if x is.
class MW_API Scalar {
 public:
  Scalar(bool value);
  template <std::integral T>
  Scalar(T value) : Scalar(DType::int64, static_cast<std::int64_t>(value), 0) {}
  template <std::floating_point T>
  Scalar(T value) : Scalar(DType::float64, 0, static_cast<double>(value)) {}
  template <std::floating_point T>
  Scalar(std::complex<T> value) : Scalar(DType::complex128, 0, std::complex<double>(value)) {}

  /// Converted. Integers from floats saturate, NaN gives 0; narrow floats round to even.
  [[nodiscard]] Scalar astype(DType dtype) const;

 private:
  friend struct expr::ScalarAccess;
  Scalar(DType kind, std::int64_t integer, std::complex<double> number)
      : number_(number), integer_(integer), kind_(kind) {}

  std::shared_ptr<expr::Builder> builder_;  ///< none: a number written down
  std::int32_t node_ = -1;
  bool weak_ = true;
  std::complex<double> number_;
  std::int64_t integer_ = 0;
  DType kind_ = DType::float64;
};

// Arithmetic. `%` and floor_divide() follow Python: the remainder has the sign of the divisor.
MW_API Scalar operator+(const Scalar& a, const Scalar& b);
MW_API Scalar operator-(const Scalar& a, const Scalar& b);
MW_API Scalar operator*(const Scalar& a, const Scalar& b);
MW_API Scalar operator/(const Scalar& a, const Scalar& b);  ///< of integers too: a float
MW_API Scalar operator%(const Scalar& a, const Scalar& b);
MW_API Scalar operator-(const Scalar& a);
MW_API Scalar floor_divide(const Scalar& a, const Scalar& b);
MW_API Scalar pow(const Scalar& a, const Scalar& b);

// Comparisons and bits. `&&` and `||` would not short-circuit: write & and |.
MW_API Scalar operator==(const Scalar& a, const Scalar& b);
MW_API Scalar operator!=(const Scalar& a, const Scalar& b);
MW_API Scalar operator<(const Scalar& a, const Scalar& b);
MW_API Scalar operator<=(const Scalar& a, const Scalar& b);
MW_API Scalar operator>(const Scalar& a, const Scalar& b);
MW_API Scalar operator>=(const Scalar& a, const Scalar& b);
MW_API Scalar operator&(const Scalar& a, const Scalar& b);
MW_API Scalar operator|(const Scalar& a, const Scalar& b);
MW_API Scalar operator^(const Scalar& a, const Scalar& b);
MW_API Scalar operator~(const Scalar& a);
MW_API Scalar operator<<(const Scalar& a, const Scalar& b);
MW_API Scalar operator>>(const Scalar& a, const Scalar& b);

// Choice. minimum, maximum and clamp give NaN if an operand is NaN.
MW_API Scalar where(const Scalar& condition, const Scalar& a, const Scalar& b);
MW_API Scalar minimum(const Scalar& a, const Scalar& b);
MW_API Scalar maximum(const Scalar& a, const Scalar& b);
MW_API Scalar clamp(const Scalar& x, const Scalar& low, const Scalar& high);
MW_API Scalar isnan(const Scalar& x);
MW_API Scalar isinf(const Scalar& x);
MW_API Scalar isfinite(const Scalar& x);

// Functions.
MW_API Scalar abs(const Scalar& x);
MW_API Scalar sign(const Scalar& x);
MW_API Scalar square(const Scalar& x);
MW_API Scalar floor(const Scalar& x);
MW_API Scalar ceil(const Scalar& x);
MW_API Scalar trunc(const Scalar& x);
MW_API Scalar round(const Scalar& x);  ///< halves to even
MW_API Scalar sqrt(const Scalar& x);
MW_API Scalar rsqrt(const Scalar& x);  ///< 1/√x
MW_API Scalar exp(const Scalar& x);
MW_API Scalar expm1(const Scalar& x);
MW_API Scalar log(const Scalar& x);
MW_API Scalar log1p(const Scalar& x);
MW_API Scalar sin(const Scalar& x);
MW_API Scalar cos(const Scalar& x);
MW_API Scalar tanh(const Scalar& x);
MW_API Scalar erf(const Scalar& x);
MW_API Scalar sigmoid(const Scalar& x);
MW_API Scalar relu(const Scalar& x);
MW_API Scalar silu(const Scalar& x);       ///< x·sigmoid(x)
MW_API Scalar gelu(const Scalar& x);       ///< x/2·(1 + erf(x/√2))
MW_API Scalar gelu_tanh(const Scalar& x);  ///< its tanh form, as cuBLASLt's
MW_API Scalar real(const Scalar& z);
MW_API Scalar imag(const Scalar& z);
MW_API Scalar conj(const Scalar& z);
MW_API Scalar complex(const Scalar& re, const Scalar& im);

/// The element's index along an axis of the result, counted from the end: -1 is the last.
/// Errors: invalid_argument outside of a function that is being recorded.
MW_API Scalar index(int axis);

// Reductions of the result over axes counted from the end; over all without any. A reduction is
// an output: nothing can be computed with it.
MW_API Scalar sum(const Scalar& x, std::initializer_list<int> axes = {});
MW_API Scalar prod(const Scalar& x, std::initializer_list<int> axes = {});
MW_API Scalar max(const Scalar& x, std::initializer_list<int> axes = {});
MW_API Scalar min(const Scalar& x, std::initializer_list<int> axes = {});
/// The index along the axis, or in C order along several. Of equal ones the first.
MW_API Scalar argmax(const Scalar& x, std::initializer_list<int> axes = {});
MW_API Scalar argmin(const Scalar& x, std::initializer_list<int> axes = {});

/// What a function gives, when it is more than the result:
/// `return mw::Outputs{{"result", relu(x)}, {"pre", x}};`
struct Outputs {
  std::vector<std::pair<std::string, Scalar>> list;

  Outputs(const Scalar& result) : list{{"result", result}} {}
  Outputs(std::initializer_list<std::pair<std::string, Scalar>> outputs) : list(outputs) {}
};

/// A function to be fused, with its tensors and run-time numbers. A value; copies share what was
/// recorded. It owns none of the tensors' memory.
class MW_API Fusion {
 public:
  using Function = std::function<Outputs(std::span<const Scalar>)>;

  /// No function at all.
  Fusion() = default;
  /// fuse() is the convenient form.
  Fusion(Function function, std::size_t arity, std::vector<TensorRef> tensors,
         std::vector<Scalar> scalars, std::vector<std::string> names);

  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }

 private:
  friend struct expr::FusionAccess;
  struct State;
  std::shared_ptr<const State> state_;
};

namespace fuse_detail {

template <std::size_t>
using One = const Scalar&;

template <class F, std::size_t... i>
consteval bool takes(std::index_sequence<i...>) {
  return std::is_invocable_v<F&, One<i>...>;
}

/// How many Scalars the callable takes: 1 to 12.
template <class F, std::size_t n = 1>
consteval std::size_t arity() {
  static_assert(n <= 12, "the function must take one to twelve mw::Scalar");
  if constexpr (takes<F>(std::make_index_sequence<n>())) {
    return n;
  } else {
    return arity<F, n + 1>();
  }
}

template <class F, std::size_t... i>
Outputs call(F& function, std::span<const Scalar> given, std::index_sequence<i...>) {
  return function(given[i]...);
}

}  // namespace fuse_detail

/// `function` of the element (in an operation that has one), then each of `tensors`, then each of
/// `scalars`, as a Fusion. A tensor's dtype and layout are free. The numbers in `scalars` may
/// differ from call to call without planning again. `names` are those of tensors and scalars in
/// messages; by default t0, t1, …, s0, …. Errors: invalid_argument (the number of parameters, when
/// an operation takes the fusion).
///
///     mw::Fusion scaled = mw::fuse([](mw::Scalar x, mw::Scalar s) { return x * s; }, {}, {0.5});
template <class F>
[[nodiscard]] Fusion fuse(F function, std::vector<TensorRef> tensors = {},
                          std::vector<Scalar> scalars = {}, std::vector<std::string> names = {}) {
  constexpr std::size_t count = fuse_detail::arity<F>();
  auto called = [function = std::move(function)](std::span<const Scalar> given) mutable {
    return fuse_detail::call(function, given, std::make_index_sequence<count>());
  };
  return {std::move(called), count, std::move(tensors), std::move(scalars), std::move(names)};
}

}  // namespace mw
