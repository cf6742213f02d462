// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/builder.hpp"

#include "base/text.hpp"
#include "codegen/ir_fold.hpp"

namespace mw::codegen {

namespace {

bool is_comparison(Code code) {
  return code == Code::eq || code == Code::ne || code == Code::lt || code == Code::le;
}
bool is_across(Code code) {
  return code == Code::any || code == Code::sum_lanes || code == Code::min_lanes ||
         code == Code::max_lanes;
}
DType arithmetic_of_memory(DType memory) {
  return scalar::narrow_format(memory) != nullptr ? DType::float32 : memory;
}

std::string key_of(const Instruction& instruction) {
  return std::string(Key::of(instruction).bytes());
}

Instruction make(Code code, DType type, bool vector = false) {
  Instruction instruction;
  instruction.code = code;
  instruction.type = type;
  instruction.vector = vector;
  return instruction;
}

}  // namespace

Builder::Builder(std::string name, const Target& target) : target_(target), known_(1) {
  kernel_.name = std::move(name);
  kernel_.lanes = target.lanes;
}

int Builder::pointer(std::string what) {
  kernel_.pointers.push_back(std::move(what));
  return static_cast<int>(kernel_.pointers.size()) - 1;
}

Value Builder::integer(std::string what) {
  kernel_.integers.push_back(std::move(what));
  Instruction in = make(Code::integer_arg, DType::int64);
  in.integer = static_cast<std::int64_t>(kernel_.integers.size()) - 1;
  return pure(in);
}

Value Builder::scalar(std::string what) {
  kernel_.scalars.push_back(std::move(what));
  Instruction in = make(Code::scalar_arg, DType::float64);
  in.integer = static_cast<std::int64_t>(kernel_.scalars.size()) - 1;
  return pure(in);
}

Value Builder::constant(DType type, double value) {
  Instruction in = make(Code::constant, type);
  if (dtype_class(type) != DTypeClass::real) {
    return constant_integer(static_cast<std::int64_t>(value), type);
  }
  in.real = type == DType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
  return pure(in);
}

Value Builder::constant_integer(std::int64_t value, DType type) {
  if (dtype_class(type) == DTypeClass::real) return constant(type, static_cast<double>(value));
  Instruction in = make(Code::constant, type);
  in.integer = wrapped(value, type);
  return pure(in);
}

Value Builder::lane() { return pure(make(Code::lane, DType::int64, true)); }
Value Builder::thread() { return pure(make(Code::thread, DType::int64)); }
Value Builder::thread_count() { return pure(make(Code::thread_count, DType::int64)); }

Value Builder::load(const Access& from, bool vector) {
  Instruction in = make(Code::load, arithmetic_of_memory(from.memory), vector);
  in.memory = from.memory;
  in.integer = from.pointer;
  in.alignment = from.alignment;
  in.args = {from.offset.id, from.stride.id, from.count.id, kNone};
  return append(in);
}

void Builder::store(const Access& to, Value value, bool stream) {
  Instruction in = make(stream ? Code::store_stream : Code::store, value.type, value.vector);
  in.memory = to.memory;
  in.integer = to.pointer;
  in.alignment = to.alignment;
  in.args = {to.offset.id, to.stride.id, to.count.id, value.id};
  append(in);
}

Value Builder::gather(int pointer, DType memory, Value offsets, Value count) {
  Instruction in = make(Code::gather, arithmetic_of_memory(memory), true);
  in.memory = memory;
  in.integer = pointer;
  in.args = {offsets.id, count.id, kNone, kNone};
  return append(in);
}

Value Builder::op(Code code, Value a, Value b, Value c) {
  const DType type = is_comparison(code) ? DType::bool_ : code == Code::select ? b.type : a.type;
  Instruction in = make(code, type, !is_across(code) && (a.vector || b.vector || c.vector));
  in.args = {a.id, b.id, c.id, kNone};
  return pure(in);
}

Value Builder::convert(Value value, DType type) {
  Instruction in = make(Code::convert, type, value.vector);
  in.args[0] = value.id;
  return value.type == type ? value : pure(in);
}

Value Builder::bitcast(Value value, DType type) {
  Instruction in = make(Code::bitcast, type, value.vector);
  in.args[0] = value.id;
  return value.type == type ? value : pure(in);
}

Value Builder::narrow(Value value, DType to) {
  Instruction in = make(Code::narrow, DType::float32, value.vector);
  in.memory = to;
  in.args[0] = value.id;
  return to == DType::float32 ? value : pure(in);
}

Value Builder::broadcast(Value value) {
  Instruction in = make(Code::convert, value.type, true);
  in.args[0] = value.id;
  return value.vector ? value : pure(in);
}

Value Builder::call(MathCall function, Value a, Value b) {
  Instruction in = make(Code::call, a.type, a.vector || b.vector);
  in.integer = static_cast<std::int64_t>(function);
  in.args = {a.id, b.id, kNone, kNone};
  return pure(in);
}

Value Builder::shuffle_down(Value value, int distance) {
  Instruction in = make(Code::shuffle_down, value.type, value.vector);
  in.integer = distance;
  in.args[0] = value.id;
  return append(in);
}

Value Builder::begin_for(Value begin, Value end, Value step) {
  Instruction in = make(Code::for_begin, DType::int64);
  in.args = {begin.id, end.id, step.id, kNone};
  known_.emplace_back();
  return append(in);
}

void Builder::end_for() {
  append(make(Code::for_end, DType::int64));
  close_block();
}

void Builder::begin_if(Value condition) {
  Instruction in = make(Code::if_begin, DType::bool_);
  in.args[0] = condition.id;
  append(in);
  known_.emplace_back();
}

void Builder::begin_else() {
  append(make(Code::else_begin, DType::bool_));
  close_block();
  known_.emplace_back();
}

void Builder::end_if() {
  append(make(Code::if_end, DType::bool_));
  close_block();
}

Value Builder::variable(Value initial, bool vector) {
  Instruction in = make(Code::variable, initial.type, vector);
  in.args[0] = initial.id;
  return append(in);
}

Value Builder::get(Value variable) {
  Instruction in = make(Code::get, variable.type, variable.vector);
  in.args[0] = variable.id;
  return append(in);
}

void Builder::set(Value variable, Value value) {
  Instruction in = make(Code::set, variable.type, variable.vector);
  in.args = {variable.id, value.id, kNone, kNone};
  append(in);
}

Kernel Builder::finish() {
  check(kernel_);
  Kernel done = std::move(kernel_);
  kernel_ = {};
  known_.assign(1, {});
  return done;
}

Value Builder::append(Instruction instruction) {
  kernel_.body.push_back(instruction);
  return value(static_cast<ValueId>(kernel_.body.size()) - 1);
}

/// Looks the instruction up in the open blocks: an equal one there has the same value.
Value Builder::pure(Instruction instruction) {
  if (const auto shorter = simplified(instruction)) return *shorter;
  std::string key = key_of(instruction);
  for (const auto& block : known_) {
    if (const auto found = block.find(key); found != block.end()) return value(found->second);
  }
  const Value made = append(instruction);
  known_.back().emplace(std::move(key), made.id);
  return made;
}

std::optional<Value> Builder::simplified(const Instruction& instruction) {
  std::array<const Instruction*, 3> args = {};
  bool constants = instruction.args[0] != kNone;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ValueId id = instruction.args[i];
    if (id == kNone) continue;
    // What refers to nothing is for check() to find.
    if (id < 0 || std::size_t(id) >= kernel_.body.size()) return std::nullopt;
    args[i] = &kernel_.body[std::size_t(id)];
    constants = constants && args[i]->code == Code::constant;
  }
  if (constants) {
    if (const auto folded = fold(instruction, args)) return pure(*folded);
  }
  const int same = unchanged_operand(instruction, args);
  if (same < 0) return std::nullopt;
  const Value operand = value(instruction.args[std::size_t(same)]);
  return instruction.vector ? broadcast(operand) : operand;
}

Value Builder::value(ValueId id) const {
  const Instruction& in = kernel_.body[std::size_t(id)];
  return {id, in.type, in.vector};
}

void Builder::close_block() {
  if (known_.size() > 1) known_.pop_back();  // an unbalanced end is for check() to find
}

}  // namespace mw::codegen
