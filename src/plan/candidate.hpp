// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Candidate: one named implementation of an operation. It answers a problem with a plan, with a
// refusal and its reason, or with "yes, if these operands were laid out so".
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/outcome.hpp"
#include "plan/operand.hpp"
#include "plan/plan.hpp"

namespace mw {

/// Where and with what a plan will run.
struct Context {
  Device device;    ///< the execution space
  int threads = 1;  ///< host threads an execution may use

  auto fields() const {
    return std::tuple{field("kind", device.kind), field("id", device.id),
                      field("threads", threads)};
  }
};

/// "I would take this problem if these operands were copied into these layouts first" (or, for the
/// result, copied out of them afterwards). The copies are made, counted and shown by the layer
/// above.
struct Relayout {
  struct Entry {
    std::size_t operand;
    OperandLayout layout;
  };
  std::string reason;
  std::vector<Entry> entries;
};

using Answer = std::variant<PlanPtr, Refusal, Relayout>;

template <class Problem>
struct Candidate {
  const char* name;
  Answer (*try_plan)(const Problem& problem, const Context& context);
};

/// A refusal's short form inside a candidate.
template <class... Pieces>
[[nodiscard]] Refusal refuse(const Pieces&... pieces) {
  return {"", text(pieces...)};
}

}  // namespace mw
