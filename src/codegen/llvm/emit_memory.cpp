// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/emit.hpp"

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "codegen/ir_scalar.hpp"

namespace mw::codegen::llvm_backend {

namespace {

constexpr int kOffset = 0, kStride = 1, kCount = 2, kStored = 3;

llvm::Align alignment(const Instruction& i, llvm::Type* stored) {
  const auto element = std::uint64_t{stored->getScalarSizeInBits() / 8};
  return llvm::Align(std::max<std::uint64_t>(element, static_cast<std::uint64_t>(i.alignment)));
}

}  // namespace

// ---- elements ---------------------------------------------------------------------------------

/// An element as memory holds it: narrow floats as integers, bool as a byte.
llvm::Type* Emitter::memory_type(DType dtype) {
  if (dtype == DType::bool_) return build_.getInt8Ty();
  return scalar_type(dtype);
}

Emitter::Value Emitter::from_memory(Value stored, const Instruction& i) {
  if (i.memory == DType::bool_)
    return build_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
  return scalar::narrow_format(i.memory) != nullptr ? decode(stored, i.memory) : stored;
}

Emitter::Value Emitter::to_memory(Value value, const Instruction& i) {
  if (i.memory == DType::bool_)
    return build_.CreateZExt(value, widened(build_.getInt8Ty(), value->getType()->isVectorTy()));
  return scalar::narrow_format(i.memory) != nullptr ? encode(value, i.memory) : value;
}

Emitter::Value Emitter::address(const Instruction& i) {
  return build_.CreateGEP(memory_type(i.memory), pointers_[static_cast<std::size_t>(i.integer)],
                          operand(i, kOffset, false));
}

std::optional<std::int64_t> Emitter::constant_stride(const Instruction& i) const {
  if (!has(i, kStride)) return 1;
  const Instruction& stride = source(i, kStride);
  if (stride.code != Code::constant) return std::nullopt;
  return stride.integer;
}

// ---- active lanes -----------------------------------------------------------------------------

Emitter::Lanes Emitter::lanes_of(const Instruction& i, int which) {
  if (!has(i, which)) return {};
  const ValueId id = i.args[static_cast<std::size_t>(which)];
  if (full_.contains(id)) return {};
  return {operand(i, which, false), partial_.contains(id)};
}

/// lane < count, compared in integers as wide as what is loaded, so that no lane has to move.
Emitter::Value Emitter::mask(Value count, unsigned bits) {
  const auto lanes = static_cast<std::uint64_t>(kernel_.lanes);
  Value zero = build_.getInt64(0);
  Value active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, zero);
  active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, active, build_.getInt64(lanes));
  // With 8 bits 128 lanes and more would not be told apart.
  auto* integer = build_.getIntNTy(std::clamp(bits, 16U, 64U));
  std::vector<llvm::Constant*> numbers;
  for (std::uint64_t k = 0; k < lanes; ++k) numbers.push_back(llvm::ConstantInt::get(integer, k));
  return build_.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                              splat(build_.CreateTrunc(active, integer)));
}

/// With one lane there are no vectors to mask: an inactive lane's address is that of a zero.
Emitter::Value Emitter::only_lane(Value pointer, llvm::Type* stored, const Lanes& lanes) {
  if (lanes.count == nullptr) return pointer;
  auto* spare = local(stored);
  build_.CreateStore(llvm::Constant::getNullValue(stored), spare);
  return build_.CreateSelect(build_.CreateICmpSGT(lanes.count, number(0)), pointer, spare);
}

// ---- loads ------------------------------------------------------------------------------------

