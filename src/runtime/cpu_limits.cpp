// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_limits.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/env.hpp"
#include "base/text.hpp"

namespace mw {

namespace {

// CPUs in the calling thread's mask. The kernel refuses masks smaller than its own, so grow.
int affinity_count() {
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
        CPU_ALLOC(static_cast<std::size_t>(cpus)), [](cpu_set_t* set) { CPU_FREE(set); });
    if (!mask) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      return std::max(CPU_COUNT_S(bytes, mask.get()), 1);
    }
  }
  return 1;
}

std::optional<double> number(std::string_view chars) {
  double value = 0;
  const auto [stop, error] = std::from_chars(chars.data(), chars.data() + chars.size(), value);
  if (error != std::errc() || stop == chars.data()) return std::nullopt;
  return value;
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

// Version 2: one file, "<quota|max> <period>".
std::optional<double> quota_v2(const std::string& folder) {
  const auto words = split(file_text(folder + "/cpu.max"), " \n");
  return words.size() < 2 ? std::nullopt : ratio(number(words[0]), number(words[1]));
}

// Version 1: two files; a quota of -1 means none.
std::optional<double> quota_v1(const std::string& folder) {
  return ratio(number(file_text(folder + "/cpu.cfs_quota_us")),
               number(file_text(folder + "/cpu.cfs_period_us")));
}

// The tightest quota from `path` up to the mount's root: every ancestor binds. Inside a container
// the path may not be visible; then only the root is read.
template <class Read>
std::optional<double> tightest(const std::string& mount, std::string path, Read read) {
  std::optional<double> best;
  while (true) {
    const auto here = read(mount + path);
    if (here) best = std::min(best.value_or(*here), *here);
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return best;
    path.resize(slash);
  }
}

bool lists_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

std::optional<int> leading_count(const std::optional<std::string>& value) {
  if (!value) return std::nullopt;
  int count = 0;  // OMP_NUM_THREADS may be a list, one number per nesting level: the first counts
  const auto [stop, error] = std::from_chars(value->data(), value->data() + value->size(), count);
  if (error != std::errc() || count < 1) return std::nullopt;
  return count;
}

}  // namespace

std::optional<double> cgroup_cpu_quota(std::string_view membership, const std::string& root) {
  std::optional<double> best;
  for (const std::string& line : split(membership, "\n")) {  // "<id>:<controllers>:<path>"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    std::optional<double> found;
    if (controllers.empty()) {
      found = tightest(root, path, quota_v2);
      if (!found) found = tightest(root + "/unified", path, quota_v2);
    } else if (lists_cpu(controllers)) {
      found = tightest(root + "/" + controllers, path, quota_v1);
      if (!found) found = tightest(root + "/cpu", path, quota_v1);
    }
    if (found) best = std::min(best.value_or(*found), *found);
  }
  return best;
}

CpuLimits read_cpu_limits() {
  CpuLimits limits;
  limits.affinity = affinity_count();
  limits.quota = cgroup_cpu_quota(file_text("/proc/self/cgroup"), "/sys/fs/cgroup");
  const auto own = env_count(EnvVar::num_threads);
  if (own && *own > 0) {
    limits.variable = static_cast<int>(std::min<std::int64_t>(*own, 1 << 20));
    limits.variable_name = "MATHWRIGHT_NUM_THREADS";
  } else if ((limits.variable = leading_count(env(EnvVar::omp_num_threads)))) {
    limits.variable_name = "OMP_NUM_THREADS";
  }
  // A quota of 1.5 CPUs keeps two threads busy most of the time: round up.
  const double quota = std::ceil(limits.quota.value_or(std::numeric_limits<int>::max()));
  const int by_quota = static_cast<int>(std::min<double>(quota, std::numeric_limits<int>::max()));
  limits.usable =
      std::max(1, std::min({limits.affinity, by_quota,
                            limits.variable.value_or(std::numeric_limits<int>::max())}));
  return limits;
}

std::size_t last_level_cache() {
  static const std::size_t bytes = [] {
    // "32768K" in Linux's words.
    const std::string words = file_text("/sys/devices/system/cpu/cpu0/cache/index3/size");
    const auto kibibytes = static_cast<std::size_t>(std::strtoull(words.c_str(), nullptr, 10));
    return (kibibytes > 0 ? kibibytes : std::size_t{32} << 10) << 10;
  }();
  return bytes;
}

}  // namespace mw
