// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/grad.hpp"

#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "expr/simplify.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

/// The usual signs over a builder.
struct Signs {
  Builder& f;
  Term number(double value) { return f.literal(value); }
  Term add(Term a, Term b) { return f.apply(Op::add, {a, b}); }
  Term sub(Term a, Term b) { return f.apply(Op::subtract, {a, b}); }
  Term mul(Term a, Term b) { return f.apply(Op::multiply, {a, b}); }
  Term div(Term a, Term b) { return f.apply(Op::divide, {a, b}); }
  Term neg(Term a) { return f.apply(Op::negate, {a}); }
  Term square(Term a) { return f.apply(Op::square, {a}); }
  Term exp(Term a) { return f.apply(Op::exp, {a}); }
  Term where(Term condition, Term a, Term b) { return f.apply(Op::where, {condition, a, b}); }
};

/// Φ(x) + x·φ(x), the normal distribution and its density.
Term gelu_slope(Signs s, Term x) {
  const Term erf = s.f.apply(Op::erf, {s.mul(x, s.number(std::numbers::sqrt2 / 2))});
  const Term cdf = s.mul(s.add(erf, s.number(1)), s.number(0.5));
  const Term bell = s.exp(s.mul(s.square(x), s.number(-0.5)));
  const double scale = 1 / std::sqrt(2 * std::numbers::pi);
  return s.add(cdf, s.mul(s.mul(x, bell), s.number(scale)));
}

/// With u = √(2/π)·(x + c·x³) and t = tanh u:  (1 + t)/2 + x/2·(1 - t²)·√(2/π)·(1 + 3c·x²).
Term gelu_tanh_slope(Signs s, Term x) {
  const double root = std::sqrt(2 / std::numbers::pi);
  const double c = 0.044715;
  const Term square = s.square(x);
  const Term u = s.mul(x, s.add(s.mul(square, s.number(root * c)), s.number(root)));
  const Term t = s.f.apply(Op::tanh, {u});
  const Term slope = s.add(s.mul(square, s.number(3 * root * c)), s.number(root));
  const Term bend = s.mul(s.mul(x, s.sub(s.number(1), s.square(t))), slope);
  return s.mul(s.add(s.add(t, s.number(1)), bend), s.number(0.5));
}

/// σ(x)·(1 + x·(1 - σ(x))).
Term silu_slope(Signs s, Term x) {
  const Term sigmoid = s.f.apply(Op::sigmoid, {x});
  return s.mul(sigmoid, s.add(s.mul(x, s.sub(s.number(1), sigmoid)), s.number(1)));
}

using Slope = std::optional<Term>;  ///< nothing: 0

/// Walks a function and makes the derivative of each node beside it.
class Differentiator {
 public:
  Differentiator(const Function& function, std::string_view input)
      : function_(function), f_(function), s_{f_}, slopes_(function.nodes.size()) {
    find_input(input);
  }

  Slope of(NodeId wanted) {
    for (NodeId id = 0; id <= wanted; ++id) at(id) = rule_of(id);
    return at(wanted);
  }
  Builder& builder() { return f_; }

 private:
  Slope& at(NodeId id) { return slopes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Node& node(NodeId id) const {
    return function_.nodes[static_cast<std::size_t>(id)];
  }

  void find_input(std::string_view input) {
    const struct {
      Op op;
      const std::vector<Parameter>& list;
    } kinds[] = {{Op::element, function_.elements},
                 {Op::tensor, function_.tensors},
                 {Op::scalar, function_.scalars}};
    std::vector<std::string> names;
    for (const auto& kind : kinds) {
      for (std::size_t i = 0; i < kind.list.size(); ++i) {
        names.push_back(kind.list[i].name);
        if (kind.list[i].name != input) continue;
        const DType dtype = kind.list[i].dtype;
        require(!is_integer(dtype) && dtype != DType::bool_, ErrorKind::invalid_argument,
                "grad: input '", input, "' has dtype ", dtype,
                "; a float or complex one is wanted");
        input_op_ = kind.op;
        input_ = static_cast<std::int64_t>(i);
        complex_ = is_complex(dtype);
        return;
      }
    }
    fail(ErrorKind::invalid_argument, "grad: no input is named '", input, "'; the inputs are ",
         names);
  }

  Slope rule_of(NodeId id) {
    const Node& at_node = node(id);
    const Term y{id};
    if (rule(at_node.op) == Rule::leaf) {
      const bool wanted = at_node.op == input_op_ && at_node.integer == input_;
      return wanted ? Slope(f_.constant(convert(Number::of_integer(1), at_node.dtype)))
                    : std::nullopt;
    }
    const auto count = static_cast<std::size_t>(arity(at_node.op));
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) any |= at(at_node.args[i]).has_value();
    const bool whole = is_integer(at_node.dtype) || at_node.dtype == DType::bool_;
    if (!any || whole) return std::nullopt;
    if (complex_) refuse_unless_analytic(at_node);
    switch (count) {
      case 1: return of_one(at_node, y);
      case 2: return of_two(at_node, y);
      default: return of_three(at_node);
    }
  }

