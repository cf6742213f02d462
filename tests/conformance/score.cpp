// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/score.hpp"

#include <cstdio>

#include <mathwright/cache.hpp>

#include "runtime/cuda_device.hpp"

namespace mw::conformance {

int Score::run(const std::function<void(const Case&)>& run_case) {
  limit_plan_cache(0, 0);
  for (const Case& one : line_.cases) {
    try {
      run_case(one);
    } catch (const std::exception& error) {
      fail(one, "", error.what());
    }
  }
  std::printf("%zu cases, %d failures\n", line_.cases.size(), failures_);
  for (const auto& [candidate, tally] : tallies_) {
    std::printf("  %-14s %5d passed  %3d failed  %5d refused  worst error %.2g of its bound\n",
                candidate.c_str(), tally.passed, tally.failed, tally.refused, tally.worst);
  }
  return failures_ == 0 ? 0 : 1;
}

std::optional<Device> Score::device_of(const Case& one) const {
  const Device device =
      one.flag("cuda", 1) && line_.device.is_cpu() ? Device::cuda() : line_.device;
  if (device.is_cpu() || cuda_device_count() > 0) return device;
  std::printf("skipped, there is no CUDA device: %s\n", one.line().c_str());
  return std::nullopt;
}

void Score::judge(const Case& one, const std::string& candidate, const std::string& wrong) {
  Tally& tally = tallies_[candidate];
  if (wrong.empty()) {
    ++tally.passed;
  } else {
    ++tally.failed;
    fail(one, candidate, wrong);
  }
}

void Score::fail(const Case& one, const std::string& candidate, const std::string& why) {
  ++failures_;
  std::printf("FAILED   %s: %s\n  rerun: %s\n", candidate.empty() ? "any" : candidate.c_str(),
              why.c_str(), line_.rerun(one, candidate).c_str());
}

void Score::refuse(const std::string& candidate, const Error& error) {
  ++tallies_[candidate].refused;
  if (!line_.candidates.empty()) std::printf("refused  %s\n", error.what());
}

}  // namespace mw::conformance
