// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_prelude.hpp"

#include <bit>

#include "base/text.hpp"
#include "codegen/ir_scalar.hpp"

namespace mw::codegen {

namespace {

constexpr const char* kC = R"(#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MW_FN static inline
MW_FN float f32_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
MW_FN uint32_t bits_of_f32(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }
MW_FN double f64_of_bits(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
MW_FN uint64_t bits_of_f64(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
MW_FN float rsqrtf(float x) { return 1.0f / sqrtf(x); }
MW_FN double rsqrt(double x) { return 1.0 / sqrt(x); }
)";

constexpr const char* kCuda = R"(typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#define MW_FN static __device__ __forceinline__
MW_FN float f32_of_bits(uint32_t bits) { return __uint_as_float(bits); }
MW_FN uint32_t bits_of_f32(float x) { return __float_as_uint(x); }
MW_FN double f64_of_bits(uint64_t bits) { return __longlong_as_double((long long)bits); }
MW_FN uint64_t bits_of_f64(double x) { return (uint64_t)__double_as_longlong(x); }
)";

/// Processors have these two.
constexpr const char* kCudaFloat16 = R"(
MW_FN float float16_decode(uint16_t code) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(code));
  return x;
}
MW_FN uint16_t float16_encode(float x) {
  uint16_t code;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(code) : "f"(x));
  return code;
}
)";

/// bfloat16 is the upper half of a float32.
constexpr const char* kBFloat16 = R"(
MW_FN float bfloat16_decode(uint16_t code) { return f32_of_bits((uint32_t)code << 16); }
MW_FN uint16_t bfloat16_encode(float x) {
  uint32_t bits = bits_of_f32(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 31 << 15 | 0x7fc0u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)";

/// The functions of ir_scalar.hpp for one format, its constants written out.
std::string codec(DType dtype, const scalar::NarrowFormat& f) {
  const int shift = 23 - f.mantissa;
  const auto rebias = static_cast<std::uint32_t>(127 - f.bias);
  const std::uint32_t top = f.top();
  const std::uint32_t nan = f.infinite ? top | 1U << (f.mantissa - 1) : top;
  const int sign = f.bytes * 8 - 1;
  const auto units = static_cast<std::uint32_t>(128 - f.bias + shift) << 23;
  const std::string word = text(name(dtype));
  const std::string_view type = c_type(dtype);
  return text("\nMW_FN ", type, " ", word, "_encode(float x) {\n",
              "  uint32_t bits = bits_of_f32(x), a = bits & 0x7fffffffu;\n",
              "  uint32_t rounded = a + ", (1U << (shift - 1)) - 1, "u + (a >> ", shift,
              " & 1u);\n", "  uint32_t normal = (rounded >> ", shift, ") - ", rebias << f.mantissa,
              "u;\n", "  uint32_t denormal = bits_of_f32(f32_of_bits(a) + f32_of_bits(", units,
              "u)) - ", units, "u;\n", "  uint32_t code = a < ", (rebias + 1) << 23,
              "u ? denormal : normal;\n", "  if (code > ", top, "u) code = ", top, "u;\n",
              "  if (a > 0x7f800000u) code = ", nan, "u;\n", "  return (", type, ")(bits >> 31 << ",
              sign, " | code);\n}\n", "MW_FN float ", word, "_decode(", type, " code) {\n",
              "  uint32_t a = code & ", (1U << sign) - 1, "u;\n", "  uint32_t bits = (a << ", shift,
              ") + ", rebias << 23, "u;\n", "  if (a < ", 1U << f.mantissa,
              "u) bits = bits_of_f32(f32_of_bits((a << ", shift, ") + ", (rebias + 1) << 23,
              "u) - f32_of_bits(", (rebias + 1) << 23, "u));\n", "  if (a >= ", top,
              "u) bits = ", f.infinite ? text("(a << ", shift, ") | 0x7f800000u") : "0x7fc00000u",
              ";\n", "  return f32_of_bits(bits | (uint32_t)code >> ", sign, " << 31);\n}\n");
}

}  // namespace

std::string_view c_type(DType dtype) {
  switch (dtype) {
    case DType::bool_: return "bool";
    case DType::int8: return "int8_t";
    case DType::int16: return "int16_t";
    case DType::int32: return "int32_t";
    case DType::int64: return "int64_t";
    case DType::uint8: return "uint8_t";
    case DType::uint16: return "uint16_t";
    case DType::uint32: return "uint32_t";
    case DType::uint64: return "uint64_t";
    case DType::float64: return "double";
    case DType::float16:
    case DType::bfloat16: return "uint16_t";
    case DType::float8_e4m3fn:
    case DType::float8_e5m2: return "uint8_t";
    default: return "float";
  }
}

std::string prelude(Dialect dialect, const std::set<DType>& narrow) {
  std::string out = dialect == Dialect::c ? kC : kCuda;
  for (const DType dtype : narrow) {
    if (dtype == DType::bfloat16) {
      out += kBFloat16;
    } else if (dtype == DType::float16 && dialect == Dialect::cuda) {
      out += kCudaFloat16;
    } else if (const auto* format = scalar::narrow_format(dtype)) {
      out += codec(dtype, *format);
    }
  }
  return out;
}

}  // namespace mw::codegen
