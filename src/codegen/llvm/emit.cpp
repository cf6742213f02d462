// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/emit.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#if defined(__x86_64__)
#include <llvm/IR/IntrinsicsX86.h>
#endif

namespace mw::codegen::llvm_backend {

namespace {

// Beyond this many instructions (times the copies there are already) the rest of a block is not
// emitted twice: code generation takes about 10 µs an instruction.
constexpr std::ptrdiff_t kVersionLimit = 400;

std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }

}  // namespace

std::unique_ptr<llvm::Module> emit(llvm::LLVMContext& context, const Kernel& kernel,
                                   const EmitTarget& target) {
  auto module = std::make_unique<llvm::Module>(kernel.name, context);
  Emitter(*module, kernel, target).run();
  return module;
}

Emitter::Emitter(llvm::Module& module, const Kernel& kernel, const EmitTarget& target)
    : module_(module),
      kernel_(kernel),
      target_(target),
      build_(module.getContext()),
      values_(kernel.body.size()),
      splats_(kernel.body.size()),
      partner_(kernel.body.size(), kNone),
      splatted_(kernel.body.size()),
      counts_(kernel.body.size()) {}

void Emitter::run() {
  survey();
  begin_function();
  emit_block(0, static_cast<ValueId>(kernel_.body.size()));
#if defined(__x86_64__)
  // Streaming stores pass others; what another thread reads after this must be there.
  if (streams_) build_.CreateIntrinsic(build_.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
#endif
  build_.CreateRetVoid();
}

/// void kernel(pointers, integers, scalars): the arguments are read once, at the start, since
/// stores of the kernel cannot change them.
void Emitter::begin_function() {
  llvm::Type* pointer = build_.getPtrTy();
  auto* type = llvm::FunctionType::get(build_.getVoidTy(), {pointer, pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_.name, module_);
  function_->setDoesNotThrow();
  if (!target_.function_prefer.empty())
    function_->addFnAttr("prefer-vector-width", target_.function_prefer);
  for (unsigned i = 0; i < 3; ++i) {
    function_->addParamAttr(i, llvm::Attribute::NoCapture);
    function_->addParamAttr(i, llvm::Attribute::NoAlias);
    function_->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  entry_ = llvm::BasicBlock::Create(module_.getContext(), "entry", function_);
  build_.SetInsertPoint(entry_);
  const auto read = [&](unsigned argument, std::size_t count, llvm::Type* of,
                        std::vector<Value>& out) {
    for (std::size_t k = 0; k < count; ++k) {
      Value at = build_.CreateConstInBoundsGEP1_64(of, function_->getArg(argument), k);
      out.push_back(build_.CreateLoad(of, at));
    }
  };
  read(0, kernel_.pointers.size(), pointer, pointers_);
  read(1, kernel_.integers.size(), build_.getInt64Ty(), integers_);
  read(2, kernel_.scalars.size(), build_.getDoubleTy(), scalars_);
  auto* body = block("body");
  build_.CreateBr(body);
  build_.SetInsertPoint(body);
}

/// One look ahead: where blocks end, which values are broadcast, which are counts.
void Emitter::survey() {
  std::vector<ValueId> open;
  for (std::size_t at = 0; at < kernel_.body.size(); ++at) {
    const Instruction& i = kernel_.body[at];
    const auto id = static_cast<ValueId>(at);
    if (i.code == Code::for_begin || i.code == Code::if_begin) open.push_back(id);
    if (i.code == Code::else_begin) {
      partner_[index(open.back())] = id;
      open.back() = id;
    }
    if (i.code == Code::for_end || i.code == Code::if_end) {
      partner_[index(open.back())] = id;
      open.pop_back();
    }
    for (const ValueId argument : i.args) {
      if (argument != kNone && i.vector && !kernel_.body[index(argument)].vector)
        splatted_[index(argument)] = true;
    }
    const int count = i.code == Code::gather ? 1 : 2;
    const bool accesses = i.code == Code::load || i.code == Code::store ||
                          i.code == Code::store_stream || i.code == Code::gather;
    if (accesses && has(i, count)) counts_[index(i.args[static_cast<std::size_t>(count)])] = true;
  }
}

// ---- structure --------------------------------------------------------------------------------

void Emitter::emit_block(ValueId begin, ValueId end) {
  for (ValueId at = begin; at < end;) {
    const Code code = kernel_.body[index(at)].code;
    if (code == Code::for_begin || code == Code::if_begin) {
      at = emit_structure(at) + 1;
      continue;
    }
    emit_value(at);
    if (worth_versions(at, at + 1, end)) return emit_versions(at, at + 1, end);
    ++at;
  }
}

bool Emitter::worth_versions(ValueId count, ValueId begin, ValueId end) const {
  if (!counts_[index(count)] || kernel_.lanes == 1) return false;
  return (end - begin) << (full_.size() + partial_.size()) <= kVersionLimit;
}

void Emitter::emit_versions(ValueId count, ValueId begin, ValueId end) {
  auto* plain = block("full");
  auto* masked = block("partial");
  auto* join = block("joined");
  Value all = build_.CreateICmpSGE(values_[index(count)], number(kernel_.lanes));
  build_.CreateCondBr(all, plain, masked);
  const auto version = [&](llvm::BasicBlock* where, std::set<ValueId>& known) {
    build_.SetInsertPoint(where);
    known.insert(count);
    emit_block(begin, end);
    known.erase(count);
    build_.CreateBr(join);
  };
  version(plain, full_);
  version(masked, partial_);
  build_.SetInsertPoint(join);
}

/// Emits the block that begins here; returns its end.
ValueId Emitter::emit_structure(ValueId at) {
  if (kernel_.body[index(at)].code == Code::for_begin) {
    emit_for(at);
    return partner_[index(at)];
  }
  emit_if(at);
  const ValueId middle = partner_[index(at)];
  return kernel_.body[index(middle)].code == Code::else_begin ? partner_[index(middle)] : middle;
}

/// for (i = begin; i < end; i += step)
void Emitter::emit_for(ValueId at) {
  const Instruction& i = kernel_.body[index(at)];
  Value first = operand(i, 0), end = operand(i, 1), step = operand(i, 2);
  auto* before = build_.GetInsertBlock();
  auto* body = block("for");
  auto* after = block("end");
  build_.CreateCondBr(build_.CreateICmpSLT(first, end), body, after);
  build_.SetInsertPoint(body);
  auto* variable = build_.CreatePHI(build_.getInt64Ty(), 2);
  variable->addIncoming(first, before);
  define(at, variable);
  emit_block(at + 1, partner_[index(at)]);
  Value next = build_.CreateNSWAdd(variable, step);
  variable->addIncoming(next, build_.GetInsertBlock());
  build_.CreateCondBr(build_.CreateICmpSLT(next, end), body, after);
  build_.SetInsertPoint(after);
}

void Emitter::emit_if(ValueId at) {
  Value condition = operand(kernel_.body[index(at)], 0);
  ValueId middle = partner_[index(at)];
  const bool has_else = kernel_.body[index(middle)].code == Code::else_begin;
  auto* then = block("then");
  auto* otherwise = has_else ? block("else") : nullptr;
  auto* after = block("endif");
  build_.CreateCondBr(condition, then, has_else ? otherwise : after);
  build_.SetInsertPoint(then);
  emit_block(at + 1, middle);
  build_.CreateBr(after);
  if (has_else) {
    build_.SetInsertPoint(otherwise);
    emit_block(middle + 1, partner_[index(middle)]);
    build_.CreateBr(after);
  }
  build_.SetInsertPoint(after);
}

// ---- values -----------------------------------------------------------------------------------

void Emitter::emit_value(ValueId at) {
  const Instruction& i = kernel_.body[index(at)];
  switch (i.code) {
    case Code::constant:
    case Code::integer_arg:
    case Code::scalar_arg:
    case Code::lane:
    case Code::thread:
    case Code::thread_count: return define(at, leaf(i));
    case Code::variable: return define(at, variable(at));
    case Code::get:
      return define(at, build_.CreateLoad(type(i.type, i.vector), values_[index(i.args[0])]));
    case Code::set: {
      const Instruction& target = source(i, 0);
      build_.CreateStore(operand(i, 1, target.vector), values_[index(i.args[0])]);
      return;
    }
    case Code::load: return define(at, load(i));
    case Code::gather: return define(at, gather(i));
    case Code::store:
    case Code::store_stream: return store(at);
    default: return define(at, arithmetic(i));
  }
}

Emitter::Value Emitter::leaf(const Instruction& i) {
  Value value = nullptr;
  const auto which = static_cast<std::size_t>(i.integer);
  switch (i.code) {
    case Code::constant: {
      llvm::Type* of = scalar_type(i.type);
      if (of->isFloatingPointTy()) {
        value = llvm::ConstantFP::get(of, i.real);
      } else if (i.type == DType::bool_) {
        value = build_.getInt1(i.integer != 0);
      } else {
        // Truncated by hand: newer LLVM refuses bits that do not fit.
        value = build_.CreateTrunc(number(i.integer), of);
      }
      break;
    }
    case Code::integer_arg: value = integers_[which]; break;
    case Code::scalar_arg: value = scalars_[which]; break;
    case Code::thread: value = number(0); break;
    case Code::thread_count: value = number(1); break;
    default: {  // lane
      std::vector<llvm::Constant*> lanes;
      for (int k = 0; k < kernel_.lanes; ++k)
        lanes.push_back(build_.getInt64(static_cast<std::uint64_t>(k)));
      return kernel_.lanes == 1 ? lanes[0] : llvm::ConstantVector::get(lanes);
    }
  }
  return i.vector ? splat(value) : value;
}

Emitter::Value Emitter::variable(ValueId at) {
  const Instruction& i = kernel_.body[index(at)];
  auto* place = local(type(i.type, i.vector));
  build_.CreateStore(operand(i, 0, i.vector), place);
  return place;
}

void Emitter::define(ValueId at, Value value) {
  values_[index(at)] = value;
  const Instruction& i = kernel_.body[index(at)];
  // Broadcast where it is made, so outside the loops that use it.
  const bool place = i.code == Code::variable;
  splats_[index(at)] = splatted_[index(at)] && !place ? splat(value) : nullptr;
}

Emitter::Value Emitter::operand(const Instruction& i, int which, bool vector) {
  const ValueId id = i.args[static_cast<std::size_t>(which)];
  Value value = values_[index(id)];
  if (!vector || kernel_.body[index(id)].vector) return value;
  Value broadcast = splats_[index(id)];
  return broadcast != nullptr ? broadcast : splat(value);
}

// ---- types ------------------------------------------------------------------------------------

llvm::Type* Emitter::scalar_type(DType dtype) {
  if (dtype == DType::bool_) return build_.getInt1Ty();
  if (dtype == DType::float32) return build_.getFloatTy();
  if (dtype == DType::float64) return build_.getDoubleTy();
  return build_.getIntNTy(static_cast<unsigned>(itemsize(dtype)) * 8);
}

llvm::Type* Emitter::widened(llvm::Type* scalar, bool vector) const {
  if (!vector || kernel_.lanes == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(kernel_.lanes));
}

llvm::Type* Emitter::type(DType dtype, bool vector) { return widened(scalar_type(dtype), vector); }

Emitter::Value Emitter::splat(Value value) {
  if (kernel_.lanes == 1) return value;
  return build_.CreateVectorSplat(static_cast<unsigned>(kernel_.lanes), value);
}

Emitter::Value Emitter::lane_of(Value vector, int lane) {
  if (kernel_.lanes == 1) return vector;
  return build_.CreateExtractElement(vector, static_cast<std::uint64_t>(lane));
}

Emitter::Value Emitter::with_lane(Value vector, Value value, int lane) {
  if (kernel_.lanes == 1) return value;
  return build_.CreateInsertElement(vector, value, static_cast<std::uint64_t>(lane));
}

/// A place on the stack. All stand in the entry block, where LLVM turns them into registers.
llvm::AllocaInst* Emitter::local(llvm::Type* of) {
  const llvm::IRBuilder<>::InsertPointGuard guard(build_);
  build_.SetInsertPoint(entry_, entry_->begin());
  return build_.CreateAlloca(of);
}

llvm::BasicBlock* Emitter::block(const char* name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

}  // namespace mw::codegen::llvm_backend