Emitter::Value Emitter::load(const Instruction& i) {
  llvm::Type* element = memory_type(i.memory);
  const llvm::Align align = alignment(i, element);
  if (!i.vector) return from_memory(build_.CreateAlignedLoad(element, address(i), align), i);
  const Lanes lanes = lanes_of(i, kCount);
  if (kernel_.lanes == 1) {
    Value pointer = only_lane(address(i), element, lanes);
    return from_memory(build_.CreateAlignedLoad(element, pointer, align), i);
  }
  if (constant_stride(i) == 1) {
    if (lanes.count == nullptr)
      return from_memory(build_.CreateAlignedLoad(widened(element, true), address(i), align), i);
    return from_memory(partial_load(element, address(i), lanes.count, align), i);
  }
  return from_memory(strided_load(i, element, lanes), i);
}

/// Elements of 4 and 8 bytes have masked instructions (AVX2, SVE). Smaller ones go through a
/// buffer: LLVM would make a branch for each.
Emitter::Value Emitter::partial_load(llvm::Type* stored, Value pointer, Value count,
                                     llvm::Align align) {
  llvm::Type* vector = widened(stored, true);
  const unsigned bits = stored->getScalarSizeInBits();
  Value zero = llvm::Constant::getNullValue(vector);
  if (bits >= 32) return build_.CreateMaskedLoad(vector, pointer, align, mask(count, bits), zero);
  auto* buffer = local(vector);
  build_.CreateStore(zero, buffer);
  Value active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, number(kernel_.lanes));
  active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, active, number(0));
  build_.CreateMemCpy(buffer, buffer->getAlign(), pointer, llvm::MaybeAlign(),
                      build_.CreateMul(active, number(bits / 8)));
  return build_.CreateLoad(vector, buffer);
}

/// Lane by lane, which is as fast as a gather instruction or faster.
Emitter::Value Emitter::strided_load(const Instruction& i, llvm::Type* stored, const Lanes& lanes) {
  llvm::Type* vector = widened(stored, true);
  Value base = address(i);
  if (constant_stride(i) == 2) return every_second(base, stored, lanes.count);
  Value stride = operand(i, kStride, false);
  if (lanes.count == nullptr) {
    Value out = llvm::PoisonValue::get(vector);
    for (int k = 0; k < kernel_.lanes; ++k) {
      Value at = build_.CreateGEP(stored, base, build_.CreateMul(stride, number(k)));
      out = with_lane(out, build_.CreateLoad(stored, at), k);
    }
    return out;
  }
  Value places = build_.CreateMul(splat(stride), leaf({.code = Code::lane}));
  Value pointers = build_.CreateGEP(stored, base, places);
  Value zero = llvm::Constant::getNullValue(vector);
  return build_.CreateMaskedGather(vector, pointers, alignment({}, stored), mask(lanes.count, 64),
                                   zero);
}

/// The first, third, … of the 2·lanes − 1 elements here, and nothing of what is behind them, which
/// need not be ours: two vectors that overlap by one element. `count`: of the lanes; null: all.
Emitter::Value Emitter::every_second(Value pointer, llvm::Type* stored, Value count) {
  const int lanes = kernel_.lanes;
  const llvm::Align align(stored->getScalarSizeInBits() / 8);
  const auto part = [&](int first) -> Value {
    Value at = build_.CreateGEP(stored, pointer, number(first));
    if (count == nullptr) return build_.CreateAlignedLoad(widened(stored, true), at, align);
    Value elements = build_.CreateSub(build_.CreateMul(count, number(2)), number(1 + first));
    return partial_load(stored, at, elements, align);
  };
  Value low = part(0), high = part(lanes - 1);
  std::vector<int> picks;
  for (int k = 0; k < lanes; ++k) picks.push_back(2 * k < lanes ? 2 * k : 2 * k + 1);
  return build_.CreateShuffleVector(low, high, picks);
}

