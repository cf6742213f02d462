// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// LaneFft: V transforms of one length at once, one per vector lane.
//
// Lanes never mix, so every instruction works on whole vectors whatever the length, the twiddles
// are scalars, and the lines may lie anywhere: only the first and the last pass see the user's
// strides. Lines next to each other (a transform along the slow axis of a matrix) are read and
// written as whole vectors; any others are gathered number by number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/fft/bluestein.hpp"
#include "kernels/fft/isa.hpp"
#include "kernels/fft/twiddle.hpp"

namespace mw::kernels::fft {

/// V lines to read. `sign` −1 conjugates them on the way in.
template <class T>
struct LaneSource {
  const T* data;
  std::int64_t stride;                    ///< reals between elements of a line
  const std::int64_t* offsets = nullptr;  ///< V starts, in reals; none: the lines are adjacent
  T sign = 1;
};

/// Lines to write: the first `count` of V, their parts multiplied by the scales.
template <class T>
struct LaneSink {
  T* data;
  std::int64_t stride;
  const std::int64_t* offsets = nullptr;
  int count = kMaxLanes;
  T re_scale = 1;
  T im_scale = 1;
};

template <class T>
class LaneFft {
 public:
  /// The one object for length n on these vectors.
  [[nodiscard]] static std::shared_ptr<const LaneFft> get(
      std::int64_t n, const Kernels<T>& kernels = fft::kernels<T>());
  LaneFft(std::int64_t n, const Kernels<T>& kernels);

  /// Cycles for V adjacent lines: n Σ pass_cycles(radix) · cache_factor, 40 per pass and 2 n for
  /// the ends; for Bluestein two of length M and its products. Builds nothing.
  [[nodiscard]] static double cost(std::int64_t n);
  /// What is added on each side whose lines are not adjacent: (2 + V) n.
  [[nodiscard]] static double gather_cost(std::int64_t n);

  [[nodiscard]] std::int64_t size() const { return n_; }
  /// Reals of scratch, aligned to 64 bytes, that a run needs.
  [[nodiscard]] std::int64_t scratch() const { return scratch_; }

  void run(const LaneSource<T>& source, const LaneSink<T>& sink, T* scratch) const;
  /// The result stays in the split layout, somewhere in `scratch`.
  [[nodiscard]] const T* run(const LaneSource<T>& source, T* scratch) const;
  /// The same from n elements in the split layout outside `scratch`.
  [[nodiscard]] const T* run_split(const T* in, T* scratch) const;
  void run_split(const T* in, const LaneSink<T>& sink, T* scratch) const;

  /// "8·5·5·5" or "Bluestein over 20480 = …".
  [[nodiscard]] std::string describe() const;

 private:
  struct Pass {
    int slot;  // index into kRadices, −1: odd prime
    int radix;
    std::int64_t m, s;
    const T* twiddle;
    const T* roots;
  };

  [[nodiscard]] bool fused_head(const LaneSource<T>& source) const {
    return !chirp_ && !passes_.empty() && passes_.front().slot >= 0 && source.offsets == nullptr;
  }
  [[nodiscard]] bool fused_tail(const LaneSink<T>& sink) const {
    return !chirp_ && !passes_.empty() && passes_.back().slot >= 0 && sink.offsets == nullptr;
  }
  void run_head(const LaneSource<T>& source, T* scratch) const;
  void run_tail(const T* current, const LaneSink<T>& sink) const;
  void gather(const LaneSource<T>& source, T* scratch) const;
  void scatter(const T* current, const LaneSink<T>& sink) const;
  void build_passes(const std::vector<int>& radices);
  [[nodiscard]] PassArgs<T> args(const Pass& pass, const T* in, T* out) const;
  [[nodiscard]] const T* passes(const T* current, std::size_t begin, std::size_t end,
                                T* scratch) const;
  [[nodiscard]] const T* convolve(const T* in, T* scratch) const;
  [[nodiscard]] std::int64_t buffer() const { return n_ * 2 * kernels_.lanes; }

  const Kernels<T>& kernels_;
  std::int64_t n_;
  std::int64_t scratch_ = 0;
  std::vector<Pass> passes_;
  Table<T> twiddles_;
  std::shared_ptr<const Chirp<T>> chirp_;  // set for Bluestein
  std::shared_ptr<const LaneFft> inner_;
};

}  // namespace mw::kernels::fft
