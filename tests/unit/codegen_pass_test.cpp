// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Passes on the host against plain loops over the same function, by LLVM (where it is) and by the
// interpreter.
#include "codegen/pass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/layout.hpp"
#include "codegen_pass_case.hpp"

namespace mw::codegen {

namespace {

using expr::Op;
using expr::Term;
using pass_test::Array;
using pass_test::Case;
using pass_test::PassTest;

constexpr DType kF32 = DType::float32;
constexpr std::int64_t kLast = 1;        // axis -1
constexpr std::int64_t kBeforeLast = 2;  // axis -2

TEST_P(PassTest, AddsAlongOneAxisOfAnyLength) {
  for (const std::int64_t n : {0, 1, 2, 7, 15, 16, 17, 31, 33, 511, 512, 513, 1000}) {
    Case c({n});
    const Term x = c.f.tensor("x", kF32), y = c.f.tensor("y", kF32);
    c.f.output("result", c.f.apply(Op::add, {x, y}));
    c.dense(kF32).dense(kF32).out();
    check(c);
  }
}

TEST_P(PassTest, LargeResultsAreStreamedFromAnyAddress) {
  for (const std::int64_t shift : {0, 1, 5}) {
    Case c({5'000'003});
    const Term x = c.f.tensor("x", kF32), y = c.f.tensor("y", kF32);
    c.f.output("result", c.f.apply(Op::multiply, {x, y}));
    c.dense(kF32).dense(kF32).out().shift_outputs(shift);
    check_by_bytes(c, [](const Case& of, std::int64_t i) {
      return of.arrays[0].f32(i) * of.arrays[1].f32(i);
    });
  }
}

TEST_P(PassTest, BiasAlongShortRowsOfEveryLength) {
  for (const std::int64_t columns : {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 100}) {
    Case c({37, columns});
    const Term x = c.f.tensor("x", kF32), bias = c.f.tensor("bias", kF32);
    c.f.output("result", c.f.apply(Op::relu, {c.f.apply(Op::add, {x, bias})}));
    c.dense(kF32).strided(kF32, {0, 1}).out();
    check(c);
  }
}

TEST_P(PassTest, RowScalesAndIndicesAlongShortRows) {
  for (const std::int64_t columns : {3, 8, 11}) {
    Case c({2, 29, columns});
    const Term x = c.f.tensor("x", kF32), scale = c.f.tensor("scale", kF32);
    const Term place = c.f.apply(
        Op::add,
        {c.f.index(-1), c.f.apply(Op::multiply, {c.f.index(-2), c.f.literal(std::int64_t{10})})});
    c.f.output("result",
               c.f.apply(Op::add, {c.f.apply(Op::multiply, {x, scale}), c.f.cast(place, kF32)}));
    c.dense(kF32).strided(kF32, {29, 1, 0}).out();
    check(c);
  }
}

TEST_P(PassTest, StridesOfEveryKind) {
  struct Layout {
    Dims x, y, out;
  };
  const Layout layouts[] = {
      {{12, 4, 1}, {12, 4, 1}, {12, 4, 1}},    {{1, 5, 15}, {12, 4, 1}, {12, 4, 1}},
      {{-12, -4, -1}, {12, 4, 1}, {12, 4, 1}}, {{-12, 4, -1}, {0, 4, 1}, {1, 5, 15}},
      {{24, 8, 2}, {0, 0, 0}, {12, 4, 1}},     {{1, 5, 15}, {1, 5, 15}, {1, 5, 15}},
      {{0, 0, 3}, {0, 1, 0}, {-24, 8, -2}},
  };
  for (const auto& [x_strides, y_strides, out_strides] : layouts) {
    Case c({5, 3, 4});
    const Term x = c.f.tensor("x", kF32), y = c.f.tensor("y", kF32);
    c.f.output("result", c.f.apply(Op::subtract, {x, y}));
    c.strided(kF32, x_strides).strided(kF32, y_strides).out(out_strides);
    check(c);
  }
}

TEST_P(PassTest, TransposedLargeArrays) {
  Case c({301, 517});
  const Term x = c.f.tensor("x", kF32), y = c.f.tensor("y", kF32);
  c.f.output("result", c.f.apply(Op::add, {x, y}));
  c.strided(kF32, {1, 301}).dense(kF32).out();
  check(c);
}

TEST_P(PassTest, EveryDTypeInAndOut) {
  for (const DType dtype :
       {DType::bool_, DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8,
        DType::uint16, DType::uint32, DType::uint64, DType::float8_e4m3fn, DType::float8_e5m2,
        DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex32,
        DType::complex64, DType::complex128}) {
    Case c({3, 21});
    const Term x = c.f.tensor("x", dtype), y = c.f.tensor("y", dtype);
    c.f.output("result", c.f.apply(Op::add, {x, y}), dtype == DType::bool_ ? DType::int32 : dtype);
    c.f.output("same", c.f.apply(Op::equal, {x, y}));
    c.dense(dtype).strided(dtype, {42, 2}).out().out();
    check(c);
  }
}

TEST_P(PassTest, ScalarsOfEveryKindAndSeveralOutputs) {
  Case c({100});
  const Term z = c.f.tensor("z", DType::complex64);
  const Term a = c.f.scalar("a", DType::float64), b = c.f.scalar("b", DType::complex128);
  const Term w = c.f.apply(Op::add, {c.f.apply(Op::multiply, {z, a}), b});
  c.f.output("result", w);
  c.f.output("size", c.f.apply(Op::absolute, {w}));
  c.f.output("part", c.f.apply(Op::imag, {w}), DType::float16);
  c.dense(DType::complex64).out().out().out();
  c.scalars = {{0.5, 0}, {1.25, -2}};
  check(c);
}

TEST_P(PassTest, ReductionsOverEveryAxis) {
  const std::int64_t axes[] = {expr::kAllAxes,      kLast,          kBeforeLast, 4, kLast | 4,
                               kLast | kBeforeLast, kBeforeLast | 4};
  for (const Dims& shape : {Dims{3, 5, 7}, Dims{2, 40, 33}, Dims{70, 3, 16}, Dims{1, 1, 1}}) {
    for (const std::int64_t over : axes) {
      for (const Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::argmax, Op::argmin}) {
        Case c(shape);
        const Term x = c.f.tensor("x", kF32);
        c.f.output("result", c.f.reduce(op, x, over));
        c.dense(kF32).out();
        check(c);
      }
    }
  }
}

TEST_P(PassTest, ReductionsOfEveryDType) {
  for (const DType dtype : {DType::bool_, DType::int8, DType::uint8, DType::int32, DType::int64,
                            DType::uint64, DType::float16, DType::float64, DType::complex64}) {
    for (const Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::argmax, Op::argmin}) {
      if (is_complex(dtype) && op != Op::sum && op != Op::prod) continue;
      for (const std::int64_t over : {expr::kAllAxes, kLast, kBeforeLast}) {
        Case c({9, 19});
        const Term x = c.f.tensor("x", dtype);
        c.f.output("result", c.f.reduce(op, x, over));
        c.dense(dtype).out();
        check(c);
      }
    }
  }
}

