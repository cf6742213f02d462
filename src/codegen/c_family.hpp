// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A kernel as text: C for people (and for tests, which compile it), CUDA C++ for NVRTC.
#pragma once

#include <string>

#include "codegen/ir.hpp"

namespace mw::codegen {

/// C11 with a function `void NAME(void *const *pointers, const int64_t *integers, const double
/// *scalars)`; needs nothing but <math.h> and <stdint.h>.
[[nodiscard]] std::string to_c(const Kernel& kernel);

/// CUDA C++ with `extern "C" __global__ void NAME(Arguments)`, where Arguments is a struct passed
/// by value that holds the pointers, then the integers, then the scalars, 8 bytes each.
/// Self-contained: no header. A vector is an array of `lanes` registers; contiguous aligned
/// accesses move up to 16 bytes at once.
[[nodiscard]] std::string to_cuda(const Kernel& kernel);

}  // namespace mw::codegen
