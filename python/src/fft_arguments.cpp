// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "fft_arguments.hpp"

#include <algorithm>

#include <nanobind/stl/string.h>

#include "call.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = FFTProblem::kOperation;

constexpr FFTFunction kFunctions[] = {
    {"fft", FFTType::c2c, FFTDirection::forward},  {"ifft", FFTType::c2c, FFTDirection::inverse},
    {"rfft", FFTType::r2c, FFTDirection::forward}, {"irfft", FFTType::c2r, FFTDirection::inverse},
    {"dct", FFTType::dct1, FFTDirection::forward}, {"dct", FFTType::dct2, FFTDirection::forward},
    {"dct", FFTType::dct3, FFTDirection::forward}, {"dct", FFTType::dct4, FFTDirection::forward},
    {"dst", FFTType::dst1, FFTDirection::forward}, {"dst", FFTType::dst2, FFTDirection::forward},
    {"dst", FFTType::dst3, FFTDirection::forward}, {"dst", FFTType::dst4, FFTDirection::forward},
};

template <class T>
struct Word {
  const char* word;
  T value;
};
constexpr Word<FFTType> kTypes[] = {
    {"C2C", FFTType::c2c},   {"R2C", FFTType::r2c},   {"C2R", FFTType::c2r},
    {"DCT1", FFTType::dct1}, {"DCT2", FFTType::dct2}, {"DCT3", FFTType::dct3},
    {"DCT4", FFTType::dct4}, {"DST1", FFTType::dst1}, {"DST2", FFTType::dst2},
    {"DST3", FFTType::dst3}, {"DST4", FFTType::dst4}};
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

std::int64_t whole_number(nb::handle value, const char* what) {
  if (!PyIndex_Check(value.ptr())) {
    fail(ErrorKind::invalid_argument, kOperation, ": ", what, " contain ", shown(value),
         "; whole numbers are wanted");
  }
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  return nb::cast<std::int64_t>(number);
}

/// None gives none. Errors: ValueError, also for an empty sequence.
Dims whole_numbers(nb::handle values, const char* what) {
  if (values.is_none()) return {};
  if (PyIndex_Check(values.ptr()) && !PySequence_Check(values.ptr()))
    return Dims{whole_number(values, what)};
  if (!PySequence_Check(values.ptr()) || nb::isinstance<nb::str>(values)) {
    fail(ErrorKind::invalid_argument, kOperation, ": ", what, " are ", shown(values),
         "; None, or a sequence of whole numbers, is wanted");
  }
  Dims list;
  for (const nb::handle value : nb::borrow<nb::sequence>(values)) {
    list.push_back(whole_number(value, what));
  }
  require(!list.empty(), ErrorKind::invalid_argument, kOperation, ": ", what,
          " are empty; at least one is wanted, or None for all");
  return list;
}

FFTNorm norm_from(nb::handle norm) {
  if (norm.is_none()) return FFTNorm::none;
  constexpr Word<FFTNorm> kNorms[] = {
      {"backward", FFTNorm::backward}, {"ortho", FFTNorm::ortho}, {"forward", FFTNorm::forward}};
  if (nb::isinstance<nb::str>(norm)) {
    const std::string seen = nb::cast<std::string>(norm);
    for (const auto& row : kNorms) {
      if (seen == row.word) return row.value;
    }
  }
  fail(ErrorKind::invalid_argument, kOperation, ": norm is ", shown(norm),
       "; None, 'backward', 'ortho' or 'forward' is wanted");
}

void take_sizes(const FFTSizes& sizes, FFTOptions& options) {
  require(sizes.n.is_none() || sizes.s.is_none(), ErrorKind::invalid_argument, kOperation,
          ": n and s are both given; n is for one axis, s for several. Give one of them.");
  options.lengths = whole_numbers(sizes.n.is_none() ? sizes.s : sizes.n, "lengths");
  options.norm = norm_from(sizes.norm);
  options.orthogonalize = sizes.orthogonalize.ptr() == Py_True;
  if (sizes.scale.is_none()) return;
  const auto scale = parse_scalar(sizes.scale, {kOperation, "scale"});
  require(scale.imag() == 0, ErrorKind::invalid_argument, kOperation, ": scale is ",
          shown(sizes.scale), "; a real number is wanted");
  options.scale = scale.real();
}

}  // namespace

const FFTFunction& fft_function(int index) { return kFunctions[index]; }

FFTType fft_type_of_word(nb::handle word) { return value_of(word, kTypes); }
const char* word_of(FFTType type) {
  return std::ranges::find(kTypes, type, &Word<FFTType>::value)->word;
}

nb::object coerce_fft_options(nb::handle options) {
  return coerce_options(options, "mathwright.fft._options", "FFTOptions", kOperation);
}

FFTOptions parse_fft_options(nb::handle axes, nb::handle options, nb::handle execution,
                             const FFTSizes& sizes) {
  FFTOptions parsed;
  parsed.axes = whole_numbers(axes, "axes");
  take_sizes(sizes, parsed);
  parsed.execution = parse_execution(execution, kOperation);
  if (options.is_none()) return parsed;
  const nb::object type = options.attr("fft_type");
  if (!type.is_none()) parsed.type = fft_type_of_word(type);
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

}  // namespace mw::py
