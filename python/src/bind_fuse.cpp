// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Fused functions: a Python function, recorded once for every combination of dtypes it is called
// with, and the calls.
#include <mutex>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "expression.hpp"
#include "logging.hpp"
#include "once.hpp"
#include "ops/fuse/problem.hpp"
#include "plan/cache.hpp"
#include "recent.hpp"
#include "trace.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FuseProblem::kOperation;

/// Keyword arguments that are the call's own, not the function's.
struct CallOptions {
  nb::handle out, stream, execution;
};

/// The arguments of one call, understood.
struct FuseCall {
  std::vector<TraceInput> inputs;  ///< by the function's parameters
  FuseOperands operands;
  std::vector<nb::object> keepers;
  const Package* package = nullptr;
  std::optional<int> rank;
  Execution execution;
  nb::object out;
};

bool is_python_number(nb::handle value) {
  return PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr()) ||
         PyBool_Check(value.ptr()) || PyComplex_CheckExact(value.ptr());
}

class FuseFunction {
 public:
  FuseFunction(nb::object function, std::vector<std::string> parameters)
      : function_(std::move(function)), parameters_(std::move(parameters)) {}

  nb::object call(const nb::args& arrays, const CallOptions& options, nb::handle named) {
    follow_logging();
    FuseCall call = understand(arrays, options, named);
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const auto make = [&] { return make_fuse(traced_for(call), call.operands); };
    const auto run = [&](const AnyProblem& problem, Arguments& arguments) {
      arguments.scalars = call.operands.scalars;
      return returned(problem, run_once(problem, arguments,
                                        {kOperation, *call.package, call.execution, options.stream,
                                         false, call.out}));
    };
    if (!lock.owns_lock()) {  // in use by another thread, or by a log handler of this one
      FuseRequest request = make();
      return run(ProblemOf<FuseProblem>(std::move(request.problem)), request.arguments);
    }
    if (!(call.inputs == recent_inputs_)) {
      recent_ = {};
      recent_inputs_ = call.inputs;
    }
    return recent_.with(looks_of(call), make, run);
  }

  std::string explain(const nb::args& arrays, const CallOptions& options, nb::handle named) {
    FuseCall call = understand(arrays, options, named);
    FuseRequest request = make_fuse(traced_for(call), call.operands);
    const ProblemOf<FuseProblem> problem(std::move(request.problem));
    const Placement placement =
        place(kOperation, call.operands.inputs.front().device, call.execution);
    return mw::explain(problem, *cached_selection(problem, placement));
  }

  /// Name, dtype and whether it is a number, of every input of the last call.
  nb::list last_inputs() const {
    nb::list list;
    for (const auto& input : recent_inputs_) {
      const std::string_view dtype = name(input.dtype);
      list.append(nb::make_tuple(input.name, nb::str(dtype.data(), dtype.size()), input.scalar));
    }
    return list;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(function_.ptr());
    return 0;
  }
  void clear() { function_.reset(); }

 private:
  struct Traced {
    std::vector<TraceInput> inputs;
    std::optional<int> rank;
    expr::FunctionPtr function;
  };

