// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// InfoReport: what info() says, before it is made into text or JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mathwright/cache.hpp>

#include "base/disk_cache.hpp"
#include "dl/library.hpp"
#include "plan/select.hpp"
#include "runtime/capability.hpp"

namespace mw {

/// What one sample problem would be done by.
struct SampleReport {
  std::string problem;  ///< "matmul 8×8×8 float32"
  Device device;
  std::optional<Selection> selection;  ///< absent if it cannot be planned
  std::string failure;                 ///< why
};

struct InfoReport {
  CapabilityReport machine;
  std::string fft_instructions;  ///< what the native FFT is compiled for on this machine
  PlanCacheStatistics plans;
  std::int64_t host_pool_limit = 0;
  std::string host_code;  ///< what compiles generated host code, or why nothing does
  DiskCacheReport disk_cache;
  std::vector<dl::LibraryReport> libraries;
  std::vector<SampleReport> samples;
};

/// Opens every library that can be found and plans the sample problems (outside the plan cache).
[[nodiscard]] InfoReport info_report();

/// "2: the affinity mask" and the other limits: which of them decided.
[[nodiscard]] std::string threads_reason(const CpuLimits& limits);

[[nodiscard]] std::string to_text(const InfoReport& report);
[[nodiscard]] std::string to_json(const InfoReport& report);

}  // namespace mw
