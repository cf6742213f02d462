// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// LLVM's idea of this processor, and the passes that make machine code for it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/llvm/emit.hpp"

namespace mw::codegen::llvm_backend {

// LLVM's failures as exceptions, which stay inside the library.

/// The value. Errors: std::runtime_error with LLVM's words.
template <class T>
[[nodiscard]] T must(llvm::Expected<T> value) {
  if (!value) throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

inline void must(llvm::Error error) {
  if (error) throw std::runtime_error(llvm::toString(std::move(error)));
}

struct Machine {
  std::string cpu, features;
  int lanes = 4;  ///< of float32: see docs/code-generation.md for how it was chosen
  int registers = 16;
  EmitTarget emit;
};

/// This processor, looked at once. Errors: std::runtime_error if LLVM does not know it.
[[nodiscard]] const Machine& machine();

[[nodiscard]] std::unique_ptr<llvm::TargetMachine> make_target_machine();

/// The passes that pay: variables to registers, common expressions, invariant code out of loops.
void optimise(llvm::Module& module, llvm::TargetMachine& target);

/// Object file, or assembly.
[[nodiscard]] std::string generate(llvm::Module& module, llvm::TargetMachine& target,
                                   bool assembly);

}  // namespace mw::codegen::llvm_backend
