// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "expr/builder.hpp"
#include "expr/evaluate.hpp"
#include "expr/types.hpp"
#include "expr/validate.hpp"
#include "expr_support.hpp"

namespace mw::expr {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ExprBuilder, ReluOfSumWithBias) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  const Term bias = f.tensor("bias", DType::float16);
  f.output("result", f.apply(Op::relu, {f.apply(Op::add, {x, bias})}));
  const Function function = f.finish();
  ASSERT_EQ(function.nodes.size(), 4u);
  EXPECT_EQ(function.nodes[1].dtype, DType::float32);  // a narrow tensor is read as float32
  EXPECT_EQ(function.outputs[0].dtype, DType::float32);
  const std::array element = {Number::of_real(1.5, DType::float32)};
  const std::array tensor = {Number::of_real(-4, DType::float16)};
  EXPECT_EQ(evaluate(function, {.elements = element, .tensors = tensor})[0].real, 0);
}

TEST(ExprBuilder, EqualOperationsAreOneNode) {
  Builder f;
  const Term x = f.element("x", DType::float64);
  const Term y = f.tensor("y", DType::float64);
  EXPECT_EQ(f.apply(Op::add, {x, y}).node, f.apply(Op::add, {y, x}).node);
  EXPECT_NE(f.apply(Op::subtract, {x, y}).node, f.apply(Op::subtract, {y, x}).node);
  EXPECT_NE(f.literal(0.0).node, f.literal(-0.0).node);
  EXPECT_EQ(f.literal(kNan).node, f.literal(kNan).node);
}

TEST(ExprBuilder, LiteralsAndScalarsAreWeak) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  const Term s = f.scalar("s", DType::float64);
  const Term scaled = f.apply(Op::subtract, {f.literal(std::int64_t{1}), s});
  EXPECT_TRUE(scaled.weak);
  EXPECT_EQ(f.dtype(f.apply(Op::multiply, {x, scaled})), DType::float32);
  EXPECT_EQ(f.dtype(f.apply(Op::multiply, {x, f.literal(0.1)})), DType::float32);
  const Term n = f.tensor("n", DType::int16);
  EXPECT_EQ(f.dtype(f.apply(Op::add, {n, f.literal(std::int64_t{1})})), DType::int16);
  EXPECT_EQ(f.dtype(f.apply(Op::add, {n, f.literal(0.5)})), DType::float32);
}

TEST(ExprBuilder, OutputsComputedFromHalfAreStoredAsHalf) {
  Builder f;
  const Term x = f.element("x", DType::float16);
  const Term b = f.tensor("b", DType::bfloat16);
  f.output("a", f.apply(Op::multiply, {x, f.literal(2.0)}));
  f.output("b", f.apply(Op::add, {x, b}));
  f.output("c", f.cast(x, DType::float32));
  f.output("d", f.apply(Op::greater, {x, f.literal(0.0)}));
  f.output("e", f.reduce(Op::sum, x, kAllAxes));
  const Function function = f.finish();
  const DType wanted[] = {DType::float16, DType::float32, DType::float32, DType::bool_,
                          DType::float16};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(function.outputs[i].dtype, wanted[i]) << i;
}

TEST(ExprBuilder, OutputsFollowTheResultsDType) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  f.stores(DType::bfloat16);
  f.output("result", f.apply(Op::relu, {x}), DType::bfloat16);
  f.output("pre", x);
  EXPECT_EQ(f.finish().outputs[1].dtype, DType::bfloat16);
}

TEST(ExprBuilder, PowersAreProducts) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  const Term z = f.tensor("z", DType::complex64);
  EXPECT_EQ(f.node(f.apply(Op::power, {x, f.literal(2.0)})).op, Op::square);
  EXPECT_EQ(f.node(f.apply(Op::power, {x, f.literal(std::int64_t{0})})).op, Op::constant);
  EXPECT_EQ(f.node(f.apply(Op::power, {x, f.literal(2.5)})).op, Op::power);
  EXPECT_EQ(f.dtype(f.apply(Op::power, {z, f.literal(std::int64_t{-5})})), DType::complex64);
  expect_error([&] { (void)f.apply(Op::power, {z, f.literal(0.5)}); }, "whole exponents");
}

