// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "fft_functions.hpp"

#include <algorithm>

#include "trace.hpp"

namespace mw::py {

namespace {

/// What the messages about one of the two call it.
struct EndWords {
  const char* function;
  const char* inputs;
  const char* operation;
};
constexpr EndWords kProlog{"prolog", "prolog_inputs", "fft: prolog"};
constexpr EndWords kEpilog{"epilog", "epilog_inputs", "fft: epilog"};

struct Reader {
  const Package* package;
  Stream consumer;
  int rank;
  FFTFunctionsCall& call;

  void read(const EndWords& words, nb::handle function, nb::handle inputs_given, DType element,
            FFTEndRequest& request, FFTEndNames& names) {
    const auto inputs = named_objects(inputs_given, FFTProblem::kOperation, words.inputs);
    if (function.is_none()) {
      require(inputs.empty(), ErrorKind::invalid_argument, FFTProblem::kOperation, ": ",
              words.inputs, " are given without a function; pass ", words.function,
              "=, or leave them away");
      return;
    }
    std::vector<TraceInput> known;
    for (const auto& [name, object] : inputs) known.push_back(input_of(name, object));
    request.function =
        traced(function,
               {.operation = words.operation, .element = element, .rank = rank, .inputs = known});
    const auto find = [&](const std::string& name) -> nb::handle {
      return std::ranges::find(inputs, name, [](const auto& entry) { return entry.first; })->second;
    };
    for (const auto& tensor : request.function->tensors) {
      const Who who{FFTProblem::kOperation, tensor.name.c_str()};
      const nb::handle array = find(tensor.name);
      if (package == nullptr) package = &package_of(array, who);
      require_package(array, *package, who);
      Adopted adopted = package->adopt(array, who, consumer, false);
      call.keepers.push_back(std::move(adopted.keeper));
      request.tensors.push_back(std::move(adopted.view));
      names.tensors.push_back(tensor.name);
    }
    for (const auto& scalar : request.function->scalars) {
      const Who who{FFTProblem::kOperation, scalar.name.c_str()};
      request.scalars.push_back(parse_scalar(find(scalar.name), who));
      names.scalars.push_back(scalar.name);
    }
  }
};

}  // namespace

FFTFunctionsCall understand_functions(const FFTFunctions& given, const TensorRef& operand,
                                      const FFTOptions& options, const Package* package,
                                      Stream consumer) {
  FFTFunctionsCall call;
  Reader reader{package, consumer, static_cast<int>(operand.rank()), call};
  reader.read(kProlog, given.prolog, given.prolog_inputs, operand.dtype, call.ends.prolog,
              call.prolog);
  const DType transformed = transformed_dtype(operand.dtype, call.ends.prolog.function);
  const DType element = transform_dtypes(transformed, resolved_type(transformed, options)).out;
  reader.read(kEpilog, given.epilog, given.epilog_inputs, element, call.ends.epilog, call.epilog);
  return call;
}

}  // namespace mw::py
