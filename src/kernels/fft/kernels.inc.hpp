// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// All kernels for one instruction set. The including unit defines MW_FFT_ISA (a namespace) and
// MW_FFT_BYTES (the width of a vector).
//
// Everything is in an anonymous namespace, and of the standard library only types are used: no
// function compiled here for a newer CPU can be merged by the linker with one compiled elsewhere.
#include <cstdint>
#include <utility>

#include "kernels/fft/isa.hpp"

#define MW_INLINE [[gnu::always_inline]] inline
#if defined(__clang__)
#define MW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MW_UNROLL _Pragma("GCC unroll 16")
#endif

namespace mw::kernels::fft::MW_FFT_ISA {
namespace {

// Each file uses those above it.
// clang-format off
#include "kernels/fft/vec.inc.hpp"
#include "kernels/fft/butterfly.inc.hpp"
#include "kernels/fft/pass.inc.hpp"
#include "kernels/fft/io.inc.hpp"
#include "kernels/fft/line.inc.hpp"
#include "kernels/fft/real.inc.hpp"
#include "kernels/fft/trig.inc.hpp"
// clang-format on

template <class T, int... I>
constexpr Kernels<T> make_kernels(std::integer_sequence<int, I...>) {
  return {
      .lanes = kLanes<T>,
      .first = {pass_first<T, kRadices[I]>...},
      .only = {pass_only<T, kRadices[I]>...},
      .middle = {pass_middle<T, kRadices[I]>...},
      .last = {pass_last<T, kRadices[I]>...},
      .final = {pass_final<T, kRadices[I]>...},
      .odd = pass_odd<T>,
      .gather = gather<T>,
      .scatter = scatter<T>,
      .gather_real = gather_real<T>,
      .scatter_real = scatter_real<T>,
      .lane_multiply = lane_multiply<T>,
      .line_multiply = line_multiply<T>,
      .cross = cross<T>,
      .tiny = {tiny_for<T, 1>(), tiny_for<T, 2>(), tiny_for<T, 4>()},
      .turn = turn<T>,
      .lane_half_forward = lane_half_forward<T>,
      .lane_half_backward = lane_half_backward<T>,
      .lane_mirror = lane_mirror<T>,
      .line_half_forward = line_half_forward<T>,
      .line_half_backward = line_half_backward<T>,
      .lane_trig = trig_kernels<T, LaneEnds>(),
      .line_trig = trig_kernels<T, LineEnds>(),
  };
}

using Radices = std::make_integer_sequence<int, kRadixCount>;
constexpr Kernels<float> float_kernels = make_kernels<float>(Radices{});
constexpr Kernels<double> double_kernels = make_kernels<double>(Radices{});

}  // namespace
}  // namespace mw::kernels::fft::MW_FFT_ISA
