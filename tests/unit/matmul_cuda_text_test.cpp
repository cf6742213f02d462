// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA templates of skinny and batched products as text: what is chosen, what is refused, that
// the text compiles wherever NVRTC is. No device is needed.
#include <gtest/gtest.h>

#include "codegen/builder.hpp"
#include "codegen/device_function.hpp"
#include "codegen/device_text.hpp"
#include "expr/builder.hpp"
#include "kernels/matmul_cuda/source.hpp"
#include "runtime/device_program.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

using codegen::DeviceArray;
using expr::Op;
using matmul_cuda::Shape;
using matmul_cuda::Template;

Shape shape(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, bool has_c) {
  const int most = static_cast<int>(16 / itemsize(dtype));
  const auto vector = [&](std::int64_t extent) {
    int v = most;
    while (extent % v != 0) v /= 2;
    return v;
  };
  return {.operand = dtype,
          .c = dtype,
          .has_c = has_c,
          .tf32 = false,
          .m = m,
          .n = n,
          .k = k,
          .count = 1,
          .vec_a = vector(k),
          .vec_b = vector(n),
          .vec_c = vector(n),
          .dense_a = true,
          .dense_c = true,
          .capability = 90,
          .multiprocessors = 132};
}

/// relu(x + bias), and where it was positive.
codegen::DeviceFunctionForm relu_bias(DType element, DType stored, bool turned = false) {
  expr::Builder f;
  const auto x = f.element("x", element);
  const auto sum = f.apply(Op::add, {x, f.tensor("bias", stored)});
  f.output("mask", f.apply(Op::greater, {sum, f.literal(0.0)}));
  f.output("result", f.apply(Op::relu, {sum}), stored);
  codegen::DeviceFunctionForm form;
  form.function = std::make_shared<const expr::Function>(f.finish());
  form.element = element;
  form.tensors = {{.dtype = stored, .rows = false}};
  form.outputs = {{.dtype = DType::bool_}, {.dtype = stored}};
  form.turned = turned;
  return form;
}

void expect_compiles(const matmul_cuda::Params& params, const std::string& epilog) {
  if (!nvrtc::load()) GTEST_SKIP() << "no NVRTC";
  EXPECT_FALSE(
      compile_device_program({.source = matmul_cuda::source(params, epilog),
                              .name = matmul_cuda::kKernelName,
                              .options = {"--fmad=false"},
                              .this_architecture_only = params.kind == Template::warpgroups},
                             90)
          .empty());
}

TEST(MatmulCudaText, ChoosesByDtypeAndSize) {
  const auto kind = [](const Shape& s) { return matmul_cuda::choose(s).value().kind; };
  EXPECT_EQ(kind(shape(DType::float32, 1 << 20, 8, 8, true)), Template::lanes);
  EXPECT_EQ(kind(shape(DType::float32, 1 << 20, 64, 64, true)), Template::tiles);
  EXPECT_EQ(kind(shape(DType::float16, 1 << 20, 16, 16, true)), Template::mma);
  EXPECT_EQ(kind(shape(DType::float64, 1 << 20, 64, 64, true)), Template::mma);
  EXPECT_EQ(kind(shape(DType::complex64, 1 << 20, 32, 32, true)), Template::tiles);
  EXPECT_EQ(kind(shape(DType::float32, 1 << 20, 1, 200, false)), Template::tiles);
  Shape tf32 = shape(DType::float32, 1 << 20, 64, 64, true);
  tf32.tf32 = true;
  EXPECT_EQ(kind(tf32), Template::mma);
}