  static void refuse_unless_analytic(const Node& node) {
    const bool analytic = rule(node.op) != Rule::magnitude && node.op != Op::conj;
    require(analytic, ErrorKind::invalid_argument, "grad: '", name(node.op),
            "' has no complex derivative; differentiate with respect to real inputs, for example "
            "f(complex(a, b)) by a and by b");
  }

  Slope of_one(const Node& node, Term y) {
    const Term x{node.args[0]};
    const Term dx = *at(node.args[0]);
    switch (node.op) {
      case Op::negate: return s_.neg(dx);
      case Op::real:
      case Op::imag:
      case Op::conj: return f_.apply(node.op, {dx});
      case Op::cast:
        return f_.dtype(y) == f_.dtype(dx) ? dx : f_.cast(dx, computing_dtype(node.dtype));
      case Op::sum: return dx;
      case Op::absolute:
        // |z|' = re(conj(z)·z') / |z|, for a complex number of a real input.
        if (is_complex(f_.dtype(x))) {
          return s_.div(f_.apply(Op::real, {s_.mul(f_.apply(Op::conj, {x}), dx)}), y);
        }
        break;
      default: break;
    }
    require(!is_reduction(node.op), ErrorKind::invalid_argument, "grad: '", name(node.op),
            "' over points has no derivative at one point; sum has");
    const auto slope = derivative(f_, node.op, x, y);
    if (!slope) return std::nullopt;
    return product(dx, *slope);
  }

  /// slope·factor, where the slope may be 0 or 1. (A complex 1·z is not simplified: it is not
  /// exact.)
  Slope product(Slope slope, Term factor) {
    if (!slope) return std::nullopt;
    const Node& at_node = f_.node(*slope);
    const bool one = at_node.op == Op::constant && at_node.real == 1 && at_node.imag == 0;
    return one ? factor : s_.mul(factor, *slope);
  }
  Slope sum(Slope a, Slope b) {
    if (!a || !b) return a ? a : b;
    return s_.add(*a, *b);
  }
  Slope negative(Slope a) { return a ? Slope(s_.neg(*a)) : std::nullopt; }
  Slope chosen(Term condition, const Slope& a, const Slope& b, DType dtype) {
    const auto value = [&](const Slope& slope) {
      return slope ? *slope : f_.constant({.dtype = dtype});
    };
    return s_.where(condition, value(a), value(b));
  }

  Slope of_two(const Node& node, Term y) {
    const Term a{node.args[0]};
    const Term b{node.args[1]};
    const Slope da = at(node.args[0]);
    const Slope db = at(node.args[1]);
    switch (node.op) {
      case Op::add: return sum(da, db);
      case Op::subtract: return sum(da, negative(db));
      case Op::multiply: return sum(product(da, b), product(db, a));
      case Op::divide: {
        const Slope top = sum(da, negative(product(db, y)));
        return s_.div(*top, b);
      }
      case Op::remainder: return sum(da, negative(product(db, f_.apply(Op::floor_divide, {a, b}))));
      case Op::power: return power(a, b, da, db, y);
      case Op::minimum: return chosen(f_.apply(Op::less_equal, {a, b}), da, db, node.dtype);
      case Op::maximum: return chosen(f_.apply(Op::greater_equal, {a, b}), da, db, node.dtype);
      case Op::complex: {
        const Term zero = f_.constant({.dtype = f_.dtype(a)});
        return f_.apply(Op::complex, {da.value_or(zero), db.value_or(zero)});
      }
      default: return std::nullopt;  // floor_divide is flat
    }
  }