TEST_P(PassTest, ReductionsOfDifferentAxesBesideOutputs) {
  for (const Dims& shape : {Dims{6, 11}, Dims{300, 8}, Dims{8, 300}, Dims{200, 700}}) {
    Case c(shape);
    const Term x = c.f.tensor("x", kF32), bias = c.f.tensor("bias", kF32);
    const Term y = c.f.apply(Op::add, {x, bias});
    c.f.output("result", y);
    c.f.output("columns", c.f.reduce(Op::sum, y, kBeforeLast));
    c.f.output("rows", c.f.reduce(Op::max, y, kLast));
    c.f.output("where", c.f.reduce(Op::argmax, y, kLast));
    c.f.output("norm", c.f.reduce(Op::sum, c.f.apply(Op::square, {y}), expr::kAllAxes));
    c.dense(kF32).strided(kF32, {0, 1}).out().out().out().out().out();
    check(c);
  }
}

TEST_P(PassTest, ReductionsOfReversedAndPermutedArrays) {
  for (const Op op : {Op::sum, Op::argmin, Op::argmax}) {
    for (const std::int64_t over : {expr::kAllAxes, kLast, kBeforeLast, kLast | 4}) {
      Case c({4, 6, 5});
      const Term x = c.f.tensor("x", kF32);
      c.f.output("result", c.f.reduce(op, x, over));
      c.strided(kF32, {-1, -20, -4}).out();
      check(c);
    }
  }
}

