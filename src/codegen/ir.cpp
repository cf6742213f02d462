// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/ir.hpp"

#include "base/text.hpp"
#include "codegen/ir_scalar.hpp"

namespace mw::codegen {

namespace {

struct Row {
  std::string_view name;
  int operands;
};

constexpr Row kRows[] = {
#define MW_IR(code, operands) {#code, operands},
#include "codegen/ir.def"
#undef MW_IR
};

constexpr std::string_view kMathNames[] = {"exp", "expm1", "log", "log1p", "sin",
                                           "cos", "tanh",  "erf", "pow",   "rsqrt"};

/// The operands of an instruction in words: "%3, %4", without those that are none at the end.
std::string operand_text(const Instruction& instruction) {
  std::string out;
  int last = operands(instruction.code);
  while (last > 0 && instruction.args[std::size_t(last - 1)] == kNone) --last;
  for (int i = 0; i < last; ++i) {
    const ValueId id = instruction.args[std::size_t(i)];
    out += i > 0 ? ", " : " ";
    out += id == kNone ? std::string("-") : text("%", id);
  }
  return out;
}

/// What an instruction has besides operands: a constant's value, a pointer, a dtype of memory.
std::string detail_text(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::constant:
      return dtype_class(instruction.type) == DTypeClass::real ? text(" ", instruction.real)
                                                               : text(" ", instruction.integer);
    case Code::integer_arg:
    case Code::scalar_arg: return text(" #", instruction.integer);
    case Code::narrow: return text(" ", name(instruction.memory));
    case Code::call: return text(" ", name(static_cast<MathCall>(instruction.integer)));
    default: break;
  }
  if (!touches_memory(instruction.code)) return "";
  return text(" pointer ", instruction.integer, " ", name(instruction.memory),
              instruction.alignment > 0 ? text(" aligned ", instruction.alignment) : std::string());
}

}  // namespace

std::string_view name(Code code) { return kRows[static_cast<std::size_t>(code)].name; }
int operands(Code code) { return kRows[static_cast<std::size_t>(code)].operands; }
std::string_view name(MathCall call) { return kMathNames[static_cast<std::size_t>(call)]; }

bool makes_value(Code code) {
  switch (code) {
    case Code::for_end:
    case Code::if_begin:
    case Code::else_begin:
    case Code::if_end:
    case Code::set:
    case Code::store:
    case Code::store_stream: return false;
    default: return true;
  }
}

bool touches_memory(Code code) {
  return code == Code::load || code == Code::store || code == Code::store_stream ||
         code == Code::gather;
}

bool is_pure(Code code) {
  switch (code) {
    case Code::for_begin:
    case Code::variable:
    case Code::get:
    case Code::load:
    case Code::gather: return false;
    default: return makes_value(code);
  }
}

std::string to_text(const Instruction& instruction, std::size_t id) {
  std::string out = text("%", id, " = ", name(instruction.code));
  if (makes_value(instruction.code)) {
    out += text(instruction.vector ? " vector " : " ", name(instruction.type));
  } else if (instruction.vector) {
    out += " vector";
  }
  return out + detail_text(instruction) + operand_text(instruction);
}

std::string to_text(const Kernel& kernel) {
  std::string out = text("kernel ", kernel.name, ", ", kernel.lanes, " lanes\n");
  const auto list = [&](std::string_view what, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      out += text("  ", what, " ", i, ": ", names[i], "\n");
  };
  list("pointer", kernel.pointers);
  list("integer", kernel.integers);
  list("scalar", kernel.scalars);
  std::size_t depth = 1;
  for (std::size_t id = 0; id < kernel.body.size(); ++id) {
    const Code code = kernel.body[id].code;
    if (code == Code::for_end || code == Code::if_end || code == Code::else_begin) --depth;
    out += std::string(2 * depth, ' ') + to_text(kernel.body[id], id) + "\n";
    if (code == Code::for_begin || code == Code::if_begin || code == Code::else_begin) ++depth;
  }
  return out;
}

void scalar::no_such_type(DType type) {
  fail(ErrorKind::invalid_argument, "codegen: ", name(type), " is no type for this");
}

}  // namespace mw::codegen
