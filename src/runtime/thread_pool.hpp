// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Host threads: how many this process may use, and a parallel loop over them.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"

namespace mw {

/// CPUs this process may use: the affinity mask, cut by the cgroup's CPU quota, cut by
/// MATHWRIGHT_NUM_THREADS or else OMP_NUM_THREADS. At least 1. Read once.
[[nodiscard]] int available_threads();

/// Calls body(begin, end, worker) on disjoint ranges that cover [0, count), from at most `threads`
/// threads at once (the caller is one of them); `worker` is in [0, threads) and no two running
/// calls have the same. Ranges hold at least `grain` items where possible and are handed out
/// dynamically. One thread, or count ≤ grain: one plain call. The first exception a body throws is
/// rethrown here after all have returned. Cost of waking and joining: about 5 µs.
///
/// There is one pool a process, and one call uses it at a time. A call that comes while the pool is
/// busy, from another thread or from inside a body, does not wait for it: it runs at once, on the
/// calling thread alone, as one body(0, count, 0).
void parallel_for(std::int64_t count, std::int64_t grain, int threads,
                  FunctionRef<void(std::int64_t begin, std::int64_t end, int worker)> body);

}  // namespace mw