TEST(ExprBuilder, ErrorsSayWhatToWrite) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  const Term z = f.tensor("z", DType::complex64);
  const Term n = f.tensor("n", DType::int8);
  const Term total = f.reduce(Op::sum, x, kAllAxes);
  expect_error([&] { (void)f.apply(Op::less, {z, x}); }, "complex numbers have no order");
  expect_error([&] { (void)f.apply(Op::log, {z}); }, "take real(x), imag(x) or abs(x)");
  expect_error([&] { (void)f.apply(Op::bit_and, {x, n}); }, "astype('int32')");
  expect_error([&] { (void)f.apply(Op::where, {x, x, x}); }, "where(x != 0");
  expect_error(
      [&] {
        (void)f.apply(Op::add, {n, f.literal(std::int64_t{300})});
      },
      "300 in '+' does not fit int8");
  expect_error([&] { (void)f.apply(Op::sqrt, {total}); }, "can be an output and nothing else");
  expect_error([&] { (void)f.cast(z, DType::float32); }, "lose its imaginary part");
  expect_error([&] { (void)f.cast(x, DType::float4_e2m1fn_x2); }, "two numbers in one");
  expect_error([&] { (void)f.index(0); }, "-1 is the last");
  expect_error([&] { (void)f.reduce(Op::max, z, kAllAxes); }, "no order");
  expect_error([&] { (void)f.reduce(Op::sum, x, 0); }, "over no axis");
  expect_error([&] { (void)f.finish(); }, "no output");
}

TEST(ExprTypes, PromotionIsSymmetricAndAssociatesWithItself) {
  for (std::size_t i = 0; i < 19; ++i) {
    for (std::size_t j = 0; j < 19; ++j) {
      const auto a = static_cast<DType>(i);
      const auto b = static_cast<DType>(j);
      if (!is_number(a) || !is_number(b)) continue;
      const DType common = promote(a, b);
      EXPECT_EQ(common, promote(b, a)) << name(a) << " " << name(b);
      EXPECT_EQ(common, promote(common, a)) << name(a) << " " << name(b);
      EXPECT_FALSE(is_narrow(common));
    }
  }
  EXPECT_EQ(promote(DType::uint64, DType::int8), DType::float64);
  EXPECT_EQ(promote(DType::uint8, DType::int8), DType::int16);
  EXPECT_EQ(promote(DType::int64, DType::float16), DType::float32);
  EXPECT_EQ(promote(DType::float64, DType::complex64), DType::complex128);
  EXPECT_EQ(promote(DType::float16, DType::bfloat16), DType::float32);
}

// ---- values
// -----------------------------------------------------------------------------------------

Number value_of(Op op, std::initializer_list<Number> operands) {
  Builder f;
  std::vector<Term> terms;
  for (const auto& operand : operands) terms.push_back(f.constant(operand));
  f.output("result", f.apply(op, terms));
  return evaluate(f.finish(), {}).front();
}

double real_of(Op op, double a, double b = 0) {
  return arity(op) == 1 ? value_of(op, {Number::of_real(a)}).real
                        : value_of(op, {Number::of_real(a), Number::of_real(b)}).real;
}

std::int64_t integer_of(Op op, std::int64_t a, std::int64_t b, DType dtype = DType::int32) {
  return value_of(op, {Number::of_integer(a, dtype), Number::of_integer(b, dtype)}).integer;
}

TEST(ExprEvaluate, IntegerCornersAreDefined) {
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(integer_of(Op::floor_divide, 7, 0), 0);
  EXPECT_EQ(integer_of(Op::remainder, 7, 0), 0);
  EXPECT_EQ(integer_of(Op::floor_divide, least, -1), least);
  EXPECT_EQ(integer_of(Op::floor_divide, -7, 2), -4);
  EXPECT_EQ(integer_of(Op::remainder, -7, 2), 1);
  EXPECT_EQ(integer_of(Op::remainder, 7, -2), -1);
  EXPECT_EQ(integer_of(Op::add, 127, 1, DType::int8), -128);
  EXPECT_EQ(integer_of(Op::power, 3, 21), 1870418611);  // 3²¹ modulo 2³²
  EXPECT_EQ(integer_of(Op::power, 2, -1), 0);
  EXPECT_EQ(integer_of(Op::power, -1, -3), -1);
  EXPECT_EQ(integer_of(Op::shift_left, 1, 40), 0);
  EXPECT_EQ(integer_of(Op::shift_right, -8, 40), -1);
  EXPECT_EQ(integer_of(Op::shift_right, -8, -1), -1);
  EXPECT_EQ(integer_of(Op::maximum, -1, 1, DType::uint64), -1);  // unsigned: all bits is the most
}

