// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "logging.hpp"

#include "bindings.hpp"

#include <atomic>

namespace mw::py {

namespace {

std::atomic<bool> following{false};

constexpr int kPythonLevels[] = {10, 20, 30};  // logging.DEBUG, INFO, WARNING

LogLevel level_from_python(int level) {
  if (level <= 10) return LogLevel::debug;
  if (level <= 20) return LogLevel::info;
  return level <= 30 ? LogLevel::warning : LogLevel::off;
}

/// A line, handed to a logger. A failing handler must not fail the computation.
void emit(const nb::object& logger, LogLevel level, std::string_view message) {
  try {
    logger.attr("log")(kPythonLevels[static_cast<int>(level)], "%s",
                       nb::str(message.data(), message.size()));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("mathwright logging");
  }
}

void write(LogLevel level, std::string_view message) {
  if (!Py_IsInitialized()) return;
  const nb::gil_scoped_acquire gil;
  try {
    emit(nb::module_::import_("logging").attr("getLogger")("mathwright"), level, message);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("mathwright logging");
  }
}

}  // namespace

void follow_logging() {
  if (following.load(std::memory_order_relaxed)) [[likely]]
    return;
  static const nb::handle module_name = PyUnicode_InternFromString("logging");
  if (PyDict_Contains(PyImport_GetModuleDict(), module_name.ptr()) != 1) return;
  if (following.exchange(true)) return;
  nb::module_::import_("mathwright._logging").attr("follow")();
}

LoggerScope::LoggerScope(nb::handle logger) {
  if (logger.is_none()) return;
  const int wanted = nb::cast<int>(logger.attr("getEffectiveLevel")());
  const int disabled = nb::cast<int>(logger.attr("manager").attr("disable"));
  const LogLevel lowest = level_from_python(std::max(wanted, disabled + 1));
  sink_.emplace(
      [logger](LogLevel level, std::string_view message) {
        const nb::gil_scoped_acquire gil;
        emit(nb::borrow(logger), level, message);
      },
      lowest);
}

void init_logging(nb::module_& m) {
  set_log_sink(write, LogLevel::warning);
  m.def(
      "_set_log_level", [](int level) { set_log_sink(write, level_from_python(level)); },
      nb::arg("level"), "Lets lines from this level of Python's logging on through.");
  // A thread may still log while the interpreter goes.
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function([] { set_log_sink([](LogLevel, std::string_view) {}, LogLevel::off); }));
}

}  // namespace mw::py