TEST(MatmulCudaText, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(matmul_cuda::choose(shape(DType::float32, 1 << 20, 129, 8, true)));
  EXPECT_FALSE(matmul_cuda::choose(shape(DType::float32, 1 << 20, 8, 257, true)));
  EXPECT_FALSE(matmul_cuda::choose(shape(DType::float32, 1, 8, 8, true)));  // no whole block
  Shape old = shape(DType::float16, 1 << 20, 8, 8, true);
  old.capability = 75;  // no Tensor Cores for this template, and no other for 16 bits
  EXPECT_FALSE(matmul_cuda::choose(old));
  EXPECT_FALSE(matmul_cuda::choose_batched(shape(DType::float32, 65, 8, 8, true)));
}

TEST(MatmulCudaText, SharedMemoryFitsTheDevice) {
  for (const int capability : {80, 86, 90}) {
    const int most = capability == 90 ? 227 << 10 : capability == 80 ? 163 << 10 : 99 << 10;
    for (const std::int64_t n : {1, 8, 33, 64, 100, 128}) {
      for (const std::int64_t k : {17, 64, 129, 256}) {
        Shape s = shape(DType::float32, 1 << 20, n, k, true);
        s.capability = capability;
        auto params = matmul_cuda::choose(s);
        if (params) {
          EXPECT_LE(params->shared_bytes, static_cast<unsigned>(most)) << n << " " << k;
        }
      }
    }
  }
}

TEST(MatmulCudaText, GridCoversTheRowsOnce) {
  const auto few = matmul_cuda::choose(shape(DType::float32, 1000, 8, 8, false)).value();
  EXPECT_LE(few.grid, 1000 / 64);  // no block without rows
  Shape many = shape(DType::float32, 1000, 8, 8, false);
  many.count = 50000;
  const auto batch = matmul_cuda::choose(many).value();
  EXPECT_EQ(batch.grid, 50000 * batch.per_count);
}

TEST(MatmulCudaText, TensorsWithoutRowsAreReadOncePerColumn) {
  const std::string text =
      codegen::device_function(relu_bias(DType::float32, DType::float32)).value();
  EXPECT_NE(text.find("at[j].t0 = widen(t0[j])"), std::string::npos) << text;
  EXPECT_NE(text.find("columns[j].t0"), std::string::npos);
  auto form = relu_bias(DType::float32, DType::float32);
  form.tensors[0] = {.dtype = DType::float32, .rows = true, .vector = 4};
  const std::string wide = codegen::device_function(form).value();
  EXPECT_NE(wide.find("load<kCount, (kCount < 4 ? kCount : 4)>(t0"), std::string::npos) << wide;
}

TEST(MatmulCudaText, TensorsOfARowAreReadWhereARowIs) {
  auto form = relu_bias(DType::float32, DType::float32);
  form.tensors[0] = {
      .dtype = DType::float32, .rows = true, .columns = DeviceArray::Columns::repeated};
  const std::string text = codegen::device_function(form).value();
  EXPECT_NE(text.find("const float t0 = valid > 0 ? *("), std::string::npos) << text;
}

TEST(MatmulCudaText, RefusesReductionsAndFarIndices) {
  expr::Builder sum;
  const auto x = sum.element("x", DType::float32);
  sum.output("result", x);
  sum.output("sum", sum.reduce(Op::sum, x, 1));
  codegen::DeviceFunctionForm form;
  form.function = std::make_shared<const expr::Function>(sum.finish());
  form.outputs = {{}, {}};
  EXPECT_FALSE(codegen::device_function(form));

  expr::Builder far;
  const auto y = far.element("x", DType::float32);
  far.output("result", far.apply(Op::add, {y, far.index(-4)}), DType::float32);
  form.function = std::make_shared<const expr::Function>(far.finish());
  form.outputs = {{}};
  EXPECT_FALSE(codegen::device_function(form));
}

