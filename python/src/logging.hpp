// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The library's log lines become records of Python's logging.
//
// The module `logging` is not imported for this: as long as nobody else did, nobody can have asked
// for more than warnings. From then on mathwright._logging keeps the library's level in step with
// that of the logger "mathwright", so that a line nobody wants is never formatted.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "base/log.hpp"

namespace mw::py {

namespace nb = nanobind;

/// Installs mathwright._logging as soon as `logging` has been imported. Costs one look into a dict,
/// and nothing at all once it is installed.
void follow_logging();

/// While it lives, this thread's lines go to the given logging.Logger, at its level. None does
/// nothing.
class LoggerScope {
 public:
  explicit LoggerScope(nb::handle logger);

 private:
  std::optional<ScopedLogSink> sink_;
};

}  // namespace mw::py