Emitter::Value Emitter::gather(const Instruction& i) {
  llvm::Type* element = memory_type(i.memory);
  Value base = pointers_[static_cast<std::size_t>(i.integer)];
  Value offsets = operand(i, 0, true);
  const Lanes lanes = lanes_of(i, 1);
  llvm::Type* vector = widened(element, true);
  if (kernel_.lanes == 1) {
    Value pointer = only_lane(build_.CreateGEP(element, base, offsets), element, lanes);
    return from_memory(build_.CreateLoad(element, pointer), i);
  }
  if (lanes.count == nullptr) {
    Value out = llvm::PoisonValue::get(vector);
    for (int k = 0; k < kernel_.lanes; ++k) {
      Value at = build_.CreateGEP(element, base, lane_of(offsets, k));
      out = with_lane(out, build_.CreateLoad(element, at), k);
    }
    return from_memory(out, i);
  }
  Value zero = llvm::Constant::getNullValue(vector);
  Value pointers = build_.CreateGEP(element, base, offsets);
  return from_memory(build_.CreateMaskedGather(vector, pointers, alignment({}, element),
                                               mask(lanes.count, 64), zero),
                     i);
}

// ---- stores -----------------------------------------------------------------------------------

/// Whether two stores write the even and the odd elements of one run, as the parts of complex
/// numbers are.
bool Emitter::is_pair(const Instruction& first, const Instruction& second) {
  if (second.code != first.code || second.integer != first.integer ||
      second.memory != first.memory || kernel_.lanes == 1) {
    return false;
  }
  if (!source(first, kStored).vector || !source(second, kStored).vector) return false;
  if (constant_stride(first) != 2 || constant_stride(second) != 2) return false;
  if (first.args[kCount] != second.args[kCount]) return false;
  const Lanes lanes = lanes_of(first, kCount);
  if (lanes.count != nullptr && !lanes.masked) return false;
  const Instruction& behind = source(second, kOffset);
  const ValueId offset = first.args[kOffset];
  if (behind.code != Code::add || (behind.args[0] != offset && behind.args[1] != offset)) {
    return false;
  }
  const Instruction& one = source(behind, behind.args[0] == offset ? 1 : 0);
  return one.code == Code::constant && one.integer == 1;
}

void Emitter::store_pair(const Instruction& first, const Instruction& second) {
  llvm::Type* element = memory_type(first.memory);
  const llvm::Align align = alignment(first, element);
  Value even = to_memory(operand(first, kStored, true), first);
  Value odd = to_memory(operand(second, kStored, true), second);
  std::vector<int> turns;
  for (int k = 0; k < kernel_.lanes; ++k) {
    turns.push_back(k);
    turns.push_back(kernel_.lanes + k);
  }
  Value pointer = address(first);
  const Lanes lanes = lanes_of(first, kCount);
  if (lanes.count == nullptr) {
    return full_store(first, build_.CreateShuffleVector(even, odd, turns), pointer, align);
  }
  const auto half = static_cast<std::size_t>(kernel_.lanes);
  const llvm::Align own(element->getScalarSizeInBits() / 8);
  Value elements = build_.CreateMul(lanes.count, number(2));
  for (const std::size_t begin : {std::size_t{0}, half}) {
    Value run = build_.CreateShuffleVector(even, odd, llvm::ArrayRef(turns).slice(begin, half));
    const auto offset = static_cast<std::int64_t>(begin);
    partial_store(run, build_.CreateGEP(element, pointer, number(offset)),
                  build_.CreateSub(elements, number(offset)), own);
  }
}

