// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// TraceCache: functions recorded before, found again by everything their recording depended on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace.hpp"

namespace mw::py {

/// A Python object as it was when a function that uses it was recorded.
class Dependency {
 public:
  /// Nothing if the object can change without another object taking its place, so that nothing
  /// can be said about it later: instances, lists, arrays, classes made at run time.
  ///   numbers, strings, tuples of such     compared by value and type
  ///   functions of the user                by code, closure, defaults and the globals they name
  ///   modules of the user                  by identity and the attributes named in the code
  ///   None, built-in functions and types, ufuncs, dtypes, what array packages define: by identity
  [[nodiscard]] static std::optional<Dependency> of(nb::handle object, nb::handle names,
                                                    int depth = 0);

  /// Whether the object that is there now would do the same. Runs no code of anybody's.
  [[nodiscard]] bool holds_for(PyObject* now) const;

 private:
  enum class Kind : std::uint8_t { identity, value, tuple, function, module };

  /// A key of a dict, and what stood there; nothing if the key was absent.
  struct Entry {
    nb::object dict, key;
    std::shared_ptr<const Dependency> value;
  };

  Dependency(Kind kind, nb::handle object) : kind_(kind), object_(nb::borrow(object)) {}
  bool add_function(int depth);
  bool add_module(nb::handle names, int depth);
  bool add_entry(nb::handle dict, nb::handle key, nb::handle names, int depth);
  bool add_part(nb::handle object, nb::handle names, int depth);
  [[nodiscard]] bool holds_for_function(PyObject* now) const;
  [[nodiscard]] bool entries_hold() const;

  Kind kind_;
  nb::object object_;  ///< of a function: its code
  nb::object globals_;
  std::vector<Dependency> parts_;  ///< items; closure cells, then defaults, of a function
  std::size_t cells_ = 0, defaults_ = 0;
  std::vector<Entry> entries_;  ///< globals, keyword defaults are refused
};

/// A bounded map from function and request to what was recorded. Guarded by the interpreter's lock,
/// or one of its own in an interpreter without.
class TraceCache {
 public:
  static constexpr std::size_t kMost = 256;

  [[nodiscard]] expr::FunctionPtr find(nb::handle function, const TraceRequest& request);
  void add(nb::handle function, const TraceRequest& request, const expr::FunctionPtr& recorded);
  void clear();

 private:
  struct Entry {
    Dependency function;
    std::optional<DType> element, result;
    std::optional<int> rank;
    std::vector<TraceInput> inputs;
    expr::FunctionPtr recorded;
  };

  nb::ft_mutex lock_;
  std::unordered_map<PyObject*, std::vector<Entry>> entries_;  ///< by code, or callable
  std::size_t count_ = 0;
};

}  // namespace mw::py
