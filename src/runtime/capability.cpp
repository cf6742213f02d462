// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/capability.hpp"

#include <array>
#include <string_view>

#include <unistd.h>

#include "base/text.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

namespace {

// The kernel's names of what numerical code on x86 and Arm looks for.
constexpr std::array<std::string_view, 17> kFeatures = {
    "sse4_2",   "avx",         "f16c",        "fma",         "avx2",     "avx512f",
    "avx512bw", "avx512_vnni", "avx512_fp16", "avx512_bf16", "amx_bf16", "amx_int8",
    "asimd",    "asimdhp",     "sve",         "sve2",        "bf16"};

// "model name : AMD EPYC" → "AMD EPYC", for the first line that starts with one of the keys.
std::string cpuinfo(std::initializer_list<std::string_view> keys) {
  for (const std::string& line : split(file_text("/proc/cpuinfo"), "\n")) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    for (const auto key : keys) {
      if (line.starts_with(key)) return line.substr(colon + 2);
    }
  }
  return {};
}

std::string known_features() {
  std::string found;
  for (const std::string& word : split(cpuinfo({"flags", "Features"}), " ")) {
    for (const auto feature : kFeatures) {
      if (word == feature) found += (found.empty() ? "" : " ") + word;
    }
  }
  return found;
}

std::size_t installed_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

std::string bytes_text(std::size_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string limits_text(const CpuLimits& limits) {
  std::string out = text(limits.usable, " (affinity ", limits.affinity);
  if (limits.quota) out += text(", quota ", *limits.quota);
  if (limits.variable) out += text(", ", limits.variable_name, ' ', *limits.variable);
  return out + ")";
}

}  // namespace

const std::string& cpu_title() {
  static const std::string& title = *new std::string(
      text(cpuinfo({"model name", "Processor", "CPU part"}), " (", known_features(), ")"));
  return title;
}

CapabilityReport capability_report() {
  CapabilityReport report;
  report.cpu_model = cpuinfo({"model name", "Processor", "CPU part"});
  report.cpu_features = known_features();
  report.cpus = read_cpu_limits();
  report.memory_bytes = installed_memory();
  report.host_pool = host_pool_statistics();
  const auto driver = cuda::load();
  if (!driver) {
    report.cuda_reason = driver.refusal().reason;
    return report;
  }
  if (driver.value()->cuDriverGetVersion(&report.cuda_version) != cuda::kSuccess) {
    report.cuda_version = 0;
  }
  try {
    for (int id = 0; id < cuda_device_count(); ++id) {
      report.cuda_devices.push_back(cuda_device_info(id));
    }
  } catch (const Error& error) {  // a report tells of failures; it does not fail
    report.cuda_reason = error.what();
  }
  return report;
}

std::string to_text(const CapabilityReport& report) {
  std::string out = text("cpu: ", report.cpu_model, "\ncpu features: ", report.cpu_features,
                         "\nthreads: ", limits_text(report.cpus),
                         "\nmemory: ", bytes_text(report.memory_bytes), '\n');
  const PoolStatistics& pool = report.host_pool;
  out += text("host pool: ", bytes_text(pool.live_bytes), " in use, ",
              bytes_text(pool.cached_bytes), " kept, ", bytes_text(pool.peak_bytes), " at most, ",
              pool.allocations, " allocations, ", pool.reuses, " of them reused\n");
  if (report.cuda_version > 0) {
    out += text("cuda driver: ", report.cuda_version / 1000, '.', report.cuda_version % 1000 / 10,
                '\n');
  }
  if (report.cuda_devices.empty()) {
    const bool known = !report.cuda_reason.empty();
    out += text("cuda devices: none", known ? ": " : "", report.cuda_reason, '\n');
  }
  for (std::size_t id = 0; id < report.cuda_devices.size(); ++id) {
    const CudaDeviceInfo& device = report.cuda_devices[id];
    out += text("cuda:", id, ": ", device.name, ", capability ", device.capability / 10, '.',
                device.capability % 10, ", ", device.multiprocessors, " multiprocessors, ",
                bytes_text(device.memory_bytes), ", ",
                bytes_text(static_cast<std::size_t>(device.bandwidth)), "/s\n");
  }
  return out;
}

}  // namespace mw
