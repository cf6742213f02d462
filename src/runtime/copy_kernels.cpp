// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of host copies: see copy_host.hpp.
#include <algorithm>
#include <bit>

#include "runtime/copy_host.hpp"
#include "runtime/simd.hpp"

namespace mw {

namespace {

static_assert(std::endian::native == std::endian::little, "imaginary parts are the upper halves");

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kVector = 16;
constexpr std::size_t kAlign = 64;

// The sign bit of the imaginary part, as an element and in every lane of a vector.
template <std::size_t kSize>
auto conjugated(typename Unsigned<kSize>::type value) {
  if constexpr (kSize == 16) {
    return Wide{value.low, value.high ^ (std::uint64_t{1} << 63)};
  } else {
    using Element = typename Unsigned<kSize>::type;
    return static_cast<Element>(value ^ (Element{1} << (8 * kSize - 1)));
  }
}
template <std::size_t kSize>
auto conjugated_lanes(typename Unsigned<kSize>::vector value) {
  typename Unsigned<kSize>::vector mask = {};
  if constexpr (kSize == 16) {
    mask[1] = std::uint64_t{1} << 63;
  } else {
    mask = mask + static_cast<typename Unsigned<kSize>::type>(typename Unsigned<kSize>::type{1}
                                                              << (8 * kSize - 1));
  }
  return static_cast<typename Unsigned<kSize>::vector>(value ^ mask);
}

template <std::size_t kSize, bool kConjugates>
void strided_row(std::byte* target, std::int64_t target_step, const std::byte* source,
                 std::int64_t source_step, std::int64_t count) {
  using Element = typename Unsigned<kSize>::type;
  for (std::int64_t i = 0; i < count; ++i) {
    auto value = load<Element>(source + i * source_step);
    if constexpr (kConjugates) value = conjugated<kSize>(value);
    store(target + i * target_step, value);
  }
}

// A dense run written around the caches: head up to a line, whole lines, tail.
template <std::size_t kSize, bool kConjugates>
void streamed_run(std::byte* target, const std::byte* source, std::int64_t bytes) {
  constexpr auto kStep = static_cast<std::int64_t>(kSize);
  using Vector = typename Unsigned<kSize>::vector;
  const auto off = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(target) % kAlign);
  std::int64_t at = std::min(off, bytes);
  strided_row<kSize, kConjugates>(target, kStep, source, kStep, at / kStep);
  for (; at + kLine <= bytes; at += kLine) {
    for (std::int64_t i = 0; i < kLine; i += kVector) {
      auto value = load<Vector>(source + at + i);
      if constexpr (kConjugates) value = conjugated_lanes<kSize>(value);
      stream(target + at + i, value);
    }
  }
  strided_row<kSize, kConjugates>(target + at, kStep, source + at, kStep, (bytes - at) / kStep);
}

template <std::size_t kSize, bool kConjugates, bool kStreams>
void rows_kernel(const CopyBlock& block) {
  constexpr auto kStep = static_cast<std::int64_t>(kSize);
  constexpr std::int64_t kWorthStreaming = 4096;
  const bool dense = block.target_column == kStep && block.source_column == kStep;
  const std::int64_t bytes = block.columns * kStep;
  const bool aligned = reinterpret_cast<std::uintptr_t>(block.target) % kSize == 0;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    std::byte* target = block.target + r * block.target_row;
    const std::byte* source = block.source + r * block.source_row;
    if (kStreams && dense && aligned && bytes >= kWorthStreaming) {
      streamed_run<kSize, kConjugates>(target, source, bytes);
    } else if (!kConjugates && dense) {
      std::memcpy(target, source, static_cast<std::size_t>(bytes));
    } else if (dense) {  // steps the compiler can see
      strided_row<kSize, kConjugates>(target, kStep, source, kStep, block.columns);
    } else if (block.target_column == kStep && block.source_column == 0) {
      strided_row<kSize, kConjugates>(target, kStep, source, 0, block.columns);
    } else {
      strided_row<kSize, kConjugates>(target, block.target_column, source, block.source_column,
                                      block.columns);
    }
  }
  if (kStreams) stream_fence();
}

