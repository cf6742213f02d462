// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Transforms between n real numbers and the n/2 + 1 complex ones that determine the rest.
//
// Even n costs one complex transform of n/2 and a pass (formulas in real.inc.hpp); odd n one
// complex transform of n. Two real lines are never packed into one complex line: a NaN, or merely a
// large number, in one would reach the other.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/fft/lane_fft.hpp"
#include "kernels/fft/line_fft.hpp"

namespace mw::kernels::fft {

/// V lines side by side, one per lane, of any strides.
template <class T>
class RealLanes {
 public:
  explicit RealLanes(std::int64_t n);
  [[nodiscard]] static double cost(std::int64_t n);
  [[nodiscard]] std::int64_t scratch() const;
  /// n reals to n/2 + 1 complex numbers, parts multiplied by the sink's scales.
  void forward(const LaneSource<T>& source, const LaneSink<T>& sink, T* scratch) const;
  /// n/2 + 1 complex numbers (conjugated first if the source's sign is −1) to the reals of the
  /// inverse transform, times the sink's re_scale.
  void backward(const LaneSource<T>& source, const LaneSink<T>& sink, T* scratch) const;
  /// The same inside the split layout: reals as pairs (even n: x[0] + i·x[1], …) or without
  /// imaginary part, twice the spectrum for even n (factor()); backwards, `spectrum` is overwritten
  /// and the second of each pair comes negated.
  [[nodiscard]] const T* forward_split(const T* reals, T* scratch) const;
  [[nodiscard]] const T* backward_split(T* spectrum, T* scratch) const;
  [[nodiscard]] T factor() const { return half_ ? T{0.5} : T{1}; }
  [[nodiscard]] const LaneFft<T>& fft() const { return *fft_; }

 private:
  [[nodiscard]] std::int64_t buffer() const { return (fft_->size() + 1) * 2 * kernels_.lanes; }

  const Kernels<T>& kernels_;
  std::int64_t n_;
  std::shared_ptr<const LaneFft<T>> fft_;  // of n/2 or, for odd n, n
  std::shared_ptr<const Table<T>> half_;
};

/// One contiguous line.
template <class T>
class RealLine {
 public:
  explicit RealLine(std::int64_t n);
  [[nodiscard]] static double cost(std::int64_t n);
  [[nodiscard]] std::int64_t scratch(int threads) const;
  /// in: n reals; out: n/2 + 1 complex numbers.
  void forward(const LineArgs<T>& line, T* scratch, int threads) const;
  /// in: n/2 + 1 complex numbers; out: n reals times re_scale. `in` is only read.
  void backward(const LineArgs<T>& line, T* scratch, int threads) const;
  [[nodiscard]] const LineFft<T>& fft() const { return *fft_; }

 private:
  const Kernels<T>& kernels_;
  std::int64_t n_;
  std::shared_ptr<const LineFft<T>> fft_;
  std::shared_ptr<const Table<T>> half_;
};

}  // namespace mw::kernels::fft
