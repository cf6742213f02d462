// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The implementations of the FFT, one file each. What all host ones have in common is checked once,
// in candidates.cpp: the device is the host, there is something to transform, the operand is
// neither lazily conjugated nor off its elements' alignment, and those that only transform have
// nothing else to do.
#pragma once

#include "ops/fft/problem.hpp"

namespace mw {

[[nodiscard]] Answer try_mkl_fft(const FFTProblem& problem, const Context& context);
[[nodiscard]] Answer try_nvpl_fft(const FFTProblem& problem, const Context& context);
[[nodiscard]] Answer try_native_fft(const FFTProblem& problem, const Context& context);
[[nodiscard]] Answer try_fftw_fft(const FFTProblem& problem, const Context& context);
[[nodiscard]] Answer try_cufft(const FFTProblem& problem, const Context& context);
/// cuFFT with the functions linked into its kernels.
[[nodiscard]] Answer try_cufft_callbacks(const FFTProblem& problem, const Context& context);
/// A plain transform between two passes; see there.
[[nodiscard]] Answer try_fused_fft(const FFTProblem& problem, const Context& context);
[[nodiscard]] Answer try_fused_axes_fft(const FFTProblem& problem, const Context& context);
/// Plain loops in long double, O(n²) an axis: the specification. It takes whatever make_fft() lets
/// through that the host can hold.
[[nodiscard]] Answer try_reference_fft(const FFTProblem& problem, const Context& context);

/// The direction of an execution.
[[nodiscard]] inline int direction_of(const Call& call) {
  return call.scalars[0].real() < 0 ? -1 : 1;
}

}  // namespace mw