TEST_P(PassTest, ReductionsSeeNaNsInfinitiesAndEqualNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> rows = {{1, 1, 1, 1},
                                                {nan, 2, nan, 3},
                                                {-inf, -inf, -inf, -inf},
                                                {inf, -inf, 0, inf},
                                                {-0.F, 0.F, -0.F, 0.F}};
  for (const Op op : {Op::max, Op::min, Op::argmax, Op::argmin, Op::sum}) {
    Case c({5, 4});
    const Term x = c.f.tensor("x", kF32);
    c.f.output("result", c.f.reduce(op, x, kLast));
    c.f.output("down", c.f.reduce(op, x, kBeforeLast));
    c.dense(kF32).out().out();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < 4; ++i)
        c.arrays[0].set_f32(static_cast<std::int64_t>(4 * r + i), rows[r][i]);
    }
    check(c);
  }
}

TEST_P(PassTest, EmptySpacesHaveSumsAndProducts) {
  for (const Op op : {Op::sum, Op::prod}) {
    Case c({3, 0});
    const Term x = c.f.tensor("x", kF32);
    c.f.output("result", c.f.reduce(op, x, kLast));
    c.f.output("all", c.f.reduce(op, x, expr::kAllAxes));
    c.dense(kF32).out().out();
    check(c);
  }
}

TEST_P(PassTest, OnePointOfNoAxes) {
  Case c(Dims{});
  const Term x = c.f.tensor("x", kF32);
  c.f.output("result", c.f.apply(Op::exp, {x}));
  c.f.output("sum", c.f.reduce(Op::sum, x, expr::kAllAxes));
  c.dense(kF32).out().out();
  check(c);
}

TEST_P(PassTest, PartsInAnyOrderGiveTheWhole) {
  Case c({12, 30});
  const Term x = c.f.tensor("x", kF32), bias = c.f.tensor("bias", kF32);
  const Term y = c.f.apply(Op::add, {c.f.apply(Op::multiply, {x, bias}), c.f.index(-2)});
  c.f.output("result", y, kF32);
  c.f.output("columns", c.f.reduce(Op::sum, y, kBeforeLast));
  c.f.output("least", c.f.reduce(Op::argmin, y, expr::kAllAxes));
  c.dense(kF32).strided(kF32, {0, 1}).out().out().out();
  check_parts(c, {{{5, 0}, {7, 30}}, {{0, 0}, {5, 30}}});
  check_parts(c, {{{0, 11}, {12, 19}}, {{6, 0}, {6, 11}}, {{0, 0}, {6, 11}}});
}

TEST_P(PassTest, LongSumsOfFloat32AreThoseOfFloat64) {
  // Float32 partial sums would be off by 1e-4 and more.
  constexpr std::int64_t kCount = 3'000'001;
  Case c({kCount});
  const Term x = c.f.tensor("x", kF32);
  c.f.output("result", c.f.reduce(Op::sum, x, expr::kAllAxes));
  c.dense(kF32).out();
  double exact = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    c.arrays[0].set_f32(i, 0.1F);
    exact += static_cast<double>(0.1F);
  }

  c.run(GetParam(), 2);

  EXPECT_EQ(c.arrays[1].f32(0), static_cast<float>(exact));
}

TEST_P(PassTest, SumsDoNotDependOnTheRun) {
  Case c({1000, 700});
  const Term x = c.f.tensor("x", DType::float64);
  c.f.output("result", c.f.reduce(Op::sum, x, expr::kAllAxes));
  c.f.output("columns", c.f.reduce(Op::sum, x, kBeforeLast));
  c.dense(DType::float64).out().out();
  c.run(GetParam(), 2);
  const auto first = c.arrays[2].bytes;

  for (int i = 0; i < 5; ++i) {
    c.run(GetParam(), 2);

    EXPECT_EQ(c.arrays[2].bytes, first);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, PassTest,
                         testing::Values(HostBackend::interpreter, HostBackend::llvm),
                         [](const auto& test) {
                           return test.param == HostBackend::llvm ? "llvm" : "interpreter";
                         });

}  // namespace

}  // namespace mw::codegen
