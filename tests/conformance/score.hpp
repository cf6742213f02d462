// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The part of a driver that knows no operation: which candidates take part in a case and where it
// runs, what became of each, and the lines that say so.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <mathwright/error.hpp>

#include "conformance/case_file.hpp"
#include "plan/select.hpp"

namespace mw::conformance {

class Score {
 public:
  explicit Score(CommandLine line) : line_(std::move(line)) {}

  /// All cases; an exception fails its case. The exit status: 0 if nothing failed. No plan is
  /// cached meanwhile: every case is planned, none twice.
  int run(const std::function<void(const Case&)>& run_case);

  /// Where the case runs; nothing, and a line that says why, if there is no such device.
  [[nodiscard]] std::optional<Device> device_of(const Case& one) const;

  /// Calls run(name) with every candidate of the operation that takes part, which then is the only
  /// one allowed. `run` says whether it accepted; somebody must.
  template <class Problem, class Run>
  void each_candidate(const Case& one, const Run& run) {
    bool accepted = false;
    for (const auto& candidate : Problem::candidates()) {
      const std::string name = candidate.name;
      const auto& wanted = line_.candidates;
      if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) continue;
      set_candidates({name});
      try {
        accepted |= run(name);
      } catch (const Error& error) {
        fail(one, name, error.what());
      }
    }
    if (!accepted) fail(one, "", "no candidate accepts it");
  }

  /// Whether the candidate accepts, which `work` shows by not throwing; a refusal is counted.
  template <class Work>
  [[nodiscard]] bool accepts(const std::string& candidate, const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      refuse(candidate, error);
      return false;
    }
  }

  /// Counts a result, right if nothing is wrong with it.
  void judge(const Case& one, const std::string& candidate, const std::string& wrong);
  /// A failure of a candidate, or, without a name, of the case itself.
  void fail(const Case& one, const std::string& candidate, const std::string& why);

  /// Largest error of the candidate so far, in units of its bound.
  [[nodiscard]] double& worst(const std::string& candidate) { return tallies_[candidate].worst; }
  [[nodiscard]] const CommandLine& line() const { return line_; }

 private:
  struct Tally {
    int passed = 0;
    int failed = 0;
    int refused = 0;
    double worst = 0;
  };

  void refuse(const std::string& candidate, const Error& error);

  CommandLine line_;
  int failures_ = 0;
  std::map<std::string, Tally> tallies_;
};

}  // namespace mw::conformance
