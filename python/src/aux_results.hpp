// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The results beside the main one: memory before the call, a dict of arrays after it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "call.hpp"
#include "plan/session.hpp"

namespace mw::py {

/// The recipes of a problem's results beside the main one.
[[nodiscard]] inline std::vector<ResultSpec> aux_specs(const AnyProblem& problem, Device memory) {
  std::vector<ResultSpec> specs;
  for (const AuxResult& aux : problem.aux()) {
    specs.push_back(result_spec(aux.dtype, aux.shape, aux.strides, memory));
  }
  return specs;
}

class AuxResults {
 public:
  AuxResults(const Package& package, const std::vector<ResultSpec>& specs, const Queue& queue)
      : package_(package), specs_(specs), queue_(queue) {
    for (const auto& spec : specs) results_.push_back(package.empty(spec, queue));
  }

  /// What an execution takes: their addresses, then that of the main result.
  [[nodiscard]] std::span<void* const> addresses(void* main) {
    std::size_t count = 0;
    for (const auto& result : results_) addresses_[count++] = result.data;
    addresses_[count++] = main;
    return {addresses_.data(), count};
  }

  [[nodiscard]] nb::dict finish(const AnyProblem& problem) {
    nb::dict dict;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      dict[problem.aux()[i].name.c_str()] = package_.finish(results_[i], specs_[i], queue_);
    }
    return dict;
  }

 private:
  const Package& package_;
  const std::vector<ResultSpec>& specs_;
  const Queue& queue_;
  std::vector<Produced> results_;
  std::array<void*, kMostOperands> addresses_{};
};

}  // namespace mw::py
