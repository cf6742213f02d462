// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/deferred_log.hpp"

#include <vector>

namespace mw::dl {

namespace {

struct Pending {
  int depth = 0;
  std::vector<std::pair<LogLevel, std::string>> lines;
};
thread_local Pending pending;

}  // namespace

DeferredLog::DeferredLog() { ++pending.depth; }

DeferredLog::~DeferredLog() {
  if (--pending.depth > 0) return;
  const auto lines = std::exchange(pending.lines, {});
  for (const auto& pair : lines) {
    try {
      log(pair.first, [&] { return pair.second; });
    } catch (...) {  // a sink that throws must not end the process from a destructor
    }
  }
}

void DeferredLog::add(LogLevel level, std::string line) {
  if (pending.depth > 0)
    pending.lines.emplace_back(level, std::move(line));
  else
    log(level, [&] { return std::move(line); });
}

}  // namespace mw::dl
