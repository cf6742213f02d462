// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Element types: one table (dtype.def), and the questions it answers.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include <mathwright/export.hpp>

namespace mw {

/// The type of one element.
enum class DType : std::uint8_t {
#define MW_DTYPE(id, ...) id,
#include <mathwright/dtype.def>
#undef MW_DTYPE
};

/// What kind of number an element is. `natural` is an unsigned integer.
enum class DTypeClass : std::uint8_t { boolean, integer, natural, real, complex };

/// "float32", "complex128", … as NumPy and PyTorch spell them.
MW_API std::string_view name(DType dtype);
/// The dtype of a name; nothing if no row has it.
MW_API std::optional<DType> dtype_from_name(std::string_view name);
/// Bytes per element.
MW_API std::size_t itemsize(DType dtype);
MW_API DTypeClass dtype_class(DType dtype);
/// The dtype of the real part: float32 of complex64; a real dtype is its own.
MW_API DType real_dtype(DType dtype);
/// The complex dtype whose parts have this dtype; nothing if there is none.
MW_API std::optional<DType> complex_dtype(DType dtype);
[[nodiscard]] inline bool is_complex(DType dtype) {
  return dtype_class(dtype) == DTypeClass::complex;
}

/// The dtype of a C++ element type: `dtype_of<float>` is DType::float32.
template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(T) == 0, "this element type has no dtype");
  return DType::float32;
}();
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::complex64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::complex128;
template <>
inline constexpr DType dtype_of<bool> = DType::bool_;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::int8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::int16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::int32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::int64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::uint8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::uint16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::uint32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::uint64;

}  // namespace mw
