// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Writing log lines. Nothing is formatted when its level is off:
//
//   log(LogLevel::info, [&] { return text("plan: ", name, " in ", human_seconds(t)); });
#pragma once

#include <atomic>
#include <concepts>
#include <string>

#include <mathwright/log.hpp>

namespace mw {

namespace log_detail {
/// The lowest level that any sink wants.
extern MW_API std::atomic<LogLevel> lowest;
MW_API void write(LogLevel level, std::string_view message);
}  // namespace log_detail

/// Sends this thread's lines to a sink of their own, from a level of their own, while it lives; the
/// innermost counts. Other threads may format lines for nothing meanwhile, but none reaches their
/// sink.
class MW_API ScopedLogSink {
 public:
  ScopedLogSink(LogSink sink, LogLevel lowest);
  ~ScopedLogSink();
  ScopedLogSink(const ScopedLogSink&) = delete;
  ScopedLogSink& operator=(const ScopedLogSink&) = delete;

 private:
  friend void log_detail::write(LogLevel level, std::string_view message);

  LogSink sink_;
  LogLevel lowest_;
  ScopedLogSink* outer_;
};

[[nodiscard]] inline bool log_enabled(LogLevel level) {
  return level >= log_detail::lowest.load(std::memory_order_relaxed);
}

template <std::invocable Message>
void log(LogLevel level, Message&& message) {
  if (log_enabled(level)) [[unlikely]]
    log_detail::write(level, message());
}

}  // namespace mw
