// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>

#include "base/env.hpp"

namespace mw {

namespace {

LogLevel default_level() {
  const auto wanted = env(EnvVar::log);
  if (wanted == "debug") return LogLevel::debug;
  if (wanted == "info") return LogLevel::info;
  if (wanted == "off") return LogLevel::off;
  return LogLevel::warning;
}

void write_to_stderr(LogLevel level, std::string_view message) {
  static constexpr const char* kNames[] = {"debug", "info", "warning", "off"};
  std::fprintf(stderr, "mathwright %s: %.*s\n", kNames[static_cast<int>(level)],
               static_cast<int>(message.size()), message.data());
}

// Never destroyed: threads may log while the process exits.
struct Sink {
  std::mutex mutex;
  std::shared_ptr<LogSink> current;
  LogLevel lowest = default_level();
  std::multiset<LogLevel> scoped;  // what the scoped sinks alive want

  // What log() looks at before it formats anything.
  void update_gate() {
    const LogLevel lowest_scoped = scoped.empty() ? LogLevel::off : *scoped.begin();
    log_detail::lowest.store(std::min(lowest, lowest_scoped), std::memory_order_relaxed);
  }
};

Sink& sink() {
  static Sink& instance = *new Sink;
  return instance;
}

thread_local ScopedLogSink* innermost = nullptr;

}  // namespace

namespace log_detail {

std::atomic<LogLevel> lowest{default_level()};

void write(LogLevel level, std::string_view message) {
  if (innermost) {
    if (level >= innermost->lowest_) innermost->sink_(level, message);
    return;
  }
  std::shared_ptr<LogSink> target;
  {
    const std::lock_guard lock(sink().mutex);
    if (level < sink().lowest) return;
    target = sink().current;
  }
  if (target) {
    (*target)(level, message);  // may run Python: no lock is held here
  } else {
    write_to_stderr(level, message);
  }
}

}  // namespace log_detail

void set_log_sink(LogSink new_sink, LogLevel lowest) {
  const bool restores = !new_sink;
  auto holder = restores ? nullptr : std::make_shared<LogSink>(std::move(new_sink));
  {
    const std::lock_guard lock(sink().mutex);
    sink().current.swap(holder);
    sink().lowest = restores ? default_level() : lowest;
    sink().update_gate();
  }
}

ScopedLogSink::ScopedLogSink(LogSink sink_of_scope, LogLevel lowest)
    : sink_(std::move(sink_of_scope)), lowest_(lowest), outer_(innermost) {
  innermost = this;
  const std::lock_guard lock(sink().mutex);
  sink().scoped.insert(lowest_);
  sink().update_gate();
}

ScopedLogSink::~ScopedLogSink() {
  innermost = outer_;
  const std::lock_guard lock(sink().mutex);
  sink().scoped.erase(sink().scoped.find(lowest_));
  sink().update_gate();
}

}  // namespace mw
