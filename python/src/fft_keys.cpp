// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Keys: what a plan depends on as a tuple (problem, functions, execution) of plain values, and the
// problem again from such a tuple.
#include <algorithm>

#include <nanobind/stl/string.h>

#include "expr/serialize.hpp"
#include "fft_call.hpp"
#include "ops/fuse/problem.hpp"
#include "plan/cache.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FFTProblem::kOperation;

nb::tuple layout_tuple(const OperandLayout& layout) {
  return nb::make_tuple(nb::str(std::string(mw::name(layout.dtype)).c_str()),
                        tuple_from(layout.shape), tuple_from(layout.strides), layout.conjugate);
}

OperandLayout layout_from(nb::handle tuple) {
  OperandLayout layout;
  const auto dtype = dtype_from_name(nb::cast<std::string>(tuple[0]));
  require(dtype.has_value(), ErrorKind::invalid_argument, kOperation, ": key has an unknown dtype");
  layout.dtype = *dtype;
  layout.shape = dims_from(tuple[1]);
  layout.strides = dims_from(tuple[2]);
  layout.conjugate = nb::cast<bool>(tuple[3]);
  return layout;
}

/// The callbacks' part of a key: None, or both functions, and what they take and give.
nb::object functions_key(const FFTProblem& problem) {
  if (!problem.prolog.function && !problem.epilog.function) return nb::none();
  const auto end = [](const FFTEnd& of) -> nb::object {
    if (!of.function) return nb::none();
    const std::string bytes = expr::to_bytes(*of.function);
    return nb::bytes(bytes.data(), bytes.size());
  };
  nb::list layouts;
  for (std::size_t i = 1; i + 1 < problem.operands.size(); ++i) {
    layouts.append(layout_tuple(problem.operands[i]));
  }
  nb::list names;
  for (const AuxResult& aux : problem.aux) names.append(aux.name.c_str());
  return nb::make_tuple(end(problem.prolog), problem.prolog.main, end(problem.epilog),
                        problem.epilog.main, nb::tuple(layouts), nb::tuple(names));
}

void take_functions(const nb::object& key, FFTProblem& problem) {
  if (key.is_none()) return;
  const auto end = [](nb::handle bytes, nb::handle main) -> FFTEnd {
    if (bytes.is_none()) return {};
    const nb::bytes given = nb::cast<nb::bytes>(bytes);
    const auto function = interned(
        std::make_shared<const expr::Function>(expr::from_bytes({given.c_str(), given.size()})));
    return {function, reinterpret_cast<std::uintptr_t>(function.get()),
            nb::cast<std::size_t>(main)};
  };
  problem.prolog = end(key[0], key[1]);
  problem.epilog = end(key[2], key[3]);
  for (const nb::handle layout : nb::tuple(nb::object(key[4]))) {
    problem.operands.insert(problem.operands.end() - 1, layout_from(layout));
  }
  const nb::tuple names = nb::tuple(nb::object(key[5]));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const OperandLayout& layout = problem.operands[problem.operands.size() - 1 - names.size() + i];
    problem.aux.push_back(
        {nb::cast<std::string>(names[i]), layout.dtype, layout.shape, layout.strides});
  }
}

/// The problem that a key was made of, and where it runs.
struct KeyedProblem {
  FFTProblem problem;
  Device memory;
  Execution execution;
};

KeyedProblem problem_of_key(nb::handle key) {
  KeyedProblem keyed;
  try {
    const nb::tuple plan = nb::borrow<nb::tuple>(key[0]);
    const nb::tuple execution = nb::borrow<nb::tuple>(key[2]);
    FFTProblem& problem = keyed.problem;
    problem.operands = {layout_from(plan[1]), layout_from(plan[2])};
    problem.type = fft_type_of_word(plan[0]);
    problem.axes = dims_from(plan[3]);
    problem.in_place = nb::cast<bool>(plan[4]);
    problem.shape = dims_from(plan[7]);
    problem.scaled = nb::cast<bool>(plan[8]);
    problem.orthogonal = nb::cast<bool>(plan[9]);
    take_functions(nb::object(key[1]), problem);
    problem.directions = planned_directions(problem.type, std::nullopt);
    problem.result_shape = problem.result().shape;
    problem.result_strides = problem.result().strides;
    if (nb::cast<std::string>(plan[5]) == "cuda")
      keyed.memory = Device::cuda(nb::cast<int>(plan[6]));
    const bool on_cpu = nb::cast<std::string>(execution[0]) == "cpu";
    keyed.execution.space = on_cpu ? Execution::Space::cpu : Execution::Space::cuda;
    (on_cpu ? keyed.execution.num_threads : keyed.execution.device_id) =
        nb::cast<int>(execution[1]);
  } catch (const std::exception&) {
    fail(ErrorKind::invalid_argument, kOperation, ": key is ", shown(key),
         "; a key of FFT.create_key, FFT.create_key_from_metadata or FFT.get_key is wanted");
  }
  return keyed;
}

