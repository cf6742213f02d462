// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "expr/types.hpp"
#include "expr/validate.hpp"

namespace mw::expr {

namespace {

/// x ** n as what NumPy makes of it, and two products more: correct to an ulp or two and many times
/// as fast as pow.
constexpr double kSmallPowers[] = {-1, 0, 0.5, 1, 2, 3, 4};
/// Complex numbers have no pow here; their whole powers are products.
constexpr std::int64_t kLargestComplexPower = 64;

}  // namespace

Builder::Builder(const Function& start) : table_(start.nodes) {
  function_.elements = start.elements;
  function_.tensors = start.tensors;
  function_.scalars = start.scalars;
}

// ---- leaves
// -----------------------------------------------------------------------------------------

void Builder::refuse_stranger() {
  fail(ErrorKind::invalid_argument,
       "expression: a value kept from a function whose recording is over; use this function's own "
       "parameters and what is computed from them");
}

Term Builder::parameter(Op op, std::vector<Parameter>& list, std::string name, DType dtype) {
  require(is_number(dtype), ErrorKind::invalid_argument, "expression: input '", name,
          "' has dtype ", dtype, ", two numbers in one; float8_e4m3fn, float16 or wider is wanted");
  list.push_back({std::move(name), dtype});
  const auto which = static_cast<std::int64_t>(list.size()) - 1;
  return {table_.add({.op = op, .dtype = computing_dtype(dtype), .integer = which})};
}

Term Builder::element(std::string parameter_name, DType dtype) {
  return parameter(Op::element, function_.elements, std::move(parameter_name), dtype);
}

Term Builder::tensor(std::string parameter_name, DType dtype) {
  return parameter(Op::tensor, function_.tensors, std::move(parameter_name), dtype);
}

Term Builder::scalar(std::string parameter_name, DType dtype) {
  Term term = parameter(Op::scalar, function_.scalars, std::move(parameter_name), dtype);
  term.weak = true;
  return term;
}

Term Builder::index(std::int64_t axis) {
  require(axis < 0 && axis >= -63, ErrorKind::invalid_argument, "expression: index(", axis,
          "); axes count from the end here, -1 is the last. Write index(-1), index(-2), …");
  return {table_.add({.op = Op::index, .dtype = DType::int64, .integer = axis})};
}

Term Builder::constant(const Number& value) {
  require(is_number(value.dtype), ErrorKind::invalid_argument, "expression: a constant of dtype ",
          value.dtype, ", two numbers in one; float8_e4m3fn, float16 or wider is wanted");
  // A narrow one is computed as what it is computed in anyway.
  return {table_.add({.op = Op::constant,
                      .dtype = computing_dtype(value.dtype),
                      .integer = value.integer,
                      .real = value.real,
                      .imag = value.imag})};
}

Term Builder::literal(bool value) {
  return {constant(Number::of_integer(value ? 1 : 0, DType::bool_)).node, true};
}
Term Builder::literal(std::int64_t value) {
  return {constant(Number::of_integer(value)).node, true};
}
Term Builder::literal(double value) { return {constant(Number::of_real(value)).node, true}; }
Term Builder::literal(std::complex<double> value) {
  return {constant(Number::of_complex(value)).node, true};
}

// ---- operations
// -------------------------------------------------------------------------------------

NodeId Builder::converted(Op op, Term value, DType to) {
  const Node from = node(value);
  // A value rounded to a narrow dtype is held in the dtype it is computed in.
  if (from.dtype == to || computing_dtype(from.dtype) == to) return value.node;
  if (value.weak && from.op == Op::where) {  // rather choose between two constants of that dtype
    return table_.add({.op = Op::where,
                       .dtype = to,
                       .args = {from.args[0], converted(op, {from.args[1], true}, to),
                                converted(op, {from.args[2], true}, to)}});
  }
  if (from.op != Op::constant) {
    const NodeId made =
        table_.add({.op = Op::cast, .dtype = to, .args = {value.node, kNone, kNone}});
    if (value.weak) weak_casts_.push_back(made);
    return made;
  }
  const Number seen{from.dtype, from.integer, from.real, from.imag};
  const Number rounded = convert(seen, to);
  require(!value.weak || !is_integer(from.dtype) || !is_integer(to) ||
              (rounded.integer == seen.integer &&
               (dtype_class(to) != DTypeClass::natural || seen.integer >= 0)),
          ErrorKind::invalid_argument, "expression: ", seen.integer, " in '", name(op),
          "' does not fit ", to,
          ", the dtype of the other operand. Widen that one, for example "
          "with x.astype('int64')");
  return constant(rounded).node;
}

void Builder::refuse_reductions(Op op, std::span<const Term> operands) const {
  for (const Term operand : operands) {
    const Op inner = node(operand).op;
    require(!is_reduction(inner), ErrorKind::invalid_argument, "expression: '", name(op),
            "' of a reduction ('", name(inner),
            "'); a reduction is known only after the last element, so it can be an output and "
            "nothing else. Return it as an output, and compute with the result afterwards");
  }
}

Term Builder::repeated_product(Term base, std::int64_t exponent) {
  std::optional<Term> product;
  for (std::int64_t left = std::abs(exponent); left != 0; left >>= 1) {
    if (left & 1) product = product ? apply(Op::multiply, {*product, base}) : base;
    if (left > 1) base = apply(Op::square, {base});
  }
  return exponent < 0 ? apply(Op::divide, {literal(std::int64_t{1}), *product}) : *product;
}

std::optional<Term> Builder::small_power(Term base, Term exponent) {
  const Node power = node(exponent);
  if (power.op != Op::constant || !exponent.weak || is_complex(power.dtype)) return std::nullopt;
  const bool whole = dtype_class(power.dtype) != DTypeClass::real;
  const double n = whole ? static_cast<double>(power.integer) : power.real;
  const DType common =
      is_complex(dtype(base))
          ? computing_dtype(dtype(base))
          : signature(Op::power, std::array<Operand, 2>{Operand{dtype(base), base.weak},
                                                        Operand{power.dtype, true}})
                .result;
  if (is_complex(common)) {
    if (n != std::trunc(n) || std::abs(n) > kLargestComplexPower) return std::nullopt;
  } else if (std::ranges::find(kSmallPowers, n) == std::end(kSmallPowers) ||
             (is_integer(common) && n < 2)) {
    return std::nullopt;
  }
  const Term converted_base{converted(Op::power, base, common), base.weak};
  if (n == 0) {
    return Term{constant(convert(Number::of_integer(1), common)).node, base.weak};
  }
  if (n == 0.5) return apply(Op::sqrt, {converted_base});
  return repeated_product(converted_base, static_cast<std::int64_t>(n));
}

Term Builder::apply(Op op, std::span<const Term> operands) {
  refuse_reductions(op, operands);
  require(static_cast<int>(operands.size()) == arity(op), ErrorKind::invalid_argument,
          "expression: '", name(op), "' of ", operands.size(), " operands; ", arity(op),
          " are wanted");
  if (op == Op::power) {
    if (const auto product = small_power(operands[0], operands[1])) return *product;
  }
  std::array<Operand, 3> seen;
  bool weak = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    seen[i] = {dtype(operands[i]), operands[i].weak};
    weak &= operands[i].weak || (op == Op::where && i == 0);
  }
  const Signature types = signature(op, {seen.data(), operands.size()});
  Node made{.op = op, .dtype = types.result};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    made.args[i] = converted(op, operands[i], types.operands[i]);
  }
  const bool real = rule(op) == Rule::magnitude && !is_complex(types.operands[0]);
  if ((op == Op::conj && !is_complex(made.dtype)) || (op == Op::real && real)) {
    return {made.args[0], weak};
  }
  if (op == Op::imag && real) return {constant({.dtype = made.dtype}).node, weak};
  return {table_.add(made), weak};
}

