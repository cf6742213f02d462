// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "fft_arguments.hpp"

#include <nanobind/stl/string.h>

#include "call.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FFTProblem::kOperation;

constexpr FFTFunction kFunctions[] = {
    {"fft", FFTType::c2c, FFTDirection::forward},
    {"ifft", FFTType::c2c, FFTDirection::inverse},
    {"rfft", FFTType::r2c, FFTDirection::forward},
    {"irfft", FFTType::c2r, FFTDirection::inverse},
};

template <class T>
struct Word {
  const char* word;
  T value;
};
constexpr Word<FFTType> kTypes[] = {
    {"C2C", FFTType::c2c}, {"R2C", FFTType::r2c}, {"C2R", FFTType::c2r}};
constexpr Word<FFTParity> kParities[] = {{"even", FFTParity::even}, {"odd", FFTParity::odd}};
constexpr Word<ResultLayout> kLayouts[] = {{"natural", ResultLayout::natural},
                                           {"optimized", ResultLayout::optimized}};

/// The value of a word that the options class has checked and spelled as the table does.
template <class T, std::size_t n>
T value_of(nb::handle word, const Word<T> (&table)[n]) {
  const std::string seen = nb::cast<std::string>(nb::str(word));
  for (const auto& row : table) {
    if (seen == row.word) return row.value;
  }
  fail(ErrorKind::invalid_argument, kOperation, ": option value ", seen, " is unknown");
}

