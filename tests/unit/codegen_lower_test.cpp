// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Expressions as they are specified (expr/evaluate.hpp), as the interpreter runs them, and as the
// system's C compiler understands their text: equal bit for bit, functions within stated bounds.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "codegen/ir_scalar.hpp"
#include "expr/evaluate.hpp"
#include "unit/codegen_lowered.hpp"

namespace mw::codegen {
namespace {

using expr::Function;
using expr::Number;
using expr::Op;

using lowered::CompiledC;
using lowered::Data;
using lowered::kernel_of;
using lowered::kPoints;
using lowered::PointInputs;
using lowered::Sample;

/// How far a function may be from its specification, in ulp of the result; 0: equal. Polynomials
/// are within 2, the specification's rounding adds 1/2; compound functions round a few times more.
/// The specification's own gelu of float64 loses x²/2 ulp in rounding x/√2, gelu_tanh as much.
double tolerance(Op op) {
  static const std::map<Op, double> bounds = {
      {Op::exp, 1.6}, {Op::expm1, 2.6},    {Op::log, 1.6},      {Op::log1p, 2.6},
      {Op::sin, 2.6}, {Op::cos, 2.6},      {Op::tanh, 2.6},     {Op::erf, 2.6},
      {Op::rsqrt, 2}, {Op::absolute, 1.5}, {Op::power, 2.6},    {Op::sigmoid, 4},
      {Op::silu, 5},  {Op::gelu, 150},     {Op::gelu_tanh, 150}};  // the exponent's rounding times
                                                                   // its size
  const auto found = bounds.find(op);
  return found == bounds.end() ? 0 : found->second;
}

double spacing(double x, DType dtype) {
  const int digits = dtype == DType::float32 ? 24 : 53;
  const int least = dtype == DType::float32 ? -149 : -1074;
  if (x == 0 || !std::isfinite(x)) return std::ldexp(1.0, least);
  return std::ldexp(1.0, std::max(std::ilogb(x) + 1 - digits, least));
}

bool near(double got, double wanted, double size, DType dtype, double ulp) {
  if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
  if (got == wanted) return true;
  if (std::isinf(got) || std::isinf(wanted)) {
    const double most = dtype == DType::float32 ? 0x1.fffff0p127 : 0x1.ffffffffffff0p1023;
    return std::min(std::abs(got), std::abs(wanted)) >= most;
  }
  return std::abs(got - wanted) <= ulp * spacing(std::max(size, std::abs(wanted)), dtype);
}

/// Complex results are compared by the size of the whole: a part may be a difference.
bool agrees(const Number& got, const Number& wanted, Op op) {
  if (expr::identical(got, wanted)) return true;
  const DType part = real_dtype(got.dtype);
  if (part != DType::float32 && part != DType::float64) return false;
  if (!is_complex(got.dtype)) return near(got.real, wanted.real, 0, part, tolerance(op));
  // Overflow in between is no error of either.
  if (!std::isfinite(wanted.real) || !std::isfinite(wanted.imag)) return true;
  const double size = std::hypot(wanted.real, wanted.imag);
  return near(got.real, wanted.real, size, part, 8) && near(got.imag, wanted.imag, size, part, 8);
}

void compare_with_specification(const Function& function, Op op, unsigned seed) {
  const std::vector<Sample> samples = {{seed, function}};
  Data data(samples);
  data.run(
      *interpret(kernel_of(samples, host_target(HostBackend::interpreter), "lowered"), "test"));
  const std::size_t inputs = samples[0].inputs().size();
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const PointInputs in(data, samples, 0, i);
    const std::int64_t index[] = {i};
    const auto wanted = expr::evaluate(function, {in.elements, in.tensors, in.scalars, index});
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Number got = data.get(0, inputs + k, function.outputs[k].dtype, i);
      ASSERT_TRUE(agrees(got, wanted[k], op))
          << expr::name(op) << " of " << name(function.elements[0].dtype) << ", seed " << seed
          << ", point " << i << ": " << std::hexfloat << got.real << " + " << got.imag << "i, "
          << got.integer << "; wanted " << wanted[k].real << " + " << wanted[k].imag << "i, "
          << wanted[k].integer << "\nof x = " << in.elements[0].real << " + " << in.elements[0].imag
          << "i, " << in.elements[0].integer << (in.tensors.empty() ? "" : " and ")
          << (in.tensors.empty() ? 0 : in.tensors[0].real) << " + "
          << (in.tensors.empty() ? 0 : in.tensors[0].imag) << "i, "
          << (in.tensors.empty() ? 0 : in.tensors[0].integer);
    }
  }
}

