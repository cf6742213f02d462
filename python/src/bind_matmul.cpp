// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Matrix products: the functions, and what Python sees of the object.
#include <algorithm>
#include <iterator>

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "matmul_object.hpp"
#include "once.hpp"
#include "recent.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = MatmulObject::kOperation;

/// Everything that make_matmul() looks at.
Looks<4> looks_of(const MatmulCall& call) {
  const auto& [a, b, c, out] = call.operands;
  const MatmulOptions& options = call.options;
  const bool complex_factors = options.alpha.imag() != 0 || options.beta.value_or(0).imag() != 0;
  const auto flags = static_cast<unsigned>(options.conjugate_a) |
                     static_cast<unsigned>(options.conjugate_b) << 1U |
                     static_cast<unsigned>(options.beta.has_value()) << 2U |
                     static_cast<unsigned>(complex_factors) << 3U |
                     static_cast<unsigned>(options.execution.space) << 4U;
  return {.views = {&a, &b, c ? &*c : nullptr, out ? &*out : nullptr}, .flags = flags};
}

/// With an epilog; nothing for what depends on more than can be told at a glance.
std::optional<Looks<kMostOperands>> looks_of(const MatmulCall& call, const MatmulExtras& extras) {
  const bool plain = !extras.quantisation && extras.block == BlockFormat::none &&
                     extras.multiprocessors == 0 && extras.epilog && !extras.epilog->aux_type &&
                     extras.epilog->tensors.size() + 4 < kMostOperands;
  if (!plain) return std::nullopt;
  const Looks<4> own = looks_of(call);
  Looks<kMostOperands> looks{
      .views = {}, .flags = own.flags, .functions = {extras.epilog->function}};
  std::size_t next = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (own.views[i]) looks.views[next++] = own.views[i];
  }
  for (const TensorRef& tensor : extras.epilog->tensors) looks.views[next++] = &tensor;
  looks.views.back() = own.views.back();
  const std::uint64_t more[] = {call.operands.c.has_value(),
                                extras.broadcast_c,
                                extras.fast_accumulation,
                                static_cast<std::uint64_t>(extras.compute),
                                extras.result_type ? 1 + std::uint64_t(*extras.result_type) : 0,
                                static_cast<std::uint64_t>(extras.epilog->named)};
  constexpr int kBits[] = {1, 1, 1, 8, 8, 16};
  int at = 16;
  for (std::size_t i = 0; i < std::size(more); at += kBits[i++]) looks.flags |= more[i] << at;
  return looks;
}

nb::object coerced(nb::handle options) {
  return coerce_options(options, "mathwright.linalg._options", "MatmulOptions", kOperation);
}

nb::object matmul_once(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
                       int conjugate, nb::handle options, nb::handle execution, nb::handle stream,
                       nb::handle out) {
  const nb::object known = coerced(options);
  const MatmulArguments given{
      a,     b,         c,      alpha, beta, (conjugate & 1) != 0, (conjugate & 2) != 0,
      known, execution, stream, out};
  const CommonOptions common = common_options(known);
  follow_logging();
  const LoggerScope logging(common.logger);
  if (needs_object(common)) {
    MatmulObject object(given, nb::none());
    object.plan(stream);
    return object.execute(stream, false);
  }
  const Package& package = package_of(a, {kOperation, "a"});
  MatmulCall call = understand(given, package);
  const ScalarValue beta_or_none = call.operands.c ? call.options.beta.value_or(0) : 0;
  const ScalarValue factors[] = {call.options.alpha, beta_or_none};
  static thread_local Recent<MatmulRequest, 4> recent;
  return recent.with(
      looks_of(call), [&] { return make_matmul(call.operands, call.options); },
      [&](const AnyProblem& problem, Arguments& arguments) {
        arguments.scalars.assign(std::begin(factors), std::end(factors));
        return run_once(
            problem, arguments,
            {kOperation, package, call.options.execution, stream, common.blocking, call.out});
      });
}

nb::object matmul_fused(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
                        int conjugate, nb::handle options, nb::handle execution, nb::handle stream,
                        nb::handle out, const FusedArguments& fused) {
  const nb::object known = coerced(options);
  const MatmulArguments given{
      a,     b,         c,      alpha, beta, (conjugate & 1) != 0, (conjugate & 2) != 0,
      known, execution, stream, out};
  const CommonOptions common = common_options(known);
  follow_logging();
  const LoggerScope logging(common.logger);
  if (needs_object(common)) {
    MatmulObject object(given, fused.extras);
    object.plan_fused(fused, stream);
    return object.execute(stream, false);
  }
  const Package& package = package_of(a, {kOperation, "a"});
  const MatmulCall call = understand(given, package);
  const FusedCall epilog =
      understand_fused(fused, call.operands, package, consumer_of(stream, package, kOperation));
  const auto make = [&] { return make_matmul(call.operands, call.options, epilog.extras); };
  const auto run = [&](const AnyProblem& problem, const Arguments& arguments) {
    return run_once(
        problem, arguments,
        {kOperation, package, call.options.execution, stream, common.blocking, call.out});
  };
  const auto looks = looks_of(call, epilog.extras);
  if (!looks) {
    MatmulRequest request = make();
    return run(ProblemOf<MatmulProblem>(std::move(request.problem)), request.arguments);
  }
  static thread_local Recent<MatmulRequest, kMostOperands> recent;
  return recent.with(*looks, make, [&](const AnyProblem& problem, Arguments& arguments) {
    const auto& numbers = epilog.extras.epilog->scalars;
    arguments.scalars[0] = call.options.alpha;
    arguments.scalars[1] = call.operands.c ? call.options.beta.value_or(0) : 0;
    std::ranges::copy(numbers, arguments.scalars.begin() + 2);
    return run(problem, arguments);
  });
}