nb::tuple key_for_view(const TensorRef& view, const FFTArguments& given, const Package* package) {
  const nb::object known = coerce_fft_options(given.options);
  const FFTOptions parsed = parse_fft_options(given.axes, known, given.execution, given.sizes);
  FFTFunctionsCall fused = understand_functions(given.functions, view, parsed, package, {});
  if (package != nullptr && !given.functions.any()) {
    fused.ends = plain_ends(view.dtype, parsed, *package);
  }
  const FFTType type = type_of(view.dtype, parsed, fused.ends);
  const FFTRequest request =
      make_fft(view, parsed, planned_directions(type, std::nullopt), fused.ends);
  return fft_key(request.problem, view.device, parsed.execution);
}

nb::tuple create_key(nb::handle operand, nb::handle axes, nb::handle options, nb::handle execution,
                     nb::handle more) {
  const Who who{kOperation, "operand"};
  const Package& package = package_of(operand, who);
  const Adopted adopted = package.adopt(operand, who, {}, false);
  FFTArguments given{operand, axes, options, execution, nb::none(), nb::none()};
  take_more(more, given);
  return key_for_view(adopted.view, given, &package);
}

nb::tuple create_key_from_metadata(nb::handle shape, const std::string& dtype,
                                   const std::string& memory_space, nb::handle strides,
                                   nb::handle axes, nb::handle options, nb::handle execution,
                                   nb::handle more) {
  const auto known_dtype = dtype_from_name(dtype);
  require(known_dtype.has_value(), ErrorKind::invalid_argument, kOperation, ": dtype is ", dtype,
          "; a name such as float32 or complex128 is wanted");
  require(memory_space == "cpu" || memory_space == "cuda", ErrorKind::invalid_argument, kOperation,
          ": memory_space is ", memory_space, "; cpu or cuda is wanted");
  TensorRef view;
  view.dtype = *known_dtype;
  view.device = memory_space == "cpu" ? Device::cpu() : Device::cuda();
  view.shape = dims_from(nb::tuple(nb::borrow(shape)));
  view.strides = strides.is_none() ? contiguous_strides(view.shape)
                                   : dims_from(nb::tuple(nb::borrow(strides)));
  require(view.strides.size() == view.shape.size(), ErrorKind::invalid_argument, kOperation,
          ": strides ", view.strides, " and shape ", view.shape, " have different lengths");
  normalize_unit_axes(view);
  FFTArguments given{nb::none(), axes, options, execution, nb::none(), nb::none()};
  take_more(more, given);
  return key_for_view(view, given, nullptr);
}

std::size_t workspace_of_key(nb::handle key) {
  const KeyedProblem keyed = problem_of_key(key);
  const Placement placement = place(kOperation, keyed.memory, keyed.execution);
  const ProblemOf<FFTProblem> problem(keyed.problem);
  return cached_selection(problem, placement)->plan->workspace_bytes();
}

}  // namespace

nb::tuple fft_key(const FFTProblem& problem, Device memory, const Execution& execution) {
  const bool on_cpu = execution.space == Execution::Space::cpu ||
                      (execution.space == Execution::Space::operands && memory.is_cpu());
  const int device = memory.is_cuda() ? memory.id : execution.device_id;
  const int detail =
      on_cpu ? place(kOperation, Device::cpu(),
                     {.space = Execution::Space::cpu, .num_threads = execution.num_threads})
                   .context.threads
             : device;
  const nb::tuple plan = nb::make_tuple(
      word_of(problem.type), layout_tuple(problem.input()), layout_tuple(problem.result()),
      tuple_from(problem.axes), problem.in_place, memory.is_cpu() ? "cpu" : "cuda", memory.id,
      tuple_from(problem.shape), problem.scaled, problem.orthogonal);
  return nb::make_tuple(plan, functions_key(problem),
                        nb::make_tuple(on_cpu ? "cpu" : "cuda", detail));
}

namespace {

constexpr char kKeySignature[] =
    "def fft_key(operand: typing.Any, axes: typing.Any, options: typing.Any, execution: "
    "typing.Any, more: typing.Any = None) -> tuple[typing.Any, ...]";
constexpr char kMetadataSignature[] =
    "def fft_key_from_metadata(shape: typing.Any, dtype: str, memory_space: str, strides: "
    "typing.Any, "
    "axes: typing.Any, options: typing.Any, execution: typing.Any, more: typing.Any = None) -> "
    "tuple[typing.Any, ...]";

}  // namespace

void init_fft_keys(nb::module_& m) {
  m.def("fft_key", create_key, nb::arg("operand").none(), nb::arg("axes").none(),
        nb::arg("options").none(), nb::arg("execution").none(), nb::arg("more").none() = nb::none(),
        nb::sig(kKeySignature), "See FFT.create_key.");
  m.def("fft_key_from_metadata", create_key_from_metadata, nb::arg("shape"), nb::arg("dtype"),
        nb::arg("memory_space"), nb::arg("strides").none(), nb::arg("axes").none(),
        nb::arg("options").none(), nb::arg("execution").none(), nb::arg("more").none() = nb::none(),
        nb::sig(kMetadataSignature), "See FFT.create_key_from_metadata.");
  m.def("fft_workspace_of_key", workspace_of_key, nb::arg("key"), "See estimate_workspace_size.");
}

}  // namespace mw::py
