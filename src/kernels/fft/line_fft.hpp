// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// LineFft: one transform of a contiguous line, vectorised inside the line.
//
// The index is cut so that the lanes of LaneFft have something to do (V is the number of lanes):
//
//   cross      n = n1·V: lane v transforms x[v], x[v+V], …; one step across the lanes joins them.
//              Every access is a whole vector. For lines that fit the cache.
//   four_step  n = n1·n2: n2 transforms of n1 (columns, V at a time), twiddles and V × V turns, n1
//              transforms of n2. For long lines (each element passes the outer cache twice, not
//              once per radix; both steps run on many threads) and for n without the factor V.
//   bluestein  n with a large prime factor: a convolution of a smooth length.
//   one_lane   tiny n: LaneFft with one lane in use.
//
// (D. H. Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4, 1990.)
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/fft/lane_fft.hpp"

namespace mw::kernels::fft {

/// The line: n complex numbers each, contiguous; in == out is allowed.
template <class T>
struct LineArgs {
  const T* in;
  T* out;
  T sign = 1;  ///< −1 conjugates the input on the way in
  T re_scale = 1;
  T im_scale = 1;
};

template <class T>
class LineFft {
 public:
  /// The one object for length n.
  [[nodiscard]] static std::shared_ptr<const LineFft> get(std::int64_t n);
  explicit LineFft(std::int64_t n);

  /// Cycles for one line by the best method; builds nothing.
  [[nodiscard]] static double cost(std::int64_t n);

  [[nodiscard]] std::int64_t size() const { return n_; }
  /// Reals of scratch, aligned to 64 bytes, for a run on this many threads.
  [[nodiscard]] std::int64_t scratch(int threads) const;
  void run(const LineArgs<T>& line, T* scratch, int threads) const;
  /// `count` lines that begin in_step and out_step reals apart, on this thread.
  void run_lines(LineArgs<T> line, std::int64_t in_step, std::int64_t out_step, std::int64_t count,
                 T* scratch) const;
  [[nodiscard]] std::string describe() const;

 private:
  enum class Method : std::uint8_t { one_lane, cross, four_step, bluestein };
  struct Choice {
    Method method;
    double cycles;
    std::int64_t part;  // n1, or M of Bluestein
    const Kernels<T>* kernels = &fft::kernels<T>();
  };
  static void choose_narrow(std::int64_t n, Choice& best);
  [[nodiscard]] static Choice choose(std::int64_t n);
  LineFft(std::int64_t n, const Choice& choice);

  void build_cross();
  void build_four_step();
  void run_one_lane(const LineArgs<T>& line, T* scratch) const;
  void run_four_step(const LineArgs<T>& line, T* scratch, int threads) const;
  void run_columns(const LineArgs<T>& line, std::int64_t block, T* turned, T* scratch) const;
  void run_rows(const LineArgs<T>& line, std::int64_t block, const T* turned, T* scratch) const;
  void run_bluestein(const LineArgs<T>& line, T* scratch, int threads) const;
  [[nodiscard]] std::int64_t blocks(std::int64_t lines) const {
    return (lines + kernels_.lanes - 1) / kernels_.lanes;
  }
  [[nodiscard]] std::int64_t turned_block() const;

  const Kernels<T>& kernels_;
  std::int64_t n_;
  Method method_ = Method::one_lane;
  std::int64_t n1_ = 0;
  std::int64_t n2_ = 0;
  void (*tiny_)(const TinyArgs<T>&) = nullptr;
  std::shared_ptr<const LaneFft<T>> lane1_;
  std::shared_ptr<const LaneFft<T>> lane2_;
  Table<T>
      twiddles_;   // cross: split, n1 elements. four_step: per block of columns, coarse then fine
  int shift_ = 0;  // of the fine table
  std::int64_t coarse_ = 0;  // elements of the coarse table
  std::shared_ptr<const Chirp<T>> chirp_;
  std::shared_ptr<const LineFft> inner_;
};

}  // namespace mw::kernels::fft