  FuseCall understand(const nb::args& arrays, const CallOptions& options, nb::handle named) const {
    require(arrays.size() <= parameters_.size(), ErrorKind::type_mismatch, kOperation, ": ",
            arrays.size(), " operands are given and the function has ", parameters_.size(),
            " parameters");
    FuseCall call;
    std::vector<nb::object> given(parameters_.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) given[i] = nb::object(arrays[i]);
    if (!named.is_none()) take_named(given, nb::borrow<nb::dict>(named));
    call.execution = parse_execution(options.execution, kOperation);
    find_package(call, given);
    const Stream consumer = consumer_of(options.stream, *call.package, kOperation);
    int rank = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].is_valid()) take(call, i, given[i], consumer);
    }
    for (const auto& view : call.operands.inputs) {
      rank = std::max(rank, static_cast<int>(view.rank()));
    }
    call.rank = rank;
    if (!options.out.is_none()) {
      const Who who{kOperation, "out"};
      require_package(options.out, *call.package, who);
      Adopted adopted = call.package->adopt(options.out, who, consumer, true);
      call.operands.out = std::move(adopted.view);
      call.keepers.push_back(std::move(adopted.keeper));
      call.out = nb::borrow(options.out);
    }
    return call;
  }

  void take_named(std::vector<nb::object>& given, const nb::dict& named) const {
    for (const auto& [key, value] : named) {
      const std::string wanted = nb::cast<std::string>(nb::str(key));
      const auto found = std::ranges::find(parameters_, wanted);
      require(found != parameters_.end(), ErrorKind::type_mismatch, kOperation,
              ": the function has no parameter '", wanted, "'; it has ", parameters_,
              ", and the call takes out, stream and execution");
      auto& slot = given[static_cast<std::size_t>(found - parameters_.begin())];
      require(!slot.is_valid(), ErrorKind::type_mismatch, kOperation, ": parameter '", wanted,
              "' is given twice");
      slot = nb::borrow(value);
    }
  }

  void find_package(FuseCall& call, const std::vector<nb::object>& given) const {
    for (std::size_t i = 0; i < given.size() && call.package == nullptr; ++i) {
      if (!given[i].is_valid() || is_number(given[i])) continue;
      call.package = &package_of(given[i], {kOperation, parameters_[i].c_str()});
    }
    require(call.package != nullptr, ErrorKind::type_mismatch, kOperation,
            ": no operand is an array; at least one is wanted, which says how large the result is");
  }

  static bool is_number(nb::handle value) {
    if (is_numpy(value)) return false;
    return is_python_number(value) || number_dtype(value).has_value();
  }

  void take(FuseCall& call, std::size_t parameter, nb::handle value, Stream consumer) const {
    const std::string& name = parameters_[parameter];
    if (is_number(value)) {
      call.inputs.push_back({name, *number_dtype(value), true});
      call.operands.scalars.push_back(parse_scalar(value, {kOperation, name.c_str()}));
      return;
    }
    const Who who{kOperation, name.c_str()};
    require_package(value, *call.package, who);
    Adopted adopted = call.package->adopt(value, who, consumer, false);
    call.inputs.push_back({name, adopted.view.dtype, false});
    call.operands.inputs.push_back(std::move(adopted.view));
    call.keepers.push_back(std::move(adopted.keeper));
  }

  /// Everything that make_fuse() looks at.
  static Looks<kMostOperands> looks_of(const FuseCall& call) {
    const auto& inputs = call.operands.inputs;
    require(inputs.size() < kMostOperands, ErrorKind::invalid_argument, kOperation, ": ",
            inputs.size(), " arrays; at most ", kMostOperands - 1,
            " are supported. Split the function.");
    Looks<kMostOperands> looks;
    for (std::size_t i = 0; i < inputs.size(); ++i) looks.views[i] = &inputs[i];
    if (call.operands.out) looks.views.back() = &*call.operands.out;
    // Whether the result may take an input's place depends on addresses.
    for (std::size_t i = 0; call.operands.out && i < inputs.size(); ++i) {
      if (inputs[i].data == call.operands.out->data) looks.flags |= std::uint64_t{1} << i;
    }
    looks.flags |= static_cast<std::uint64_t>(call.execution.space) << 32U;
    return looks;
  }

  expr::FunctionPtr traced_for(const FuseCall& call) {
    for (const auto& known : traced_) {
      if (known.rank == call.rank && known.inputs == call.inputs) return known.function;
    }
    TraceRequest request{.operation = kOperation, .rank = call.rank, .inputs = call.inputs};
    expr::FunctionPtr function = interned(traced(function_, request));
    traced_.push_back({call.inputs, call.rank, function});
    return function;
  }

  /// As the function returned it: an array, or a dict of them.
  static nb::object returned(const AnyProblem& any, nb::object result) {
    const auto& problem = static_cast<const ProblemOf<FuseProblem>&>(any).problem();
    const auto& outputs = problem.function->outputs;
    const std::string& main = outputs[problem.main].name;
    if (problem.aux.empty() && main == "result") return result;
    nb::dict dict;
    for (const auto& output : outputs) {
      const bool is_main = output.name == main;
      if (problem.aux.empty()) {
        dict[output.name.c_str()] = result;
      } else {
        dict[output.name.c_str()] =
            is_main ? nb::object(result[0]) : nb::object(result[1][output.name.c_str()]);
      }
    }
    return dict;
  }

  nb::object function_;
  std::vector<std::string> parameters_;
  std::vector<Traced> traced_;
  std::mutex mutex_;
  std::vector<TraceInput> recent_inputs_;
  Recent<FuseRequest, kMostOperands> recent_;
};

int traverse_function(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<FuseFunction>(self)->traverse(visit, arg);
}

int clear_function(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<FuseFunction>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_function)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_function)},
                       {0, nullptr}};

constexpr char kCallSignature[] =
    "def __call__(self, *arrays: typing.Any, out: typing.Any = None, stream: typing.Any = None, "
    "execution: typing.Any = None, **named: typing.Any) -> typing.Any";
constexpr char kExplainSignature[] =
    "def _explain(self, *arrays: typing.Any, out: typing.Any = None, stream: typing.Any = None, "
    "execution: typing.Any = None, **named: typing.Any) -> str";

/// The call's own keywords taken out of `keywords`, the rest left as the function's.
struct Split {
  explicit Split(const nb::kwargs& keywords) {
    if (keywords.size() == 0) return;
    nb::dict rest;
    for (const auto& [key, value] : keywords) {
      const char* word = PyUnicode_AsUTF8(key.ptr());
      nb::handle* option = word == nullptr                   ? nullptr
                           : !std::strcmp(word, "out")       ? &options.out
                           : !std::strcmp(word, "stream")    ? &options.stream
                           : !std::strcmp(word, "execution") ? &options.execution
                                                             : nullptr;
      if (option) {
        *option = value;
      } else {
        rest[key] = value;
      }
    }
    if (rest.size() > 0) named = rest;
  }
  CallOptions options{nb::none(), nb::none(), nb::none()};
  nb::object named = nb::none();
};

}  // namespace

void init_fuse(nb::module_& m) {
  nb::class_<FuseFunction>(m, "FuseFunction", nb::type_slots(slots), "See mathwright.fuse.")
      .def(nb::init<nb::object, std::vector<std::string>>(), nb::arg("function"),
           nb::arg("parameters"))
      .def(
          "__call__",
          [](FuseFunction& self, const nb::args& arrays, const nb::kwargs& keywords) {
            const Split split(keywords);
            return self.call(arrays, split.options, split.named);
          },
          nb::sig(kCallSignature))
      .def(
          "_explain",
          [](FuseFunction& self, const nb::args& arrays, const nb::kwargs& keywords) {
            const Split split(keywords);
            return self.explain(arrays, split.options, split.named);
          },
          nb::sig(kExplainSignature))
      .def("_last_inputs", &FuseFunction::last_inputs,
           nb::sig("def _last_inputs(self) -> list[tuple[str, str, bool]]"));
}

}  // namespace mw::py
