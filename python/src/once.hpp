// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// One call of a stateless function, for every operation.
#pragma once

#include "call.hpp"
#include "plan/session.hpp"

namespace mw::py {

/// Whether a call has to go the way of a stateful object: for the caller's allocator, or because
/// somebody wants to read of its phases.
[[nodiscard]] bool needs_object(const CommonOptions& options);

/// What one call runs, and how its result is made.
struct OneCall {
  const char* operation;
  const Package& package;
  const Execution& execution;
  nb::handle stream;
  bool blocking = false;
  nb::object out;  ///< returned if the arguments say where the result goes
};

[[nodiscard]] nb::object run_once(const AnyProblem& problem, const Arguments& arguments,
                                  const OneCall& call);

/// Planning may take long: from now on it runs without the interpreter's lock, whoever asks for it.
void let_others_run_while_planning();

}  // namespace mw::py
