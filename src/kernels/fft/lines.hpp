// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The lines of one step, and what both ways of working through them share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/layout.hpp"
#include "kernels/fft/axis.hpp"
#include "kernels/fft/work.hpp"

namespace mw::kernels::fft {

inline constexpr double kHertz = 3e9;           // the clock that costs in cycles are divided by
inline constexpr double kBytesPerSecond = 8e9;  // one core reading and writing memory
inline constexpr double kWorthThreads = 2e-5;   // seconds of work below which one thread does it

/// The lines of a step: where the i-th begins on either side.
class Lines {
 public:
  explicit Lines(const AxisShape& shape)
      : nest_(fuse_loops(shape.batch, shape.batch_in, &shape.batch_out)) {
    for (auto extent : nest_.extents) count_ *= extent;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t inner() const {
    return nest_.extents.empty() ? 1 : nest_.extents.back();
  }
  [[nodiscard]] std::int64_t inner_in() const {
    return nest_.extents.empty() ? 0 : nest_.strides[0].back();
  }
  [[nodiscard]] std::int64_t inner_out() const {
    return nest_.extents.empty() ? 0 : nest_.strides[1].back();
  }

  /// All lines are evenly spaced.
  [[nodiscard]] bool simple() const { return nest_.extents.size() <= 1; }

  /// Starts of lines first … first + count − 1.
  void starts(std::int64_t first, std::int64_t count, std::int64_t* in, std::int64_t* out) const {
    if (simple()) {  // the usual case, without divisions
      for (std::int64_t i = 0; i < count; ++i) {
        in[i] = (first + i) * inner_in();
        out[i] = (first + i) * inner_out();
      }
      return;
    }
    for (std::int64_t i = 0; i < count;) {
      std::int64_t rest = first + i;
      std::int64_t at_in = 0;
      std::int64_t at_out = 0;
      std::int64_t run = 1;  // lines left in the innermost axis
      for (std::size_t d = nest_.extents.size(); d-- > 0;) {
        const std::int64_t index = rest % nest_.extents[d];
        rest /= nest_.extents[d];
        if (d + 1 == nest_.extents.size()) run = nest_.extents[d] - index;
        at_in += index * nest_.strides[0][d];
        at_out += index * nest_.strides[1][d];
      }
      for (; run > 0 && i < count; --run, ++i, at_in += inner_in(), at_out += inner_out()) {
        in[i] = at_in;
        out[i] = at_out;
      }
    }
  }

 private:
  LoopNest nest_;
  std::int64_t count_ = 1;
};

/// Bytes that a step must at least read and write.
template <class T>
double bytes_moved(const AxisShape& shape, std::int64_t lines) {
  return static_cast<double>(
             (line_reals(shape.kind, shape.n, true) + line_reals(shape.kind, shape.n, false)) *
             lines) *
         sizeof(T);
}

template <class T>
double model_seconds(const AxisShape& shape, std::int64_t lines, double cycles, int threads) {
  const double compute = cycles / kHertz;
  const double bytes = bytes_moved<T>(shape, lines);
  const double memory = bytes > 4e6 ? bytes / kBytesPerSecond : 0;
  return std::max(compute, memory) / threads + (threads > 1 ? 5e-6 : 0);
}

}  // namespace mw::kernels::fft
