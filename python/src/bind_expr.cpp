// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Expressions: the values that a recorded function sees, and the functions recorded.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

#include "base/fields.hpp"
#include "expr/evaluate.hpp"
#include "expr/grad.hpp"
#include "expr/print.hpp"
#include "expr/serialize.hpp"
#include "expr/types.hpp"
#include "expression.hpp"
#include "trace.hpp"

namespace mw::py {

using expr::Op;
using expr::Term;

namespace {

// ---- operations
// -------------------------------------------------------------------------------------

Value* value_in(nb::handle object) {
  Value* value = nullptr;
  return nb::try_cast(object, value, false) ? value : nullptr;
}

nb::object python_number(const expr::Number& number) {
  switch (dtype_class(number.dtype)) {
    case DTypeClass::boolean: return nb::bool_(number.integer != 0);
    case DTypeClass::integer: return nb::int_(number.integer);
    case DTypeClass::natural: return nb::int_(static_cast<std::uint64_t>(number.integer));
    case DTypeClass::real: return nb::float_(number.real);
    case DTypeClass::complex: break;
  }
  return nb::steal(PyComplex_FromDoubles(number.real, number.imag));
}

/// Of numbers alone: a number.
nb::object apply_to_numbers(Op op, std::span<const nb::object> operands) {
  const auto recording = std::make_shared<Recording>();
  const std::string what(expr::name(op));
  std::array<Term, 3> terms;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const nb::handle operand = operands[i];
    require(!nb::hasattr(operand, "shape") || number_dtype(operand), ErrorKind::type_mismatch,
            "mathwright.", what, " of an array (", name_of_type(operand),
            "); it is for use inside a function that is fused, for example "
            "mathwright.fuse(lambda x: mathwright.",
            what, "(x))(array)");
    terms[i] = term_of(recording, operand, what);
  }
  auto& builder = recording->builder;
  builder.output("result", builder.apply(op, {terms.data(), operands.size()}));
  return python_number(expr::evaluate(builder.finish(), {}).front());
}

nb::object apply(Op op, std::span<const nb::object> operands) {
  for (const auto& operand : operands) {
    const Value* value = value_in(operand);
    if (value == nullptr) continue;
    std::array<Term, 3> terms;
    const std::string_view what = expr::name(op);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      terms[i] = term_of(value->recording, operands[i], what);
    }
    return nb::cast(Value{value->recording,
                          value->recording->builder.apply(op, {terms.data(), operands.size()})});
  }
  return apply_to_numbers(op, operands);
}

nb::object apply_by_number(int op, const nb::args& operands) {
  std::array<nb::object, 3> given;
  const std::size_t count = operands.size();
  require(op >= 0 && op <= static_cast<int>(Op::complex) && count <= 3, ErrorKind::invalid_argument,
          "expression: operation ", op, " of ", count, " operands");
  for (std::size_t i = 0; i < count; ++i) given[i] = operands[i];
  return apply(static_cast<Op>(op), {given.data(), count});
}

template <Op op>
nb::object binary(const Value& a, nb::handle b) {
  auto& builder = a.recording->builder;
  const Term other = term_of(a.recording, b, expr::name(op));
  return nb::cast(Value{a.recording, builder.apply(op, {a.term, other})});
}

template <Op op>
nb::object reflected(const Value& b, nb::handle a) {
  auto& builder = b.recording->builder;
  const Term other = term_of(b.recording, a, expr::name(op));
  return nb::cast(Value{b.recording, builder.apply(op, {other, b.term})});
}

template <Op op>
Value unary(const Value& a) {
  return {a.recording, a.recording->builder.apply(op, {a.term})};
}

Value cast(const Value& value, nb::handle dtype) {
  const DType to = dtype_of_object(dtype, "astype");
  return {value.recording, value.recording->builder.cast(value.term, to)};
}

Value& value_or_refuse(nb::handle object, std::string_view what) {
  Value* value = value_in(object);
  require(value != nullptr, ErrorKind::type_mismatch, "mathwright.", what, " of ", shown(object),
          ", ", name_of_type(object),
          "; it reduces a value inside a function that is fused. For arrays use numpy's, or "
          "mathwright.fuse(lambda x: mathwright.",
          what, "(x))(array)");
  return *value;
}

