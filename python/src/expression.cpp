// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

#include <utility>

#include "package.hpp"

namespace mw::py {

using expr::Term;

namespace {

thread_local RecordingPtr current;  // NOLINT: what index() has no argument for

bool has_number_type(nb::handle object) {
  PyObject* raw = object.ptr();
  return PyFloat_Check(raw) || PyLong_Check(raw) || PyComplex_Check(raw);
}

/// numpy.generic, or an array without axes.
bool is_numpy_number(nb::handle object) {
  static PyObject* const types = [] {
    const nb::object numpy = nb::module_::import_("numpy");
    return nb::make_tuple(numpy.attr("generic"), numpy.attr("ndarray")).release().ptr();
  }();
  if (PyObject_IsInstance(object.ptr(), PyTuple_GET_ITEM(types, 0)) == 1) return true;
  return PyObject_IsInstance(object.ptr(), PyTuple_GET_ITEM(types, 1)) == 1 &&
         nb::cast<int>(object.attr("ndim")) == 0;
}

/// The Python number of a NumPy one. Packages' own floats (bfloat16) know float() only.
nb::object python_number(nb::handle object) {
  nb::object item = object.attr("item")();
  if (has_number_type(item)) return item;
  return nb::steal(PyNumber_Float(object.ptr()));
}

Term literal_of(expr::Builder& builder, nb::handle object, std::string_view what) {
  PyObject* raw = object.ptr();
  if (PyBool_Check(raw)) return builder.literal(raw == Py_True);
  if (PyFloat_Check(raw)) return builder.literal(PyFloat_AS_DOUBLE(raw));
  if (PyComplex_Check(raw)) {
    return builder.literal(
        std::complex<double>(PyComplex_RealAsDouble(raw), PyComplex_ImagAsDouble(raw)));
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(raw, &overflow);
  require(overflow == 0, ErrorKind::invalid_argument, what, ": ", shown(object),
          " does not fit int64; write it as a float");
  return builder.literal(static_cast<std::int64_t>(value));
}

[[noreturn]] void refuse(nb::handle object, std::string_view what) {
  if (nb::hasattr(object, "shape") || nb::hasattr(object, "__dlpack__")) {
    fail(
        ErrorKind::type_mismatch, what, " of a value and an array (", name_of_type(object),
        ") inside a function that is being recorded; give the function one more parameter and pass "
        "the array as an input of its name, for example lambda x, scale: x * scale with "
        "{\"scale\": scale}");
  }
  fail(ErrorKind::type_mismatch, what, " of ", shown(object), ", ", name_of_type(object),
       "; a number, or a value of the function is wanted");
}

}  // namespace

RecordingPtr current_recording() { return current; }

CurrentRecording::CurrentRecording(RecordingPtr recording)
    : before_(std::exchange(current, std::move(recording))) {}
CurrentRecording::~CurrentRecording() { current = std::move(before_); }

Term term_of(const RecordingPtr& recording, nb::handle object, std::string_view what) {
  Value* value = nullptr;
  if (nb::try_cast(object, value, false) && value != nullptr) {
    require(value->recording == recording, ErrorKind::invalid_argument, what,
            " of values of two functions; a value kept from another recording is of no use in this "
            "one");
    return value->term;
  }
  if (has_number_type(object)) return literal_of(recording->builder, object, what);
  if (is_numpy_number(object)) {
    return literal_of(recording->builder, python_number(object), what);
  }
  refuse(object, what);
}

std::optional<DType> number_dtype(nb::handle object) {
  PyObject* raw = object.ptr();
  if (PyBool_Check(raw)) return DType::bool_;
  if (PyFloat_Check(raw)) return DType::float64;
  if (PyComplex_Check(raw)) return DType::complex128;
  if (PyLong_Check(raw)) return DType::int64;
  if (is_numpy_number(object)) return number_dtype(python_number(object));
  return std::nullopt;
}

DType dtype_of_object(nb::handle object, std::string_view what) {
  std::string word;
  if (nb::isinstance<nb::str>(object)) {
    word = nb::cast<std::string>(object);
  } else if (const auto known = numpy_dtype(object)) {
    return *known;
  } else {
    // numpy.dtype, an array, torch.float32 ("torch.float32"), numpy.float32 and Python's types.
    nb::object dtype =
        PyType_Check(object.ptr()) ? nb::borrow(object) : nb::getattr(object, "dtype", object);
    if (const auto own = numpy_dtype(dtype)) return *own;
    if (PyType_Check(object.ptr()) || nb::hasattr(dtype, "char")) {
      dtype = nb::module_::import_("numpy").attr("dtype")(dtype).attr("name");
    }
    word = nb::cast<std::string>(nb::str(dtype));
    word = word.substr(word.rfind('.') + 1);
  }
  const auto found = dtype_from_name(word);
  require(found.has_value(), ErrorKind::invalid_argument, what, ": no dtype is called '", word,
          "'; bool, int8 … uint64, float16, bfloat16, float32, float64, complex64, complex128, "
          "float8_e4m3fn or float8_e5m2 is wanted");
  return *found;
}

std::int64_t axis_from_end(nb::handle axis, std::optional<int> rank, std::string_view what) {
  PyObject* raw = axis.ptr();
  require(PyIndex_Check(raw) && !PyBool_Check(raw) && !nb::isinstance<Value>(axis),
          ErrorKind::type_mismatch, what, ": axis ", shown(axis), " is no int");
  long long number = PyNumber_AsSsize_t(raw, nullptr);
  if (rank) {
    require(number >= -*rank && number < *rank, ErrorKind::invalid_argument, what, ": axis ",
            number, " of a result with ", *rank, " axes");
    return number < 0 ? number : number - *rank;
  }
  require(number < 0 && number >= -63, ErrorKind::invalid_argument, what, ": axis ", number,
          "; the number of axes is not known here, so they count from the end: -1 is the last, -2 "
          "the one before");
  return number;
}

std::int64_t axes_of_object(nb::handle axes, std::optional<int> rank, std::string_view what) {
  if (axes.is_none()) return expr::kAllAxes;
  std::int64_t bits = 0;
  const auto add = [&](nb::handle axis) {
    const std::int64_t bit = std::int64_t{1} << (-1 - axis_from_end(axis, rank, what));
    require((bits & bit) == 0, ErrorKind::invalid_argument, what, ": axis ", shown(axis),
            " is given twice");
    bits |= bit;
  };
  if (nb::isinstance<nb::tuple>(axes) || nb::isinstance<nb::list>(axes)) {
    for (const nb::handle axis : axes) add(axis);
  } else {
    add(axes);
  }
  return bits;
}

}  // namespace mw::py
