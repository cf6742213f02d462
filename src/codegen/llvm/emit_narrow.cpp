// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Narrow floats in integer arithmetic: the formulas of ir_scalar.hpp, whose comments explain them.
#include "codegen/llvm/emit.hpp"

#include <llvm/IR/Intrinsics.h>

#include "codegen/ir_scalar.hpp"

namespace mw::codegen::llvm_backend {

namespace {

constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr std::uint32_t kMagnitude = 0x7fffffffU;

/// The float32 whose exponent field is `exponent`.
std::uint32_t power(std::uint32_t exponent) { return exponent << 23; }

}  // namespace

Emitter::Value Emitter::encode(Value number, DType narrow) {
  const auto& format = *scalar::narrow_format(narrow);
  const bool vector = number->getType()->isVectorTy();
  llvm::Type* word = widened(build_.getInt32Ty(), vector);
  llvm::Type* real = number->getType();
  llvm::Type* code_type =
      widened(build_.getIntNTy(static_cast<unsigned>(format.bytes) * 8), vector);
  if (narrow == DType::float16 && target_.float16_convert) {
    Value half = build_.CreateFPTrunc(number, widened(build_.getHalfTy(), vector));
    return build_.CreateBitCast(half, code_type);
  }
  const auto c = [&](std::uint32_t value) { return llvm::ConstantInt::get(word, value); };
  const auto shift = static_cast<std::uint32_t>(23 - format.mantissa);
  const auto rebias = static_cast<std::uint32_t>(127 - format.bias);
  const auto sign_bit = static_cast<std::uint32_t>(format.bytes * 8 - 1);
  const std::uint32_t top = format.top();
  const std::uint32_t nan = format.infinite ? top | 1U << (format.mantissa - 1) : top;

  Value bits = build_.CreateBitCast(number, word);
  Value sign = build_.CreateShl(build_.CreateLShr(bits, c(31)), c(sign_bit));
  Value a = build_.CreateAnd(bits, c(kMagnitude));
  Value even = build_.CreateAnd(build_.CreateLShr(a, c(shift)), c(1));
  Value rounded = build_.CreateAdd(build_.CreateAdd(a, c((1U << (shift - 1)) - 1)), even);
  Value code = build_.CreateSub(build_.CreateLShr(rounded, c(shift)), c(rebias << format.mantissa));
  if (narrow != DType::bfloat16) {
    // bfloat16 has float32's exponents: its denormals round in integers like the rest.
    const std::uint32_t units = power(static_cast<std::uint32_t>(128 - format.bias) + shift);
    Value unit = llvm::ConstantExpr::getBitCast(llvm::cast<llvm::Constant>(c(units)), real);
    Value sum = build_.CreateFAdd(build_.CreateBitCast(a, real), unit);
    Value denormal = build_.CreateSub(build_.CreateBitCast(sum, word), c(units));
    code = build_.CreateSelect(build_.CreateICmpULT(a, c(power(rebias + 1))), denormal, code);
    code = build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, c(top));
  }
  code = build_.CreateSelect(build_.CreateICmpUGT(a, c(kInfinity)), c(nan), code);
  return build_.CreateTrunc(build_.CreateOr(sign, code), code_type);
}

Emitter::Value Emitter::decode(Value code, DType narrow) {
  const auto& format = *scalar::narrow_format(narrow);
  const bool vector = code->getType()->isVectorTy();
  llvm::Type* word = widened(build_.getInt32Ty(), vector);
  llvm::Type* real = widened(build_.getFloatTy(), vector);
  if (narrow == DType::float16 && target_.float16_convert)
    return build_.CreateFPExt(build_.CreateBitCast(code, widened(build_.getHalfTy(), vector)),
                              real);
  const auto c = [&](std::uint32_t value) { return llvm::ConstantInt::get(word, value); };
  Value wide = build_.CreateZExt(code, word);
  if (narrow == DType::bfloat16)  // the upper half of a float32
    return build_.CreateBitCast(build_.CreateShl(wide, c(16)), real);
  const auto shift = static_cast<std::uint32_t>(23 - format.mantissa);
  const auto rebias = static_cast<std::uint32_t>(127 - format.bias);
  const auto sign_bit = static_cast<std::uint32_t>(format.bytes * 8 - 1);

  Value sign = build_.CreateShl(build_.CreateLShr(wide, c(sign_bit)), c(31));
  Value a = build_.CreateAnd(wide, c((1U << sign_bit) - 1));
  Value moved = build_.CreateShl(a, c(shift));
  Value bits = build_.CreateAdd(moved, c(power(rebias)));
  const std::uint32_t smallest = power(rebias + 1);
  Value base = llvm::ConstantExpr::getBitCast(llvm::cast<llvm::Constant>(c(smallest)), real);
  Value low = build_.CreateBitCast(build_.CreateAdd(moved, c(smallest)), real);
  Value denormal = build_.CreateBitCast(build_.CreateFSub(low, base), word);
  bits = build_.CreateSelect(build_.CreateICmpULT(a, c(1U << format.mantissa)), denormal, bits);
  Value special = format.infinite ? build_.CreateOr(moved, c(kInfinity)) : c(0x7fc00000U);
  bits = build_.CreateSelect(build_.CreateICmpUGE(a, c(format.top())), special, bits);
  return build_.CreateBitCast(build_.CreateOr(bits, sign), real);
}

}  // namespace mw::codegen::llvm_backend
