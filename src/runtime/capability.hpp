// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What this machine has and what of it this process may use, for people to read.
#pragma once

#include <string>
#include <vector>

#include "runtime/cpu_limits.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"

namespace mw {

struct CapabilityReport {
  std::string cpu_model;
  std::string cpu_features;  ///< instruction sets kernels may use, separated by spaces
  CpuLimits cpus;            ///< which limit decided how many threads are used
  std::size_t memory_bytes = 0;
  PoolStatistics host_pool;
  int cuda_version = 0;     ///< of the driver: 1000 · major + 10 · minor; 0 without one
  std::string cuda_reason;  ///< why there are no devices, if there are none
  std::vector<CudaDeviceInfo> cuda_devices;
};

/// Looks at the machine; starts nothing but the driver.
[[nodiscard]] CapabilityReport capability_report();

/// Model and instruction sets, read once: what a measurement on the host depends on.
[[nodiscard]] const std::string& cpu_title();

/// The report as lines of "what: value".
[[nodiscard]] std::string to_text(const CapabilityReport& report);

}  // namespace mw
