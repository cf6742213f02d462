// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What each instruction of the IR means, for one number: the specification of ir.def as C++. The
// builder folds constants with it, and the interpreter's loops are these functions over lanes, so
// they are written without branches where a compiler can then vectorise.
//
// Every function is static and inlined: files with different instruction sets share no code.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/visit.hpp"
#include "codegen/ir.hpp"

#define MW_SCALAR [[gnu::always_inline]] static inline

namespace mw::codegen::scalar {

template <class T>
concept Float = std::floating_point<T>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

/// The unsigned type in which an integer type wraps around, not narrower than int.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

template <class T>
MW_SCALAR T add(T a, T b) {
  if constexpr (Integer<T>)
    return static_cast<T>(Wrap<T>(a) + Wrap<T>(b));
  else
    return a + b;
}
template <class T>
MW_SCALAR T sub(T a, T b) {
  if constexpr (Integer<T>)
    return static_cast<T>(Wrap<T>(a) - Wrap<T>(b));
  else
    return a - b;
}
template <class T>
MW_SCALAR T mul(T a, T b) {
  if constexpr (Integer<T>)
    return static_cast<T>(Wrap<T>(a) * Wrap<T>(b));
  else
    return a * b;
}
template <class T>
MW_SCALAR T neg(T a) {
  if constexpr (Integer<T>)
    return static_cast<T>(Wrap<T>(0) - Wrap<T>(a));
  else
    return -a;
}

/// Division has two cases without an answer: by 0, and of the smallest number by −1.
template <class T>
MW_SCALAR T div(T a, T b) {
  if constexpr (Float<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return neg(a);
    }
    return static_cast<T>(a / b);
  }
}
template <class T>
MW_SCALAR T rem(T a, T b) {
  if constexpr (Float<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
    }
    return static_cast<T>(a % b);
  }
}

template <class T>
MW_SCALAR T min(T a, T b) {
  if constexpr (Float<T>)
    return (a < b) | (a != a) ? a : b;
  else
    return a < b ? a : b;
}
template <class T>
MW_SCALAR T max(T a, T b) {
  if constexpr (Float<T>)
    return (a > b) | (a != a) ? a : b;
  else
    return a > b ? a : b;
}
template <class T>
MW_SCALAR T abs(T a) {
  if constexpr (std::same_as<T, float>)
    return __builtin_fabsf(a);
  else if constexpr (Float<T>)
    return __builtin_fabs(a);
  else if constexpr (std::is_signed_v<T>)
    return a < 0 ? neg(a) : a;
  else
    return a;
}

// Functions of floats that processors have as instructions.
#define MW_SCALAR_FLOAT(function, builtin) \
  template <Float T>                       \
  MW_SCALAR T function(T a) {              \
    if constexpr (std::same_as<T, float>)  \
      return __builtin_##builtin##f(a);    \
    else                                   \
      return __builtin_##builtin(a);       \
  }
MW_SCALAR_FLOAT(sqrt, sqrt)
MW_SCALAR_FLOAT(floor, floor)
MW_SCALAR_FLOAT(ceil, ceil)
MW_SCALAR_FLOAT(trunc, trunc)
MW_SCALAR_FLOAT(rint, rint)
#undef MW_SCALAR_FLOAT

template <Float T>
MW_SCALAR T fma(T a, T b, T c) {
  if constexpr (std::same_as<T, float>)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
}

template <class T>
MW_SCALAR T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
MW_SCALAR T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
MW_SCALAR T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
MW_SCALAR T bit_not(T a) {
  if constexpr (std::same_as<T, bool>)
    return !a;
  else
    return static_cast<T>(~a);
}
template <Integer T>
MW_SCALAR T shl(T a, T count) {
  constexpr Wrap<T> kBits = sizeof(T) * 8;
  const auto n = static_cast<Wrap<T>>(std::make_unsigned_t<T>(count));
  return n < kBits ? static_cast<T>(Wrap<T>(a) << (n & (kBits - 1))) : T(0);
}
template <Integer T>
MW_SCALAR T shr(T a, T count) {
  constexpr Wrap<T> kBits = sizeof(T) * 8;
  const auto n = static_cast<Wrap<T>>(std::make_unsigned_t<T>(count));
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n < kBits ? n : kBits - 1));
  else
    return n < kBits ? static_cast<T>(a >> (n & (kBits - 1))) : T(0);
}

template <class To, class From>
MW_SCALAR To convert(From a) {
  if constexpr (std::same_as<To, bool>) {
    return a != From(0);
  } else if constexpr (Float<From> && Integer<To>) {
    // The bounds are powers of two (or 0), exact in any float type.
    constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kHigh =
        From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
    const To inside = static_cast<To>((a >= kLow) & (a < kHigh) ? a : From(0));
    return a >= kHigh ? std::numeric_limits<To>::max()
           : a < kLow ? std::numeric_limits<To>::min()
                      : inside;
  } else {
    return static_cast<To>(a);
  }
}

/// Throws. Not inline: its code must not be that of one instruction set.
[[noreturn]] void no_such_type(DType type);

