// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "fft_call.hpp"

#include "expr/epilogs.hpp"
#include "ops/fft/trig.hpp"

namespace mw::py {

void take_more(nb::handle more, FFTArguments& given) {
  if (more.is_none()) return;
  nb::handle* const places[] = {&given.sizes.n,
                                &given.sizes.s,
                                &given.sizes.norm,
                                &given.sizes.scale,
                                &given.functions.prolog,
                                &given.functions.epilog,
                                &given.functions.prolog_inputs,
                                &given.functions.epilog_inputs,
                                &given.sizes.orthogonalize};
  std::size_t next = 0;
  for (nb::handle* place : places) *place = PyTuple_GET_ITEM(more.ptr(), next++);
}

FFTCall understand(const FFTArguments& given, FFTOptions parsed, const Package& package) {
  constexpr const char* kOperation = FFTProblem::kOperation;
  const nb::handle operand = given.operand;
  const nb::handle out = given.out;
  const Stream consumer = consumer_of(given.stream, package, kOperation);
  FFTCall call;
  call.options = std::move(parsed);
  FFTOptions& options = call.options;
  Adopted input = package.adopt(operand, {kOperation, "operand"}, consumer, options.in_place);
  call.keeper = std::move(input.keeper);
  if (!out.is_none()) {
    require_package(out, package, {kOperation, "out"});
    Adopted target = package.adopt(out, {kOperation, "out"}, consumer, true);
    options.out = std::move(target.view);
    call.out_keeper = std::move(target.keeper);
    call.out = nb::borrow(out);
  }
  if (options.in_place) {
    call.out_keeper = call.keeper;
    call.out = nb::borrow(operand);
  }
  if (!package.any_strides()) options.result_layout = ResultLayout::natural;
  call.input = std::move(input.view);
  return call;
}

FFTEnds plain_ends(DType operand, const FFTOptions& options, const Package& package) {
  FFTEnds ends;
  const bool half = operand == DType::float16 && resolved_type(operand, options) == FFTType::r2c;
  const bool wider = options.out && options.out->dtype == DType::complex64;
  if (half && (wider || !package.has_complex32())) {
    ends.epilog.function = expr::identity_function(DType::complex64, DType::complex64);
  }
  return ends;
}

FFTType type_of(DType operand, const FFTOptions& options, const FFTEnds& ends) {
  const DType values = transformed_dtype(operand, ends.prolog.function);
  const FFTType type = resolved_type(values, options);
  if (reads_reals(type) && is_complex(values)) {
    fail_as("ComplexOperandError", ErrorKind::invalid_argument, FFTProblem::kOperation, ": ",
            name(type), " transform of an operand of dtype ", values,
            "; a real dtype is wanted. Use fft, or pass the operand's real part.");
  }
  return type;
}

}  // namespace mw::py
