// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// NVRTC, the run-time compiler of CUDA C++: table, status check, owner of a program.
#pragma once

#include <cstddef>
#include <utility>

#include "base/outcome.hpp"
#include "dl/symbol_table.hpp"
#include "vendor/handle.hpp"

namespace mw::nvrtc {

using Status = int;
struct ProgramObject;
using Program = ProgramObject*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kCompilation = 6;  ///< the source is wrong: the program's log says where

struct Api {
#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/nvrtc/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/nvrtc/api.def"
#undef MW_FUNCTION
  }
};

/// Cheap after the first success, and safe from many threads at once.
[[nodiscard]] Outcome<const Api*> load();
/// The same. Errors: not_found with the report of the search.
[[nodiscard]] const Api& api();
/// Puts a table of the caller's in the library's place, for tests; null brings the library back.
void replace_api(const Api* table);

/// Throws Error (compile, out_of_memory or vendor) unless the status is success. For the text of a
/// failed compilation ask nvrtcGetProgramLog before this.
void check(Status status, const char* function);

/// Calls a function of the table and checks its status.
template <class F, class... Args>
void call(const F& function, Args&&... args) {
  if (const Status status = function(std::forward<Args>(args)...); status != kSuccess) [[unlikely]]
    check(status, F::name());
}

void destroy_program(Program program) noexcept;
using ProgramOwner = vendor::Handle<Program, destroy_program, nullptr>;

}  // namespace mw::nvrtc
