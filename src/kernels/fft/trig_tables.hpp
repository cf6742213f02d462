// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Which transform is behind a cosine or sine transform, and the numbers at its ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/fft/fft.hpp"
#include "kernels/fft/twiddle.hpp"

namespace mw::kernels::fft {

enum class TrigMethod : std::uint8_t {
  forward,   // fold, real transform, rotate
  backward,  // rotate, real transform back, spread
  pairs,     // complex transform of half the length
  picked,    // real transform of reordered or extended data
  merge,     // two shorter ones
};

struct TrigInner {
  TrigMethod method;
  std::int64_t length;  // of the transform inside; merge: of the first part
};

[[nodiscard]] TrigInner trig_inner(FftKind kind, std::int64_t n);

template <class T>
struct TrigTables {
  Table<T> in, out;  // twiddles (re, im), or weights
  std::vector<std::int64_t> index_in, index_out;
  T flip = 1;
  bool reverse_in = false;
  bool reverse_out = false;

  /// Shared by all users of the pair.
  [[nodiscard]] static std::shared_ptr<const TrigTables> get(FftKind kind, std::int64_t n);
};

}  // namespace mw::kernels::fft
