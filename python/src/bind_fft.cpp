// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: from Python's arguments to an FFTRequest, once for the functions and the
// object.
#include <algorithm>
#include <bit>

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fft_object.hpp"
#include "once.hpp"
#include "recent.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FFTProblem::kOperation;

/// Everything that make_fft() looks at, but functions.
Looks<2> looks_of(const FFTCall& call, FFTDirections directions) {
  const FFTOptions& options = call.options;
  const auto type = options.type ? 1U + static_cast<unsigned>(*options.type) : 0U;
  const auto flags = type | static_cast<unsigned>(options.in_place) << 4U |
                     static_cast<unsigned>(options.last_axis_parity) << 5U |
                     static_cast<unsigned>(options.result_layout) << 6U |
                     static_cast<unsigned>(directions) << 7U |
                     static_cast<unsigned>(options.execution.space) << 9U |
                     static_cast<unsigned>(options.norm) << 11U |
                     static_cast<unsigned>(!options.lengths.empty()) << 13U |
                     static_cast<unsigned>(options.orthogonalize) << 14U;
  Dims axes = options.axes;
  for (const auto length : options.lengths) axes.push_back(length);
  if (options.scale != 1) axes.push_back(std::bit_cast<std::int64_t>(options.scale));
  const TensorRef* target = options.out ? &*options.out : nullptr;
  return {.views = {&call.input, options.in_place ? &call.input : target},
          .flags = flags | (options.scale != 1 ? 1U << 15U : 0U),
          .axes = axes};
}

/// With functions; nothing for more arrays than can be told at a glance.
std::optional<Looks<kMostOperands>> looks_of(const FFTCall& call, FFTDirections directions,
                                             const FFTEnds& ends) {
  if (ends.prolog.tensors.size() + ends.epilog.tensors.size() + 2 > kMostOperands) {
    return std::nullopt;
  }
  Looks<2> own = looks_of(call, directions);
  Looks<kMostOperands> looks{.views = {own.views[0]},
                             .flags = own.flags,
                             .axes = std::move(own.axes),
                             .functions = {ends.prolog.function, ends.epilog.function}};
  std::size_t next = 1;
  for (const TensorRef& tensor : ends.prolog.tensors) looks.views[next++] = &tensor;
  for (const TensorRef& tensor : ends.epilog.tensors) looks.views[next++] = &tensor;
  looks.views.back() = own.views[1];
  return looks;
}

nb::object transform_fused(const FFTArguments& given, const FFTCall& call, const FFTFunction& row,
                           const Package& package, bool blocking) {
  const FFTFunctionsCall fused =
      understand_functions(given.functions, call.input, call.options, &package,
                           consumer_of(given.stream, package, kOperation));
  const FFTEnds& ends = fused.ends;
  const FFTType type = type_of(call.input.dtype, call.options, ends);
  const FFTDirections directions = planned_directions(type, row.direction);
  const auto make = [&] { return make_fft(call.input, call.options, directions, ends); };
  const auto run = [&](const AnyProblem& problem, const Arguments& arguments) {
    return run_once(
        problem, arguments,
        {kOperation, package, call.options.execution, given.stream, blocking, call.out});
  };
  const auto looks = looks_of(call, directions, ends);
  if (!looks) {
    FFTRequest request = make();
    return run(ProblemOf<FFTProblem>(std::move(request.problem)), request.arguments);
  }
  static thread_local Recent<FFTRequest, kMostOperands> recent;
  return recent.with(*looks, make, [&](const AnyProblem& problem, Arguments& arguments) {
    const auto after = std::ranges::copy(ends.prolog.scalars, arguments.scalars.begin() + 2).out;
    std::ranges::copy(ends.epilog.scalars, after);
    return run(problem, arguments);
  });
}

nb::object transform_once(nb::handle operand, nb::handle axes, nb::handle options,
                          nb::handle execution, nb::handle stream, nb::handle out, int function,
                          nb::handle more) {
  const FFTFunction& row = fft_function(function);
  const nb::object known = coerce_fft_options(options);
  FFTArguments given{operand, axes, known, execution, stream, out};
  take_more(more, given);
  const CommonOptions common = common_options(known);
  follow_logging();
  const LoggerScope logging(common.logger);
  if (needs_object(common)) {
    FFTObject object(given, &row);
    object.plan(stream);
    return object.execute_wanted(row.direction, stream, false);
  }
  FFTOptions parsed = parse_fft_options(axes, known, execution, given.sizes);
  fix_type(parsed, row);
  const Package& package = package_of(operand, {kOperation, "operand"});
  const FFTCall call = understand(given, std::move(parsed), package);
  if (given.functions.any()) {
    return transform_fused(given, call, row, package, common.blocking);
  }
  const FFTType type = type_of(call.input.dtype, call.options, {});
  const FFTDirections directions = planned_directions(type, row.direction);
  static thread_local Recent<FFTRequest, 2> recent;
  Looks<2> looks = looks_of(call, directions);
  if (package.has_complex32()) looks.flags |= 1U << 16U;  // else plain_ends() widens
  return recent.with(
      looks,
      [&] {
        return make_fft(call.input, call.options, directions,
                        plain_ends(call.input.dtype, call.options, package));
      },
      [&](const AnyProblem& problem, Arguments& arguments) {
        return run_once(
            problem, arguments,
            {kOperation, package, call.options.execution, stream, common.blocking, call.out});
      });
}

