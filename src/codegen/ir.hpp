// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The kernel IR: one typed, structured list of instructions with four back ends (LLVM, CUDA C++, C,
// the blocked interpreter).
//
// A value is uniform (one number) or a vector (one number per lane). A kernel is built for a number
// of lanes: a SIMD register or two for LLVM, a few elements for a CUDA thread, 1 for C text that
// people read, some hundreds for the interpreter, whose per-instruction cost is thereby shared. A
// uniform operand of a vector instruction is broadcast.
//
// A kernel is called as  kernel(pointers, integers, scalars).  On a device these arrays are kernel
// parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mathwright/dtype.hpp>

#include "base/fields.hpp"

namespace mw::codegen {

enum class Code : std::uint8_t {
#define MW_IR(code, ...) code,
#include "codegen/ir.def"
#undef MW_IR
};

/// "add", "for_begin", …: the name of ir.def.
[[nodiscard]] std::string_view name(Code code);
/// Operands of the row of ir.def.
[[nodiscard]] int operands(Code code);
/// Whether equal instructions of this code always give equal values.
[[nodiscard]] bool is_pure(Code code);
[[nodiscard]] bool makes_value(Code code);
/// load, store, store_stream, gather.
[[nodiscard]] bool touches_memory(Code code);

/// The C library's functions that `call` knows; those on float32 are called in that type.
enum class MathCall : std::uint8_t {
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tanh,
  erf,
  pow,
  rsqrt,
};

/// "exp", "rsqrt", …: as <math.h> calls them (rsqrt: as CUDA does).
[[nodiscard]] std::string_view name(MathCall call);

/// The place of the instruction that makes the value.
using ValueId = std::int32_t;
inline constexpr ValueId kNone = -1;

struct Instruction {
  Code code = Code::constant;
  DType type = DType::float32;  ///< bool_, int8 … uint64, float32, float64
  bool vector = false;
  DType memory = DType::float32;
  /// load, store: bytes that divide the address of lane 0; 0: those of the element.
  std::int32_t alignment = 0;
  std::array<ValueId, 4> args = {kNone, kNone, kNone, kNone};
  std::int64_t integer = 0;
  double real = 0;

  auto fields() const {
    return std::tuple{field("code", code),           field("type", type),
                      field("vector", vector),       field("memory", memory),
                      field("alignment", alignment), field("args", args),
                      field("integer", integer),     field("real", real)};
  }
};

struct Kernel {
  std::string name;  ///< a C identifier
  int lanes = 1;
  std::vector<Instruction> body;
  /// What each pointer, integer and scalar is, for people; their number is the number of arguments.
  std::vector<std::string> pointers, integers, scalars;

  auto fields() const {
    return std::tuple{field("name", name),         field("lanes", lanes),
                      field("body", body),         field("pointers", pointers),
                      field("integers", integers), field("scalars", scalars)};
  }
};

/// Errors: invalid_argument naming the instruction: operand missing, of the wrong type, not yet
/// defined or out of its block, unbalanced structure. Every back end may rely on a checked kernel.
void check(const Kernel& kernel);

/// One line per instruction, for people and failing tests.
[[nodiscard]] std::string to_text(const Kernel& kernel);
[[nodiscard]] std::string to_text(const Instruction& instruction, std::size_t id);

}  // namespace mw::codegen
