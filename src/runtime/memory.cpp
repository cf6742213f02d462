// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.hpp"

#include "runtime/pools.hpp"

namespace mw {

MemoryResource::~MemoryResource() = default;  // the vtable's home

MemoryResource& memory_of(Device device) {
  return device.is_cpu() ? host_memory() : device_memory(device.id);
}

void clear_pools() {
  clear_host_pool();
  clear_pinned_pool();
}

}  // namespace mw
