// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The report as JSON. Writing is all that is needed, so a string that knows where commas go is
// enough.
#include <cmath>
#include <cstdio>
#include <functional>
#include <ranges>

#include <mathwright/version.hpp>

#include "base/env.hpp"
#include "ops/info.hpp"

namespace mw {

namespace {

/// The text of one JSON value.
struct Json {
  std::string value = "null";

  Json() = default;
  Json(bool truth) : value(truth ? "true" : "false") {}
  Json(const char* words) : value(quoted(words)) {}
  Json(const std::string& words) : value(quoted(words)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Json(T number)
      : value(std::isfinite(static_cast<double>(number)) ? text(number) : "null") {}
  template <class T>
  Json(const std::optional<T>& maybe) : Json(maybe ? Json(*maybe) : Json()) {}

  static std::string quoted(std::string_view words) {
    std::string out = "\"";
    for (const char c : words) {
      char code[8];
      if (c == '"' || c == '\\') {
        out += {'\\', c};
      } else if (static_cast<unsigned char>(c) < 0x20) {
        std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
        out += code;
      } else {
        out += c;
      }
    }
    return out + "\"";
  }
};

struct Member {
  const char* name;
  Json json;
};

Json object(std::initializer_list<Member> members) {
  Json out;
  out.value = "{";
  for (const auto& [name, json] : members) {
    out.value += text(out.value.size() > 1 ? ", " : "", Json::quoted(name), ": ", json.value);
  }
  out.value += "}";
  return out;
}

template <class Range, class Make>
Json array(const Range& range, Make&& make) {
  Json out;
  out.value = "[";
  for (const auto& item : range) {
    out.value += (out.value.size() > 1 ? ", " : "") + Json(std::invoke(make, item)).value;
  }
  out.value += "]";
  return out;
}

Json library_json(const dl::LibraryReport& library) {
  return object({{"name", library.name},
                 {"found", library.found},
                 {"version", library.version},
                 {"path", library.path},
                 {"how", library.how},
                 {"looked", array(library.looked, [](const std::string& place) { return place; })},
                 {"hint", library.hint}});
}

Json considered_json(const Considered& entry) {
  return object({{"name", entry.name},
                 {"accepted", entry.accepted},
                 {"estimate_seconds", entry.accepted ? Json(entry.estimate) : Json()},
                 {"note", entry.note}});
}

Json sample_json(const SampleReport& sample) {
  const bool planned = sample.selection.has_value();
  return object({{"problem", sample.problem},
                 {"device", text(sample.device)},
                 {"chosen", planned ? Json(sample.selection->chosen) : Json()},
                 {"failure", planned ? Json() : Json(sample.failure)},
                 {"candidates", planned ? array(sample.selection->considered, considered_json)
                                        : array(std::vector<Considered>(), considered_json)}});
}

Json host_json(const InfoReport& report) {
  const auto& machine = report.machine;
  const auto& cpus = machine.cpus;
  return object({{"processor", machine.cpu_model},
                 {"instructions", machine.cpu_features},
                 {"fft_instructions", report.fft_instructions},
                 {"memory_bytes", machine.memory_bytes},
                 {"threads", cpus.usable},
                 {"threads_reason", threads_reason(cpus)},
                 {"affinity", cpus.affinity},
                 {"quota", cpus.quota},
                 {"variable", cpus.variable},
                 {"variable_name", cpus.variable_name}});
}

Json cuda_json(const CapabilityReport& machine) {
  return object({{"driver_version", machine.cuda_version},
                 {"reason", machine.cuda_reason},
                 {"devices", array(machine.cuda_devices, [](const CudaDeviceInfo& device) {
                    return object({{"name", device.name},
                                   {"capability", device.capability},
                                   {"multiprocessors", device.multiprocessors},
                                   {"memory_bytes", device.memory_bytes},
                                   {"bandwidth", device.bandwidth}});
                  })}});
}

Json caches_json(const InfoReport& report) {
  const auto& plans = report.plans;
  const auto& pool = report.machine.host_pool;
  return object({{"plans", plans.count},
                 {"plans_limit", plans.count_limit},
                 {"plan_bytes", plans.bytes},
                 {"plan_bytes_limit", plans.bytes_limit},
                 {"host_pool_live_bytes", pool.live_bytes},
                 {"host_pool_cached_bytes", pool.cached_bytes},
                 {"host_pool_limit", report.host_pool_limit}});
}

Json code_json(const InfoReport& report) {
  const auto& kept = report.disk_cache;
  return object({{"host", report.host_code},
                 {"disk_cache", kept.folder},
                 {"disk_cache_off", kept.reason},
                 {"disk_cache_files", kept.files},
                 {"disk_cache_bytes", kept.bytes},
                 {"disk_cache_limit", kept.limit}});
}

Json env_json(const EnvRow& row) {
  return object({{"name", row.name},
                 {"value", env(row.var)},
                 {"default", row.fallback},
                 {"meaning", row.meaning}});
}

}  // namespace

std::string to_json(const InfoReport& report) {
  return object({{"version", MW_VERSION},
                 {"host", host_json(report)},
                 {"cuda", cuda_json(report.machine)},
                 {"caches", caches_json(report)},
                 {"generated_code", code_json(report)},
                 {"libraries", array(report.libraries, library_json)},
                 {"operations", array(report.samples, sample_json)},
                 {"environment", array(env_table(), env_json)}})
      .value;
}

}  // namespace mw
