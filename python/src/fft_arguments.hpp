// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the FFT's Python arguments mean: axes, options, direction, keys.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "ops/fft/problem.hpp"

namespace mw::py {

namespace nb = nanobind;

/// One of fft, ifft, rfft, irfft, the cosine transforms 1–4, the sine transforms 1–4.
struct FFTFunction {
  const char* name;
  FFTType type;
  FFTDirection direction;
};
[[nodiscard]] const FFTFunction& fft_function(int index);

/// "C2C", "R2C", "C2R", "DCT1" … "DST4", as the options spell them. Errors: ValueError.
[[nodiscard]] FFTType fft_type_of_word(nb::handle word);
[[nodiscard]] const char* word_of(FFTType type);

/// options= as an FFTOptions object of Python, or None. Errors: TypeError.
[[nodiscard]] nb::object coerce_fft_options(nb::handle options);

/// Lengths and factors as they come; None stands for the default.
struct FFTSizes {
  nb::handle n = Py_None, s = Py_None, norm = Py_None, scale = Py_None;
  nb::handle orthogonalize = Py_None;
};

/// Everything but `out` and the functions. Errors: ValueError with the argument, the value seen and
/// the one wanted.
[[nodiscard]] FFTOptions parse_fft_options(nb::handle axes, nb::handle options,
                                           nb::handle execution, const FFTSizes& sizes = {});

/// A function's type, if the options agree. Errors: ValueError.
void fix_type(FFTOptions& options, const FFTFunction& function);

/// None, FFTDirection, ±1, "forward" or "inverse". Errors: ValueError.
[[nodiscard]] std::optional<FFTDirection> parse_direction(nb::handle direction);

/// A hashable value that says what a plan depends on: (problem, callbacks, execution).
[[nodiscard]] nb::tuple fft_key(const FFTProblem& problem, Device memory,
                                const Execution& execution);

void init_fft_keys(nb::module_& m);

}  // namespace mw::py