Value reduce(int op_number, nb::handle object, nb::handle axis) {
  const auto op = static_cast<Op>(op_number);
  require(op_number >= 0 && op_number <= static_cast<int>(Op::argmin) && expr::is_reduction(op),
          ErrorKind::invalid_argument, "expression: operation ", op_number, " is no reduction");
  const std::string_view what = expr::name(op);
  const Value& value = value_or_refuse(object, what);
  const std::int64_t axes = axes_of_object(axis, value.recording->rank, what);
  return {value.recording, value.recording->builder.reduce(op, value.term, axes)};
}

Value index_of(const RecordingPtr& recording, nb::handle axis) {
  return {recording, recording->builder.index(axis_from_end(axis, recording->rank, "index"))};
}

Value index(nb::handle axis) {
  const auto recording = current_recording();
  require(recording != nullptr, ErrorKind::invalid_state,
          "mathwright.index outside of a function that is being recorded; call it inside the "
          "function that is fused");
  return index_of(recording, axis);
}

// ---- what a value cannot do
// -------------------------------------------------------------------------

[[noreturn]] void refuse_branch() {
  fail(ErrorKind::type_mismatch,
       "a branch on a value of a recorded function (if, and, or, not, while, a chained comparison, "
       "Python's min() or max()); it has no value yet, the function runs once for all elements. "
       "Write mathwright.where(condition, a, b), &, |, ~, mathwright.minimum or "
       "mathwright.maximum");
}
[[noreturn]] void refuse_loop() {
  fail(ErrorKind::type_mismatch,
       "a loop over a value of a recorded function, or a part of it; it stands for one number. "
       "Reductions are mathwright.sum, max, …; the place in the result is a parameter named i, "
       "i[-1] being the index along the last axis");
}
[[noreturn]] void refuse_number() {
  fail(ErrorKind::type_mismatch,
       "a value of a recorded function as a Python number or an index; it has no value yet. "
       "Instead of math.f(x) write mathwright.f(x) or numpy.f(x), instead of int(x) "
       "x.astype('int64'), and instead of indexing an array pass it as an input, which broadcasts");
}
[[noreturn]] void refuse_array() {
  fail(ErrorKind::type_mismatch,
       "a value of a recorded function as an array; it stands for one number. Write the function "
       "with mathwright's functions, or numpy's elementwise ones");
}

// ---- recorded functions
// -----------------------------------------------------------------------------

Key key_of(const FunctionObject& object) { return Key::of(*object.function); }

nb::list parameters_of(const FunctionObject& object) {
  nb::list rows;
  const auto add = [&](const std::vector<expr::Parameter>& list, bool scalar) {
    for (const auto& parameter : list) {
      rows.append(nb::make_tuple(parameter.name, std::string(name(parameter.dtype)), scalar));
    }
  };
  add(object.function->elements, false);
  add(object.function->tensors, false);
  add(object.function->scalars, true);
  return rows;
}

nb::list outputs_of(const FunctionObject& object) {
  nb::list rows;
  for (const auto& output : object.function->outputs) {
    rows.append(nb::make_tuple(output.name, std::string(name(output.dtype))));
  }
  return rows;
}

FunctionObject from_bytes(const nb::bytes& bytes) {
  auto function = expr::from_bytes({bytes.c_str(), bytes.size()});
  return {std::make_shared<const expr::Function>(std::move(function))};
}

/// What mathwright.trace is told of a parameter: a dtype, or one of Python's number types, or a
/// number, for a run-time scalar.
TraceInput described_input(std::string name, nb::handle description) {
  const struct {
    PyTypeObject* type;
    DType dtype;
  } numbers[] = {{&PyBool_Type, DType::bool_},
                 {&PyLong_Type, DType::int64},
                 {&PyFloat_Type, DType::float64},
                 {&PyComplex_Type, DType::complex128}};
  for (const auto& number : numbers) {
    if (description.ptr() == reinterpret_cast<PyObject*>(number.type)) {
      return {std::move(name), number.dtype, true};
    }
  }
  if (const auto dtype = number_dtype(description)) return {std::move(name), *dtype, true};
  const DType dtype = dtype_of_object(description, text("trace: input '", name, "'"));
  return {std::move(name), dtype, false};
}

