// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/number.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"

namespace mw::expr {

namespace {

/// A narrow float: 1 sign bit, exponent bits, mantissa bits.
struct Format {
  DType dtype;
  int bits;
  int mantissa;
  int smallest_exponent;  ///< of normal numbers
  double largest;
  bool has_infinity;  ///< else the topmost code alone is NaN
};
constexpr Format kFormats[] = {
    {DType::float16, 16, 10, -14, 65504.0, true},
    {DType::bfloat16, 16, 7, -126, 0x1.fep127, true},
    {DType::float8_e4m3fn, 8, 3, -6, 448.0, false},
    {DType::float8_e5m2, 8, 2, -14, 57344.0, true},
};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Format& format(DType dtype) {
  for (const auto& row : kFormats) {
    if (row.dtype == dtype) return row;
  }
  fail(ErrorKind::unsupported, "expression: no single numbers of dtype ", dtype);
}

double round_narrow(double value, const Format& to) {
  if (!std::isfinite(value) || value == 0) {
    return std::isinf(value) && !to.has_infinity ? kNan : value;
  }
  const int exponent = std::max(std::ilogb(value), to.smallest_exponent);
  const double step = std::ldexp(1.0, exponent - to.mantissa);
  const double rounded = std::nearbyint(value / step) * step;
  if (std::abs(rounded) <= to.largest) return std::copysign(rounded, value);
  return to.has_infinity ? std::copysign(kInfinity, value) : kNan;
}

/// The nearest number that the float dtype has.
double round_real(double value, DType to) {
  if (to == DType::float64) return value;
  const double single = static_cast<float>(value);
  return to == DType::float32 ? single : round_narrow(single, format(to));
}

std::uint64_t encode(double value, const Format& to) {
  const int exponent_bits = to.bits - 1 - to.mantissa;
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (to.bits - 1);
  const std::uint64_t top = ((std::uint64_t{1} << exponent_bits) - 1) << to.mantissa;
  const std::uint64_t one = std::uint64_t{1} << to.mantissa;
  if (std::isnan(value)) return sign | top | (to.has_infinity ? one / 2 : one - 1);
  if (std::isinf(value)) return sign | top;
  const double size = std::abs(value);
  const double least = std::ldexp(1.0, to.smallest_exponent);
  if (size < least) {
    return sign | static_cast<std::uint64_t>(std::ldexp(size, to.mantissa - to.smallest_exponent));
  }
  const int exponent = std::ilogb(size);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(size, to.mantissa - exponent));
  const auto field = static_cast<std::uint64_t>(exponent - to.smallest_exponent) + 1;
  return sign | (field << to.mantissa) | (mantissa - one);
}

double decode(std::uint64_t code, const Format& from) {
  const std::uint64_t one = std::uint64_t{1} << from.mantissa;
  const std::uint64_t size = code & ((std::uint64_t{1} << (from.bits - 1)) - 1);
  const std::uint64_t mantissa = size & (one - 1);
  const std::uint64_t field = size >> from.mantissa;
  const std::uint64_t top = (std::uint64_t{1} << (from.bits - 1 - from.mantissa)) - 1;
  double value = 0;
  if (field == top && from.has_infinity) {
    value = mantissa == 0 ? kInfinity : kNan;
  } else if (field == top && mantissa == one - 1) {
    value = kNan;
  } else {
    const std::uint64_t whole = field == 0 ? mantissa : mantissa + one;
    const int exponent = field == 0 ? 1 : static_cast<int>(field);
    value = std::ldexp(static_cast<double>(whole),
                       exponent - 1 + from.smallest_exponent - from.mantissa);
  }
  return (code >> (from.bits - 1)) != 0 ? -value : value;
}

std::int64_t wrap(std::int64_t value, DType to) {
  switch (to) {
    case DType::bool_: return value != 0;
    case DType::int8: return static_cast<std::int8_t>(value);
    case DType::int16: return static_cast<std::int16_t>(value);
    case DType::int32: return static_cast<std::int32_t>(value);
    case DType::uint8: return static_cast<std::uint8_t>(value);
    case DType::uint16: return static_cast<std::uint16_t>(value);
    case DType::uint32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

std::int64_t saturate(double value, DType to) {
  if (std::isnan(value)) return 0;
  const bool natural = dtype_class(to) == DTypeClass::natural;
  const int bits = static_cast<int>(itemsize(to)) * 8;
  const double end = std::ldexp(1.0, natural ? bits : bits - 1);  // the first number too large
  if (natural) {
    if (value <= 0) return 0;
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
    return static_cast<std::int64_t>(value >= end ? most : static_cast<std::uint64_t>(value));
  }
  const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
  if (value >= end) return ~least;
  return value <= -end ? least : static_cast<std::int64_t>(value);
}

bool is_whole(DType dtype) {
  return dtype_class(dtype) != DTypeClass::real && dtype_class(dtype) != DTypeClass::complex;
}

/// An integer as a float: rounded once to float32, and on from there to the narrow ones.
double real_of_integer(std::int64_t value, DType from, DType to) {
  const auto natural = static_cast<std::uint64_t>(value);
  if (to != DType::float64) {
    const float single =
        from == DType::uint64 ? static_cast<float>(natural) : static_cast<float>(value);
    return round_real(single, to);
  }
  return from == DType::uint64 ? static_cast<double>(natural) : static_cast<double>(value);
}

}  // namespace

Number Number::of_integer(std::int64_t value, DType dtype) {
  return {.dtype = dtype, .integer = wrap(value, dtype)};
}

Number Number::of_real(double value, DType dtype) {
  return {.dtype = dtype, .real = round_real(value, dtype)};
}

Number Number::of_complex(std::complex<double> value, DType dtype) {
  const DType part = real_dtype(dtype);
  return {.dtype = dtype,
          .real = round_real(value.real(), part),
          .imag = round_real(value.imag(), part)};
}

Number convert(const Number& value, DType to) {
  const bool whole = is_whole(value.dtype);
  if (to == DType::bool_) {
    const bool set = whole ? value.integer != 0 : value.real != 0 || value.imag != 0;
    return Number::of_integer(set ? 1 : 0, to);
  }
  if (is_whole(to)) {
    return Number::of_integer(whole ? value.integer : saturate(value.real, to), to);
  }
  const DType part = real_dtype(to);
  const double real =
      whole ? real_of_integer(value.integer, value.dtype, part) : round_real(value.real, part);
  return {.dtype = to,
          .real = real,
          .imag = is_complex(to) && !whole ? round_real(value.imag, part) : 0};
}

namespace {

double load_real(const void* from, DType dtype) {
  if (dtype == DType::float64) {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  if (dtype == DType::float32) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  std::uint64_t code = 0;  // little endian, as every machine the library runs on
  std::memcpy(&code, from, itemsize(dtype));
  return decode(code, format(dtype));
}

void store_real(void* to, double value, DType dtype) {
  if (dtype == DType::float64) {
    std::memcpy(to, &value, sizeof value);
  } else if (dtype == DType::float32) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof single);
  } else {
    const std::uint64_t code = encode(value, format(dtype));
    std::memcpy(to, &code, itemsize(dtype));
  }
}

bool same_real(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

Number load(const void* from, DType dtype) {
  if (is_whole(dtype)) {
    std::int64_t value = 0;
    std::memcpy(&value, from, itemsize(dtype));
    return Number::of_integer(value, dtype);
  }
  const DType part = real_dtype(dtype);
  Number value{.dtype = dtype, .real = load_real(from, part)};
  if (is_complex(dtype)) {
    value.imag = load_real(static_cast<const char*>(from) + itemsize(part), part);
  }
  return value;
}

void store(void* to, const Number& value) {
  if (is_whole(value.dtype)) {
    std::memcpy(to, &value.integer, itemsize(value.dtype));
    return;
  }
  const DType part = real_dtype(value.dtype);
  store_real(to, value.real, part);
  if (is_complex(value.dtype)) {
    store_real(static_cast<char*>(to) + itemsize(part), value.imag, part);
  }
}

bool identical(const Number& a, const Number& b) {
  return a.dtype == b.dtype && a.integer == b.integer && same_real(a.real, b.real) &&
         same_real(a.imag, b.imag);
}

}  // namespace mw::expr
