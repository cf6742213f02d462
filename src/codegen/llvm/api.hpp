// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The boundary between the library and libmathwright_llvm, the library of its own that contains
// LLVM. It is opened on first need (codegen/llvm_library.cpp), so that whoever generates no code
// never loads it, and exports one symbol, so that no symbol of its LLVM meets another's.
//
// Both sides come from one build, which the tag checks; they share our types and the C++ library.
// No exception crosses: a failure fills `error`.
#pragma once

#include <cstdint>
#include <string>

#include <mathwright/version.hpp>

#include "codegen/ir.hpp"

namespace mw::codegen {

/// A compiled kernel: kernel(pointers, integers, scalars).
using LlvmFunction = void(void* const*, const std::int64_t*, const double*);

/// Seconds of each part of a compilation.
struct LlvmTimes {
  double emit = 0, optimise = 0, generate = 0;
};

/// Which text of a kernel: LLVM IR as emitted, LLVM IR after the passes, assembly.
enum class LlvmText : std::uint8_t { emitted, optimised, assembly };

struct LlvmApi {
  const char* version;   ///< of LLVM: "19.1.7"
  const char* cpu;       ///< as LLVM calls this machine's processor: "znver3"
  const char* features;  ///< "+avx2,+fma,…"
  int lanes;             ///< of float32 that kernels should be built for
  int registers;         ///< vector registers

  /// Kernel to object file.
  bool (*compile)(const Kernel& kernel, std::string& object, LlvmTimes& times,
                  std::string& error) noexcept;
  /// Object file to code in memory. `code` owns it; free() gives it back.
  LlvmFunction* (*load)(const Kernel& kernel, const std::string& object, void*& code,
                        std::string& error) noexcept;
  void (*free)(void* code) noexcept;
  /// For people and tests.
  bool (*text)(const Kernel& kernel, LlvmText which, std::string& out, std::string& error) noexcept;
};

/// Equal on both sides if both were built from the same interface.
[[nodiscard]] constexpr std::uint64_t llvm_abi() {
  std::uint64_t tag = 14695981039346656037U;
  const auto add = [&tag](const char* text) {
    for (; *text != '\0'; ++text)
      tag = (tag ^ static_cast<unsigned char>(*text)) * 1099511628211U;  // FNV-1a
    tag = (tag ^ 0xFFU) * 1099511628211U;
  };
  add(MW_VERSION);
#define MW_IR(code, operands) add(#code);
#include "codegen/ir.def"
#undef MW_IR
#define MW_DTYPE(id, ...) add(#id);
#include <mathwright/dtype.def>
#undef MW_DTYPE
  constexpr std::size_t sizes[] = {sizeof(Kernel), sizeof(Instruction), sizeof(LlvmApi),
                                   static_cast<std::size_t>(MathCall::rsqrt)};
  for (const std::size_t size : sizes) tag = (tag ^ size) * 1099511628211U;
  return tag;
}

/// The one symbol. Null if the tag is another's; `error` if LLVM does not start.
using LlvmEntry = const LlvmApi*(std::uint64_t abi, std::string& error) noexcept;
inline constexpr const char* kLlvmEntry = "mathwright_llvm";

}  // namespace mw::codegen
