// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// An array of any layout in memory of its own, host or device, that knows which of its bytes are
// elements: so a test sees a write into a gap, and a change of an operand.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include <mathwright/tensor.hpp>

#include "base/layout.hpp"

namespace mw::conformance {

/// The value of a half-precision number.
inline double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31) return sign * (fraction != 0 ? std::nan("") : INFINITY);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// A number of at most eleven significant bits and at least 2^-14 in size (or zero), in half
/// precision.
inline std::uint16_t to_half(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  const auto bits = static_cast<unsigned>(std::ldexp(fraction, 11)) - 1024U;
  const auto biased = static_cast<unsigned>(exponent + 14);
  return static_cast<std::uint16_t>((value < 0 ? 1U << 15 : 0U) | biased << 10 | bits);
}

class StridedArray {
 public:
  /// Element (0, …, 0) is `offset_bytes` past a 64-byte boundary if no stride is negative.
  StridedArray(DType dtype, Dims shape, Dims strides, std::int64_t offset_bytes = 0)
      : layout_(nullptr, dtype, std::move(shape), std::move(strides)) {
    const auto [low, high] = offset_range(layout_.shape, layout_.strides);
    const auto size = static_cast<std::int64_t>(itemsize(dtype));
    constexpr std::int64_t kBoundary = 64;
    host_ = Tensor::empty(DType::uint8, {(high - low + 1) * size + offset_bytes + kBoundary});
    const auto address = reinterpret_cast<std::uintptr_t>(host_.ref().data);
    const auto pad = static_cast<std::int64_t>((kBoundary - address % kBoundary) % kBoundary);
    origin_ = pad + offset_bytes - low * size;
  }

  /// Every scalar, gaps too, becomes a random multiple of 1/1024 in [−1, 1).
  void randomize(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> tick(-1024, 1023);
    const DType real = real_dtype(layout_.dtype);
    const std::size_t size = itemsize(real);
    const auto bytes = all_bytes();
    const std::size_t first = static_cast<std::size_t>(origin_) % size;
    for (std::size_t at = first; at + size <= bytes.size(); at += size) {
      write_real(&bytes[at], real, tick(random) / 1024.0);
    }
  }
  void fill_bytes(std::uint8_t value) { std::ranges::fill(all_bytes(), value); }

  [[nodiscard]] TensorRef view() const {
    TensorRef ref = layout_;
    ref.data = all_bytes().data() + origin_;
    return ref;
  }
  [[nodiscard]] std::span<std::uint8_t> all_bytes() const { return host_.span<std::uint8_t>(); }

  /// The element at this offset (in elements) from (0, …, 0).
  [[nodiscard]] std::complex<double> get(std::int64_t offset) const {
    const DType real = real_dtype(layout_.dtype);
    const auto size = static_cast<std::int64_t>(itemsize(layout_.dtype));
    const std::uint8_t* at = all_bytes().data() + origin_ + offset * size;
    if (!is_complex(layout_.dtype)) return read_real(at, real);
    return {read_real(at, real), read_real(at + itemsize(real), real)};
  }

  /// Calls visit(i, offset) for each element in C order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    Dims index(layout_.rank());
    std::int64_t offset = 0;
    const std::int64_t count = layout_.size();
    for (std::int64_t i = 0; i < count; ++i) {
      visit(i, offset);
      for (std::size_t axis = layout_.rank(); axis-- > 0;) {
        offset += layout_.strides[axis];
        if (++index[axis] < layout_.shape[axis]) break;
        offset -= index[axis] * layout_.strides[axis];
        index[axis] = 0;
      }
    }
  }

  /// Whether every byte that is no element's still has this value.
  [[nodiscard]] bool gaps_are(std::uint8_t value) const {
    const auto bytes = all_bytes();
    std::vector<bool> is_element(bytes.size());
    const auto size = static_cast<std::int64_t>(itemsize(layout_.dtype));
    for_each([&](std::int64_t, std::int64_t offset) {
      for (std::int64_t i = 0; i < size; ++i) {
        is_element[static_cast<std::size_t>(origin_ + offset * size + i)] = true;
      }
    });
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!is_element[i] && bytes[i] != value) return false;
    }
    return true;
  }

  /// A copy of all bytes on a device (or the same memory, on the host), and the view of it.
  [[nodiscard]] Tensor on(Device device) const {
    if (device.is_cpu()) return {view(), host_.owner()};
    const Tensor copy = Tensor::copy(host_.ref(), device);
    TensorRef ref = layout_;
    ref.device = device;
    ref.data = static_cast<std::uint8_t*>(copy.ref().data) + origin_;
    return {ref, copy.owner()};
  }
  /// Takes the bytes of such a copy back.
  void take(const Tensor& from) {
    if (from.device().is_cpu()) return;
    TensorRef flat = host_.ref();
    flat.data = static_cast<std::uint8_t*>(from.ref().data) - origin_;
    flat.device = from.device();
    const Tensor copy = Tensor::copy(flat, Device::cpu());
    std::ranges::copy(copy.span<std::uint8_t>(), all_bytes().begin());
  }

 private:
  static void write_real(std::uint8_t* at, DType real, double value) {
    const auto put = [&](auto number) { std::memcpy(at, &number, sizeof number); };
    if (real == DType::float16) return put(to_half(value));
    if (real == DType::float32) return put(static_cast<float>(value));
    put(value);
  }
  static double read_real(const std::uint8_t* at, DType real) {
    const auto take = [&](auto number) {
      std::memcpy(&number, at, sizeof number);
      return number;
    };
    if (real == DType::float16) return from_half(take(std::uint16_t{}));
    if (real == DType::float32) return static_cast<double>(take(float{}));
    return take(double{});
  }

  TensorRef layout_;
  Tensor host_;
  std::int64_t origin_ = 0;  ///< byte of element (0, …, 0)
};

}  // namespace mw::conformance
