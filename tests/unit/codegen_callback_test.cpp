// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Callbacks of cuFFT as text: where elements are found, that the text compiles wherever NVRTC is.
// No device is needed.
#include <gtest/gtest.h>

#include "codegen/device_callback.hpp"
#include "expr/builder.hpp"
#include "runtime/device_program.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

using codegen::CallbackForm;
using expr::Op;

/// x·w by a window along the last axis of 8 × 1024 complex numbers.
CallbackForm windowed() {
  expr::Builder f;
  const auto x = f.element("x", DType::complex64);
  f.output("result", f.apply(Op::multiply, {x, f.tensor("w", DType::float32)}));
  CallbackForm form;
  form.function = std::make_shared<const expr::Function>(f.finish());
  form.name = "mw_load";
  form.shape = form.used = Dims({8, 1024});
  form.strides = Dims({1024, 1});
  form.array = {DType::complex64, Dims({1024, 1})};
  form.tensors = {{DType::float32, Dims({0, 1})}};
  form.outputs = {{}};
  return form;
}

/// |x|² of a transform's result, and where it is above a run-time scalar.
CallbackForm power(DType library) {
  expr::Builder f;
  const auto x = f.element("x", library);
  const auto square = f.apply(Op::square, {f.apply(Op::absolute, {x})});
  const auto bound = f.scalar("bound", DType::float32);
  f.output("above", f.apply(Op::greater, {square, bound}), DType::bool_);
  f.output("result", square, DType::float32);
  CallbackForm form;
  form.function = std::make_shared<const expr::Function>(f.finish());
  form.store = true;
  form.name = "mw_store";
  form.main = 1;
  form.library = library;
  form.shape = form.used = Dims({8, 1000});
  form.strides = Dims({1000, 1});
  form.array = {DType::float32, Dims({-2000, 2})};
  form.outputs = {{DType::bool_, Dims({1, 8})}, {}};
  return form;
}

void expect_compiles(const CallbackForm& form) {
  const auto source = codegen::device_callback(form);
  if (!nvrtc::load()) GTEST_SKIP() << "no NVRTC";
  EXPECT_FALSE(compile_device_functions(
                   {.source = source.value(), .name = form.name, .options = {"--fmad=false"}}, 90)
                   .empty());
}

TEST(DeviceCallback, WhatIsDenseIsFoundAtTheOffset) {
  const std::string text = codegen::device_callback(windowed()).value();
  EXPECT_NE(text.find("((const C64*)array)[at]"), std::string::npos) << text;
  EXPECT_NE(text.find("e.t0[i1]"), std::string::npos) << text;
  expect_compiles(windowed());
}

TEST(DeviceCallback, OtherStridesAreFoundByTheIndex) {
  const std::string text = codegen::device_callback(power(DType::complex64)).value();
  EXPECT_NE(text.find("((float*)array)[i0 * -2000ll + i1 * 2ll]"), std::string::npos) << text;
  EXPECT_NE(text.find("narrow(e.o0[i0 + i1 * 8ll], (U8)y0)"), std::string::npos) << text;
  for (const DType library :
       {DType::complex64, DType::complex128, DType::float32, DType::float64}) {
    expect_compiles(power(library));
  }
}

TEST(DeviceCallback, WhatLiesBeyondACroppedInputIsZero) {
  CallbackForm form = windowed();
  form.used = Dims({8, 1000});
  form.array.strides = Dims({1000, 1});
  const std::string text = codegen::device_callback(form).value();
  EXPECT_NE(text.find("if (i1 >= 1000ll) return float2{};"), std::string::npos) << text;
  expect_compiles(form);
}

TEST(DeviceCallback, ArgumentsAreTensorsOutputsAndScalars) {
  EXPECT_EQ(codegen::callback_words(windowed()), 1U);
  EXPECT_EQ(codegen::callback_words(power(DType::complex64)), 3U);
}

TEST(DeviceCallback, RefusesReductions) {
  CallbackForm form = windowed();
  expr::Builder f;
  const auto x = f.element("x", DType::complex64);
  f.output("result", x);
  f.output("sum", f.reduce(Op::sum, x, 1));
  form.function = std::make_shared<const expr::Function>(f.finish());
  form.tensors.clear();
  form.outputs = {{}, {}};
  EXPECT_FALSE(codegen::device_callback(form));
}

}  // namespace
}  // namespace mw