// What any package's arrays are to a type checker: anything.
constexpr char kFunctionSignature[] =
    "def matmul(a: typing.Any, b: typing.Any, c: typing.Any, alpha: typing.Any, beta: typing.Any, "
    "conjugate: int, options: typing.Any, execution: typing.Any, stream: typing.Any, "
    "out: typing.Any) -> typing.Any";
constexpr char kExecuteSignature[] =
    "def execute(self, *, stream: typing.Any = None, release_workspace: bool = False) -> "
    "typing.Any";
constexpr char kUncheckedSignature[] =
    "def execute_unchecked(self, *, stream: typing.Any = None, release_workspace: bool = False) -> "
    "typing.Any";

constexpr const char* kExecuteDoc =
    "The product of the operands as they are now, by the plan.\n\n"
    "Args:\n"
    "    stream: where device work is queued: None (the package's current stream), a handle as "
    "int, or\n"
    "        a stream object of the operands' package. Ignored on the CPU.\n"
    "    release_workspace: give the scratch memory back afterwards.\n\n"
    "Returns:\n"
    "    D in new memory, an array of the operands' package; or ``out``, or ``c`` with the option\n"
    "    ``inplace``, filled.\n\n"
    "Raises:\n"
    "    InvalidStateError: before plan(), after release_operands() or free().";

void init_object(nb::module_& m) {
  const auto none = nb::none();
  nb::class_<MatmulObject, SessionObject>(m, "MatmulSession", "See mathwright.linalg.Matmul.")
      .def(
          "__init__",
          [](MatmulObject* self, nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
             nb::handle beta, int conjugate, nb::handle options, nb::handle execution,
             nb::handle stream, nb::handle out, nb::handle extras) {
            const nb::object known = coerced(options);
            new (self) MatmulObject({a, b, c, alpha, beta, (conjugate & 1) != 0,
                                     (conjugate & 2) != 0, known, execution, stream, out},
                                    extras);
          },
          nb::arg("a").none(), nb::arg("b").none(), nb::arg("c").none(), nb::arg("alpha").none(),
          nb::arg("beta").none(), nb::arg("conjugate"), nb::arg("options").none(),
          nb::arg("execution").none(), nb::arg("stream").none(), nb::arg("out").none(),
          nb::arg("extras").none() = none)
      .def(
          "_plan",
          [](MatmulObject& self, nb::handle stream, nb::handle epilog, nb::handle inputs,
             nb::handle aux_type, bool aux_amax) {
            self.plan_fused({epilog, inputs, aux_type, aux_amax, nb::none()}, stream);
          },
          nb::arg("stream").none(), nb::arg("epilog").none() = none,
          nb::arg("epilog_inputs").none() = none, nb::arg("aux_type").none() = none,
          nb::arg("aux_amax") = false)
      .def("_considered", &MatmulObject::considered)
      .def("execute", &MatmulObject::execute, nb::kw_only(), nb::arg("stream") = none,
           nb::arg("release_workspace") = false, nb::sig(kExecuteSignature), kExecuteDoc)
      .def("execute_unchecked", &MatmulObject::execute_unchecked, nb::kw_only(),
           nb::arg("stream") = none, nb::arg("release_workspace") = false,
           nb::sig(kUncheckedSignature),
           "The same as execute(), whose checks cost next to nothing.")
      .def("_reset", &MatmulObject::reset, nb::arg("a").none(), nb::arg("b").none(),
           nb::arg("c").none(), nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("out").none(), nb::arg("epilog_inputs").none(), nb::arg("stream").none(),
           nb::arg("scales").none() = none)
      .def("_reset_unchecked", &MatmulObject::reset_unchecked, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("c").none(), nb::arg("alpha").none(),
           nb::arg("beta").none(), nb::arg("out").none(), nb::arg("epilog_inputs").none(),
           nb::arg("scales").none() = none)
      .def(
          "release_operands", &MatmulObject::release_operands,
          "Drops the operands; every one of them must be given to reset_operands() before the next "
          "execute(). The plan is kept. A second call does nothing.");
}

}  // namespace

void init_matmul(nb::module_& m) {
  const auto none = nb::none();
  m.def("matmul", matmul_once, nb::arg("a").none(), nb::arg("b").none(), nb::arg("c").none(),
        nb::arg("alpha").none(), nb::arg("beta").none(), nb::arg("conjugate"),
        nb::arg("options").none(), nb::arg("execution").none(), nb::arg("stream").none(),
        nb::arg("out").none(), nb::sig(kFunctionSignature),
        "See mathwright.linalg.matmul; bits 0 and 1 of conjugate are a's and b's.");

  m.def(
      "matmul_fused",
      [](nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta, int conjugate,
         nb::handle options, nb::handle execution, nb::handle stream, nb::handle out,
         nb::handle epilog, nb::handle inputs, nb::handle aux_type, bool aux_amax,
         nb::handle extras) {
        return matmul_fused(a, b, c, alpha, beta, conjugate, options, execution, stream, out,
                            {epilog, inputs, aux_type, aux_amax, extras});
      },
      nb::arg("a").none(), nb::arg("b").none(), nb::arg("c").none(), nb::arg("alpha").none(),
      nb::arg("beta").none(), nb::arg("conjugate"), nb::arg("options").none(),
      nb::arg("execution").none(), nb::arg("stream").none(), nb::arg("out").none(),
      nb::arg("epilog").none(), nb::arg("epilog_inputs").none(), nb::arg("aux_type").none() = none,
      nb::arg("aux_amax") = false, nb::arg("extras").none() = none,
      "The same with an epilog, or as an advanced product.");
  init_object(m);
}

}  // namespace mw::py
