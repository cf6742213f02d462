// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: from Python's arguments to an FFTRequest, once for the functions and the
// object.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fft_arguments.hpp"
#include "once.hpp"
#include "recent.hpp"
#include "session_object.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FFTProblem::kOperation;

/// The arguments of the functions and of FFT(), as they come; options are None or an object.
struct FFTArguments {
  nb::handle operand, axes, options, execution, stream, out;
};

/// The same, understood: what make_fft() takes, and what must live while it runs.
struct FFTCall {
  TensorRef input;
  FFTOptions options;
  FFTDirections directions = FFTDirections::both;
  nb::object keeper, out_keeper, out;
};

/// `direction` is the only one to serve; none: all that the type has.
FFTCall understand(const FFTArguments& given, FFTOptions parsed, const Package& package,
                   std::optional<FFTDirection> direction) {
  const nb::handle operand = given.operand;
  const nb::handle out = given.out;
  const Stream consumer = consumer_of(given.stream, package, kOperation);
  FFTCall call;
  call.options = std::move(parsed);
  FFTOptions& options = call.options;
  Adopted input = package.adopt(operand, {kOperation, "operand"}, consumer, options.in_place);
  const FFTType type = resolved_type(input.view.dtype, options);
  if (type == FFTType::r2c && is_complex(input.view.dtype)) {
    fail_as("ComplexOperandError", ErrorKind::invalid_argument, kOperation,
            ": r2c transform of an operand of dtype ", input.view.dtype,
            "; a real dtype is wanted. Use fft, or pass the operand's real part.");
  }
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
  call.directions = planned_directions(type, direction);
  call.input = std::move(input.view);
  return call;
}

FFTRequest request_of(const FFTCall& call) {
  return make_fft(call.input, call.options, call.directions);
}

/// Everything that make_fft() looks at.
Looks<2> looks_of(const FFTCall& call) {
  const FFTOptions& options = call.options;
  const auto type = options.type ? 1U + static_cast<unsigned>(*options.type) : 0U;
  const auto flags = type | static_cast<unsigned>(options.in_place) << 2U |
                     static_cast<unsigned>(options.last_axis_parity) << 3U |
                     static_cast<unsigned>(options.result_layout) << 4U |
                     static_cast<unsigned>(call.directions) << 5U |
                     static_cast<unsigned>(options.execution.space) << 7U;
  const TensorRef* target = options.out ? &*options.out : nullptr;
  return {.views = {&call.input, options.in_place ? &call.input : target},
          .flags = flags,
          .axes = options.axes};
}

class FFTObject final : public SessionObject {
 public:
  /// `function` fixes the type, if it is given.
  explicit FFTObject(const FFTArguments& given, const FFTFunction* function = nullptr)
      : SessionObject(package_of(given.operand, {kOperation, "operand"}), given.options,
                      kOperation) {
    const LoggerScope logging(logger_);
    FFTOptions parsed = parse_fft_options(given.axes, given.options, given.execution);
    if (function) fix_type(parsed, *function);
    execution_ = parsed.execution;
    in_place_ = parsed.in_place;
    const auto only = function ? std::optional(function->direction) : std::nullopt;
    FFTCall call = understand(given, std::move(parsed), package(), only);
    FFTRequest request = request_of(call);
    if (call.out.is_valid()) out_ = std::move(call.out);
    keep(std::move(call.keeper));
    keep(std::move(call.out_keeper));
    start(std::make_unique<ProblemOf<FFTProblem>>(std::move(request.problem)),
          std::move(request.arguments), execution_);
  }

  void plan_direction(nb::handle stream, nb::handle direction) {
    serve(parse_direction(direction));
    plan(stream);
  }

  nb::object execute_direction(nb::handle direction, nb::handle stream, bool release_workspace) {
    return execute_wanted(direction.is_none() ? std::nullopt : parse_direction(direction), stream,
                          release_workspace);
  }

  nb::object execute_wanted(std::optional<FFTDirection> wanted, nb::handle stream,
                            bool release_workspace) {
    const Lock lock(*this);
    session().check_alive();
    const FFTDirection chosen = executed_direction(problem(), wanted);
    session().set_scalar(0, static_cast<double>(chosen));
    return run(stream, release_workspace);
  }

  void reset(nb::handle operand, nb::handle out, nb::handle stream) {
    const Lock lock(*this);
    replace(listed(operand, out), stream);
  }
  void reset_unchecked(nb::handle operand, nb::handle out) {
    const Lock lock(*this);
    replace_unchecked(listed(operand, out));
  }

