// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The boundary between planning code and the kernels, which exist once per instruction set.
//
// Layouts. "Split": element j is V real parts followed by V imaginary parts, one lane per
// transform, so consecutive elements are 2·V reals apart. "Interleaved": the user's complex numbers
// (re, im), V of them side by side making one element of V lanes. `Kernels<T>` is a table of plain
// functions; this header and everything under kernels.inc.hpp use no inline function of the
// standard library, so a unit compiled for a newer CPU cannot lend its code to the rest of the
// program.
#pragma once

#include <cstdint>

namespace mw::kernels::fft {

/// Radices with a butterfly of their own; other odd primes go through `Kernels::odd`.
inline constexpr int kRadices[] = {2, 3, 4, 5, 7, 8, 11, 13};
inline constexpr int kRadixCount = 8;
/// The largest vector there is (64 bytes of float).
inline constexpr int kMaxLanes = 16;

/// One Stockham pass: y[q + s(Rp + k)] = w^(pk) Σ_j x[q + s(p + mj)] exp(−2πi·jk/R), p < m, q < s.
template <class T>
struct PassArgs {
  const T* in;
  T* out;
  const T* twiddle;    // (re, im) of w^(pk) for k = 1 … R−1, p after p
  const T* roots;      // odd(): (cos, sin)(2πt/R) for t < R
  std::int64_t radix;  // odd() only
  std::int64_t m, s;
  std::int64_t in_stride;  // reals between elements of an interleaved input
  std::int64_t out_stride;
  std::int64_t ahead;    // reals from an interleaved element to the one to prefetch
  T sign;                // imaginary parts of an interleaved input are multiplied by this
  T re_scale, im_scale;  // parts of an interleaved output are multiplied by these
};

/// Moves n elements between V lines and the split layout. Line i starts at in (or out) plus
/// offsets[i] reals; without offsets the lines are adjacent. Only `count` lines are written.
template <class T>
struct LaneIo {
  const T* in;
  T* out;
  const std::int64_t* offsets;
  std::int64_t stride;  // reals between elements of a line
  std::int64_t n;
  int count;
  T sign, re_scale, im_scale;
};

/// out[j] = post ∘ (pre(in[j]) · table[j]) for j < n, 0 for n ≤ j < total; pre multiplies the
/// imaginary part by `sign`, post the parts by `re_scale` and `im_scale`.
template <class T>
struct MultiplyArgs {
  const T* in;
  T* out;
  const T* table;  // interleaved
  std::int64_t n, total;
  T sign, re_scale, im_scale;
};

/// The last step of n = n1·V: lane v holds Y_v[k1], the transform of x[v], x[v + V], …;
/// X[k1 + n1·k2] = Σ_v w_n^(v·k1) exp(−2πi·v·k2/V) Y_v[k1].
template <class T>
struct CrossArgs {
  const T* in;       // split, n1 elements, n1 ≥ V
  T* out;            // interleaved, contiguous
  const T* twiddle;  // split: w_n^(v·k1)
  std::int64_t n1;
  T re_scale, im_scale;
};

/// The transforms of `lines` contiguous lines of n = R·V numbers, R = V, 2V or 4V and at most 8,
/// each in registers from end to end: what cross does, with the transforms of R before it.
template <class T>
struct TinyArgs {
  const T* in;
  T* out;
  const T* twiddle;                // as in CrossArgs
  std::int64_t in_step, out_step;  // reals from one line to the next
  std::int64_t lines;
  T sign, re_scale, im_scale;
};

/// Between the two steps of n = n1·n2: multiplies lane j2 of element k1 by w_n^(j2·k1) =
/// coarse[k1 >> shift] · fine[k1 & mask] and turns V × V tiles, so that lanes become k1.
template <class T>
struct TurnArgs {
  const T* in;  // split, n1 elements, lanes j2
  T* out;       // blocks of V values of k1; in each, split elements indexed by j2
  const T* coarse;
  const T* fine;
  int shift;
  std::int64_t n1;
  std::int64_t first;         // j2 of lane 0
  std::int64_t block_stride;  // reals
  int count;                  // lanes in use
};

/// Between n real numbers and the half-length complex transform (n = 2m); see real.inc.hpp.
template <class T>
struct HalfArgs {
  const T* in;
  T* out;
  const T* twiddle;  // interleaved: exp(−2πi·k/n), k ≤ m/2
  std::int64_t m;
  T sign, re_scale, im_scale;
};

/// The ends of cosine and sine transforms (trig.inc.hpp): between the user's lines and rows of
/// ours.
template <class T>
struct TrigArgs {
  const T* in;  // the user's side, read or written
  T* out;
  const std::int64_t* offsets;  // lanes only: V starts; none: the lines are adjacent
  std::int64_t stride;          // reals between elements of a line
  int count;                    // lanes to write
  T* own;                       // our rows: V reals (one for a line) or as many complex numbers
  const T* other;               // merge: the second operand
  std::int64_t pitch;           // reals from one real row to the next
  std::int64_t n;               // elements of the user's line
  const T* twiddle;             // (re, im) pairs, or weights
  const std::int64_t* index;
  T scale, flip;
  std::int64_t begin, end;  // steps of the loop
};

template <class T>
struct TrigKernels {
  using End = void (*)(const TrigArgs<T>&);
  End fold, spread, rotate_in, rotate_out, pair_in, pair_out, pick_in, pick_out, merge;
};

template <class T>
struct Kernels {
  int lanes;
  using Pass = void (*)(const PassArgs<T>&);
  Pass first[kRadixCount];   // interleaved → split
  Pass only[kRadixCount];    // the same without twiddles (n = R)
  Pass middle[kRadixCount];  // split → split
  Pass last[kRadixCount];    // split → split without twiddles (m = 1)
  Pass final[kRadixCount];   // split → interleaved without twiddles
  Pass odd;                  // split → split, any odd prime
  void (*gather)(const LaneIo<T>&);
  void (*scatter)(const LaneIo<T>&);
  void (*gather_real)(
      const LaneIo<T>&);  // n reals → ⌈n/2⌉ pairs; odd n: n numbers without imaginary part
  void (*scatter_real)(const LaneIo<T>&);
  void (*lane_multiply)(const MultiplyArgs<T>&);
  void (*line_multiply)(const MultiplyArgs<T>&);
  void (*cross)(const CrossArgs<T>&);
  void (*tiny[3])(const TinyArgs<T>&);  // R = V, 2V, 4V; none where R > 8
  void (*turn)(const TurnArgs<T>&);
  void (*lane_half_forward)(const HalfArgs<T>&);
  void (*lane_half_backward)(const HalfArgs<T>&);
  void (*lane_mirror)(T* data, std::int64_t n);  // split: element n−k becomes conj of element k
  void (*line_half_forward)(const HalfArgs<T>&);
  void (*line_half_backward)(const HalfArgs<T>&);
  TrigKernels<T> lane_trig;
  TrigKernels<T> line_trig;
};

struct Isa {
  const char* name;
  const Kernels<float>* f32;
  const Kernels<double>* f64;
};

/// The widest instruction set this CPU has; decided once.
[[nodiscard]] const Isa& isa();

template <class T>
[[nodiscard]] inline const Kernels<T>& kernels(const Isa& set = isa()) {
  if constexpr (sizeof(T) == 4) {
    return *set.f32;
  } else {
    return *set.f64;
  }
}

/// The same kernels on narrower vectors, for lines too short to fill the widest: the widest first.
inline constexpr int kWidths = 3;
[[nodiscard]] const Isa* const (&isas())[kWidths];

[[nodiscard]] const Isa& baseline_isa();
[[nodiscard]] const Isa& avx2_isa();
[[nodiscard]] const Isa& avx512_isa();

}  // namespace mw::kernels::fft
