// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The functions that compiled kernels may call: those of `call`, under names of our own, so that
// LLVM, which knows the C library's, does not replace one by another; and those that code
// generation itself calls, under theirs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "codegen/ir.hpp"

namespace mw::codegen::llvm_backend {

struct Symbol {
  const char* name;
  void* address;
};

/// All of them; constant for the life of the process.
[[nodiscard]] std::span<const Symbol> symbols();

/// The name of a function of `call`.
[[nodiscard]] std::string math_symbol(MathCall call, bool single);

}  // namespace mw::codegen::llvm_backend
