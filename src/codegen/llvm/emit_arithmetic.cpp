// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/emit.hpp"

#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/symbols.hpp"

namespace mw::codegen::llvm_backend {

namespace {

namespace intrinsic = llvm::Intrinsic;

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }
bool is_signed(DType dtype) { return dtype_class(dtype) == DTypeClass::integer; }

}  // namespace

Emitter::Value Emitter::arithmetic(const Instruction& i) {
  switch (i.code) {
    case Code::eq:
    case Code::ne:
    case Code::lt:
    case Code::le: return compare(i);
    case Code::select: {
      Value condition = operand(i, 0, i.vector && source(i, 0).vector);
      return build_.CreateSelect(condition, operand(i, 1), operand(i, 2));
    }
    case Code::convert: return convert(i);
    case Code::bitcast: return bits(i);
    case Code::narrow: return decode(encode(operand(i, 0), i.memory), i.memory);
    case Code::any:
    case Code::sum_lanes:
    case Code::min_lanes:
    case Code::max_lanes: return across_lanes(i);
    case Code::call: return call(i);
    case Code::shuffle_down: return operand(i, 0);  // a warp of one thread
    case Code::min:
    case Code::max: return extremum(i.code, i.type, operand(i, 0), operand(i, 1));
    default: return is_float(i.type) ? float_arithmetic(i) : integer_arithmetic(i);
  }
}

Emitter::Value Emitter::float_arithmetic(const Instruction& i) {
  Value a = operand(i, 0);
  const auto unary = [&](intrinsic::ID id) { return build_.CreateUnaryIntrinsic(id, a); };
  switch (i.code) {
    case Code::add: return build_.CreateFAdd(a, operand(i, 1));
    case Code::sub: return build_.CreateFSub(a, operand(i, 1));
    case Code::mul: return build_.CreateFMul(a, operand(i, 1));
    case Code::div: return build_.CreateFDiv(a, operand(i, 1));
    case Code::rem: return build_.CreateFRem(a, operand(i, 1));
    case Code::neg: return build_.CreateFNeg(a);
    case Code::fma:
      return build_.CreateIntrinsic(intrinsic::fma, {a->getType()},
                                    {a, operand(i, 1), operand(i, 2)});
    case Code::abs: return unary(intrinsic::fabs);
    case Code::sqrt: return unary(intrinsic::sqrt);
    case Code::floor: return unary(intrinsic::floor);
    case Code::ceil: return unary(intrinsic::ceil);
    case Code::trunc: return unary(intrinsic::trunc);
    // In the mode of the processor, which is to even unless somebody changed it; the instruction
    // that is always to even is missing from old ones.
    case Code::rint: return unary(intrinsic::nearbyint);
    default: llvm_unreachable("a checked kernel");
  }
}

Emitter::Value Emitter::integer_arithmetic(const Instruction& i) {
  Value a = operand(i, 0);
  switch (i.code) {
    case Code::add: return build_.CreateAdd(a, operand(i, 1));
    case Code::sub: return build_.CreateSub(a, operand(i, 1));
    case Code::mul: return build_.CreateMul(a, operand(i, 1));
    case Code::fma: return build_.CreateAdd(build_.CreateMul(a, operand(i, 1)), operand(i, 2));
    case Code::div: return divide(i, false);
    case Code::rem: return divide(i, true);
    case Code::neg: return build_.CreateNeg(a);
    case Code::abs:
      if (!is_signed(i.type)) return a;
      return build_.CreateBinaryIntrinsic(intrinsic::abs, a, build_.getFalse());
    case Code::bit_and: return build_.CreateAnd(a, operand(i, 1));
    case Code::bit_or: return build_.CreateOr(a, operand(i, 1));
    case Code::bit_xor: return build_.CreateXor(a, operand(i, 1));
    case Code::bit_not: return build_.CreateNot(a);
    case Code::shl:
    case Code::shr: return shift(i);
    default: return a;  // floor, ceil, trunc, rint, of a whole number
  }
}

