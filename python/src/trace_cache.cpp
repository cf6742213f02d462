// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "trace_cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace mw::py {

namespace {

constexpr int kDeepest = 8;

/// Packages whose functions do not change under their users.
constexpr std::array<std::string_view, 9> kTrusted = {
    "mathwright", "numpy", "math", "cmath", "operator", "torch", "cupy", "jax", "scipy"};

bool is_trusted(nb::handle module_name) {
  if (!PyUnicode_Check(module_name.ptr())) return false;
  const std::string_view name = PyUnicode_AsUTF8(module_name.ptr());
  return std::ranges::find(kTrusted, name.substr(0, name.find('.'))) != kTrusted.end();
}

bool in_trusted_module(PyObject* dict) {
  PyObject* name = PyDict_GetItemString(dict, "__name__");
  return name != nullptr && is_trusted(name);
}

/// Numbers and strings of exactly these types are compared without running anybody's code.
bool is_plain_value(PyObject* object) {
  return PyFloat_Check(object)
             ? PyFloat_CheckExact(object) || in_trusted_module(Py_TYPE(object)->tp_dict)
             : PyLong_CheckExact(object) || PyUnicode_CheckExact(object) ||
                   PyBytes_CheckExact(object) || PyComplex_CheckExact(object);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_Check(a)) return same_bits(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  if (PyComplex_CheckExact(a)) {
    const Py_complex x = PyComplex_AsCComplex(a);
    const Py_complex y = PyComplex_AsCComplex(b);
    return same_bits(x.real, y.real) && same_bits(x.imag, y.imag);
  }
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

/// What cannot change: singletons, functions and types that are not Python's own making.
bool is_fixed(PyObject* object) {
  if (object == Py_None || object == Py_True || object == Py_False || object == Py_Ellipsis) {
    return true;
  }
  if (PyType_Check(object)) {
    return (reinterpret_cast<PyTypeObject*>(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
  }
  if (PyCFunction_Check(object)) {
    PyObject* self = PyCFunction_GET_SELF(object);
    return self == nullptr || PyModule_Check(self);
  }
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type == "numpy.ufunc" || type == "numpy._ArrayFunctionDispatcher" ||
         type.starts_with("numpy.dtype") || type == "nanobind.nb_func" || type == "torch.dtype";
}

/// The names that a code object and those inside it (lambdas, comprehensions) use.
void add_names(nb::handle code, nb::set& names) {
  for (const nb::handle name : nb::borrow<nb::tuple>(code.attr("co_names"))) names.add(name);
  for (const nb::handle constant : nb::borrow<nb::tuple>(code.attr("co_consts"))) {
    if (PyCode_Check(constant.ptr())) add_names(constant, names);
  }
}

PyObject* code_or_self(PyObject* function) {
  return PyFunction_Check(function) ? PyFunction_GET_CODE(function) : function;
}

Py_ssize_t size_of(PyObject* tuple) { return tuple == nullptr ? 0 : PyTuple_GET_SIZE(tuple); }

}  // namespace

// ---- what was seen
// ----------------------------------------------------------------------------------

std::optional<Dependency> Dependency::of(nb::handle object, nb::handle names, int depth) {
  if (depth > kDeepest || !object.is_valid()) return std::nullopt;
  PyObject* raw = object.ptr();
  if (is_fixed(raw)) return Dependency(Kind::identity, object);
  if (is_plain_value(raw)) return Dependency(Kind::value, object);
  if (PyTuple_CheckExact(raw)) {
    Dependency made(Kind::tuple, object);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(raw); ++i) {
      if (!made.add_part(PyTuple_GET_ITEM(raw, i), names, depth)) return std::nullopt;
    }
    return made;
  }
  if (PyModule_Check(raw)) {
    if (in_trusted_module(PyModule_GetDict(raw))) return Dependency(Kind::identity, object);
    Dependency made(Kind::module, object);
    return made.add_module(names, depth) ? std::optional(std::move(made)) : std::nullopt;
  }
  if (PyFunction_Check(raw)) {
    if (in_trusted_module(PyFunction_GET_GLOBALS(raw))) return Dependency(Kind::identity, object);
    Dependency made(Kind::function, object);
    return made.add_function(depth) ? std::optional(std::move(made)) : std::nullopt;
  }
  return std::nullopt;
}

bool Dependency::add_part(nb::handle object, nb::handle names, int depth) {
  auto part = of(object, names, depth + 1);
  if (part) parts_.push_back(std::move(*part));
  return part.has_value();
}

bool Dependency::add_entry(nb::handle dict, nb::handle key, nb::handle names, int depth) {
  PyObject* there = PyDict_GetItem(dict.ptr(), key.ptr());
  Entry entry{nb::borrow(dict), nb::borrow(key), nullptr};
  if (there != nullptr) {
    auto value = of(there, names, depth + 1);
    if (!value) return false;
    entry.value = std::make_shared<const Dependency>(std::move(*value));
  }
  entries_.push_back(std::move(entry));
  return true;
}

bool Dependency::add_module(nb::handle names, int depth) {
  const nb::handle dict = PyModule_GetDict(object_.ptr());
  for (const nb::handle name : names) {
    if (PyDict_GetItem(dict.ptr(), name.ptr()) == nullptr) continue;
    if (!add_entry(dict, name, names, depth)) return false;
  }
  return true;
}

bool Dependency::add_function(int depth) {
  PyObject* function = object_.ptr();
  PyObject* keyword_defaults = PyFunction_GetKwDefaults(function);
  if (keyword_defaults != nullptr && PyDict_Size(keyword_defaults) > 0) return false;
  const nb::object code = nb::borrow(PyFunction_GET_CODE(function));
  nb::set names;
  add_names(code, names);
  PyObject* closure = PyFunction_GetClosure(function);
  for (Py_ssize_t i = 0; i < size_of(closure); ++i) {
    if (!add_part(PyCell_GET(PyTuple_GET_ITEM(closure, i)), names, depth)) return false;
  }
  cells_ = parts_.size();
  PyObject* defaults = PyFunction_GetDefaults(function);
  for (Py_ssize_t i = 0; i < size_of(defaults); ++i) {
    if (!add_part(PyTuple_GET_ITEM(defaults, i), names, depth)) return false;
  }
  defaults_ = parts_.size() - cells_;
  globals_ = nb::borrow(PyFunction_GET_GLOBALS(function));
  for (const nb::handle name : names) {
    if (!add_entry(globals_, name, names, depth)) return false;
  }
  object_ = code;
  return true;
}

// ---- what is there now
// ------------------------------------------------------------------------------

bool Dependency::entries_hold() const {
  return std::ranges::all_of(entries_, [](const Entry& entry) {
    PyObject* now = PyDict_GetItem(entry.dict.ptr(), entry.key.ptr());
    return entry.value ? now != nullptr && entry.value->holds_for(now) : now == nullptr;
  });
}

bool Dependency::holds_for_function(PyObject* now) const {
  if (!PyFunction_Check(now) || PyFunction_GET_CODE(now) != object_.ptr() ||
      PyFunction_GET_GLOBALS(now) != globals_.ptr()) {
    return false;
  }
  PyObject* closure = PyFunction_GetClosure(now);
  PyObject* defaults = PyFunction_GetDefaults(now);
  PyObject* keyword_defaults = PyFunction_GetKwDefaults(now);
  if (static_cast<std::size_t>(size_of(closure)) != cells_ ||
      static_cast<std::size_t>(size_of(defaults)) != defaults_ ||
      (keyword_defaults != nullptr && PyDict_Size(keyword_defaults) > 0)) {
    return false;
  }
  for (std::size_t i = 0; i < cells_; ++i) {
    PyObject* cell = PyCell_GET(PyTuple_GET_ITEM(closure, static_cast<Py_ssize_t>(i)));
    if (cell == nullptr || !parts_[i].holds_for(cell)) return false;
  }
  for (std::size_t i = 0; i < defaults_; ++i) {
    PyObject* item = PyTuple_GET_ITEM(defaults, static_cast<Py_ssize_t>(i));
    if (!parts_[cells_ + i].holds_for(item)) return false;
  }
  return entries_hold();
}

bool Dependency::holds_for(PyObject* now) const {
  switch (kind_) {
    case Kind::identity: return now == object_.ptr();
    case Kind::value: return same_value(object_.ptr(), now);
    case Kind::module: return now == object_.ptr() && entries_hold();
    case Kind::function: return holds_for_function(now);
    case Kind::tuple: break;
  }
  if (!PyTuple_CheckExact(now) ||
      static_cast<std::size_t>(PyTuple_GET_SIZE(now)) != parts_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].holds_for(PyTuple_GET_ITEM(now, static_cast<Py_ssize_t>(i)))) return false;
  }
  return true;
}

