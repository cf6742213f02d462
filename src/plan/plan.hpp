// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Plan: how a problem will be solved. Immutable, so many threads and streams may execute one plan.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mathwright/device.hpp>

namespace mw {

/// A number that may change from one execution to the next without a new plan, in the widest type.
using ScalarValue = std::complex<double>;

/// Operands a problem may have, the result included: addresses are passed without allocating.
inline constexpr std::size_t kMostOperands = 16;

/// What changes from one execution to the next.
struct Call {
  void* const* operands;       ///< one address per operand of the problem, the result last
  const ScalarValue* scalars;  ///< the problem's run-time scalars, in its order
  void* workspace;             ///< workspace_bytes() bytes in the execution space, 256-byte aligned
  Stream stream;               ///< device work is queued here; host work ignores it
};

class Plan;
using PlanPtr = std::shared_ptr<const Plan>;

/// A setting of a vendor's algorithm, as that vendor numbers it.
struct AlgorithmAttribute {
  std::string name;
  std::int64_t value = 0;
};

/// What an algorithm can do, by name; nothing if this release of the library does not tell.
struct AlgorithmCapability {
  std::string name;
  std::optional<std::vector<std::int64_t>> values;
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

  /// Does now, once the plan is chosen, what its first execution would have to: compiling. Nothing
  /// if there is nothing to do. Any number of threads.
  virtual void prepare() const {}

  /// Bytes of scratch memory an execution needs in the execution space.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }

  /// Seconds an execution should take: max(bytes / bandwidth, flops / peak) over its passes, plus
  /// what each call costs. Candidates are compared by it.
  [[nodiscard]] virtual double estimate() const = 0;

  /// Which library, which algorithm: one line for people.
  [[nodiscard]] virtual std::string describe() const = 0;

  /// Bytes the plan itself keeps (tables, handles), for the plan cache's bound.
  [[nodiscard]] virtual std::size_t resident_bytes() const { return 0; }

  // What follows serves autotuning (plan/alternatives.hpp) and may be left alone.

  /// Vendor library and version the plan calls; measurements made with another say nothing.
  [[nodiscard]] virtual std::string library() const { return {}; }

  /// Other ways in which this candidate could do it and that are worth timing, most promising
  /// first, at most `limit`: a vendor's other algorithms, other tiles, fewer threads.
  [[nodiscard]] virtual std::vector<PlanPtr> variants(int limit) const;

  /// Which of the candidate's ways this is, in words that with_variant() reads, in a later process
  /// too; empty for the candidate's own choice.
  [[nodiscard]] virtual std::string variant() const { return {}; }

  /// The variant of those words; null if there is none (any more). By default one of variants().
  [[nodiscard]] virtual PlanPtr with_variant(std::string_view words) const;

  /// The settings of a vendor's algorithm; none for other plans.
  [[nodiscard]] virtual std::vector<AlgorithmAttribute> attributes() const { return {}; }
  [[nodiscard]] virtual std::vector<AlgorithmCapability> capabilities() const { return {}; }

  /// This plan with some settings changed. Errors: invalid_argument naming the setting, unsupported
  /// if the library does not run the problem with them.
  [[nodiscard]] virtual PlanPtr with_attributes(std::span<const AlgorithmAttribute> changes) const;
};

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
