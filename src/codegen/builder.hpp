// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Builder: writes a kernel instruction by instruction. Equal pure instructions of one block become
// one, constants are folded.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/ir.hpp"

namespace mw::codegen {

/// A value under construction.
struct Value {
  ValueId id = kNone;
  DType type = DType::float32;
  bool vector = false;

  explicit operator bool() const { return id != kNone; }
};

/// What a kernel is built for.
struct Target {
  int lanes = 1;        ///< of float32; a kernel has one number for all types
  int registers = 16;   ///< vector registers, for generators that tile
  bool device = false;  ///< math functions are calls; threads walk the space
};

/// Memory operands of load and store.
struct Access {
  int pointer = 0;
  DType memory = DType::float32;
  Value offset;       ///< int64, elements
  Value stride = {};  ///< between lanes; none: 1
  Value count = {};   ///< active lanes; none: all
  int alignment = 0;  ///< bytes that divide the address of lane 0; 0: those of the element
};

class Builder {
 public:
  Builder(std::string name, const Target& target);

  [[nodiscard]] const Target& target() const { return target_; }
  int pointer(std::string what);    ///< a new pointer argument
  Value integer(std::string what);  ///< a new int64 argument
  Value scalar(std::string what);   ///< a new float64 argument

  Value constant(DType type, double value);
  Value constant_integer(std::int64_t value, DType type = DType::int64);
  Value lane();
  Value thread();
  Value thread_count();

  Value load(const Access& from, bool vector);
  /// A vector value is stored lane by lane, a uniform one to one element.
  void store(const Access& to, Value value, bool stream = false);
  Value gather(int pointer, DType memory, Value offsets, Value count = {});

  /// Any arithmetic, comparison or logic of ir.def with operands of one type.
  Value op(Code code, Value a, Value b = {}, Value c = {});
  Value convert(Value value, DType type);
  Value bitcast(Value value, DType type);
  Value narrow(Value value, DType to);
  /// A uniform value on every lane (a store of it then fills all lanes, not one element).
  Value broadcast(Value value);
  Value call(MathCall function, Value a, Value b = {});
  Value shuffle_down(Value value, int distance);

  Value begin_for(Value begin, Value end, Value step);
  void end_for();
  void begin_if(Value condition);
  void begin_else();
  void end_if();

  Value variable(Value initial, bool vector);
  Value get(Value variable);
  void set(Value variable, Value value);

  // The usual signs, for generators.
  Value add(Value a, Value b) { return op(Code::add, a, b); }
  Value sub(Value a, Value b) { return op(Code::sub, a, b); }
  Value mul(Value a, Value b) { return op(Code::mul, a, b); }
  Value fma(Value a, Value b, Value c) { return op(Code::fma, a, b, c); }
  Value select(Value condition, Value a, Value b) { return op(Code::select, condition, a, b); }

  /// The kernel, checked. The builder is then empty.
  [[nodiscard]] Kernel finish();

 private:
  Value append(Instruction instruction);
  Value pure(Instruction instruction);
  [[nodiscard]] std::optional<Value> simplified(const Instruction& instruction);
  [[nodiscard]] const Instruction& at(Value value) const;
  [[nodiscard]] Value value(ValueId id) const;
  void close_block();

  Target target_;
  Kernel kernel_;
  /// Pure instructions by their key, per open block: what may be reused here.
  std::vector<std::unordered_map<std::string, ValueId>> known_;
};

}  // namespace mw::codegen
