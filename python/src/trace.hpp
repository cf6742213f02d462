// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From a Python function to an expr::Function: run once with Values for its parameters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "errors.hpp"
#include "expr/function.hpp"

namespace mw::py {

/// An array or a run-time number that the operation is given for a parameter.
struct TraceInput {
  std::string name;
  DType dtype = DType::float32;
  bool scalar = false;  ///< a number: it may change from call to call

  bool operator==(const TraceInput&) const = default;
};

struct TraceRequest {
  const char* operation = "trace";       ///< for messages
  std::optional<DType> element = {};     ///< of the first parameter, in operations that have one
  std::optional<DType> result = {};      ///< as which "result" is stored; none: as it is computed
  std::optional<int> rank = {};          ///< axes of the result, if axes may count from the front
  std::span<const TraceInput> inputs{};  ///< see input_of(); all of them must be parameters
};

/// The input for an object given by name: a Python or NumPy number is a run-time scalar, an array
/// is a tensor of its dtype. Its dtype is read, not its memory.
[[nodiscard]] TraceInput input_of(std::string name, nb::handle object);

/// What the function computes, simplified and valid. `function` is a callable or a
/// mathwright.Expr. Its first positional parameter is the element, if there is one; parameters
/// named in `inputs` are tensors and scalars, in the order of the parameters (map them by name);
/// one left over that is called `i` or `index` gets the indices.
///
/// The same code with the same closure, defaults and globals is recorded once: a second call costs
/// a look-up, about a microsecond. What depends on objects whose equality is not known for sure (an
/// object's attributes, say) is recorded every time.
///
/// Errors: InvalidArgumentError for parameters missing or left over (by name, with the likely one),
/// an unknown return, and whatever the type rules refuse; TypeMismatchError for branches and loops
/// on values, arrays inside; whatever the function raises itself.
[[nodiscard]] expr::FunctionPtr traced(nb::handle function, const TraceRequest& request);

/// Forgets what was recorded, at the interpreter's end and for tests.
void clear_traces();

}  // namespace mw::py
