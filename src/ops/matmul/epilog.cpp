// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/epilog.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "ops/matmul/splice.hpp"

namespace mw {

namespace {

using expr::Function;
using expr::Node;
using expr::Op;
using E = NamedEpilog;
using A = expr::Activation;

constexpr NamedEpilogRow kRows[] = {
    {E::relu, "RELU", A::relu, false, nullptr, nullptr, nullptr, false},
    {E::bias, "BIAS", A::none, true, nullptr, nullptr, nullptr, true},
    {E::relu_bias, "RELU_BIAS", A::relu, true, nullptr, nullptr, nullptr, true},
    {E::gelu, "GELU", A::gelu, false, nullptr, nullptr, nullptr, false},
    {E::gelu_bias, "GELU_BIAS", A::gelu, true, nullptr, nullptr, nullptr, true},
    {E::relu_aux, "RELU_AUX", A::relu, false, nullptr, "relu_aux", nullptr, true},
    {E::relu_aux_bias, "RELU_AUX_BIAS", A::relu, true, nullptr, "relu_aux", nullptr, true},
    {E::drelu, "DRELU", A::drelu, false, "relu_aux", nullptr, nullptr, true},
    {E::drelu_bgrad, "DRELU_BGRAD", A::drelu, false, "relu_aux", nullptr, "drelu_bgrad", true},
    {E::gelu_aux, "GELU_AUX", A::gelu, false, nullptr, "gelu_aux", nullptr, true},
    {E::gelu_aux_bias, "GELU_AUX_BIAS", A::gelu, true, nullptr, "gelu_aux", nullptr, true},
    {E::dgelu, "DGELU", A::dgelu, false, "gelu_aux", nullptr, nullptr, true},
    {E::dgelu_bgrad, "DGELU_BGRAD", A::dgelu, false, "gelu_aux", nullptr, "dgelu_bgrad", true},
    {E::bgrada, "BGRADA", A::none, false, nullptr, nullptr, "bgrada", true},
    {E::bgradb, "BGRADB", A::none, false, nullptr, nullptr, "bgradb", true},
};

}  // namespace

std::span<const NamedEpilogRow> named_epilogs() { return kRows; }

const NamedEpilogRow* named_epilog(NamedEpilog value) {
  const auto* row = std::ranges::find(kRows, value, &NamedEpilogRow::value);
  return row == std::end(kRows) ? nullptr : row;
}

expr::FunctionPtr named_function(const NamedEpilogRow& row, const EpilogTypes& types) {
  return main_output_last(expr::epilog_function(
      {.activation = row.activation,
       .bias = row.bias,
       .aux = row.aux_out != nullptr,
       .gradient_of_bias = row.aux_in && row.gradient_out},
      {.element = types.element, .result = types.result, .bias = types.bias, .aux = types.aux}));
}

expr::FunctionPtr with_c(const Function& function, DType c) {
  Splice splice(function, c);
  splice.copy_old(splice.plus_c(splice.element()));
  for (const expr::Output& output : function.outputs) splice.add_output(splice.output(output));
  return splice.finish();
}

expr::FunctionPtr main_output_last(expr::FunctionPtr function) {
  if (function->outputs.back().name == "result") return function;
  Function f = *function;
  const auto main = std::ranges::find(f.outputs, std::string_view("result"), &expr::Output::name);
  require(main != f.outputs.end(), ErrorKind::invalid_argument,
          "matmul: the epilog gives no output named \"result\"; one is wanted, it is D");
  std::rotate(main, main + 1, f.outputs.end());
  return std::make_shared<const Function>(std::move(f));
}

bool is_elementwise(const Function& function) {
  return std::ranges::none_of(function.nodes, [](const Node& node) {
    return node.op == Op::index || expr::is_reduction(node.op);
  });
}

}  // namespace mw