// ---- the cache
// --------------------------------------------------------------------------------------

expr::FunctionPtr TraceCache::find(nb::handle function, const TraceRequest& request) {
  const nb::ft_lock_guard guard(lock_);
  const auto place = entries_.find(code_or_self(function.ptr()));
  if (place == entries_.end()) return nullptr;
  for (const auto& entry : place->second) {
    if (entry.element == request.element && entry.result == request.result &&
        entry.rank == request.rank && std::ranges::equal(entry.inputs, request.inputs) &&
        entry.function.holds_for(function.ptr())) {
      return entry.recorded;
    }
  }
  return nullptr;
}

void TraceCache::add(nb::handle function, const TraceRequest& request,
                     const expr::FunctionPtr& recorded) {
  auto seen = Dependency::of(function, nb::tuple());
  if (!seen) return;
  if (count_ >= kMost) clear();
  const nb::ft_lock_guard guard(lock_);
  entries_[code_or_self(function.ptr())].push_back(
      {std::move(*seen), request.element, request.result, request.rank,
       std::vector<TraceInput>(request.inputs.begin(), request.inputs.end()), recorded});
  ++count_;
}

void TraceCache::clear() {
  std::unordered_map<PyObject*, std::vector<Entry>> dropped;  // freed without the lock
  {
    const nb::ft_lock_guard guard(lock_);
    dropped.swap(entries_);
    count_ = 0;
  }
}

}  // namespace mw::py
