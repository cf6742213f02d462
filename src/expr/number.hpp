// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Number: one value of any dtype, with the conversions between them. Part of the specification
// that evaluate.hpp is.
#pragma once

#include <complex>
#include <cstdint>

#include <mathwright/dtype.hpp>

namespace mw::expr {

struct Number {
  DType dtype = DType::float32;
  std::int64_t integer = 0;  ///< of bool and integer dtypes; uint64: its bits
  double real = 0;           ///< of float and complex dtypes, always a number that the dtype has
  double imag = 0;

  [[nodiscard]] static Number of_integer(std::int64_t value, DType dtype = DType::int64);
  [[nodiscard]] static Number of_real(double value, DType dtype = DType::float64);
  [[nodiscard]] static Number of_complex(std::complex<double> value,
                                         DType dtype = DType::complex128);
};

/// By value. To integers: towards zero and saturating, NaN gives 0; between integers: wraps. To
/// bool: whether it is not zero (NaN is not). To floats: to nearest even, and to narrow ones
/// through float32; beyond the largest number inf, or NaN in float8_e4m3fn, which has no inf. From
/// complex to real: the real part.
[[nodiscard]] Number convert(const Number& value, DType to);

/// One element in memory, which need not be aligned.
[[nodiscard]] Number load(const void* from, DType dtype);
void store(void* to, const Number& value);

/// Equal bit for bit, except that any NaN equals any other.
[[nodiscard]] bool identical(const Number& a, const Number& b);

}  // namespace mw::expr
