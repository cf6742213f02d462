// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <cctype>

#include "base/layout.hpp"

namespace mw::py {

namespace {

std::string root_of(nb::handle object) {
  const std::string module = nb::cast<std::string>(nb::str(object.type().attr("__module__")));
  return module.substr(0, module.find('.'));
}

Stream stream_from_int(nb::handle value) {
  void* handle = PyLong_AsVoidPtr(value.ptr());
  if (!handle && PyErr_Occurred()) nb::raise_python_error();
  return {handle};
}

/// The handle of a stream object: by the CUDA stream protocol, or by the attribute of its package.
std::optional<Stream> stream_from_object(nb::handle stream) {
  if (nb::hasattr(stream, "__cuda_stream__")) {
    nb::object pair = stream.attr("__cuda_stream__");
    if (PyCallable_Check(pair.ptr())) pair = pair();
    return stream_from_int(nb::object(pair[1]));
  }
  for (const char* attribute : {"cuda_stream", "ptr"}) {
    if (nb::hasattr(stream, attribute)) return stream_from_int(nb::object(stream.attr(attribute)));
  }
  return std::nullopt;
}

std::string lower_case(std::string word) {
  for (char& letter : word)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return word;
}

int count_from(nb::handle value, const char* what, int least, const char* operation) {
  const bool is_number = PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr());
  const long long number = is_number ? nb::cast<long long>(nb::int_(nb::borrow(value))) : -1;
  if (number < least || number > INT32_MAX) {
    fail(ErrorKind::invalid_argument, operation, ": execution ", what, " is ", shown(value), "; a ",
         least > 0 ? "positive" : "non-negative", " whole number is wanted");
  }
  return static_cast<int>(number);
}

struct SpaceRow {
  const char* name;
  Execution::Space space;
};
constexpr SpaceRow kSpaces[] = {{"cpu", Execution::Space::cpu}, {"cuda", Execution::Space::cuda}};

/// An attribute of an object or an entry of a dict; None if there is none.
nb::object part(nb::handle source, const char* key) {
  if (nb::isinstance<nb::dict>(source)) {
    return nb::object(source.attr("get")(key));
  }
  return nb::getattr(source, key, nb::none());
}

void check_keys(nb::handle execution, const char* operation) {
  for (const auto& [key, value] : nb::borrow<nb::dict>(execution)) {
    const std::string word = nb::cast<std::string>(nb::str(key));
    require(word == "name" || word == "device_id" || word == "num_threads",
            ErrorKind::invalid_argument, operation, ": execution has the entry ", word,
            "; name, device_id (cuda) and num_threads (cpu) are known");
  }
}

}  // namespace

Queue parse_stream(nb::handle stream, const Package& package, Device device,
                   const char* operation) {
  if (stream.is_none()) return {package.current_stream(device), false};
  if (PyLong_Check(stream.ptr()) && !PyBool_Check(stream.ptr())) {
    return {stream_from_int(stream), true};
  }
  const std::string root = root_of(stream);
  const bool of_array_package = root == "torch" || root == "cupy";
  require(!of_array_package || root == package.name(), ErrorKind::type_mismatch, operation,
          ": stream is of package ", root, " and the operands are of package ", package.name(),
          "; a stream of theirs, or a handle (int), is wanted");
  const auto found = stream_from_object(stream);
  if (!found) {
    fail(ErrorKind::type_mismatch, operation, ": stream is of type ", name_of_type(stream),
         "; None, a handle (int), or a stream object of ", package.name(), " is wanted");
  }
  return {*found, true};
}

Stream consumer_of(nb::handle stream, const Package& package, const char* operation) {
  return stream.is_none() ? Stream{} : parse_stream(stream, package, {}, operation).stream;
}

Execution parse_execution(nb::handle execution, const char* operation) {
  if (execution.is_none()) return {};
  const bool is_string = nb::isinstance<nb::str>(execution);
  const bool is_dict = nb::isinstance<nb::dict>(execution);
  if (is_dict) check_keys(execution, operation);
  const nb::object name = is_string ? nb::borrow(execution) : part(execution, "name");
  for (const auto& row : kSpaces) {
    if (!nb::isinstance<nb::str>(name) || lower_case(nb::cast<std::string>(name)) != row.name)
      continue;
    Execution parsed{.space = row.space};
    if (is_string) return parsed;
    const bool on_cpu = row.space == Execution::Space::cpu;
    const char* what = on_cpu ? "num_threads" : "device_id";
    const nb::object count = part(execution, what);
    if (count.is_none()) return parsed;
    (on_cpu ? parsed.num_threads : parsed.device_id) =
        count_from(count, what, on_cpu ? 1 : 0, operation);
    return parsed;
  }
  fail(
      ErrorKind::invalid_argument, operation, ": execution is ", shown(execution),
      "; None, 'cpu', 'cuda', {'name': 'cpu', 'num_threads': n}, {'name': 'cuda', 'device_id': n}, "
      "ExecutionCPU() or ExecutionCUDA() is wanted");
}

std::complex<double> parse_scalar(nb::handle value, const Who& who) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  const Py_complex number = PyComplex_AsCComplex(value.ptr());
  if (number.real == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    fail(ErrorKind::invalid_argument, who.operation, ": ", who.operand, " is ", shown(value),
         "; a number is wanted");
  }
  return {number.real, number.imag};
}

nb::object coerce_options(nb::handle options, const char* module, const char* python_class,
                          const char* operation) {
  if (options.is_none()) return nb::none();
  const nb::object type = nb::module_::import_(module).attr(python_class);
  if (nb::isinstance(options, type)) return nb::borrow(options);
  require(nb::isinstance<nb::dict>(options), ErrorKind::type_mismatch, operation,
          ": options are of type ", name_of_type(options), "; ", python_class,
          ", a dict of its fields, or None is wanted");
  return type(**nb::borrow<nb::dict>(options));
}

CommonOptions common_options(nb::handle options) {
  if (options.is_none()) return {false, nb::none(), nb::none()};
  const nb::object blocking = options.attr("blocking");
  return {blocking.ptr() == Py_True, options.attr("allocator"), options.attr("logger")};
}

ResultSpec result_spec(DType dtype, const Dims& shape, const Dims& strides, Device device) {
  return {.dtype = dtype,
          .shape = shape,
          .strides = strides,
          .device = device,
          .contiguous = is_contiguous(shape, strides),
          .recipe = {}};
}

std::vector<std::pair<std::string, nb::object>> named_objects(nb::handle dict,
                                                              const char* operation,
                                                              const char* what) {
  std::vector<std::pair<std::string, nb::object>> list;
  if (dict.is_none()) return list;
  require(nb::isinstance<nb::dict>(dict), ErrorKind::type_mismatch, operation, ": ", what,
          " are of type ", name_of_type(dict), "; a dict of names and arrays is wanted");
  for (const auto& [key, value] : nb::borrow<nb::dict>(dict)) {
    require(nb::isinstance<nb::str>(key), ErrorKind::type_mismatch, operation, ": a key of ", what,
            " is ", shown(key), "; a name is wanted");
    list.emplace_back(nb::cast<std::string>(key), nb::borrow(value));
  }
  return list;
}

}  // namespace mw::py
