// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From the kernel IR to LLVM IR, instruction by instruction, as ir.def says.
//
// Number of active lanes: where a value that serves as a count is made, the rest of its block is
// emitted twice, once for full vectors (plain loads and stores) and once with masks, unless that
// would make too much code. So the inner loop of a kernel carries one branch, not one an access.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "codegen/ir.hpp"

namespace mw::codegen::llvm_backend {

/// What the emitted code may use of the processor.
struct EmitTarget {
  int vector_bytes = 16;          ///< of a register
  bool float16_convert = false;   ///< instructions convert float16
  std::string function_prefer{};  ///< LLVM's "prefer-vector-width", empty for its own choice
};

/// A module with one function named as the kernel.
[[nodiscard]] std::unique_ptr<llvm::Module> emit(llvm::LLVMContext& context, const Kernel& kernel,
                                                 const EmitTarget& target);

/// The state of one emission; the members are grouped by the file that defines them.
class Emitter {
 public:
  Emitter(llvm::Module& module, const Kernel& kernel, const EmitTarget& target);
  void run();

 private:
  using Value = llvm::Value*;

  // emit.cpp: function, structure, variables
  void begin_function();
  void survey();
  void emit_block(ValueId begin, ValueId end);
  void emit_versions(ValueId count, ValueId begin, ValueId end);
  ValueId emit_structure(ValueId at);
  void emit_for(ValueId at);
  void emit_if(ValueId at);
  void emit_value(ValueId at);
  Value leaf(const Instruction& i);
  Value variable(ValueId at);
  void define(ValueId at, Value value);
  [[nodiscard]] bool worth_versions(ValueId count, ValueId begin, ValueId end) const;

  /// The operand, broadcast if the instruction is a vector one.
  Value operand(const Instruction& i, int which, bool vector);
  Value operand(const Instruction& i, int which) { return operand(i, which, i.vector); }
  [[nodiscard]] const Instruction& source(const Instruction& i, int which) const {
    return kernel_.body[static_cast<std::size_t>(i.args[static_cast<std::size_t>(which)])];
  }
  [[nodiscard]] static bool has(const Instruction& i, int which) {
    return i.args[static_cast<std::size_t>(which)] != kNone;
  }
  [[nodiscard]] llvm::Type* scalar_type(DType dtype);
  [[nodiscard]] llvm::Type* type(DType dtype, bool vector);
  [[nodiscard]] llvm::Type* widened(llvm::Type* scalar, bool vector) const;
  Value splat(Value value);
  Value lane_of(Value vector, int lane);
  Value with_lane(Value vector, Value value, int lane);
  llvm::AllocaInst* local(llvm::Type* of);
  llvm::BasicBlock* block(const char* name);
  Value number(std::int64_t value) { return build_.getInt64(static_cast<std::uint64_t>(value)); }

  // emit_arithmetic.cpp
  Value arithmetic(const Instruction& i);
  Value float_arithmetic(const Instruction& i);
  Value integer_arithmetic(const Instruction& i);
  Value divide(const Instruction& i, bool remainder);
  Value shift(const Instruction& i);
  Value extremum(Code code, DType dtype, Value a, Value b);
  Value compare(const Instruction& i);
  Value convert(const Instruction& i);
  Value bits(const Instruction& i);
  Value across_lanes(const Instruction& i);
  Value call(const Instruction& i);

  // emit_narrow.cpp
  /// Numbers of a narrow float type as integers of its size, from and to float32.
  Value encode(Value number, DType narrow);
  Value decode(Value code, DType narrow);

  // emit_memory.cpp
  struct Lanes {
    Value count = nullptr;  ///< null: all
    bool masked = false;    ///< known to be fewer than all: no plain path is needed
  };
  Value load(const Instruction& i);
  void store(ValueId at);
  [[nodiscard]] bool is_pair(const Instruction& first, const Instruction& second);
  void store_pair(const Instruction& first, const Instruction& second);
  Value every_second(Value pointer, llvm::Type* stored, Value count);
  Value gather(const Instruction& i);
  Lanes lanes_of(const Instruction& i, int which);
  Value address(const Instruction& i);
  Value strided_load(const Instruction& i, llvm::Type* stored, const Lanes& lanes);
  void strided_store(const Instruction& i, Value value, const Lanes& lanes);
  Value partial_load(llvm::Type* stored, Value pointer, Value count, llvm::Align align);
  void partial_store(Value value, Value pointer, Value count, llvm::Align align);
  void full_store(const Instruction& i, Value value, Value pointer, llvm::Align align);
  Value mask(Value count, unsigned bits);
  Value only_lane(Value pointer, llvm::Type* stored, const Lanes& lanes);
  Value from_memory(Value stored, const Instruction& i);
  Value to_memory(Value value, const Instruction& i);
  [[nodiscard]] llvm::Type* memory_type(DType dtype);
  [[nodiscard]] std::optional<std::int64_t> constant_stride(const Instruction& i) const;

  llvm::Module& module_;
  const Kernel& kernel_;
  const EmitTarget& target_;
  llvm::IRBuilder<> build_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<Value> pointers_, integers_, scalars_;
  std::vector<Value> values_, splats_;
  std::vector<ValueId> partner_;      // begin of a block: its else or end
  std::vector<bool> splatted_;        // a vector instruction uses this uniform value
  std::vector<bool> counts_;          // serves as a count of active lanes
  std::set<ValueId> full_, partial_;  // counts known to be all lanes, or fewer
  bool streams_ = false;
  ValueId stored_ = kNone;  // written together with the store before it
};

}  // namespace mw::codegen::llvm_backend
