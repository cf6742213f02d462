// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The library itself: version, report, plan cache, memory pool, where wheels are.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

#include <mathwright/cache.hpp>
#include <mathwright/info.hpp>
#include <mathwright/version.hpp>

#include "dl/search.hpp"
#include "once.hpp"
#include "plan/select.hpp"
#include "runtime/memory.hpp"

namespace mw::py {

namespace {

nb::dict cache_statistics() {
  const PlanCacheStatistics now = plan_cache_statistics();
  nb::dict result;
  result["count"] = now.count;
  result["bytes"] = now.bytes;
  result["count_limit"] = now.count_limit;
  result["bytes_limit"] = now.bytes_limit;
  result["hits"] = now.hits;
  result["misses"] = now.misses;
  result["evictions"] = now.evictions;
  return result;
}

nb::list cache_entries() {
  nb::list result;
  for (const auto& entry : plan_cache_entries()) {
    nb::dict row;
    row["title"] = entry.title;
    row["candidate"] = entry.candidate;
    row["bytes"] = entry.bytes;
    row["hits"] = entry.hits;
    result.append(row);
  }
  return result;
}

nb::dict pool_statistics() {
  const PoolStatistics now = host_pool_statistics();
  nb::dict result;
  result["live_bytes"] = now.live_bytes;
  result["cached_bytes"] = now.cached_bytes;
  result["peak_bytes"] = now.peak_bytes;
  result["allocations"] = now.allocations;
  result["reuses"] = now.reuses;
  return result;
}

}  // namespace

void init_library(nb::module_& m) {
  m.attr("__version__") = MW_VERSION;
  let_others_run_while_planning();
  const auto release = nb::call_guard<nb::gil_scoped_release>();
  m.def("info", &info, release, "See mathwright.info.");
  m.def("info_json", &info_json, release,
        "The report of info() and the environment variables, as JSON.");
  m.def("plan_cache_statistics", cache_statistics,
        nb::sig("def plan_cache_statistics() -> dict[str, int]"),
        "See mathwright.plan_cache.statistics.");
  m.def("plan_cache_entries", cache_entries,
        nb::sig("def plan_cache_entries() -> list[dict[str, str | int]]"),
        "See mathwright.plan_cache.entries.");
  m.def("plan_cache_clear", &clear_plan_cache, release, "See mathwright.plan_cache.clear.");
  m.def("plan_cache_limit", &limit_plan_cache, nb::arg("count"), nb::arg("bytes"), release,
        "See mathwright.plan_cache.limit.");
  m.def("host_pool_statistics", pool_statistics,
        nb::sig("def host_pool_statistics() -> dict[str, int]"),
        "See mathwright.memory.host_pool_statistics.");
  m.def("set_wheel_roots", &dl::set_wheel_roots, nb::arg("roots"),
        "The site-packages folders where wheels with vendor libraries may be.");
  m.def("set_candidates", &set_candidates, nb::arg("names"),
        "The only implementations that may be chosen from now on; none: all of them.");
  m.def(
      "_empty_call", [] {}, "Does nothing: the floor of what a call costs.");
}

}  // namespace mw::py