/// The two quotients that do not exist, by 0 and of the smallest by -1, are computed by 1 instead.
Emitter::Value Emitter::divide(const Instruction& i, bool remainder) {
  Value a = operand(i, 0), b = operand(i, 1);
  llvm::Type* of = a->getType();
  Value one = llvm::ConstantInt::get(of, 1), zero = llvm::ConstantInt::get(of, 0);
  Value by_zero = build_.CreateICmpEQ(b, zero);
  Value unsafe = by_zero;
  if (is_signed(i.type)) {
    Value smallest =
        llvm::ConstantInt::get(of, llvm::APInt::getSignedMinValue(of->getScalarSizeInBits()));
    Value overflows = build_.CreateAnd(build_.CreateICmpEQ(a, smallest),
                                       build_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(of)));
    unsafe = build_.CreateOr(by_zero, overflows);
  }
  Value safe = build_.CreateSelect(unsafe, one, b);
  if (remainder) return is_signed(i.type) ? build_.CreateSRem(a, safe) : build_.CreateURem(a, safe);
  Value quotient = is_signed(i.type) ? build_.CreateSDiv(a, safe) : build_.CreateUDiv(a, safe);
  return build_.CreateSelect(by_zero, zero, quotient);
}

Emitter::Value Emitter::shift(const Instruction& i) {
  Value a = operand(i, 0), count = operand(i, 1);
  llvm::Type* of = a->getType();
  const unsigned bits = of->getScalarSizeInBits();
  Value last = llvm::ConstantInt::get(of, bits - 1);
  Value inside = build_.CreateICmpULE(count, last);
  Value near = build_.CreateSelect(inside, count, last);
  if (i.code == Code::shr && is_signed(i.type)) return build_.CreateAShr(a, near);
  Value shifted = i.code == Code::shl ? build_.CreateShl(a, near) : build_.CreateLShr(a, near);
  return build_.CreateSelect(inside, shifted, llvm::ConstantInt::get(of, 0));
}

/// a < b or a ≠ a ? a : b. As written here it is three instructions on x86, whose own minimum is
/// a < b ? a : b; llvm.minimum, which also orders zeros, takes seven.
Emitter::Value Emitter::extremum(Code code, DType dtype, Value a, Value b) {
  const bool least = code == Code::min || code == Code::min_lanes;
  if (is_float(dtype)) {
    Value closer = least ? build_.CreateFCmpOLT(a, b) : build_.CreateFCmpOGT(a, b);
    Value best = build_.CreateSelect(closer, a, b);
    return build_.CreateSelect(build_.CreateFCmpUNO(a, a), a, best);
  }
  const auto order = is_signed(dtype) ? (least ? intrinsic::smin : intrinsic::smax)
                                      : (least ? intrinsic::umin : intrinsic::umax);
  return build_.CreateBinaryIntrinsic(order, a, b);
}

Emitter::Value Emitter::compare(const Instruction& i) {
  using Predicate = llvm::CmpInst::Predicate;
  struct Row {
    Code code;
    Predicate real, integer, natural;
  };
  // ≠ is true of NaN, the others false.
  static constexpr Row kRows[] = {
      {Code::eq, Predicate::FCMP_OEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ},
      {Code::ne, Predicate::FCMP_UNE, Predicate::ICMP_NE, Predicate::ICMP_NE},
      {Code::lt, Predicate::FCMP_OLT, Predicate::ICMP_SLT, Predicate::ICMP_ULT},
      {Code::le, Predicate::FCMP_OLE, Predicate::ICMP_SLE, Predicate::ICMP_ULE},
  };
  const DType of = source(i, 0).type;
  const auto& row = kRows[static_cast<int>(i.code) - static_cast<int>(Code::eq)];
  Value a = operand(i, 0), b = operand(i, 1);
  if (is_float(of)) return build_.CreateFCmp(row.real, a, b);
  return build_.CreateICmp(is_signed(of) ? row.integer : row.natural, a, b);
}

