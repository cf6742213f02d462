// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A wrong kernel is refused with the instruction's name and what was wanted.
#include "codegen/ir.hpp"

#include <gtest/gtest.h>
#include <mathwright/error.hpp>

namespace mw::codegen {
namespace {

Instruction make(Code code, DType type, std::array<ValueId, 4> args = {-1, -1, -1, -1},
                 bool vector = false) {
  Instruction in;
  in.code = code;
  in.type = type;
  in.args = args;
  in.vector = vector;
  return in;
}

Kernel kernel(std::vector<Instruction> body) {
  Kernel k;
  k.name = "k";
  k.lanes = 4;
  k.pointers = {"x"};
  k.body = std::move(body);
  return k;
}

const Instruction kOne = make(Code::constant, DType::float32);
const Instruction kZero = make(Code::constant, DType::int64);
const Instruction kTrue = make(Code::constant, DType::bool_);

void refused(std::vector<Instruction> body, std::string_view words) {
  try {
    check(kernel(std::move(body)));
    ADD_FAILURE() << "accepted; wanted: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
  }
}

TEST(CodegenIr, AcceptsTheEmptyKernel) { EXPECT_NO_THROW(check(kernel({}))); }

TEST(CodegenIr, RefusesOperandsThatAreNotThere) {
  refused({make(Code::neg, DType::float32)}, "operand 0");
  refused({make(Code::neg, DType::float32, {0, -1, -1, -1})}, "defined before");
  refused({kOne, make(Code::neg, DType::float32, {7, -1, -1, -1})}, "defined before");
  refused({kOne, make(Code::neg, DType::float32, {0, 0, -1, -1})}, "1 operands");
}

TEST(CodegenIr, RefusesValuesOfClosedBlocks) {
  refused({kTrue, make(Code::if_begin, DType::bool_, {0, -1, -1, -1}), kOne,
           make(Code::if_end, DType::bool_), make(Code::neg, DType::float32, {2, -1, -1, -1})},
          "open block");
  refused({kTrue, make(Code::if_begin, DType::bool_, {0, -1, -1, -1}), kOne,
           make(Code::else_begin, DType::bool_), make(Code::neg, DType::float32, {2, -1, -1, -1})},
          "open block");
}

TEST(CodegenIr, RefusesUnbalancedStructure) {
  refused({make(Code::for_end, DType::int64)}, "an open loop");
  refused({make(Code::else_begin, DType::int64)}, "an open if");
  refused({kTrue, make(Code::if_begin, DType::bool_, {0, -1, -1, -1})}, "closed");
  refused({kTrue, make(Code::if_begin, DType::bool_, {0, -1, -1, -1}),
           make(Code::for_end, DType::int64)},
          "an open loop");
}

TEST(CodegenIr, RefusesWrongTypes) {
  refused({kOne, kZero, make(Code::add, DType::float32, {0, 1, -1, -1})}, "float32 as operand 1");
  refused({kTrue, make(Code::add, DType::bool_, {0, 0, -1, -1})}, "another type than bool");
  refused({kZero, make(Code::sqrt, DType::int64, {0, -1, -1, -1})}, "another type than int64");
  refused({kOne, make(Code::lt, DType::float32, {0, 0, -1, -1})}, "a bool result");
  refused({kOne, make(Code::bitcast, DType::float64, {0, -1, -1, -1})}, "one size");
  refused({make(Code::constant, DType::float16)}, "bool, an integer");
  refused({kOne, make(Code::neg, DType::float32, {0, -1, -1, -1}, true)}, "uniform");
  refused({kOne, make(Code::if_begin, DType::bool_, {0, -1, -1, -1})}, "a uniform bool");
  Instruction pow = make(Code::call, DType::float32, {0, -1, -1, -1});
  pow.integer = std::int64_t(MathCall::pow);
  refused({kOne, pow}, "two operands");
}

TEST(CodegenIr, RefusesMemoryThatIsNotThere) {
  Instruction load = make(Code::load, DType::float32, {0, -1, -1, -1});
  EXPECT_NO_THROW(check(kernel({kZero, load})));
  load.integer = 1;
  refused({kZero, load}, "a pointer below 1");
  load.integer = 0;
  load.memory = DType::float16;
  EXPECT_NO_THROW(check(kernel({kZero, load})));
  load.memory = DType::float64;
  refused({kZero, load}, "a value of float64");
  load.memory = DType::float4_e2m1fn_x2;
  refused({kZero, load}, "another dtype of memory");
  refused({kOne, make(Code::store, DType::float32, {0, -1, -1, 0})}, "a uniform int64");
}

TEST(CodegenIr, TextShowsEveryInstruction) {
  const std::string text =
      to_text(kernel({kZero, make(Code::load, DType::float32, {0, -1, -1, -1}, true),
                      make(Code::neg, DType::float32, {1, -1, -1, -1}, true)}));
  EXPECT_NE(text.find("%1 = load vector float32 pointer 0 float32 %0"), std::string::npos) << text;
  EXPECT_NE(text.find("%2 = neg vector float32 %1"), std::string::npos) << text;
}

}  // namespace
}  // namespace mw::codegen