FunctionObject trace(nb::handle function, const nb::dict& inputs, nb::handle rank) {
  std::vector<TraceInput> given;
  for (const auto& [name, description] : inputs) {
    given.push_back(described_input(nb::cast<std::string>(name), description));
  }
  TraceRequest request{.operation = "trace", .inputs = given};
  if (!rank.is_none()) request.rank = nb::cast<int>(rank);
  return {traced(function, request)};
}

nb::dict op_numbers() {
  nb::dict numbers;
  int next = 0;
#define MW_EXPR_OP(id, ...) numbers[#id] = next++;
#include "expr/op.def"
#undef MW_EXPR_OP
  return numbers;
}

// ---- the classes
// ------------------------------------------------------------------------------------

#define MW_BINARY(symbol, op)                                      \
  .def("__" symbol "__", &binary<Op::op>, nb::arg("other").none()) \
      .def("__r" symbol "__", &reflected<Op::op>, nb::arg("other").none())
#define MW_COMPARE(symbol, op)                                     \
  .def("__" symbol "__", &binary<Op::op>, nb::arg("other").none(), \
       nb::sig("def __" symbol "__(self, other: object, /) -> typing.Any"))

void init_operators(nb::class_<Value>& value) {
  // clang-format off
  value
      MW_BINARY("add", add)
      MW_BINARY("sub", subtract)
      MW_BINARY("mul", multiply)
      MW_BINARY("truediv", divide)
      MW_BINARY("floordiv", floor_divide)
      MW_BINARY("mod", remainder)
      MW_BINARY("pow", power)
      MW_BINARY("and", bit_and)
      MW_BINARY("or", bit_or)
      MW_BINARY("xor", bit_xor)
      MW_BINARY("lshift", shift_left)
      MW_BINARY("rshift", shift_right)
      MW_COMPARE("eq", equal)
      MW_COMPARE("ne", not_equal)
      MW_COMPARE("lt", less)
      MW_COMPARE("le", less_equal)
      MW_COMPARE("gt", greater)
      MW_COMPARE("ge", greater_equal)
      .def("__neg__", &unary<Op::negate>)
      .def("__pos__", [](const Value& a) { return a; })
      .def("__abs__", &unary<Op::absolute>)
      .def("__invert__", &unary<Op::bit_not>);
  // clang-format on
  value.attr("__hash__") = nb::none();
}

#undef MW_BINARY
#undef MW_COMPARE

void init_refusals(nb::class_<Value>& value) {
  value.def("__bool__", [](const Value&) -> bool { refuse_branch(); })
      .def("__iter__", [](const Value&) -> nb::object { refuse_loop(); })
      .def("__len__", [](const Value&) -> int { refuse_loop(); })
      .def("__getitem__", [](const Value&, nb::handle) -> nb::object { refuse_loop(); })
      .def("__contains__", [](const Value&, nb::handle) -> bool { refuse_loop(); })
      .def("__float__", [](const Value&) -> double { refuse_number(); })
      .def("__int__", [](const Value&) -> int { refuse_number(); })
      .def("__index__", [](const Value&) -> int { refuse_number(); })
      .def("__complex__", [](const Value&) -> nb::object { refuse_number(); })
      .def("__array__", [](const Value&, nb::args, nb::kwargs) -> nb::object { refuse_array(); });
}

