// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Matrix products: from Python's arguments to a MatmulRequest, once for the function and the
// object.
#include <nanobind/stl/string.h>

#include "base/log.hpp"
#include "bindings.hpp"
#include "once.hpp"
#include "ops/matmul/problem.hpp"
#include "recent.hpp"
#include "session_object.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = MatmulProblem::kOperation;

/// The arguments of matmul() and Matmul(), as they come.
struct MatmulArguments {
  nb::handle a, b, c, alpha, beta;
  bool conjugate_a, conjugate_b;
  nb::handle options, execution, stream, out;
};

/// The same, understood.
struct MatmulCall {
  MatmulOperands operands;
  MatmulOptions options;
  std::array<nb::object, 4> keepers;  ///< a, b, [c,] out
  nb::object out;                     ///< the object the result goes to, if the caller named one
  bool in_place = false;
};

Adopted adopt(nb::handle array, const char* name, const Package& package, Stream consumer,
              bool writes) {
  const Who who{kOperation, name};
  require_package(array, package, who);
  return package.adopt(array, who, consumer, writes);
}

bool wants_in_place(const MatmulArguments& given) {
  if (given.options.is_none() || given.options.attr("inplace").ptr() != Py_True) return false;
  require(!given.c.is_none(), ErrorKind::invalid_argument, kOperation,
          ": option inplace is set without c; the result takes c's place, so c is wanted");
  require(given.out.is_none(), ErrorKind::invalid_argument, kOperation,
          ": option inplace and out are both given; one of them is wanted");
  return true;
}

void warn_of_idle_beta() {
  log(LogLevel::warning, [] {
    return text(kOperation,
                ": beta is given without c and has no effect; pass c, or leave beta away");
  });
}

MatmulCall understand(const MatmulArguments& given, const Package& package) {
  MatmulCall call;
  MatmulOperands& operands = call.operands;
  MatmulOptions& options = call.options;
  std::size_t count = 0;
  const Stream consumer = consumer_of(given.stream, package, kOperation);
  const auto take = [&](nb::handle array, const char* name, bool writes = false) {
    Adopted adopted = adopt(array, name, package, consumer, writes);
    call.keepers[count++] = std::move(adopted.keeper);
    return std::move(adopted.view);
  };
  call.in_place = wants_in_place(given);
  operands.a = take(given.a, "a");
  operands.b = take(given.b, "b");
  if (!given.c.is_none()) operands.c = take(given.c, "c", call.in_place);
  if (call.in_place) {
    operands.out = operands.c;
    call.keepers[count++] = nb::borrow(given.c);
    call.out = nb::borrow(given.c);
  } else if (!given.out.is_none()) {
    operands.out = take(given.out, "out", true);
    call.out = nb::borrow(given.out);
  }
  if (!given.alpha.is_none()) options.alpha = parse_scalar(given.alpha, {kOperation, "alpha"});
  if (!given.beta.is_none()) {
    options.beta = parse_scalar(given.beta, {kOperation, "beta"});
    if (given.c.is_none()) warn_of_idle_beta();
  }
  options.conjugate_a = given.conjugate_a;
  options.conjugate_b = given.conjugate_b;
  options.execution = parse_execution(given.execution, kOperation);
  return call;
}

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

class MatmulObject final : public SessionObject {
 public:
  explicit MatmulObject(const MatmulArguments& given)
      : SessionObject(package_of(given.a, {kOperation, "a"}), given.options, kOperation) {
    const LoggerScope logging(logger_);
    MatmulCall call = understand(given, package());
    MatmulRequest request = make_matmul(call.operands, call.options);
    in_place_ = call.in_place;
    has_c_ = request.problem.has_c;
    real_ = !is_complex(request.problem.d().dtype);
    if (call.out.is_valid()) out_ = std::move(call.out);
    for (auto& keeper : call.keepers) {
      if (keeper.is_valid()) keep(std::move(keeper));
    }
    start(std::make_unique<ProblemOf<MatmulProblem>>(std::move(request.problem)),
          std::move(request.arguments), call.options.execution);
  }

  void reset(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
             nb::handle out, nb::handle stream) {
    const Lock lock(*this);
    session().check_alive();
    const Scalar new_alpha = alpha.is_none() ? session().scalar(0) : scalar(alpha, "alpha");
    const Scalar new_beta = beta.is_none() ? session().scalar(1) : scalar(beta, "beta");
    require(beta.is_none() || has_c_, ErrorKind::invalid_argument, kOperation,
            ": reset of beta, but the object was made without c");
    const auto replacements = listed(a, b, c, out);
    const bool scalars_only = replacements.empty() && !(alpha.is_none() && beta.is_none());
    if (!scalars_only) replace(replacements, stream);
    session().set_scalar(0, new_alpha);
    session().set_scalar(1, new_beta);
  }

