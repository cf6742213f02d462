// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Log lines of code that works under locks. A sink may be Python's logging, which takes the
// interpreter's lock; were it called under one of ours, two threads could wait for each other. So
// lines are kept until the outermost scope of the thread ends:
//
//   const DeferredLog logs;                  // before the lock, so that it ends after it
//   const std::lock_guard lock(mutex);
//   defer_log(LogLevel::debug, [&] { return text("…"); });
#pragma once

#include <string>
#include <utility>

#include "base/log.hpp"

namespace mw::dl {

class DeferredLog {
 public:
  DeferredLog();
  ~DeferredLog();
  DeferredLog(const DeferredLog&) = delete;
  DeferredLog& operator=(const DeferredLog&) = delete;

  static void add(LogLevel level, std::string line);
};

/// Like log(), from inside a DeferredLog scope (outside one it writes at once).
template <class Message>
void defer_log(LogLevel level, Message&& message) {
  if (log_enabled(level)) DeferredLog::add(level, message());
}

}  // namespace mw::dl
