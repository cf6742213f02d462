// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Plan: how a problem will be solved. Immutable, so many threads and streams may execute one plan.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>

#include <mathwright/device.hpp>

namespace mw {

/// A number that may change from one execution to the next without a new plan, in the widest type.
using Scalar = std::complex<double>;

/// Operands a problem may have, the result included: addresses are passed without allocating.
inline constexpr std::size_t kMostOperands = 16;

/// What changes from one execution to the next.
struct Call {
  void* const* operands;  ///< one address per operand of the problem, the result last
  const Scalar* scalars;  ///< the problem's run-time scalars, in its order
  void* workspace;        ///< workspace_bytes() bytes in the execution space, 256-byte aligned
  Stream stream;          ///< device work is queued here; host work ignores it
};

class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan();

  /// Does the work, or queues it on the stream. Layouts are those of the problem it was made for.
  /// Allocates nothing and takes no lock on a warmed-up host path.
  virtual void execute(const Call& call) const = 0;

  /// Bytes of scratch memory an execution needs in the execution space.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }

  /// Seconds an execution should take: max(bytes / bandwidth, flops / peak) over its passes, plus
  /// what each call costs. Candidates are compared by it.
  [[nodiscard]] virtual double estimate() const = 0;

  /// Which library, which algorithm: one line for people.
  [[nodiscard]] virtual std::string describe() const = 0;

  /// Bytes the plan itself keeps (tables, handles), for the plan cache's bound.
  [[nodiscard]] virtual std::size_t resident_bytes() const { return 0; }
};

using PlanPtr = std::shared_ptr<const Plan>;

/// The least any implementation must do, for the roofline floor.
struct Work {
  double flops = 0;
  double bytes = 0;  ///< each operand moved once
};

/// The workspace ledger: parts are booked by size while planning and found again by offset while
/// executing, all from one block.
class Ledger {
 public:
  /// Reserves bytes and returns their offset, a multiple of 256.
  std::size_t book(std::size_t bytes) {
    const std::size_t offset = total_;
    total_ += (bytes + 255) / 256 * 256;
    return offset;
  }
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] static void* grant(void* workspace, std::size_t offset) {
    return static_cast<char*>(workspace) + offset;
  }

 private:
  std::size_t total_ = 0;
};

}  // namespace mw