  void reset_unchecked(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
                       nb::handle out) {
    const Lock lock(*this);
    replace_unchecked(listed(a, b, c, out));
    if (!alpha.is_none()) session().set_scalar(0, parse_scalar(alpha, {kOperation, "alpha"}));
    if (!beta.is_none()) session().set_scalar(1, parse_scalar(beta, {kOperation, "beta"}));
  }

 private:
  Scalar scalar(nb::handle value, const char* name) const {
    const Scalar number = parse_scalar(value, {kOperation, name});
    require(!real_ || number.imag() == 0, ErrorKind::invalid_argument, kOperation, ": ", name,
            " is complex and the operands are real; a real number is wanted");
    return number;
  }

  std::vector<Replacement> listed(nb::handle a, nb::handle b, nb::handle c, nb::handle out) const {
    require(c.is_none() || has_c_, ErrorKind::invalid_argument, kOperation,
            ": reset of c, but the object was made without c. Make a new object.");
    std::vector<Replacement> list;
    if (!a.is_none()) list.push_back({0, a, "a"});
    if (!b.is_none()) list.push_back({1, b, "b"});
    if (!c.is_none()) list.push_back({2, c, "c", in_place_});
    if (!c.is_none() && in_place_) list.push_back({out_index(), c, "c", true});
    if (!out.is_none()) list.push_back({out_index(), out, "out", true});
    return list;
  }

  bool in_place_ = false;
  bool has_c_ = false;
  bool real_ = true;
};

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
    MatmulObject object(given);
    object.plan(stream);
    return object.execute(stream, false);
  }
  const Package& package = package_of(a, {kOperation, "a"});
  MatmulCall call = understand(given, package);
  const Scalar beta_or_none = call.operands.c ? call.options.beta.value_or(0) : 0;
  const Scalar factors[] = {call.options.alpha, beta_or_none};
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

}  // namespace

void init_matmul(nb::module_& m) {
  const auto none = nb::none();
  m.def("matmul", matmul_once, nb::arg("a").none(), nb::arg("b").none(), nb::arg("c").none(),
        nb::arg("alpha").none(), nb::arg("beta").none(), nb::arg("conjugate"),
        nb::arg("options").none(), nb::arg("execution").none(), nb::arg("stream").none(),
        nb::arg("out").none(), nb::sig(kFunctionSignature),
        "See mathwright.linalg.matmul; bits 0 and 1 of conjugate are a's and b's.");

  nb::class_<MatmulObject, SessionObject>(m, "MatmulSession", "See mathwright.linalg.Matmul.")
      .def(
          "__init__",
          [](MatmulObject* self, nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
             nb::handle beta, int conjugate, nb::handle options, nb::handle execution,
             nb::handle stream, nb::handle out) {
            const nb::object known = coerced(options);
            new (self) MatmulObject({a, b, c, alpha, beta, (conjugate & 1) != 0,
                                     (conjugate & 2) != 0, known, execution, stream, out});
          },
          nb::arg("a").none(), nb::arg("b").none(), nb::arg("c").none(), nb::arg("alpha").none(),
          nb::arg("beta").none(), nb::arg("conjugate"), nb::arg("options").none(),
          nb::arg("execution").none(), nb::arg("stream").none(), nb::arg("out").none())
      .def("_plan", &MatmulObject::plan, nb::arg("stream").none())
      .def("execute", &MatmulObject::execute, nb::kw_only(), nb::arg("stream") = none,
           nb::arg("release_workspace") = false, nb::sig(kExecuteSignature), kExecuteDoc)
      .def("execute_unchecked", &MatmulObject::execute_unchecked, nb::kw_only(),
           nb::arg("stream") = none, nb::arg("release_workspace") = false,
           nb::sig(kUncheckedSignature),
           "The same as execute(), whose checks cost next to nothing.")
      .def("_reset", &MatmulObject::reset, nb::arg("a").none(), nb::arg("b").none(),
           nb::arg("c").none(), nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("out").none(), nb::arg("stream").none())
      .def("_reset_unchecked", &MatmulObject::reset_unchecked, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("c").none(), nb::arg("alpha").none(),
           nb::arg("beta").none(), nb::arg("out").none())
      .def(
          "release_operands", &MatmulObject::release_operands,
          "Drops the operands; every one of them must be given to reset_operands() before the next "
          "execute(). The plan is kept. A second call does nothing.");
}

}  // namespace mw::py
