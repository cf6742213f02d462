// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A look at the plan cache behind every call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <mathwright/export.hpp>

namespace mw {

struct PlanCacheEntry {
  std::string title;      ///< operation and formula
  std::string candidate;  ///< the implementation chosen
  std::size_t bytes = 0;  ///< kept by the plan
  std::size_t hits = 0;
};

struct PlanCacheStatistics {
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::size_t count_limit = 0;  ///< MATHWRIGHT_PLAN_CACHE_COUNT
  std::size_t bytes_limit = 0;  ///< MATHWRIGHT_PLAN_CACHE_BYTES
  std::size_t hits = 0;
  std::size_t misses = 0;
  std::size_t evictions = 0;
};

[[nodiscard]] MW_API PlanCacheStatistics plan_cache_statistics();
/// Most recently used first.
[[nodiscard]] MW_API std::vector<PlanCacheEntry> plan_cache_entries();
/// Forgets every plan, and returns the cached blocks of the host memory pools to the system.
MW_API void clear_plan_cache();
/// Changes the bounds now; entries beyond them go. Zero plans turns the cache off.
MW_API void limit_plan_cache(std::size_t count, std::size_t bytes);

}  // namespace mw
