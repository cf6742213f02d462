// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include "bindings.hpp"

namespace mw::py {

NamedError::~NamedError() = default;  // the vtable's home

namespace {

/// The class for a kind; its name is the kind's in CamelCase with "Error".
struct ClassRow {
  ErrorKind kind;
  const char* name;
};
constexpr ClassRow kClasses[] = {
    {ErrorKind::invalid_argument, "InvalidArgumentError"},
    {ErrorKind::unsupported, "UnsupportedError"},
    {ErrorKind::not_found, "NotFoundError"},
    {ErrorKind::out_of_memory, "OutOfMemoryError"},
    {ErrorKind::invalid_state, "InvalidStateError"},
    {ErrorKind::type_mismatch, "TypeMismatchError"},
    {ErrorKind::singular, "SingularError"},
    {ErrorKind::vendor, "VendorError"},
    {ErrorKind::compile, "CompileError"},
    {ErrorKind::timeout, "MathwrightTimeoutError"},
};

const char* class_for(ErrorKind kind) {
  for (const auto& row : kClasses) {
    if (row.kind == kind) return row.name;
  }
  return "MathwrightError";
}

void raise_as(const char* class_name, const char* message) {
  // The module is imported with the first error, not with the package.
  const nb::object raised_class = nb::module_::import_("mathwright.errors").attr(class_name);
  PyErr_SetObject(raised_class.ptr(), nb::str(message).ptr());
}

void translate(const std::exception_ptr& pending, void*) {
  try {
    std::rethrow_exception(pending);
  } catch (const NamedError& error) {
    raise_as(error.class_name(), error.what());
  } catch (const Error& error) {
    raise_as(class_for(error.kind()), error.what());
  }
}

}  // namespace

std::string name(const Shown& piece) {
  const nb::object written = nb::steal(PyObject_Repr(piece.object.ptr()));
  if (!written.is_valid()) {
    PyErr_Clear();
    return "an object without a repr";
  }
  std::string result = nb::cast<std::string>(written);
  if (result.size() > 80) result = result.substr(0, 77) + "...";
  return result;
}

std::string name(const TypeName& piece) {
  const nb::handle type = piece.object.type();
  const std::string module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  const std::string own = nb::cast<std::string>(nb::str(type.attr("__qualname__")));
  return module == "builtins" ? own : text(module, ".", own);
}

void init_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace mw::py