/// result = op(x, a, b) of one dtype (where: of bool first), if the type rules take it.
std::optional<Function> single(Op op, DType dtype) {
  try {
    expr::Builder f;
    const DType first = op == Op::where ? DType::bool_ : dtype;
    std::vector<expr::Term> terms = {f.element("x", first)};
    for (int i = 1; i < expr::arity(op); ++i) terms.push_back(f.tensor(i == 1 ? "a" : "b", dtype));
    // Stored as computed: the rounding of narrow results is conversion's, tested below.
    const expr::Term value = f.apply(op, terms);
    f.output("result", value, f.dtype(value));
    return f.finish();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Op> all_operations() {
  std::vector<Op> all;
  for (int i = int(Op::add); i < int(Op::sum); ++i) {
    if (Op(i) != Op::cast) all.push_back(Op(i));
  }
  return all;
}

TEST(CodegenLower, EveryOperationOfEveryDtypeIsAsSpecified) {
  int count = 0;
  for (const Op op : all_operations()) {
    for (const DType dtype : expr::number_dtypes()) {
      const auto function = single(op, dtype);
      if (!function) continue;
      ++count;
      for (unsigned seed = 0; seed < 4; ++seed) compare_with_specification(*function, op, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(count, 300);
}

TEST(CodegenLower, EveryCastIsAsSpecified) {
  for (const DType from : expr::number_dtypes()) {
    for (const DType to : expr::number_dtypes()) {
      try {
        expr::Builder f;
        f.output("result", f.cast(f.element("x", from), to), to);
        const Function function = f.finish();
        for (unsigned seed = 0; seed < 3; ++seed) {
          compare_with_specification(function, Op::cast, seed);
        }
      } catch (const Error&) {
        EXPECT_TRUE(is_complex(from) && !is_complex(to));
      }
    }
  }
}

// ---- narrow types, every code -------------------------------------------------------------------

TEST(CodegenLower, NarrowConversionsAreThoseOfTheSpecificationForEveryCode) {
  using namespace scalar;
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    visit_narrow(dtype, [&]<NarrowFormat kFormat>(FormatTag<kFormat>) {
      const std::uint32_t codes = 1u << (8 * kFormat.bytes);
      for (std::uint32_t code = 0; code < codes; ++code) {
        const Number wanted = expr::load(&code, dtype);
        const float got = decode<kFormat>(code);
        ASSERT_TRUE(std::isnan(got) ? std::isnan(wanted.real) : double(got) == wanted.real) << code;
        if (std::isnan(got)) continue;
        ASSERT_EQ(encode<kFormat>(got), code);
        // Halfway to the next number and its neighbours: to even, outwards, inwards.
        const float next = decode<kFormat>((code + 1) % codes);
        if (std::isnan(next) || std::isinf(got) || (next < got) != std::signbit(got)) continue;
        const float half = std::isinf(next) ? got : got + (next - got) / 2;
        for (const float x : {half, std::nextafter(half, 1e38f), std::nextafter(half, -1e38f)}) {
          std::uint32_t stored = 0;
          expr::store(&stored, Number::of_real(x, dtype));
          ASSERT_EQ(encode<kFormat>(x), stored) << name(dtype) << " " << std::hexfloat << x;
        }
      }
      for (const float x : {448.f, 464.f, 464.1f, 480.f, 57344.f, 61440.f, 61439.f, 65519.f,
                            65520.f, 3.4e38f, -3.4e38f, INFINITY, -INFINITY, 1e-45f}) {
        const Number wanted = Number::of_real(x, dtype);
        const float got = decode<kFormat>(encode<kFormat>(x));
        ASSERT_TRUE(std::isnan(wanted.real) ? std::isnan(got) : double(got) == wanted.real) << x;
      }
    });
  }
}

// ---- C text ----

TEST(CodegenC, TextMeansWhatTheInterpreterDoes) {
  if (!lowered::has_c_compiler()) GTEST_SKIP() << "no C compiler";
  std::vector<Sample> samples;
  for (const Op op : all_operations()) {
    for (const DType dtype : {DType::bool_, DType::int8, DType::int64, DType::uint16, DType::uint64,
                              DType::float32, DType::float64, DType::complex64}) {
      if (op == Op::power && dtype == DType::uint64) continue;  // 64 rounds: the longest text
      if (auto function = single(op, dtype)) samples.push_back({5, std::move(*function)});
    }
  }
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    kernels.push_back(
        kernel_of({&samples[i], 1}, {.lanes = i % 3 == 0 ? 4 : 1}, "k" + std::to_string(i)));
  }
  const CompiledC compiled(kernels);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto run = compiled.find(kernels[i].name);
    ASSERT_NE(run, nullptr) << kernels[i].name;
    Data ours({&samples[i], 1}), theirs({&samples[i], 1});
    ours.run(*interpret(kernels[i], "test"));
    theirs.run(run);
    const std::size_t inputs = samples[i].inputs().size();
    for (std::size_t k = 0; k < samples[i].function.outputs.size(); ++k) {
      for (std::int64_t at = 0; at < kPoints; ++at) {
        const DType dtype = samples[i].function.outputs[k].dtype;
        ASSERT_TRUE(expr::identical(ours.get(0, inputs + k, dtype, at),
                                    theirs.get(0, inputs + k, dtype, at)))
            << "point " << at << "\n"
            << to_c(kernels[i]);
      }
    }
  }
}

}  // namespace
}  // namespace mw::codegen
