// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The library that contains LLVM, opened on first need, and what is asked of it.
#pragma once

#include <string>

#include "base/outcome.hpp"
#include "codegen/host.hpp"
#include "codegen/llvm/api.hpp"

namespace mw::codegen {

/// Opened once per process. A refusal says where it was looked for and how to get it.
[[nodiscard]] Outcome<const LlvmApi*> llvm_library();

/// What kernels should be built for here.
[[nodiscard]] Outcome<Target> llvm_target();

/// A checked kernel that is compiled, or loaded from the disk cache, when it is first run or
/// prepared. Any number of threads; also in a child made by fork. Refusal: LLVM is absent. Errors,
/// then: compile, with LLVM's words.
[[nodiscard]] Outcome<HostKernelPtr> compile_with_llvm(const Kernel& kernel);

/// The kernel as LLVM sees it.
[[nodiscard]] Outcome<std::string> llvm_text(const Kernel& kernel, LlvmText which);

/// "19.1.7 for znver3, PATH".
[[nodiscard]] Outcome<std::string> llvm_description();

}  // namespace mw::codegen
