// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes as a vector of unsigned integers of a given size, in the compilers' own vector
// types: SSE2 on x86, NEON on Arm, plain code elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mw {

struct Wide {  // an element of sixteen bytes
  std::uint64_t low;
  std::uint64_t high;
};

template <std::size_t kSize>
struct Unsigned;
template <>
struct Unsigned<1> {
  using type = std::uint8_t;
  typedef std::uint8_t vector __attribute__((vector_size(16)));
};
template <>
struct Unsigned<2> {
  using type = std::uint16_t;
  typedef std::uint16_t vector __attribute__((vector_size(16)));
};
template <>
struct Unsigned<4> {
  using type = std::uint32_t;
  typedef std::uint32_t vector __attribute__((vector_size(16)));
};
template <>
struct Unsigned<8> {
  using type = std::uint64_t;
  typedef std::uint64_t vector __attribute__((vector_size(16)));
};
template <>
struct Unsigned<16> {
  using type = Wide;
  typedef std::uint64_t vector __attribute__((vector_size(16)));
};

template <class T>
[[nodiscard]] inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
inline void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

/// (a0, b0, a1, b1, …) of the lower halves, and of the upper halves.
template <class Vector, std::size_t... i>
[[nodiscard]] inline Vector interleave_low(Vector a, Vector b, std::index_sequence<i...>) {
  constexpr int kCount = sizeof...(i);
  return __builtin_shufflevector(a, b, (static_cast<int>(i) / 2 + (i % 2) * kCount)...);
}
template <class Vector, std::size_t... i>
[[nodiscard]] inline Vector interleave_high(Vector a, Vector b, std::index_sequence<i...>) {
  constexpr int kCount = sizeof...(i);
  return __builtin_shufflevector(a, b,
                                 (kCount / 2 + static_cast<int>(i) / 2 + (i % 2) * kCount)...);
}

/// Stores sixteen bytes at a multiple of sixteen, around the caches where the machine can.
template <class Vector>
inline void stream(std::byte* to, Vector value) {
#if defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(value));
#else
  store(to, value);
#endif
}

/// Makes streamed stores visible in order with what follows.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace mw
