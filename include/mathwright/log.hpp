// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Where the library's log lines go.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <mathwright/export.hpp>

namespace mw {

/// `info` announces the phases (plan, execute); `debug` tells the internals (which library was
/// opened where, which candidate refused and why); `warning` is for what the caller probably did
/// not mean.
enum class LogLevel : std::uint8_t { debug, info, warning, off };

using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Replaces the sink and the lowest level it gets. An empty sink restores the default: stderr, from
/// the level that MATHWRIGHT_LOG names (warning if unset). Safe to call at any time; the sink may
/// be called from any thread, and never while a lock of the library is held.
MW_API void set_log_sink(LogSink sink, LogLevel lowest = LogLevel::warning);

}  // namespace mw