void init_value(nb::module_& m) {
  nb::class_<Value> value(m, "Value",
                          "What a recorded function sees for each of its parameters. See "
                          "mathwright.trace.");
  init_operators(value);
  init_refusals(value);
  value.def("astype", &cast, nb::arg("dtype"), "The value converted to a dtype.")
      .def("conj", &unary<Op::conj>, "The complex conjugate.")
      .def("conjugate", &unary<Op::conj>, "The complex conjugate.")
      .def_prop_ro("real", &unary<Op::real>, "The real part.")
      .def_prop_ro("imag", &unary<Op::imag>, "The imaginary part.")
      .def_prop_ro(
          "dtype",
          [](const Value& a) { return std::string(name(a.recording->builder.dtype(a.term))); },
          "The dtype it is computed in.")
      .def("__array_ufunc__",
           [](nb::handle, nb::handle ufunc, const std::string& method, const nb::args& inputs,
              const nb::kwargs& options) {
             return nb::module_::import_("mathwright.expr._numpy")
                 .attr("apply_ufunc")(ufunc, method, inputs, options);
           })
      .def("__array_function__",
           [](nb::handle, nb::handle function, nb::handle, nb::handle args, nb::handle kwargs) {
             return nb::module_::import_("mathwright.expr._numpy")
                 .attr("apply_function")(function, args, kwargs);
           })
      .def("__round__", [](const Value& a) { return unary<Op::round>(a); })
      .def("__floor__", &unary<Op::floor>)
      .def("__ceil__", &unary<Op::ceil>)
      .def("__trunc__", &unary<Op::trunc>)
      .def("__repr__", [](const Value& a) {
        return text("<value of dtype ", a.recording->builder.dtype(a.term),
                    " of a function being recorded>");
      });
}

void init_index(nb::module_& m) {
  nb::class_<IndexTuple>(m, "IndexTuple",
                         "The place in the result, one index per axis; i[-1] is along the last.")
      .def("__getitem__",
           [](const IndexTuple& tuple, nb::handle axis) { return index_of(tuple.recording, axis); })
      .def("__len__",
           [](const IndexTuple& tuple) {
             require(tuple.recording->rank.has_value(), ErrorKind::invalid_argument,
                     "the number of axes is not known here; write i[-1], i[-2], …");
             return *tuple.recording->rank;
           })
      .def("__iter__", [](const IndexTuple& tuple) {
        require(tuple.recording->rank.has_value(), ErrorKind::invalid_argument,
                "the number of axes is not known here; write i[-1], i[-2], …");
        nb::list all;
        for (int axis = 0; axis < *tuple.recording->rank; ++axis) {
          all.append(index_of(tuple.recording, nb::int_(axis)));
        }
        return nb::iter(all);
      });
}

void init_function(nb::module_& m) {
  nb::class_<FunctionObject>(m, "RecordedFunction", "The inside of mathwright.Expr.")
      .def("text", [](const FunctionObject& f) { return expr::to_text(*f.function); })
      .def("dot", [](const FunctionObject& f) { return expr::to_dot(*f.function); })
      .def("svg", [](const FunctionObject& f) { return expr::to_svg(*f.function); })
      .def("parameters", &parameters_of,
           nb::sig("def parameters(self) -> list[tuple[str, str, bool]]"))
      .def("outputs", &outputs_of, nb::sig("def outputs(self) -> list[tuple[str, str]]"))
      .def("operations", [](const FunctionObject& f) { return f.function->nodes.size(); })
      .def(
          "grad",
          [](const FunctionObject& f, const std::string& output, const std::string& input) {
            return FunctionObject{
                std::make_shared<const expr::Function>(expr::grad(*f.function, output, input))};
          },
          nb::arg("output"), nb::arg("input"))
      .def("to_bytes",
           [](const FunctionObject& f) {
             const std::string bytes = expr::to_bytes(*f.function);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes", &from_bytes, nb::arg("bytes"))
      .def("same",
           [](const FunctionObject& a, const FunctionObject& b) {
             return a.function == b.function || key_of(a) == key_of(b);
           })
      .def("hash",
           [](const FunctionObject& f) { return static_cast<std::int64_t>(KeyHash()(key_of(f))); });
}

}  // namespace

void init_expr(nb::module_& m) {
  init_value(m);
  init_index(m);
  init_function(m);
  m.attr("expr_ops") = op_numbers();
  m.def("expr_apply", &apply_by_number, nb::arg("op"), nb::arg("operands"));
  m.def("expr_reduce", &reduce, nb::arg("op"), nb::arg("x").none(), nb::arg("axis").none());
  m.def("expr_index", &index, nb::arg("axis"));
  m.def("expr_trace", &trace, nb::arg("function"), nb::arg("inputs"), nb::arg("rank").none());
  m.def("expr_clear_traces", &clear_traces);
  nb::module_::import_("atexit").attr("register")(m.attr("expr_clear_traces"));
}

}  // namespace mw::py