void Emitter::store(ValueId at) {
  const Instruction& i = kernel_.body[index(at)];
  if (std::exchange(stored_, kNone) == at) return;
  if (index(at) + 1 < kernel_.body.size() && is_pair(i, kernel_.body[index(at) + 1])) {
    stored_ = at + 1;
    return store_pair(i, kernel_.body[index(at) + 1]);
  }
  const bool vector = source(i, kStored).vector;
  Value value = to_memory(operand(i, kStored, vector), i);
  llvm::Type* element = memory_type(i.memory);
  const llvm::Align align = alignment(i, element);
  if (!vector) {
    build_.CreateAlignedStore(value, address(i), align);
    return;
  }
  const Lanes lanes = lanes_of(i, kCount);
  if (kernel_.lanes == 1) {
    build_.CreateAlignedStore(value, only_lane(address(i), element, lanes), align);
    return;
  }
  if (constant_stride(i) != 1) return strided_store(i, value, lanes);
  Value pointer = address(i);
  if (lanes.count == nullptr) return full_store(i, value, pointer, align);
  if (lanes.masked) return partial_store(value, pointer, lanes.count, align);
  auto* plain = block("plain");
  auto* masked = block("masked");
  auto* after = block("stored");
  build_.CreateCondBr(build_.CreateICmpSGE(lanes.count, number(kernel_.lanes)), plain, masked);
  build_.SetInsertPoint(plain);
  full_store(i, value, pointer, align);
  build_.CreateBr(after);
  build_.SetInsertPoint(masked);
  partial_store(value, pointer, lanes.count, align);
  build_.CreateBr(after);
  build_.SetInsertPoint(after);
}

/// Around the caches only if 16 bytes divide the address, which is known from the instruction or
/// asked at run time: a wider register is then written in pieces of 16.
void Emitter::full_store(const Instruction& i, Value value, Value pointer, llvm::Align align) {
  const auto bytes =
      static_cast<std::uint64_t>(module_.getDataLayout().getTypeStoreSize(value->getType()));
  constexpr std::uint64_t kPiece = 16;
  if (i.code != Code::store_stream || bytes % kPiece != 0 || (bytes & (bytes - 1)) != 0) {
    build_.CreateAlignedStore(value, pointer, align);
    return;
  }
  streams_ = true;
  const auto stream = [&] {
    auto* store = build_.CreateAlignedStore(value, pointer, std::max(align, llvm::Align(kPiece)));
    auto* one = llvm::ConstantAsMetadata::get(build_.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                       llvm::MDNode::get(module_.getContext(), {one}));
  };
  if (align.value() >= kPiece) return stream();
  auto* aligned = block("aligned");
  auto* other = block("unaligned");
  auto* after = block("streamed");
  Value rest = build_.CreateAnd(build_.CreatePtrToInt(pointer, build_.getInt64Ty()),
                                build_.getInt64(kPiece - 1));
  build_.CreateCondBr(build_.CreateICmpEQ(rest, build_.getInt64(0)), aligned, other);
  build_.SetInsertPoint(aligned);
  stream();
  build_.CreateBr(after);
  build_.SetInsertPoint(other);
  build_.CreateAlignedStore(value, pointer, align);
  build_.CreateBr(after);
  build_.SetInsertPoint(after);
}

void Emitter::partial_store(Value value, Value pointer, Value count, llvm::Align align) {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  if (bits >= 32) {
    build_.CreateMaskedStore(value, pointer, align, mask(count, bits));
    return;
  }
  auto* buffer = local(value->getType());
  build_.CreateStore(value, buffer);
  Value active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, number(kernel_.lanes));
  active = build_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, active, number(0));
  build_.CreateMemCpy(pointer, llvm::MaybeAlign(), buffer, buffer->getAlign(),
                      build_.CreateMul(active, number(bits / 8)));
}

void Emitter::strided_store(const Instruction& i, Value value, const Lanes& lanes) {
  llvm::Type* element = memory_type(i.memory);
  Value base = address(i);
  Value stride = operand(i, kStride, false);
  if (lanes.count == nullptr) {
    for (int k = 0; k < kernel_.lanes; ++k) {
      Value at = build_.CreateGEP(element, base, build_.CreateMul(stride, number(k)));
      build_.CreateStore(lane_of(value, k), at);
    }
    return;
  }
  Value places = build_.CreateMul(splat(stride), leaf({.code = Code::lane}));
  build_.CreateMaskedScatter(value, build_.CreateGEP(element, base, places), alignment({}, element),
                             mask(lanes.count, 64));
}

}  // namespace mw::codegen::llvm_backend