// What any package's arrays are to a type checker: anything.
constexpr char kFunctionSignature[] =
    "def fft(operand: typing.Any, axes: typing.Any, options: typing.Any, execution: typing.Any, "
    "stream: "
    "typing.Any, out: typing.Any, function: int, more: typing.Any = None) -> typing.Any";
constexpr char kExecuteSignature[] =
    "def execute(self, direction: typing.Any = None, stream: typing.Any = None, release_workspace: "
    "bool = "
    "False) -> typing.Any";
constexpr char kLayoutSignature[] =
    "def _layout(self, of_result: bool) -> tuple[tuple[int, ...], tuple[int, ...]]";

constexpr const char* kExecuteDoc =
    "The transform of the operand as it is now, by the plan.\n\n"
    "Args:\n"
    "    direction: FFTDirection, 'forward' or 'inverse', -1 or +1; by default forward for C2C and "
    "R2C,\n"
    "        inverse for C2R.\n"
    "    stream: where device work is queued: None (the package's current stream), a handle as "
    "int, or\n"
    "        a stream object of the operand's package. Ignored on the CPU.\n"
    "    release_workspace: give the scratch memory back afterwards.\n\n"
    "Returns:\n"
    "    The transform in new memory, an array of the operand's package; or ``out``, or the "
    "operand with\n"
    "    the option ``inplace``, filled.\n\n"
    "Raises:\n"
    "    InvalidArgumentError: a direction that the transform does not have.\n"
    "    InvalidStateError: before plan(), after release_operand() or free().";

}  // namespace

void init_fft(nb::module_& m) {
  const auto none = nb::none();
  m.def("fft", transform_once, nb::arg("operand").none(), nb::arg("axes").none(),
        nb::arg("options").none(), nb::arg("execution").none(), nb::arg("stream").none(),
        nb::arg("out").none(), nb::arg("function"), nb::arg("more").none() = none,
        nb::sig(kFunctionSignature),
        "See mathwright.fft; function: 0 fft, 1 ifft, 2 rfft, 3 irfft, 4-7 dct of types 1-4, 8-11 "
        "dst; more: None, or a tuple of n, s, norm, scale, prolog, epilog, prolog_inputs, "
        "epilog_inputs, orthogonalize.");
  init_fft_keys(m);

  nb::class_<FFTObject, SessionObject>(m, "FFTSession", "See mathwright.fft.FFT.")
      .def(
          "__init__",
          [](FFTObject* self, nb::handle operand, nb::handle axes, nb::handle options,
             nb::handle execution, nb::handle stream, nb::handle out, nb::handle more) {
            const nb::object known = coerce_fft_options(options);
            FFTArguments given{operand, axes, known, execution, stream, out};
            take_more(more, given);
            new (self) FFTObject(given);
          },
          nb::arg("operand").none(), nb::arg("axes").none(), nb::arg("options").none(),
          nb::arg("execution").none(), nb::arg("stream").none(), nb::arg("out").none(),
          nb::arg("more").none() = none)
      .def(
          "_plan",
          [](FFTObject& self, nb::handle stream, nb::handle direction, nb::handle prolog,
             nb::handle epilog, nb::handle prolog_inputs, nb::handle epilog_inputs) {
            self.plan_fused({prolog, epilog, prolog_inputs, epilog_inputs}, stream, direction);
          },
          nb::arg("stream").none(), nb::arg("direction").none(), nb::arg("prolog").none() = none,
          nb::arg("epilog").none() = none, nb::arg("prolog_inputs").none() = none,
          nb::arg("epilog_inputs").none() = none)
      .def("execute", &FFTObject::execute_direction, nb::arg("direction") = none,
           nb::arg("stream") = none, nb::arg("release_workspace") = false,
           nb::sig(kExecuteSignature), kExecuteDoc)
      .def("_reset", &FFTObject::reset, nb::arg("operand").none(), nb::arg("out").none(),
           nb::arg("stream").none(), nb::arg("prolog_inputs").none() = none,
           nb::arg("epilog_inputs").none() = none)
      .def("_reset_unchecked", &FFTObject::reset_unchecked, nb::arg("operand").none(),
           nb::arg("out").none(), nb::arg("prolog_inputs").none() = none,
           nb::arg("epilog_inputs").none() = none)
      .def("_layout", &FFTObject::layout, nb::arg("of_result"), nb::sig(kLayoutSignature))
      .def("_key", &FFTObject::key, nb::sig("def _key(self) -> tuple[typing.Any, ...]"))
      .def("release_operand", &FFTObject::release_operands,
           "Drops the operand; another must be given to reset_operand() before the next execute(). "
           "The "
           "plan is kept. A second call does nothing.");
}

}  // namespace mw::py
