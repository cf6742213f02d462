// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// cuFFT: table, types, status check, owner of a plan.
//
// A plan keeps its stream and work area, so one plan must not run on two streams at a time.
#pragma once

#include <cstddef>
#include <utility>

#include "base/outcome.hpp"
#include "dl/symbol_table.hpp"
#include "vendor/handle.hpp"

namespace mw::cufft {

using Status = int;
using Plan = int;
inline constexpr Status kSuccess = 0;
inline constexpr Plan kNoPlan = -1;  ///< handles count up from 0

inline constexpr int kForward = -1;
inline constexpr int kInverse = 1;

/// cudaDataType_t, the six that a transform takes and the two bfloat16.
enum class DataType : int {
  r_32f = 0,
  r_64f = 1,
  r_16f = 2,
  c_32f = 4,
  c_64f = 5,
  c_16f = 6,
  r_16bf = 14,
  c_16bf = 15,
};

enum class WorkAreaPolicy : int { minimal = 0, user = 1, performance = 2 };

enum class CallbackType : int {
  load_complex = 0,
  load_complex_double = 1,
  load_real = 2,
  load_real_double = 3,
  store_complex = 4,
  store_complex_double = 5,
  store_real = 6,
  store_real_double = 7,
};

enum class Property : int { patient_jit = 1, max_num_host_threads = 2 };

struct Api {
#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/cufft/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/cufft/api.def"
#undef MW_FUNCTION
  }
};

/// Cheap after the first success, and safe from many threads at once.
[[nodiscard]] Outcome<const Api*> load();
/// The same. Errors: not_found with the report of the search.
[[nodiscard]] const Api& api();
/// Puts a table of the caller's in the library's place, for tests; null brings the library back.
void replace_api(const Api* table);

/// Throws Error (vendor, out_of_memory, unsupported or invalid_argument) unless the status is
/// success.
void check(Status status, const char* function);

/// Calls a function of the table and checks its status.
template <class F, class... Args>
void call(const F& function, Args&&... args) {
  if (const Status status = function(std::forward<Args>(args)...); status != kSuccess) [[unlikely]]
    check(status, F::name());
}

void destroy_plan(Plan plan) noexcept;
using PlanOwner = vendor::Handle<Plan, destroy_plan, kNoPlan>;

}  // namespace mw::cufft