Term Builder::cast(Term value, DType to) {
  refuse_reductions(Op::cast, {&value, 1});
  check_cast(dtype(value), to);
  // A cast to the very dtype is kept: it says how an output is to be stored.
  if (node(value).op == Op::constant && !is_narrow(to)) {
    const Node from = node(value);
    return constant(convert({from.dtype, from.integer, from.real, from.imag}, to));
  }
  return {table_.add({.op = Op::cast, .dtype = to, .args = {value.node, kNone, kNone}})};
}

Term Builder::reduce(Op op, Term value, std::int64_t axes) {
  refuse_reductions(op, {&value, 1});
  require(axes != 0 && axes >= kAllAxes, ErrorKind::invalid_argument, "expression: '", name(op),
          "' over no axis; at least one is wanted, or all");
  const Operand seen{dtype(value), value.weak};
  const Signature types = signature(op, {&seen, 1});
  return {table_.add({.op = op,
                      .dtype = types.result,
                      .args = {converted(op, value, types.operands[0]), kNone, kNone},
                      .integer = axes})};
}

// ---- outputs
// ----------------------------------------------------------------------------------------

/// The real dtype that a float or complex value goes back to in memory: that of the elements and
/// tensors it was computed from if they agree.
DType Builder::stored_dtype(NodeId top) const {
  const DType computed = table_[top].dtype;
  if (computed != DType::float32 && computed != DType::complex64) return computed;
  std::optional<DType> source;
  const auto meet = [&](DType dtype) {
    const DType part = real_dtype(dtype);
    source = !source || *source == part ? part : DType::float32;
  };
  std::vector<char> wanted(static_cast<std::size_t>(top) + 1, 0);
  wanted[static_cast<std::size_t>(top)] = 1;
  for (NodeId id = top; id >= 0; --id) {
    const auto place = static_cast<std::size_t>(id);
    const Node& at = table_[id];
    if (wanted[place] == 0 || is_integer(at.dtype) || at.dtype == DType::bool_) continue;
    const auto which = static_cast<std::size_t>(at.integer);
    if (at.op == Op::element) {
      const DType own = function_.elements[which].dtype;
      meet(stores_ && is_narrow(*stores_) ? *stores_ : own);
    } else if (at.op == Op::tensor) {
      meet(function_.tensors[which].dtype);
    } else if (at.op == Op::cast) {
      const DType from = table_[at.args[0]].dtype;
      const bool weak = std::ranges::find(weak_casts_, id) != weak_casts_.end();
      if (!weak && !is_integer(from) && from != DType::bool_) meet(at.dtype);
    } else {
      for (const NodeId arg : at.args) {
        if (arg != kNone) wanted[static_cast<std::size_t>(arg)] = 1;
      }
    }
  }
  // float8 is for storing what was scaled to fit it: that has to be asked for by a cast.
  if (!source || (*source != DType::float16 && *source != DType::bfloat16)) return computed;
  return is_complex(computed) ? complex_dtype(*source).value_or(computed) : *source;
}

void Builder::output(std::string output_name, Term value, std::optional<DType> dtype) {
  const Node made = node(value);
  for (const auto& other : function_.outputs) {
    require(other.name != output_name, ErrorKind::invalid_argument,
            "expression: two outputs are named '", output_name, "'; names are wanted that differ");
  }
  if (dtype) check_cast(made.dtype, *dtype);
  const bool term = is_reduction(made.op) && rule(made.op) != Rule::position;
  const NodeId source = term ? made.args[0] : value.node;
  const DType natural =
      term && node({source}).dtype != made.dtype ? made.dtype : stored_dtype(source);
  function_.outputs.push_back({std::move(output_name), dtype.value_or(natural), value.node});
}

Function Builder::finish() {
  Function made = std::exchange(function_, {});
  made.nodes = table_.take();
  finished_ = true;
  validate(made);
  return made;
}

}  // namespace mw::expr
