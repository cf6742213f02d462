// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The user's own memory manager (BaseCUDAMemoryManager or its stream-ordered kin) as a
// MemoryResource.
#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "runtime/memory.hpp"

namespace mw::py {

namespace nb = nanobind;

/// Errors: TypeError if the object has neither memalloc nor memalloc_async.
[[nodiscard]] std::unique_ptr<MemoryResource> adapt_allocator(nb::handle allocator, Device device,
                                                              const char* operation);

/// Raises the TypeError of adapt_allocator() without making anything; None passes.
void check_allocator(nb::handle allocator, const char* operation);

}  // namespace mw::py
