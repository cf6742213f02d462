// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA driver: table, status check, owners.
#pragma once

#include <utility>

#include "base/outcome.hpp"
#include "dl/symbol_table.hpp"
#include "vendor/cuda/types.hpp"
#include "vendor/handle.hpp"

namespace mw::cuda {

struct Api {
#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/cuda/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/cuda/api.def"
#undef MW_FUNCTION
  }
};

/// The driver, opened and initialised on first use. Refuses where there is no driver, or no device
/// it can use. Cheap afterwards, and safe from many threads at once.
[[nodiscard]] Outcome<const Api*> load();
/// The same. Errors: not_found with the report of the search.
[[nodiscard]] const Api& api();
/// Puts a table of the caller's in the driver's place, for tests; null brings the driver back.
void replace_api(const Api* table);

/// Throws Error (vendor, out_of_memory or not_found) unless the status is success.
void check(Status status, const char* function);

/// Calls a function of the table and checks its status: call(api().cuStreamSynchronize, stream).
template <class F, class... Args>
void call(const F& function, Args&&... args) {
  if (const Status status = function(std::forward<Args>(args)...); status != kSuccess) [[unlikely]]
    check(status, F::name());
}

/// For destructors: a failure becomes a warning, and none at all while the process ends.
void check_quietly(Status status, const char* function) noexcept;

[[nodiscard]] inline DevicePtr device_ptr(const void* memory) {
  return reinterpret_cast<DevicePtr>(memory);
}

void destroy_stream(void* stream) noexcept;
void destroy_event(void* event) noexcept;
void unload_module(Module module) noexcept;
void destroy_graph(Graph graph) noexcept;
void destroy_graph_exec(GraphExec exec) noexcept;

using StreamOwner = vendor::Handle<void*, destroy_stream, nullptr>;
using EventOwner = vendor::Handle<void*, destroy_event, nullptr>;
using ModuleOwner = vendor::Handle<Module, unload_module, nullptr>;
using GraphOwner = vendor::Handle<Graph, destroy_graph, nullptr>;
using GraphExecOwner = vendor::Handle<GraphExec, destroy_graph_exec, nullptr>;

}  // namespace mw::cuda
