// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/epilogs.hpp"

#include "base/text.hpp"
#include "expr/builder.hpp"
#include "expr/grad.hpp"
#include "expr/simplify.hpp"

namespace mw::expr {

namespace {

bool is_backward(Activation activation) {
  return activation == Activation::drelu || activation == Activation::dgelu;
}

bool is_forward(Activation activation) {
  return activation == Activation::relu || activation == Activation::gelu;
}

void check(const Epilog& epilog) {
  require(!epilog.aux || is_forward(epilog.activation), ErrorKind::invalid_argument,
          "epilog: an auxiliary result without RELU or GELU; it is what their backward pass needs");
  require(!epilog.gradient_of_bias || is_backward(epilog.activation), ErrorKind::invalid_argument,
          "epilog: the gradient of a bias without DRELU or DGELU");
  require(!epilog.bias || !is_backward(epilog.activation), ErrorKind::invalid_argument,
          "epilog: a bias with ", name(epilog), ", whose element is a gradient");
}

/// A tensor read in the dtype of the element, whatever it is stored in.
Term tensor(Builder& f, const char* parameter, DType stored, DType element) {
  const Term value = f.tensor(parameter, stored);
  return f.dtype(value) == element ? value : f.cast(value, element);
}

Term activated(Builder& f, Activation activation, Term x, DType aux) {
  switch (activation) {
    case Activation::relu: return f.apply(Op::relu, {x});
    case Activation::gelu: return f.apply(Op::gelu_tanh, {x});
    case Activation::drelu:
      return f.apply(Op::where, {f.tensor("relu_aux", DType::bool_), x, f.literal(0.0)});
    case Activation::dgelu: {
      const Term before = tensor(f, "gelu_aux", aux, f.dtype(x));
      return f.apply(Op::multiply, {x, *derivative(f, Op::gelu_tanh, before, before)});
    }
    case Activation::none: break;
  }
  return x;
}

}  // namespace

FunctionPtr epilog_function(const Epilog& epilog, const EpilogDTypes& dtypes) {
  check(epilog);
  const DType aux = dtypes.aux.value_or(dtypes.result);
  Builder f;
  Term x = f.element("x", dtypes.element);
  if (epilog.bias) {
    const DType bias = dtypes.bias.value_or(dtypes.result);
    x = f.apply(Op::add, {x, tensor(f, "bias", bias, f.dtype(x))});
  }
  const Term result = activated(f, epilog.activation, x, aux);
  f.output("result", result, dtypes.result);
  const bool relu = epilog.activation == Activation::relu || epilog.activation == Activation::drelu;
  if (epilog.aux && relu) {
    f.output("relu_aux", f.apply(Op::greater_equal, {x, f.literal(0.0)}), DType::bool_);
  } else if (epilog.aux) {
    f.output("gelu_aux", x, aux);
  }
  if (epilog.gradient_of_bias) {
    f.output(relu ? "drelu_bgrad" : "dgelu_bgrad", f.reduce(Op::sum, result, 1),
             dtypes.gradient.value_or(dtypes.result));
  }
  return std::make_shared<const Function>(simplify(f.finish()));
}

FunctionPtr identity_function(DType element, DType result) {
  return epilog_function({}, {.element = element, .result = result});
}

std::string name(const Epilog& epilog) {
  std::string words;
  const auto add = [&](const char* part) {
    words += (words.empty() ? "" : "_") + std::string(part);
  };
  switch (epilog.activation) {
    case Activation::relu: add("RELU"); break;
    case Activation::gelu: add("GELU"); break;
    case Activation::drelu: add("DRELU"); break;
    case Activation::dgelu: add("DGELU"); break;
    case Activation::none: break;
  }
  if (epilog.aux) add("AUX");
  if (epilog.bias) add("BIAS");
  if (epilog.gradient_of_bias) add("BGRAD");
  return words.empty() ? "DEFAULT" : words;
}

}  // namespace mw::expr
