// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The functions at a transform's ends, from Python's objects to make_fft()'s FFTEnds.
#pragma once

#include <string>
#include <vector>

#include "call.hpp"
#include "ops/fft/problem.hpp"

namespace mw::py {

/// As they come: None, an Expr or a function; None or a dict of names to arrays and numbers.
struct FFTFunctions {
  nb::handle prolog = Py_None, epilog = Py_None;
  nb::handle prolog_inputs = Py_None, epilog_inputs = Py_None;

  [[nodiscard]] bool any() const {
    return !(prolog.is_none() && epilog.is_none() && prolog_inputs.is_none() &&
             epilog_inputs.is_none());
  }
};

/// One of them understood: names of its inputs in the function's order.
struct FFTEndNames {
  std::vector<std::string> tensors, scalars;
};

struct FFTFunctionsCall {
  FFTEnds ends;
  std::vector<nb::object> keepers;  ///< of the prolog's tensors, then of the epilog's
  FFTEndNames prolog, epilog;
};

/// `package` is that of the tensors; null: of the first of them. Errors: InvalidArgumentError
/// naming the function and the input; TypeMismatchError.
[[nodiscard]] FFTFunctionsCall understand_functions(const FFTFunctions& given,
                                                    const TensorRef& operand,
                                                    const FFTOptions& options,
                                                    const Package* package, Stream consumer);

}  // namespace mw::py
