// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// One call of a transform: its arguments as they come, and understood.
#pragma once

#include "fft_arguments.hpp"
#include "fft_functions.hpp"

namespace mw::py {

/// The arguments of the functions and of FFT(), as they come; options are None or an object.
struct FFTArguments {
  nb::handle operand, axes, options, execution, stream, out;
  FFTSizes sizes = {};
  FFTFunctions functions = {};
};

/// The arguments beside the usual ones: None, or a tuple of n, s, norm, scale, prolog, epilog,
/// prolog_inputs, epilog_inputs.
void take_more(nb::handle more, FFTArguments& given);

/// The same but for the functions, understood: what make_fft() takes, and what must live while it
/// runs.
struct FFTCall {
  TensorRef input;
  FFTOptions options;
  nb::object keeper, out_keeper, out;
};

[[nodiscard]] FFTCall understand(const FFTArguments& given, FFTOptions parsed,
                                 const Package& package);

/// The ends of a call without functions: none, but that a package without complex32 gets half
/// precision's spectra as complex64.
[[nodiscard]] FFTEnds plain_ends(DType operand, const FFTOptions& options, const Package& package);

/// The type of the transform. Errors: ComplexOperandError for a real one of complex values.
[[nodiscard]] FFTType type_of(DType operand, const FFTOptions& options, const FFTEnds& ends);

}  // namespace mw::py