std::int64_t axis_from(nb::handle axis) {
  if (!PyIndex_Check(axis.ptr())) {
    fail(ErrorKind::invalid_argument, kOperation, ": axes contain ", shown(axis),
         "; whole numbers are wanted");
  }
  const nb::object number = nb::steal(PyNumber_Index(axis.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  return nb::cast<std::int64_t>(number);
}

Dims axes_from(nb::handle axes) {
  if (axes.is_none()) return {};
  if (PyIndex_Check(axes.ptr()) && !PySequence_Check(axes.ptr())) return Dims{axis_from(axes)};
  if (!PySequence_Check(axes.ptr()) || nb::isinstance<nb::str>(axes)) {
    fail(ErrorKind::invalid_argument, kOperation, ": axes are ", shown(axes),
         "; None, or a sequence of whole numbers, is wanted");
  }
  Dims list;
  for (const nb::handle axis : nb::borrow<nb::sequence>(axes)) list.push_back(axis_from(axis));
  require(!list.empty(), ErrorKind::invalid_argument, kOperation,
          ": axes are empty; at least one axis is wanted, or None for all");
  return list;
}

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
    problem.type = value_of(plan[0], kTypes);
    problem.axes = dims_from(plan[3]);
    problem.in_place = nb::cast<bool>(plan[4]);
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

nb::tuple key_for_view(const TensorRef& view, nb::handle axes, nb::handle options,
                       nb::handle execution) {
  const nb::object known = coerce_fft_options(options);
  const FFTOptions parsed = parse_fft_options(axes, known, execution);
  const FFTType type = resolved_type(view.dtype, parsed);
  const FFTRequest request = make_fft(view, parsed, planned_directions(type, std::nullopt));
  return fft_key(request.problem, view.device, parsed.execution);
}

nb::tuple create_key(nb::handle operand, nb::handle axes, nb::handle options,
                     nb::handle execution) {
  const Who who{kOperation, "operand"};
  const Adopted adopted = package_of(operand, who).adopt(operand, who, {}, false);
  return key_for_view(adopted.view, axes, options, execution);
}

nb::tuple create_key_from_metadata(nb::handle shape, const std::string& dtype,
                                   const std::string& memory_space, nb::handle strides,
                                   nb::handle axes, nb::handle options, nb::handle execution) {
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
  return key_for_view(view, axes, options, execution);
}

std::size_t workspace_of_key(nb::handle key) {
  const KeyedProblem keyed = problem_of_key(key);
  const Placement placement = place(kOperation, keyed.memory, keyed.execution);
  const ProblemOf<FFTProblem> problem(keyed.problem);
  return cached_selection(problem, placement)->plan->workspace_bytes();
}

}  // namespace

const FFTFunction& fft_function(int index) { return kFunctions[index]; }

nb::object coerce_fft_options(nb::handle options) {
  return coerce_options(options, "mathwright.fft._options", "FFTOptions", kOperation);
}

FFTOptions parse_fft_options(nb::handle axes, nb::handle options, nb::handle execution) {
  FFTOptions parsed;
  parsed.axes = axes_from(axes);
  parsed.execution = parse_execution(execution, kOperation);
  if (options.is_none()) return parsed;
  const nb::object type = options.attr("fft_type");
  if (!type.is_none()) parsed.type = value_of(type, kTypes);
  parsed.in_place = options.attr("inplace").ptr() == Py_True;
  parsed.last_axis_parity = value_of(options.attr("last_axis_parity"), kParities);
  parsed.result_layout = value_of(options.attr("result_layout"), kLayouts);
  return parsed;
}

void fix_type(FFTOptions& options, const FFTFunction& function) {
  require(options.type.value_or(function.type) == function.type, ErrorKind::invalid_argument,
          kOperation, ": ", function.name, "() with the option fft_type ",
          mw::name(options.type.value_or(function.type)), "; ", mw::name(function.type),
          " is wanted, or None");
  options.type = function.type;
}

std::optional<FFTDirection> parse_direction(nb::handle direction) {
  if (direction.is_none()) return std::nullopt;
  if (nb::isinstance<nb::str>(direction)) {
    const std::string word = nb::cast<std::string>(nb::str(direction.attr("lower")()));
    if (word == "forward") return FFTDirection::forward;
    if (word == "inverse") return FFTDirection::inverse;
  } else if (PyLong_Check(direction.ptr())) {
    const long sign = PyLong_AsLong(direction.ptr());
    if (sign == -1 && !PyErr_Occurred()) return FFTDirection::forward;
    if (sign == 1) return FFTDirection::inverse;
    PyErr_Clear();
  }
  fail(ErrorKind::invalid_argument, kOperation, ": direction is ", shown(direction),
       "; FFTDirection.FORWARD, FFTDirection.INVERSE, 'forward', 'inverse', -1, +1 or None is "
       "wanted");
}

nb::tuple fft_key(const FFTProblem& problem, Device memory, const Execution& execution) {
  const bool on_cpu = execution.space == Execution::Space::cpu ||
                      (execution.space == Execution::Space::operands && memory.is_cpu());
  const int device = memory.is_cuda() ? memory.id : execution.device_id;
  const int detail =
      on_cpu ? place(kOperation, Device::cpu(),
                     {.space = Execution::Space::cpu, .num_threads = execution.num_threads})
                   .context.threads
             : device;
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const auto& row) { return row.value == problem.type; });
  const nb::tuple plan = nb::make_tuple(
      type->word, layout_tuple(problem.input()), layout_tuple(problem.result()),
      tuple_from(problem.axes), problem.in_place, memory.is_cpu() ? "cpu" : "cuda", memory.id);
  return nb::make_tuple(plan, nb::none(), nb::make_tuple(on_cpu ? "cpu" : "cuda", detail));
}

namespace {

constexpr char kKeySignature[] =
    "def fft_key(operand: typing.Any, axes: typing.Any, options: typing.Any, execution: "
    "typing.Any) -> "
    "tuple[typing.Any, ...]";
constexpr char kMetadataSignature[] =
    "def fft_key_from_metadata(shape: typing.Any, dtype: str, memory_space: str, strides: "
    "typing.Any, "
    "axes: typing.Any, options: typing.Any, execution: typing.Any) -> tuple[typing.Any, ...]";

}  // namespace

void init_fft_keys(nb::module_& m) {
  m.def("fft_key", create_key, nb::arg("operand").none(), nb::arg("axes").none(),
        nb::arg("options").none(), nb::arg("execution").none(), nb::sig(kKeySignature),
        "See FFT.create_key.");
  m.def("fft_key_from_metadata", create_key_from_metadata, nb::arg("shape"), nb::arg("dtype"),
        nb::arg("memory_space"), nb::arg("strides").none(), nb::arg("axes").none(),
        nb::arg("options").none(), nb::arg("execution").none(), nb::sig(kMetadataSignature),
        "See FFT.create_key_from_metadata.");
  m.def("fft_workspace_of_key", workspace_of_key, nb::arg("key"), "See estimate_workspace_size.");
}

}  // namespace mw::py
