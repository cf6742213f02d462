// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>
#include <mathwright/expr.hpp>

#include "expr/epilogs.hpp"
#include "expr/evaluate.hpp"
#include "expr/fusion.hpp"
#include "expr/grad.hpp"
#include "expr/print.hpp"
#include "expr_support.hpp"

namespace mw::expr {
namespace {

TEST(ExprFusion, LambdaOverScalars) {
  float bias[4] = {};
  const TensorRef row(bias, {4});
  const Fusion fusion = fuse(
      [](Scalar x, Scalar b, Scalar s) {
        return Outputs{{"result", relu(s * x + b)}, {"pre", x}};
      },
      {row}, {0.5});
  const auto function = trace(fusion, DType::float32, DType::float16);
  EXPECT_EQ(to_text(*function), "result = relu(s0*x + t0)\npre = x");
  EXPECT_EQ(function->outputs[1].dtype, DType::float16);
  EXPECT_EQ(trace(fusion, DType::float32, DType::float16), function);
  EXPECT_EQ(scalars_of(fusion).at(0), 0.5);
  EXPECT_EQ(tensors_of(fusion).at(0).data, bias);
}

TEST(ExprFusion, ErrorsSayWhatIsWanted) {
  const auto one = [](Scalar x) { return x * 2; };
  expect_error([&] { (void)fuse(one, {}, {1, 2}); }, "has 1 parameters");
  expect_error([&] { (void)trace(fuse(one, {}, {1}), DType::float32, {}); }, "calls it with");
  expect_error([&] { (void)trace({}, DType::float32, {}); }, "empty Fusion");
  expect_error([] { (void)index(-1); }, "outside of a function");
  Scalar kept = 0;
  const auto keeps = [&kept](Scalar x) { return kept = x; };
  (void)trace(fuse(keeps), DType::float32, {});
  expect_error([&] { (void)(kept + 1); }, "recording is over");
  const auto aux = [](Scalar x) { return Outputs{{"aux", x}}; };
  expect_error([&] { (void)trace(fuse(aux), DType::float32, {}); }, "no output named 'result'");
}

TEST(ExprEpilogs, AreWhatTheirNamesSay) {
  const auto text_of = [](const Epilog& epilog) {
    return to_text(*epilog_function(epilog, {.element = DType::float32, .result = DType::float32}));
  };
  EXPECT_EQ(text_of({}), "x");
  EXPECT_EQ(text_of({.activation = Activation::relu, .bias = true}), "relu(x + bias)");
  EXPECT_EQ(text_of({.activation = Activation::gelu, .bias = true, .aux = true}),
            "result = gelu_tanh(x + bias)\ngelu_aux = x + bias");
  EXPECT_EQ(text_of({.activation = Activation::drelu, .gradient_of_bias = true}),
            "t0 = where(relu_aux, x, 0)\nresult = t0\ndrelu_bgrad = sum(t0, axis=-1)");
  EXPECT_EQ(name(Epilog{.activation = Activation::gelu, .bias = true, .aux = true}),
            "GELU_AUX_BIAS");
  expect_error([&] { (void)text_of({.aux = true}); }, "without RELU or GELU");
  expect_error([&] { (void)text_of({.gradient_of_bias = true}); }, "without DRELU or DGELU");
}

TEST(ExprEpilogs, DgeluIsTheDerivativeOfGelu) {
  const auto f = epilog_function({.activation = Activation::dgelu},
                                 {.element = DType::float64, .result = DType::float64});
  const auto gelu = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  for (const double x : {-3.0, -0.7, 0.0, 0.2, 4.0}) {
    const std::array element = {Number::of_real(2)};
    const std::array tensor = {Number::of_real(x)};
    const double seen = evaluate(*f, {.elements = element, .tensors = tensor})[0].real;
    EXPECT_NEAR(seen, (gelu(x + 1e-6) - gelu(x - 1e-6)) / 1e-6, 1e-8) << x;
  }
}

}  // namespace
}  // namespace mw::expr
