// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// How many CPUs this process may use, and which of the limits decided it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mw {

/// Each limit on its own; `usable` is the smallest of them, at least 1.
struct CpuLimits {
  int affinity = 1;             ///< CPUs in the affinity mask
  std::optional<double> quota;  ///< CPUs of the control group's quota (may be fractional)
  std::optional<int> variable;  ///< of MATHWRIGHT_NUM_THREADS, or else OMP_NUM_THREADS
  std::string variable_name;    ///< which of the two
  int usable = 1;
};

/// Reads the limits now. Errors: invalid_argument for a malformed MATHWRIGHT_NUM_THREADS.
/// (A malformed OMP_NUM_THREADS is another library's business and ignored.)
[[nodiscard]] CpuLimits read_cpu_limits();

/// Bytes of the last-level cache that a CPU has before it; 32 MiB where nobody says. Read once.
/// (The C library's number adds up the caches of all sockets.)
[[nodiscard]] std::size_t last_level_cache();

/// The tightest CPU quota, in CPUs, of a control group and its ancestors, of version 1 or 2;
/// nothing if there is none. `membership` is the text of /proc/self/cgroup, `root` the folder
/// where control groups are mounted.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(std::string_view membership,
                                                     const std::string& root);

}  // namespace mw
