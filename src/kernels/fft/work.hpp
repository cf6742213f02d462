// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a step does with its lines, whatever the kind of transform: LaneWork on V of them side by
// side, LineWork on one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/fft/fft.hpp"
#include "kernels/fft/lane_fft.hpp"

namespace mw::kernels::fft {

/// Direction −1 or +1 and the factor of the results.
template <class T>
struct AxisFactors {
  int direction;
  T scale;
};

/// True for the cosine and sine transforms, whose both sides are real.
[[nodiscard]] constexpr bool is_trig(FftKind kind) { return kind > FftKind::c2r; }

/// Elements of one line on either side, in reals.
[[nodiscard]] inline std::int64_t line_reals(FftKind kind, std::int64_t n, bool input) {
  if (is_trig(kind) || kind == (input ? FftKind::r2c : FftKind::c2r)) return n;
  return 2 * (kind == FftKind::c2c ? n : n / 2 + 1);
}

/// Reals of one element on either side.
[[nodiscard]] inline std::int64_t unit_reals(FftKind kind, bool input) {
  return is_trig(kind) || kind == (input ? FftKind::r2c : FftKind::c2r) ? 1 : 2;
}

/// V lines. Source and sink come without signs and scales; these follow from the factors.
template <class T>
class LaneWork {
 public:
  virtual ~LaneWork() = default;
  [[nodiscard]] static std::shared_ptr<const LaneWork> make(FftKind kind, std::int64_t n);
  /// Cycles for V adjacent lines.
  [[nodiscard]] static double cost(FftKind kind, std::int64_t n);

  /// Reals of scratch, aligned to 64 bytes.
  [[nodiscard]] virtual std::int64_t scratch() const = 0;
  virtual void run(LaneSource<T> source, LaneSink<T> sink, AxisFactors<T> factors,
                   T* scratch) const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// One contiguous line; in == out is allowed for complex transforms.
template <class T>
class LineWork {
 public:
  virtual ~LineWork() = default;
  [[nodiscard]] static std::shared_ptr<const LineWork> make(FftKind kind, std::int64_t n);
  /// Cycles for one line.
  [[nodiscard]] static double cost(FftKind kind, std::int64_t n);

  /// Reals of scratch, aligned to 64 bytes, for a run on this many threads.
  [[nodiscard]] virtual std::int64_t scratch(int threads) const = 0;
  virtual void run(const T* in, T* out, AxisFactors<T> factors, T* scratch, int threads) const = 0;
  /// `count` lines that begin in_step and out_step reals apart, on this thread.
  virtual void run_lines(const T* in, T* out, std::int64_t in_step, std::int64_t out_step,
                         std::int64_t count, AxisFactors<T> factors, T* scratch) const {
    for (std::int64_t i = 0; i < count; ++i) {
      run(in + i * in_step, out + i * out_step, factors, scratch, 1);
    }
  }
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace mw::kernels::fft