  nb::tuple layout(bool of_result) {
    const Lock lock(*this);
    session().check_alive();
    const OperandLayout& input = problem().input();
    return of_result ? nb::make_tuple(tuple_from(problem().result_shape),
                                      tuple_from(problem().result_strides))
                     : nb::make_tuple(tuple_from(input.shape), tuple_from(input.strides));
  }

  nb::tuple key() {
    const Lock lock(*this);
    session().check_alive();
    require(session().planned(), ErrorKind::invalid_state, kOperation,
            ": get_key() was called before plan(); call plan() first");
    return fft_key(problem(), session().placement().memory, execution_);
  }

 private:
  [[nodiscard]] const FFTProblem& problem() {
    return static_cast<const ProblemOf<FFTProblem>&>(session().problem()).problem();
  }

  /// A plan for one direction only is one for another problem.
  void serve(std::optional<FFTDirection> direction) {
    const Lock lock(*this);
    session().check_alive();
    const FFTDirections wanted = planned_directions(problem().type, direction);
    if (session().planned() || wanted == problem().directions || session().released()) return;
    FFTProblem narrowed = problem();
    narrowed.directions = wanted;
    Arguments arguments = session().arguments();
    start(std::make_unique<ProblemOf<FFTProblem>>(std::move(narrowed)), std::move(arguments),
          execution_);
  }

  std::vector<Replacement> listed(nb::handle operand, nb::handle out) const {
    std::vector<Replacement> list;
    if (!operand.is_none()) list.push_back({0, operand, "operand", in_place_});
    if (!operand.is_none() && in_place_) list.push_back({1, operand, "operand", true});
    if (!out.is_none()) list.push_back({1, out, "out", true});
    return list;
  }

  Execution execution_;
  bool in_place_ = false;
};

nb::object transform_once(nb::handle operand, nb::handle axes, nb::handle options,
                          nb::handle execution, nb::handle stream, nb::handle out, int function) {
  const FFTFunction& row = fft_function(function);
  const nb::object known = coerce_fft_options(options);
  const FFTArguments given{operand, axes, known, execution, stream, out};
  const CommonOptions common = common_options(known);
  follow_logging();
  const LoggerScope logging(common.logger);
  if (needs_object(common)) {
    FFTObject object(given, &row);
    object.plan(stream);
    return object.execute_wanted(row.direction, stream, false);
  }
  FFTOptions parsed = parse_fft_options(axes, known, execution);
  fix_type(parsed, row);
  const Package& package = package_of(operand, {kOperation, "operand"});
  const FFTCall call = understand(given, std::move(parsed), package, row.direction);
  static thread_local Recent<FFTRequest, 2> recent;
  return recent.with(
      looks_of(call), [&] { return request_of(call); },
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
    "typing.Any, out: typing.Any, function: int) -> typing.Any";
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
        nb::arg("out").none(), nb::arg("function"), nb::sig(kFunctionSignature),
        "See mathwright.fft; function: 0 fft, 1 ifft, 2 rfft, 3 irfft.");
  init_fft_keys(m);

  nb::class_<FFTObject, SessionObject>(m, "FFTSession", "See mathwright.fft.FFT.")
      .def(
          "__init__",
          [](FFTObject* self, nb::handle operand, nb::handle axes, nb::handle options,
             nb::handle execution, nb::handle stream, nb::handle out) {
            const nb::object known = coerce_fft_options(options);
            new (self) FFTObject({operand, axes, known, execution, stream, out});
          },
          nb::arg("operand").none(), nb::arg("axes").none(), nb::arg("options").none(),
          nb::arg("execution").none(), nb::arg("stream").none(), nb::arg("out").none())
      .def("_plan", &FFTObject::plan_direction, nb::arg("stream").none(),
           nb::arg("direction").none())
      .def("execute", &FFTObject::execute_direction, nb::arg("direction") = none,
           nb::arg("stream") = none, nb::arg("release_workspace") = false,
           nb::sig(kExecuteSignature), kExecuteDoc)
      .def("_reset", &FFTObject::reset, nb::arg("operand").none(), nb::arg("out").none(),
           nb::arg("stream").none())
      .def("_reset_unchecked", &FFTObject::reset_unchecked, nb::arg("operand").none(),
           nb::arg("out").none())
      .def("_layout", &FFTObject::layout, nb::arg("of_result"), nb::sig(kLayoutSignature))
      .def("_key", &FFTObject::key, nb::sig("def _key(self) -> tuple[typing.Any, ...]"))
      .def("release_operand", &FFTObject::release_operands,
           "Drops the operand; another must be given to reset_operand() before the next execute(). "
           "The "
           "plan is kept. A second call does nothing.");
}

}  // namespace mw::py
