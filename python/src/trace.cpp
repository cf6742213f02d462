// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <algorithm>

#include "expr/simplify.hpp"
#include "expr/types.hpp"
#include "expression.hpp"
#include "trace_cache.hpp"

namespace mw::py {

using expr::FunctionPtr;
using expr::Term;

namespace {

TraceCache& cache() {
  static auto* const kept = new TraceCache;  // outlives the interpreter; clear_traces() empties it
  return *kept;
}

// ---- parameters
// -------------------------------------------------------------------------------------

struct Formal {
  std::string name;
  bool has_default = false;
  bool keyword_only = false;
};

[[noreturn]] void refuse_variadic(const char* operation, nb::handle function) {
  fail(ErrorKind::invalid_argument, operation, ": the function ", shown(function),
       " takes any number of arguments; write its parameters by name, for example lambda x, bias: "
       "x + bias");
}

/// Of a plain Python function, from its code: a good part of a second call would go into inspect.
std::vector<Formal> formals_of_code(const char* operation, nb::handle function) {
  const nb::object code = nb::borrow(PyFunction_GET_CODE(function.ptr()));
  constexpr int kVariadic = 0x04 | 0x08;  // CO_VARARGS, CO_VARKEYWORDS
  if ((nb::cast<int>(code.attr("co_flags")) & kVariadic) != 0) refuse_variadic(operation, function);
  const auto positional = nb::cast<std::size_t>(code.attr("co_argcount"));
  const auto keywords = nb::cast<std::size_t>(code.attr("co_kwonlyargcount"));
  PyObject* defaults = PyFunction_GetDefaults(function.ptr());
  PyObject* keyword_defaults = PyFunction_GetKwDefaults(function.ptr());
  const auto with_default =
      defaults == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(defaults));
  const nb::tuple names = code.attr("co_varnames");
  std::vector<Formal> formals;
  for (std::size_t i = 0; i < positional + keywords; ++i) {
    const nb::object name = names[i];
    const bool keyword = i >= positional;
    const bool has_default =
        keyword ? keyword_defaults != nullptr && PyDict_GetItem(keyword_defaults, name.ptr())
                : i + with_default >= positional;
    formals.push_back({nb::cast<std::string>(name), has_default, keyword});
  }
  return formals;
}

std::vector<Formal> formals_of_ufunc(nb::handle ufunc) {
  const auto count = nb::cast<int>(ufunc.attr("nin"));
  if (count == 1) return {{"x"}};
  std::vector<Formal> formals;
  for (int i = 1; i <= count; ++i) formals.push_back({text("x", i)});
  return formals;
}

std::vector<Formal> formals_of(const char* operation, nb::handle function) {
  if (PyFunction_Check(function.ptr())) return formals_of_code(operation, function);
  require(PyCallable_Check(function.ptr()) != 0, ErrorKind::type_mismatch, operation, ": ",
          shown(function), ", ", name_of_type(function),
          "; a function of values is wanted, for example lambda x: mathwright.relu(x), or a "
          "mathwright.Expr");
  if (nb::hasattr(function, "nin")) return formals_of_ufunc(function);
  std::vector<Formal> formals;
  const nb::object inspect = nb::module_::import_("inspect");
  const nb::object empty = inspect.attr("Parameter").attr("empty");
  const nb::object parameters = inspect.attr("signature")(function).attr("parameters");
  for (const nb::handle parameter : parameters.attr("values")()) {
    const auto kind = nb::cast<int>(nb::int_(parameter.attr("kind")));
    if (kind == 2 || kind == 4) refuse_variadic(operation, function);  // *args, **kwargs
    formals.push_back({nb::cast<std::string>(parameter.attr("name")),
                       !parameter.attr("default").is(empty), kind == 3});
  }
  return formals;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

/// "; did you mean 'bias'?" if one of the names is nearly that.
std::string suggestion(std::string_view seen, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(2, seen.size() / 3) + 1;
  for (const auto& name : names) {
    const std::size_t distance = edit_distance(seen, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      best = &name;
    }
  }
  return best == nullptr ? "" : text("; did you mean '", *best, "'?");
}

/// The names as Python writes a parameter list: (x, bias).
std::string list_of(const std::vector<std::string>& names) {
  std::string out = "(";
  for (const auto& name : names) out += text(out.size() > 1 ? ", " : "", name);
  return out + ")";
}

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

void check_inputs(const TraceRequest& request, const std::vector<Formal>& formals) {
  const auto parameters = names_of(formals);
  for (const auto& input : request.inputs) {
    const auto place = std::ranges::find(parameters, input.name);
    require(place != parameters.end(), ErrorKind::invalid_argument, request.operation,
            ": unknown input '", input.name, "'; the function's parameters are ",
            list_of(parameters), suggestion(input.name, parameters));
    require(!request.element || place != parameters.begin(), ErrorKind::invalid_argument,
            request.operation, ": input '", input.name,
            "' is the function's first parameter, which is the element of the result; give the "
            "function one more parameter for the input");
  }
}

// ---- recording
// --------------------------------------------------------------------------------------

class Recorder {
 public:
  Recorder(nb::handle function, const TraceRequest& request)
      : function_(function), request_(request), recording_(std::make_shared<Recording>()) {
    recording_->rank = request.rank;
  }

  FunctionPtr run() {
    const auto formals = formals_of(request_.operation, function_);
    check_inputs(request_, formals);
    require(!request_.element || (!formals.empty() && !formals.front().keyword_only),
            ErrorKind::invalid_argument, request_.operation,
            ": the function has no parameter for the element of the result; write lambda x: …");
    nb::list positional;
    nb::dict keywords;
    bool defaulted = false;
    for (const auto& formal : formals) {
      const nb::object argument = argument_for(formal, &formal == formals.data(), formals);
      if (!argument.is_valid()) {
        defaulted = true;  // from here on by name
      } else if (formal.keyword_only || defaulted) {
        keywords[formal.name.c_str()] = argument;
      } else {
        positional.append(argument);
      }
    }
    if (request_.result) builder().stores(*request_.result);
    const CurrentRecording scope(recording_);
    store(nb::steal(
        checked(PyObject_Call(function_.ptr(), nb::tuple(positional).ptr(), keywords.ptr()))));
    return std::make_shared<const expr::Function>(simplify(builder().finish()));
  }

 private:
  expr::Builder& builder() { return recording_->builder; }

  static PyObject* checked(PyObject* object) {
    if (object == nullptr) nb::raise_python_error();
    return object;
  }

  nb::object value(Term term) { return nb::cast(Value{recording_, term}); }

  /// What is passed for a parameter; nothing: its default.
  nb::object argument_for(const Formal& formal, bool first, const std::vector<Formal>& formals) {
    if (first && request_.element) return value(builder().element(formal.name, *request_.element));
    for (const auto& input : request_.inputs) {
      if (input.name != formal.name) continue;
      return value(input.scalar ? builder().scalar(input.name, input.dtype)
                                : builder().tensor(input.name, input.dtype));
    }
    if (formal.has_default) return {};
    if (formal.name == "i" || formal.name == "index") return nb::cast(IndexTuple{recording_});
    const auto inputs = names_of(request_.inputs);
    fail(ErrorKind::invalid_argument, request_.operation, ": no input is given for parameter '",
         formal.name, "' of the function ", list_of(names_of(formals)), "; the inputs are ",
         list_of(inputs), suggestion(formal.name, inputs));
  }

  void store(const nb::object& returned) {
    const std::string who = text(request_.operation, ": the function's return value");
    if (nb::isinstance<nb::dict>(returned)) {
      for (const auto& [name, output] : nb::borrow<nb::dict>(returned)) {
        require(nb::isinstance<nb::str>(name), ErrorKind::type_mismatch, who, ": output name ",
                shown(name), " is no str");
        store(nb::cast<std::string>(name), output, who);
      }
    } else if (nb::isinstance<Value>(returned) || number_dtype(returned)) {
      store("result", returned, who);
    } else {
      fail(ErrorKind::type_mismatch, who, " is ", shown(returned), ", ", name_of_type(returned),
           "; a value, or a dict of names and values, is wanted, for example "
           "{\"result\": y, \"aux\": x}");
    }
    const auto& outputs = builder().function().outputs;
    require(!request_.element ||
                std::ranges::find(outputs, "result", &expr::Output::name) != outputs.end(),
            ErrorKind::invalid_argument, request_.operation,
            ": no output of the function is named 'result', the one the operation stores; the "
            "outputs are ",
            list_of(names_of(outputs)), suggestion("result", names_of(outputs)));
  }

  void store(const std::string& name, nb::handle output, const std::string& who) {
    const Term term = term_of(recording_, output, who);
    builder().output(name, term, name == "result" ? request_.result : std::nullopt);
  }

  nb::handle function_;
  const TraceRequest& request_;
  RecordingPtr recording_;
};

// ---- functions recorded by mathwright.trace
// ---------------------------------------------------------

/// The parameters of an Expr as the operation gives them: its first one becomes the element.
FunctionPtr adapted(const FunctionPtr& given, const TraceRequest& request) {
  std::vector<Formal> formals;
  for (const auto* list : {&given->elements, &given->tensors, &given->scalars}) {
    for (const auto& parameter : *list) formals.push_back({parameter.name});
  }
  check_inputs(request, formals);
  expr::Function function = *given;
  if (request.element) {
    require(!function.tensors.empty(), ErrorKind::invalid_argument, request.operation,
            ": the expression has no parameter for the element of the result");
    function.elements = {function.tensors.front()};
    function.tensors.erase(function.tensors.begin());
    for (auto& node : function.nodes) {
      if (node.op != expr::Op::tensor) continue;
      if (node.integer == 0) node.op = expr::Op::element;
      node.integer = std::max<std::int64_t>(node.integer - 1, 0);
    }
    require(function.elements[0].dtype == *request.element, ErrorKind::invalid_argument,
            request.operation, ": the expression was traced for ", function.elements[0].name,
            " of dtype ", function.elements[0].dtype, "; here it is ", *request.element,
            ". Trace it for that dtype, or give the function itself");
  }
  const auto check = [&](const expr::Parameter& parameter, bool scalar) {
    const auto place = std::ranges::find(request.inputs, parameter.name, &TraceInput::name);
    require(place != request.inputs.end(), ErrorKind::invalid_argument, request.operation,
            ": no input is given for parameter '", parameter.name, "' of the expression");
    require(place->dtype == parameter.dtype && place->scalar == scalar, ErrorKind::invalid_argument,
            request.operation, ": the expression was traced for ", parameter.name, " as ",
            scalar ? "a number of dtype " : "an array of dtype ", parameter.dtype, "; here it is ",
            place->scalar ? "a number of dtype " : "an array of dtype ", place->dtype,
            ". Trace it for that, or give the function itself");
  };
  for (const auto& parameter : function.tensors) check(parameter, false);
  for (const auto& parameter : function.scalars) check(parameter, true);
  for (auto& output : function.outputs) {
    if (request.result && output.name == "result") {
      expr::check_cast(function.nodes[static_cast<std::size_t>(output.node)].dtype,
                       *request.result);
      output.dtype = *request.result;
    }
  }
  return std::make_shared<const expr::Function>(std::move(function));
}

}  // namespace

TraceInput input_of(std::string name, nb::handle object) {
  if (const auto number = number_dtype(object)) return {std::move(name), *number, true};
  const std::string what = text("input '", name, "'");
  require(nb::hasattr(object, "dtype"), ErrorKind::type_mismatch, what, " is ", shown(object), ", ",
          name_of_type(object), "; an array or a number is wanted");
  const DType dtype = dtype_of_object(object, what);
  return {std::move(name), dtype, false};
}

FunctionPtr traced(nb::handle function, const TraceRequest& request) {
  if (auto known = cache().find(function, request)) return known;
  const nb::object inside = nb::getattr(function, "_function", nb::borrow(function));
  if (FunctionObject* given = nullptr; nb::try_cast(inside, given, false) && given != nullptr) {
    return adapted(given->function, request);
  }
  FunctionPtr recorded = Recorder(function, request).run();
  cache().add(function, request, recorded);
  return recorded;
}

void clear_traces() { cache().clear(); }

}  // namespace mw::py
