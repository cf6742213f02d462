// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Object files as code in this process, by ORC.
#pragma once

#include <string>

#include "codegen/llvm/api.hpp"

namespace mw::codegen::llvm_backend {

/// One object file in memory.
struct Code {
  LlvmFunction* function = nullptr;
  void* owner = nullptr;
};

/// Errors: std::runtime_error with the linker's words.
[[nodiscard]] Code load_object(const std::string& object, const std::string& function);
void free_object(void* owner);

}  // namespace mw::codegen::llvm_backend