  /// da·b·a^(b-1) + db·log(a)·aᵇ.
  Slope power(Term a, Term b, const Slope& da, const Slope& db, Term y) {
    Slope result;
    if (da) {
      const Term lower = f_.apply(Op::power, {a, s_.sub(b, s_.number(1))});
      result = product(da, s_.mul(b, lower));
    }
    if (db) result = sum(result, product(db, s_.mul(f_.apply(Op::log, {a}), y)));
    return result;
  }

  Slope of_three(const Node& node) {
    const Term a{node.args[0]};
    const Term b{node.args[1]};
    const Term c{node.args[2]};
    const Slope db = at(node.args[1]);
    const Slope dc = at(node.args[2]);
    if (node.op == Op::where) return db || dc ? chosen(a, db, dc, node.dtype) : std::nullopt;
    // clamp = minimum(maximum(a, b), c)
    const Slope raised =
        chosen(f_.apply(Op::greater_equal, {a, b}), at(node.args[0]), db, node.dtype);
    const Term above = f_.apply(Op::maximum, {a, b});
    return chosen(f_.apply(Op::less_equal, {above, c}), raised, dc, node.dtype);
  }

  const Function& function_;
  Builder f_;
  Signs s_;
  std::vector<Slope> slopes_;
  Op input_op_ = Op::element;
  std::int64_t input_ = 0;
  bool complex_ = false;
};

const Output& output_named(const Function& function, std::string_view wanted) {
  std::vector<std::string> names;
  for (const auto& output : function.outputs) {
    if (output.name == wanted) return output;
    names.push_back(output.name);
  }
  fail(ErrorKind::invalid_argument, "grad: no output is named '", wanted, "'; the outputs are ",
       names);
}

}  // namespace

std::optional<Term> derivative(Builder& f, Op op, Term x, Term y) {
  Signs s{f};
  const Term one = s.number(1);
  switch (op) {
    case Op::square: return s.mul(x, s.number(2));
    case Op::absolute: return f.apply(Op::sign, {x});
    case Op::sqrt: return s.div(s.number(0.5), y);
    case Op::rsqrt: return s.mul(s.div(y, x), s.number(-0.5));
    case Op::exp: return y;
    case Op::expm1: return s.add(y, one);
    case Op::log: return s.div(one, x);
    case Op::log1p: return s.div(one, s.add(x, one));
    case Op::sin: return f.apply(Op::cos, {x});
    case Op::cos: return s.neg(f.apply(Op::sin, {x}));
    case Op::tanh: return s.sub(one, s.square(y));
    case Op::erf:
      return s.mul(s.exp(s.neg(s.square(x))), s.number(2 / std::sqrt(std::numbers::pi)));
    case Op::sigmoid: return s.mul(y, s.sub(one, y));
    case Op::relu: return s.where(f.apply(Op::greater, {x, s.number(0)}), one, s.number(0));
    case Op::gelu: return gelu_slope(s, x);
    case Op::gelu_tanh: return gelu_tanh_slope(s, x);
    case Op::silu: return silu_slope(s, x);
    default: return std::nullopt;  // sign, floor, ceil, trunc, round are flat
  }
}

Function grad(const Function& function, std::string_view output, std::string_view input) {
  const Output& wanted = output_named(function, output);
  const DType dtype = function.nodes[static_cast<std::size_t>(wanted.node)].dtype;
  require(!is_integer(dtype) && dtype != DType::bool_, ErrorKind::invalid_argument,
          "grad: output '", output, "' has dtype ", dtype, "; a float or complex one is wanted");
  Differentiator differentiate(function, input);
  const auto slope = differentiate.of(wanted.node);
  Builder& f = differentiate.builder();
  const Term value = slope.value_or(f.constant({.dtype = computing_dtype(dtype)}));
  f.output(wanted.name, value, wanted.dtype);
  return simplify(f.finish());
}

}  // namespace mw::expr
