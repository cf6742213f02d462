// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A function of the expression language as CUDA C++ text of a cuFFT callback (JIT form):
//
//   load:   R f(void* array, unsigned long long offset, void* arguments, void*)
//   store:  void f(void* array, unsigned long long offset, R element, void* arguments, void*)
//
// with C++ linkage: cuFFT mangles the name that it is told. It believes that the array is dense,
// and `offset` is all it says of an element. The text finds the element's index from it, and with
// the index everything else: the user's array at its own strides, tensors, what lies outside of a
// cropped input. Shapes and strides are literals, so that powers of two cost shifts, and what is
// dense costs nothing.
#pragma once

#include <string>
#include <vector>

#include <mathwright/dims.hpp>

#include "base/outcome.hpp"
#include "expr/function.hpp"

namespace mw::codegen {

/// An array as the text sees it: strides in elements, 0 where it is repeated.
struct CallbackArray {
  DType dtype = DType::complex64;
  Dims strides;
};

struct CallbackForm {
  expr::FunctionPtr function;
  bool store = false;
  std::string name;      ///< of the function
  std::size_t main = 0;  ///< the output that a load returns, or that a store writes to `array`
  DType library = DType::complex64;  ///< of R: float32, float64, complex64 or complex128
  Dims shape;                        ///< of what the library transforms, or of what it made
  Dims strides;                      ///< that offsets are made with: dense in some order
  Dims used;                         ///< a load beyond these extents gives 0
  CallbackArray array;
  std::vector<CallbackArray> tensors;
  std::vector<CallbackArray> outputs;  ///< in the function's order; [main] is not looked at
};

/// Refusal: reductions, dtypes without text.
[[nodiscard]] Outcome<std::string> device_callback(const CallbackForm& form);

/// The arguments in words of 8 bytes: the address of every tensor, of every output but the main
/// one, then the run-time scalars, real and imaginary part each.
[[nodiscard]] inline std::size_t callback_words(const CallbackForm& form) {
  return form.tensors.size() + form.outputs.size() - 1 + 2 * form.function->scalars.size();
}

}  // namespace mw::codegen
