// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Instructions of a kernel of one lane as CUDA C++ statements, for code that is spliced into a
// kernel of our own: pointers, integers and scalars are expressions of the surroundings.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "codegen/ir.hpp"

namespace mw::codegen {

/// What stands for the kernel's arguments. A load or store moves the one element that the pointer's
/// expression names, a variable of the surroundings; offsets do not count.
struct Surroundings {
  std::vector<std::string> pointers, integers, scalars;
};

/// One statement a line. Refusal: vectors, threads, dtypes without text.
[[nodiscard]] Outcome<std::string> device_statements(const Kernel& kernel,
                                                     const Surroundings& surroundings);

/// The functions that the statements call.
[[nodiscard]] const char* device_helpers();

}  // namespace mw::codegen