TEST(ExprEvaluate, FloatCornersAreDefined) {
  EXPECT_EQ(real_of(Op::remainder, -1, kInf), kInf);
  EXPECT_EQ(real_of(Op::remainder, -7.5, 2), 0.5);
  EXPECT_TRUE(std::signbit(real_of(Op::remainder, 4, -2)));
  EXPECT_EQ(real_of(Op::floor_divide, 1, 0.1), 9);  // as Python: 1 // 0.1
  EXPECT_EQ(real_of(Op::floor_divide, 1, 0), kInf);
  EXPECT_TRUE(std::isnan(real_of(Op::maximum, kNan, 1)));
  EXPECT_TRUE(std::isnan(real_of(Op::maximum, 1, kNan)));
  EXPECT_TRUE(std::isnan(real_of(Op::relu, kNan)));
  EXPECT_EQ(real_of(Op::round, 2.5), 2);
  EXPECT_EQ(real_of(Op::sign, -0.5), -1);
  EXPECT_EQ(real_of(Op::sigmoid, -800), 0);
  EXPECT_EQ(real_of(Op::silu, kInf), kInf);
  EXPECT_NEAR(real_of(Op::gelu, -10), -7.6198530241605e-23, 1e-35);
  EXPECT_NEAR(real_of(Op::gelu_tanh, 1), 0.8411919906082768, 1e-15);
}

TEST(ExprEvaluate, ConversionsSaturate) {
  const auto to = [](double x, DType dtype) { return convert(Number::of_real(x), dtype); };
  EXPECT_EQ(to(1e30, DType::int32).integer, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(to(-1e30, DType::int64).integer, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(to(-3, DType::uint8).integer, 0);
  EXPECT_EQ(to(kNan, DType::int16).integer, 0);
  EXPECT_EQ(to(1e30, DType::uint64).integer, -1);
  EXPECT_EQ(to(kNan, DType::bool_).integer, 1);
  EXPECT_EQ(to(65519, DType::float16).real, 65504);
  EXPECT_EQ(to(65520, DType::float16).real, kInf);
  EXPECT_EQ(to(0x1p-25, DType::float16).real, 0);  // half the smallest: to even
  EXPECT_EQ(to(0x1.8p-24, DType::float16).real, 0x1p-23);
  EXPECT_EQ(to(464, DType::float8_e4m3fn).real, 448);
  EXPECT_TRUE(std::isnan(to(465, DType::float8_e4m3fn).real));
  EXPECT_EQ(to(1e6, DType::float8_e5m2).real, kInf);
  EXPECT_EQ(convert(Number::of_integer(-1, DType::uint64), DType::float32).real, 0x1p64);
}

TEST(ExprEvaluate, EveryNarrowCodeSurvivesARoundTrip) {
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    for (std::uint32_t code = 0; code < (1u << (8 * itemsize(dtype))); ++code) {
      const Number value = load(&code, dtype);
      ASSERT_TRUE(identical(value, convert(value, dtype))) << name(dtype) << " " << code;
      if (std::isnan(value.real)) continue;
      std::uint32_t back = 0;
      store(&back, value);
      ASSERT_EQ(back, code) << name(dtype);
    }
  }
}

TEST(ExprEvaluate, ComplexDivisionDoesNotOverflow) {
  const auto big = Number::of_complex({1e300, 1e300});
  const Number one = value_of(Op::divide, {big, big});
  EXPECT_EQ(one.real, 1);
  EXPECT_EQ(one.imag, 0);
}

TEST(ExprValidate, DamagedFunctionsAreNamed) {
  Builder f;
  const Term x = f.element("x", DType::float32);
  f.output("result", f.apply(Op::add, {x, f.literal(0.5)}));
  const Function good = f.finish();
  const auto damaged = [&](auto damage, const char* wanted) {
    Function bad = good;
    damage(bad);
    expect_error([&] { validate(bad); }, wanted);
  };
  const auto sum = static_cast<std::size_t>(good.outputs[0].node);
  damaged([&](Function& g) { g.nodes[sum].args[1] = 7; }, "has operand 7");
  damaged([&](Function& g) { g.nodes[sum].args[2] = 0; }, "none is wanted");
  damaged([&](Function& g) { g.nodes[sum].dtype = DType::float64; }, "float32 is wanted");
  damaged([&](Function& g) { g.nodes[sum].op = static_cast<Op>(200); }, "no known operation");
  damaged([&](Function& g) { g.nodes[sum].dtype = static_cast<DType>(99); }, "unusable dtype");
  damaged([&](Function& g) { g.nodes[0].integer = 3; }, "reads number 3 of 1");
  damaged([&](Function& g) { g.nodes[sum].op = Op::bit_and; }, "'&' of float32");
  damaged([&](Function& g) { g.outputs.clear(); }, "no output");
  damaged([&](Function& g) { g.outputs[0].node = -1; }, "is node -1 of");
  damaged([&](Function& g) { g.outputs.push_back(g.outputs[0]); }, "two outputs");
  damaged([&](Function& g) { g.tensors.push_back({"x", DType::float32}); }, "two inputs");
  damaged([&](Function& g) { g.outputs[0].dtype = DType::float4_e2m1fn_x2; }, "unusable dtype");
}

}  // namespace
}  // namespace mw::expr