/// From a value type of the IR to the C++ type of its values.
template <class Visitor>
static inline decltype(auto) visit_value(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::bool_: return visitor(TypeTag<bool>{});
    case DType::int8: return visitor(TypeTag<std::int8_t>{});
    case DType::int16: return visitor(TypeTag<std::int16_t>{});
    case DType::int32: return visitor(TypeTag<std::int32_t>{});
    case DType::int64: return visitor(TypeTag<std::int64_t>{});
    case DType::uint8: return visitor(TypeTag<std::uint8_t>{});
    case DType::uint16: return visitor(TypeTag<std::uint16_t>{});
    case DType::uint32: return visitor(TypeTag<std::uint32_t>{});
    case DType::uint64: return visitor(TypeTag<std::uint64_t>{});
    case DType::float32: return visitor(TypeTag<float>{});
    case DType::float64: return visitor(TypeTag<double>{});
    default: break;
  }
  no_such_type(type);
}

/// A float type that exists in memory only.
struct NarrowFormat {
  int bytes;
  int mantissa;   ///< bits after the leading one
  int bias;       ///< of the exponent
  bool infinite;  ///< has infinities; else the largest code is NaN and the one below it a number

  /// The code of infinity; without one, of NaN.
  [[nodiscard]] constexpr std::uint32_t top() const {
    const int bits = bytes * 8 - 1;
    return infinite ? ((1u << bits) - 1) >> mantissa << mantissa : (1u << bits) - 1;
  }
};
inline constexpr NarrowFormat kFloat16 = {2, 10, 15, true};
inline constexpr NarrowFormat kBFloat16 = {2, 7, 127, true};
inline constexpr NarrowFormat kFloat8E4M3 = {1, 3, 7, false};
inline constexpr NarrowFormat kFloat8E5M2 = {1, 2, 15, true};

/// The format of a dtype; nothing if it is not a narrow float.
[[nodiscard]] constexpr const NarrowFormat* narrow_format(DType dtype) {
  switch (dtype) {
    case DType::float16: return &kFloat16;
    case DType::bfloat16: return &kBFloat16;
    case DType::float8_e4m3fn: return &kFloat8E4M3;
    case DType::float8_e5m2: return &kFloat8E5M2;
    default: return nullptr;
  }
}

template <NarrowFormat kFormat>
struct FormatTag {};

/// From the dtype of a narrow float to its format as a compile-time constant.
template <class Visitor>
static inline decltype(auto) visit_narrow(DType type, Visitor&& visitor) {
  switch (type) {
    case DType::float16: return visitor(FormatTag<kFloat16>{});
    case DType::bfloat16: return visitor(FormatTag<kBFloat16>{});
    case DType::float8_e4m3fn: return visitor(FormatTag<kFloat8E4M3>{});
    case DType::float8_e5m2: return visitor(FormatTag<kFloat8E5M2>{});
    default: break;
  }
  no_such_type(type);
}

/// Rounds to even. Beyond the largest number: infinity, or NaN where there is none.
///
/// A normal result is rounded in integers (the carry into the exponent is right by itself), a
/// denormal one by adding 2^(23 - mantissa) units of its last place, which float rounds to even.
template <NarrowFormat kFormat>
MW_SCALAR std::uint32_t encode(float x) {
  constexpr int kShift = 23 - kFormat.mantissa;
  constexpr std::uint32_t kRebias = std::uint32_t(127 - kFormat.bias);
  constexpr std::uint32_t kTop = kFormat.top();
  constexpr std::uint32_t kNan = kFormat.infinite ? kTop | (1u << (kFormat.mantissa - 1)) : kTop;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 31 << (kFormat.bytes * 8 - 1);
  const std::uint32_t a = bits & 0x7fffffffu;
  const std::uint32_t rounded = a + ((1u << (kShift - 1)) - 1) + ((a >> kShift) & 1u);
  const std::uint32_t normal = (rounded >> kShift) - (kRebias << kFormat.mantissa);
  constexpr auto kUnits = std::bit_cast<float>(std::uint32_t(128 - kFormat.bias + kShift) << 23);
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + kUnits) -
                                 std::bit_cast<std::uint32_t>(kUnits);
  std::uint32_t code = a < ((kRebias + 1) << 23) ? denormal : normal;
  code = code < kTop ? code : kTop;
  code = a > 0x7f800000u ? kNan : code;
  return sign | code;
}

/// Exact. A denormal is made by subtracting the power of two that its exponent field would mean.
template <NarrowFormat kFormat>
MW_SCALAR float decode(std::uint32_t code) {
  constexpr int kShift = 23 - kFormat.mantissa;
  constexpr std::uint32_t kRebias = std::uint32_t(127 - kFormat.bias);
  constexpr int kSign = kFormat.bytes * 8 - 1;
  const std::uint32_t sign = code >> kSign << 31;
  const std::uint32_t a = code & ((1u << kSign) - 1);
  std::uint32_t bits = (a << kShift) + (kRebias << 23);
  if constexpr (kRebias > 0) {
    constexpr std::uint32_t kSmallest = (kRebias + 1) << 23;
    const float low = std::bit_cast<float>((a << kShift) + kSmallest);
    const auto denormal = std::bit_cast<std::uint32_t>(low - std::bit_cast<float>(kSmallest));
    bits = a < (1u << kFormat.mantissa) ? denormal : bits;
  }
  if constexpr (kFormat.infinite)
    bits = a >= kFormat.top() ? (a << kShift) | 0x7f800000u : bits;
  else
    bits = a >= kFormat.top() ? 0x7fc00000u : bits;
  return std::bit_cast<float>(bits | sign);
}

template <NarrowFormat kFormat>
MW_SCALAR float narrow(float x) {
  return decode<kFormat>(encode<kFormat>(x));
}

}  // namespace mw::codegen::scalar
