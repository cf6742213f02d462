// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the FFT's Python arguments mean: axes, options, direction, keys.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "ops/fft/problem.hpp"

namespace mw::py {

namespace nb = nanobind;

/// One of fft, ifft, rfft, irfft.
struct FFTFunction {
  const char* name;
  FFTType type;
  FFTDirection direction;
};
[[nodiscard]] const FFTFunction& fft_function(int index);

/// options= as an FFTOptions object of Python, or None. Errors: TypeError.
[[nodiscard]] nb::object coerce_fft_options(nb::handle options);

/// Everything but `out`. Errors: ValueError with the argument, the value seen and the one wanted.
[[nodiscard]] FFTOptions parse_fft_options(nb::handle axes, nb::handle options,
                                           nb::handle execution);

/// A function's type, if the options agree. Errors: ValueError.
void fix_type(FFTOptions& options, const FFTFunction& function);

/// None, FFTDirection, ±1, "forward" or "inverse". Errors: ValueError.
[[nodiscard]] std::optional<FFTDirection> parse_direction(nb::handle direction);

/// A hashable value that says what a plan depends on: (problem, callbacks, execution).
[[nodiscard]] nb::tuple fft_key(const FFTProblem& problem, Device memory,
                                const Execution& execution);

void init_fft_keys(nb::module_& m);

}  // namespace mw::py