TEST(MatmulCudaText, ConstantsAreExact) {
  codegen::Builder b("k", {});
  const int out = b.pointer("out");
  const auto zero = b.constant_integer(0);
  b.store({.pointer = out, .memory = DType::float32, .offset = zero},
          b.constant(DType::float32, std::numeric_limits<double>::quiet_NaN()));
  b.store({.pointer = out, .memory = DType::int64, .offset = zero},
          b.constant_integer(std::numeric_limits<std::int64_t>::min()));
  auto text =
      codegen::device_statements(b.finish(), {.pointers = {"y"}, .integers = {}, .scalars = {}});
  EXPECT_NE(text->find("__uint_as_float(0x7fc00000u)"), std::string::npos) << *text;
  EXPECT_NE(text->find("(Index)0x8000000000000000ull"), std::string::npos) << *text;
}

struct Compiled {
  DType dtype;
  std::int64_t n, k;
  bool batched;
};
class MatmulCudaTextCompiles : public testing::TestWithParam<Compiled> {};

TEST_P(MatmulCudaTextCompiles, WithAnEpilog) {
  const auto& [dtype, n, k, batched] = GetParam();
  const Shape s = shape(dtype, batched ? 5 : 100000, n, k, true);
  const auto params = batched ? matmul_cuda::choose_batched(s) : matmul_cuda::choose(s);
  const auto epilog = codegen::device_function(relu_bias(matmul_cuda::sum_dtype(dtype), dtype));
  expect_compiles(params.value(), epilog.value());
}

struct Warpgroups {
  DType dtype;
  bool a_by_k, b_by_k;
  std::int64_t n;
  bool has_c;
};
class WarpgroupsCompile : public testing::TestWithParam<Warpgroups> {};

TEST_P(WarpgroupsCompile, WithAnEpilog) {
  const auto& [dtype, a_by_k, b_by_k, n, has_c] = GetParam();
  const Shape s = shape(dtype, 4096, n, 4096, has_c);
  const auto params = matmul_cuda::choose_warpgroups(s, a_by_k, b_by_k).value();
  EXPECT_EQ(params.columns, n <= 128 ? 128 : 256);
  const auto epilog = codegen::device_function(relu_bias(DType::float32, dtype));
  expect_compiles(params, epilog.value());
}

INSTANTIATE_TEST_SUITE_P(Orders, WarpgroupsCompile,
                         testing::Values(Warpgroups{DType::float16, true, false, 4096, false},
                                         Warpgroups{DType::bfloat16, false, true, 4096, true},
                                         Warpgroups{DType::bfloat16, true, true, 96, true},
                                         Warpgroups{DType::float16, false, false, 96, false}));

TEST(MatmulCudaText, WarpgroupsHaveOneTextForAllShapes) {
  const auto text = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Shape s = shape(DType::bfloat16, m, n, k, false);
    return matmul_cuda::source(matmul_cuda::choose_warpgroups(s, true, false).value(), "");
  };
  EXPECT_EQ(text(4096, 4096, 4096), text(8192, 5000, 123));
  Shape other = shape(DType::bfloat16, 4096, 4096, 4096, false);
  other.capability = 100;  // has other instructions
  EXPECT_FALSE(matmul_cuda::choose_warpgroups(other, true, true));
  EXPECT_FALSE(
      matmul_cuda::choose_warpgroups(shape(DType::float32, 4096, 4096, 4096, false), true, true));
}

INSTANTIATE_TEST_SUITE_P(
    Templates, MatmulCudaTextCompiles,
    testing::Values(Compiled{DType::float32, 8, 8, false}, Compiled{DType::float32, 7, 5, false},
                    Compiled{DType::float32, 64, 64, false},
                    Compiled{DType::float16, 16, 16, false},
                    Compiled{DType::bfloat16, 23, 41, false},
                    Compiled{DType::float64, 10, 20, false}, Compiled{DType::float32, 6, 7, true},
                    Compiled{DType::float16, 16, 16, true}),
    [](const auto& test) {
      return std::string(name(test.param.dtype)) + "_" + std::to_string(test.param.n) + "_" +
             std::to_string(test.param.k) + (test.param.batched ? "_batched" : "");
    });

}  // namespace
}  // namespace mw
