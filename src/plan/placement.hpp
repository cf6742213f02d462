// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Placement: the memory space of the operands and the space where the work runs. When they differ,
// every operand is copied over before an execution and the result back after it.
#pragma once

#include <mathwright/device.hpp>

#include "plan/candidate.hpp"

namespace mw {

struct Placement {
  Device memory;    ///< where the operands and the result are
  Context context;  ///< where the work runs

  [[nodiscard]] bool crosses() const { return memory != context.device; }
  auto fields() const {
    return std::tuple{field("kind", memory.kind), field("id", memory.id),
                      field("context", context)};
  }
};

/// The rule: work runs where the operands are unless `execution` says otherwise; device operands
/// keep their own device whatever device_id says; num_threads 0 means available_threads(). Errors:
/// invalid_argument (negative threads or device), not_found (no such device, with the search).
[[nodiscard]] Placement place(const char* operation, Device operands, const Execution& execution);

}  // namespace mw
