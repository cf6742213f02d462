// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/builder.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <mathwright/error.hpp>

namespace mw::codegen {
namespace {

Builder builder(int lanes = 8) { return Builder("test", {.lanes = lanes}); }

std::size_t count(const Kernel& kernel, Code code) {
  return static_cast<std::size_t>(
      std::ranges::count_if(kernel.body, [&](const Instruction& in) { return in.code == code; }));
}

TEST(CodegenBuilder, EqualInstructionsOfOpenBlocksAreOne) {
  Builder b = builder();
  const int p = b.pointer("x");
  const Value n = b.integer("n");
  const Value x = b.load({.pointer = p, .offset = n}, true);
  const Value y = b.mul(x, x);
  b.begin_for(b.constant_integer(0), n, b.constant_integer(1));
  EXPECT_EQ(b.mul(x, x).id, y.id);
  const Value inner = b.add(x, x);
  b.end_for();
  EXPECT_NE(b.add(x, x).id, inner.id) << "a value of a closed block is not there any more";
  const Kernel kernel = b.finish();
  EXPECT_EQ(count(kernel, Code::mul), 1u);
}

TEST(CodegenBuilder, LoadsAreNotShared) {
  Builder b = builder();
  const int p = b.pointer("x");
  const Value zero = b.constant_integer(0);
  const Value first = b.load({.pointer = p, .offset = zero}, true);
  b.store({.pointer = p, .offset = zero}, b.add(first, first));
  EXPECT_NE(b.load({.pointer = p, .offset = zero}, true).id, first.id);
  EXPECT_NO_THROW(static_cast<void>(b.finish()));
}

double folded(Builder& b, Value value) {
  b.variable(value, false);  // what follows is in the kernel's text
  const Kernel kernel = b.finish();
  const Instruction& in = kernel.body[std::size_t(value.id)];
  EXPECT_EQ(in.code, Code::constant) << to_text(kernel);
  return in.type == DType::float32 || in.type == DType::float64 ? in.real : double(in.integer);
}

TEST(CodegenBuilder, FoldsConstantsInTheirOwnType) {
  Builder b = builder();
  const float third = 1.0f / 3;
  EXPECT_EQ(
      folded(b, b.op(Code::div, b.constant(DType::float32, 1), b.constant(DType::float32, 3))),
      third);
  Builder c = builder();
  EXPECT_EQ(
      folded(c, c.add(c.constant_integer(100, DType::int8), c.constant_integer(100, DType::int8))),
      -56);
  Builder d = builder();
  EXPECT_EQ(folded(d, d.op(Code::div, d.constant_integer(7), d.constant_integer(0))), 0);
  Builder e = builder();
  EXPECT_EQ(folded(e, e.convert(e.constant(DType::float64, 1e300), DType::int32)), 2147483647);
  Builder f = builder();
  EXPECT_EQ(folded(f, f.narrow(f.constant(DType::float32, 464), DType::float8_e4m3fn)), 448);
  Builder g = builder();
  EXPECT_TRUE(
      std::isnan(folded(g, g.narrow(g.constant(DType::float32, 465), DType::float8_e4m3fn))));
}

TEST(CodegenBuilder, LeavesOutWhatChangesNothingButKeepsSignsOfZero) {
  Builder b = builder();
  const Value x = b.load({.pointer = b.pointer("x"), .offset = b.constant_integer(0)}, true);
  EXPECT_EQ(b.mul(x, b.constant(DType::float32, 1)).id, x.id);
  EXPECT_NE(b.add(x, b.constant(DType::float32, 0)).id, x.id) << "-0 + 0 is 0";
  EXPECT_EQ(b.add(x, b.constant(DType::float32, -0.0)).id, x.id);
  const Value n = b.integer("n");
  EXPECT_EQ(b.add(n, b.constant_integer(0)).id, n.id);
  EXPECT_EQ(b.mul(n, b.constant_integer(0)).id, b.constant_integer(0).id);
}

TEST(CodegenBuilder, BroadcastIsAVectorOnce) {
  Builder b = builder();
  const Value c = b.broadcast(b.constant(DType::float32, 2));
  EXPECT_TRUE(c.vector);
  EXPECT_EQ(b.broadcast(c).id, c.id);
  b.store({.pointer = b.pointer("x"), .offset = b.constant_integer(0)}, c);
  EXPECT_NO_THROW(static_cast<void>(b.finish()));
}

}  // namespace
}  // namespace mw::codegen