Emitter::Value Emitter::convert(const Instruction& i) {
  const DType from = source(i, 0).type;
  Value value = operand(i, 0);
  if (from == i.type) return value;
  llvm::Type* to = type(i.type, i.vector);
  if (i.type == DType::bool_) {
    Value zero = llvm::Constant::getNullValue(value->getType());
    return is_float(from) ? build_.CreateFCmpUNE(value, zero) : build_.CreateICmpNE(value, zero);
  }
  if (is_float(i.type)) {
    if (is_float(from)) return build_.CreateFPCast(value, to);
    return is_signed(from) ? build_.CreateSIToFP(value, to) : build_.CreateUIToFP(value, to);
  }
  if (is_float(from)) {
    const auto id = is_signed(i.type) ? intrinsic::fptosi_sat : intrinsic::fptoui_sat;
    return build_.CreateIntrinsic(id, {to, value->getType()}, {value});
  }
  return build_.CreateIntCast(value, to, is_signed(from));
}

Emitter::Value Emitter::bits(const Instruction& i) {
  const DType from = source(i, 0).type;
  Value value = operand(i, 0);
  if (from == i.type) return value;
  // A bool is a bit here and a byte elsewhere.
  if (from == DType::bool_) value = build_.CreateZExt(value, type(DType::uint8, i.vector));
  if (i.type == DType::bool_) return build_.CreateTrunc(value, type(i.type, i.vector));
  return build_.CreateBitCast(value, type(i.type, i.vector));
}

/// By halves: log2(lanes) steps, and the same order of additions for every number of lanes' half.
Emitter::Value Emitter::across_lanes(const Instruction& i) {
  Value value = operand(i, 0, true);
  if (i.code == Code::any) return kernel_.lanes == 1 ? value : build_.CreateOrReduce(value);
  const auto combine = [&](Value a, Value b) {
    if (i.code != Code::sum_lanes) return extremum(i.code, i.type, a, b);
    return is_float(i.type) ? build_.CreateFAdd(a, b) : build_.CreateAdd(a, b);
  };
  int lanes = kernel_.lanes;
  if (lanes == 1) return value;
  for (; lanes > 1 && lanes % 2 == 0; lanes /= 2) {
    std::vector<int> low, high;
    for (int k = 0; k < lanes / 2; ++k) low.push_back(k), high.push_back(k + lanes / 2);
    value =
        combine(build_.CreateShuffleVector(value, low), build_.CreateShuffleVector(value, high));
  }
  Value sum = build_.CreateExtractElement(value, std::uint64_t{0});
  for (int k = 1; k < lanes; ++k)
    sum = combine(sum, build_.CreateExtractElement(value, static_cast<std::uint64_t>(k)));
  return sum;
}

/// The C library's function, lane by lane.
Emitter::Value Emitter::call(const Instruction& i) {
  const auto which = static_cast<MathCall>(i.integer);
  llvm::Type* of = scalar_type(i.type);
  if (which == MathCall::rsqrt) {
    Value root = build_.CreateUnaryIntrinsic(intrinsic::sqrt, operand(i, 0));
    return build_.CreateFDiv(llvm::ConstantFP::get(root->getType(), 1.0), root);
  }
  const bool binary = has(i, 1);
  std::vector<llvm::Type*> types(binary ? 2 : 1, of);
  auto function = module_.getOrInsertFunction(math_symbol(which, i.type == DType::float32),
                                              llvm::FunctionType::get(of, types, false));
  if (auto* declared = llvm::dyn_cast<llvm::Function>(function.getCallee())) {
    declared->setDoesNotThrow();
    declared->setDoesNotAccessMemory();
    declared->setWillReturn();
  }
  const auto apply = [&](auto&& argument) {
    std::vector<Value> arguments{argument(0)};
    if (binary) arguments.push_back(argument(1));
    return build_.CreateCall(function, arguments);
  };
  if (!i.vector) return apply([&](int k) { return operand(i, k); });
  Value out = llvm::PoisonValue::get(type(i.type, true));
  for (int lane = 0; lane < kernel_.lanes; ++lane)
    out = with_lane(out, apply([&](int k) { return lane_of(operand(i, k), lane); }), lane);
  return out;
}

}  // namespace mw::codegen::llvm_backend