// A square of one line a side: rows of the source (along the target's columns) become columns. In
// squares of one vector a side, log2(n) rounds of interleaving vector i with vector i + n/2
// transpose.
template <std::size_t kSize, bool kConjugates>
void turn_square(const std::byte* source, std::int64_t step, std::byte* lines) {
  using Vector = typename Unsigned<kSize>::vector;
  constexpr std::int64_t n = kVector / static_cast<std::int64_t>(kSize);
  constexpr std::size_t kLanes = kAlign / 4 / kSize;
  using Lanes = std::make_index_sequence<kLanes>;
  for (std::int64_t c = 0; c < kLine / kVector; ++c) {
    for (std::int64_t r = 0; r < kLine / kVector; ++r) {
      Vector v[kLanes];
      for (std::int64_t i = 0; i < n; ++i) {
        v[i] = load<Vector>(source + (c * n + i) * step + r * kVector);
        if constexpr (kConjugates) v[i] = conjugated_lanes<kSize>(v[i]);
      }
      if constexpr (n > 1) {
        for (std::int64_t round = 1; round < n; round *= 2) {
          Vector w[kLanes];
          for (std::int64_t i = 0; i < n / 2; ++i) {
            w[2 * i] = interleave_low(v[i], v[i + n / 2], Lanes{});
            w[2 * i + 1] = interleave_high(v[i], v[i + n / 2], Lanes{});
          }
          std::copy_n(w, n, v);
        }
      }
      for (std::int64_t i = 0; i < n; ++i) store(lines + (r * n + i) * kLine + c * kVector, v[i]);
    }
  }
}

template <bool kStreams>
void put_line(std::byte* target, const std::byte* line) {
  typedef std::uint64_t Vector __attribute__((vector_size(16)));
  if constexpr (kStreams) {
    for (std::int64_t i = 0; i < kLine; i += kVector) stream(target + i, load<Vector>(line + i));
  } else {
    std::memcpy(target, line, kLine);
  }
}

template <std::size_t kSize, bool kConjugates, bool kStreams>
void transpose_kernel(const CopyBlock& block) {
  constexpr auto kStep = static_cast<std::int64_t>(kSize);
  constexpr auto kSide = kLine / static_cast<std::int64_t>(kSize);
  alignas(kAlign) std::byte lines[kAlign * kAlign / kSize];
  const std::int64_t whole_rows = block.rows / kSide * kSide;
  const std::int64_t whole_columns = block.columns / kSide * kSide;
  // Along the target's rows first: its lines then follow one another, which measures 20–40 % faster
  // than following the source.
  for (std::int64_t r = 0; r < whole_rows; r += kSide) {
    for (std::int64_t c = 0; c < whole_columns; c += kSide) {
      turn_square<kSize, kConjugates>(block.source + c * block.source_column + r * kStep,
                                      block.source_column, lines);
      std::byte* target = block.target + r * block.target_row + c * kStep;
      for (std::int64_t i = 0; i < kSide; ++i) {
        put_line<kStreams>(target + i * block.target_row, lines + i * kLine);
      }
    }
  }
  // The edges: columns beyond the squares, then rows below them.
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const std::int64_t c = r < whole_rows ? whole_columns : 0;
    strided_row<kSize, kConjugates>(block.target + r * block.target_row + c * kStep, kStep,
                                    block.source + r * kStep + c * block.source_column,
                                    block.source_column, block.columns - c);
  }
  if (kStreams) stream_fence();
}

template <std::size_t kSize, bool kConjugates>
CopyKernel pick(const CopyTraits& traits) {
  static constexpr CopyKernel kKernels[2][2] = {
      {rows_kernel<kSize, kConjugates, false>, rows_kernel<kSize, kConjugates, true>},
      {transpose_kernel<kSize, kConjugates, false>, transpose_kernel<kSize, kConjugates, true>}};
  return kKernels[traits.transposes][traits.streams];
}

}  // namespace

CopyKernel copy_kernel(const CopyTraits& traits) {
  switch (traits.itemsize) {
    case 1: return pick<1, false>(traits);
    case 2: return pick<2, false>(traits);
    case 4: return traits.conjugates ? pick<4, true>(traits) : pick<4, false>(traits);
    case 8: return traits.conjugates ? pick<8, true>(traits) : pick<8, false>(traits);
    case 16: return traits.conjugates ? pick<16, true>(traits) : pick<16, false>(traits);
    default: return nullptr;
  }
}

}  // namespace mw
