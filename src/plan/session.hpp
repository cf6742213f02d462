// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Session: THE lifecycle, for every operation.
//
//   described ──plan()──► planned ──execute()──► …        release_operands(), reset(), free() at
//   any time
//
// A session owns a problem, the addresses of its operands, a plan (shared with others through the
// plan cache) and workspace. It knows no operation and no vendor. One thread at a time may use a
// session; the plan inside it may be executing in many.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/cache.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"

namespace mw {

/// An operation's operands as the user gave them, beside the problem made of them.
struct Arguments {
  std::vector<TensorRef> inputs;  ///< as many as the problem has inputs, in its order
  std::optional<TensorRef> out;   ///< where the result goes; none: memory given at each execution
  std::vector<Scalar> scalars;    ///< run-time scalars, in the problem's order
  /// Input that the result may be the same view as (in place); none for operations without one.
  std::optional<std::size_t> in_place;
};

/// Checks that `out` may take the result: writable, one element per index, and overlapping no input
/// except as the same view as the in-place one. Errors: invalid_argument naming the operand.
void check_out(const AnyProblem& problem, const Arguments& arguments);

/// Where a result goes: a view of `out` that owns nothing, or new memory in the problem's layout,
/// on the operands' device and in the order of `stream`.
[[nodiscard]] Tensor result_memory(const AnyProblem& problem, const Arguments& arguments,
                                   Stream stream);

/// Plans (through the cache) and executes once. `result` is used when there is no `out`.
void execute_once(const AnyProblem& problem, const Arguments& arguments, const Execution& execution,
                  void* result, Stream stream);

class Session {
 public:
  struct Options {
    Execution execution;
    /// Where workspace comes from; null: the runtime's pool of the execution space. The resource
    /// must outlive the session.
    MemoryResource* workspace = nullptr;
  };

  Session(std::unique_ptr<AnyProblem> problem, Arguments arguments, Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Chooses a plan. A second call chooses again only if something changed.
  void plan(Stream stream);
  /// Runs the plan. `result` is the address for the result where the arguments had no `out`.
  /// Returns when the work is queued (device) or done (host operands or host execution).
  /// Errors: invalid_state if freed, released or not planned.
  void execute(void* result, Stream stream, bool release_workspace = false);

  /// Replaces an operand (or `out`: index inputs().size()) by another of the same shape, strides,
  /// dtype and device; a lesser alignment makes a new plan. Errors: invalid_argument,
  /// invalid_state; the session is then as it was.
  void reset(std::size_t operand, const TensorRef& view);
  /// The same for several at once: all or none.
  void reset(const std::vector<std::pair<std::size_t, TensorRef>>& operands);
  /// The same on the caller's word: only the address is looked at.
  void reset_unchecked(std::size_t operand, void* data);
  void set_scalar(std::size_t index, Scalar value) { arguments_.scalars[index] = value; }
  [[nodiscard]] Scalar scalar(std::size_t index) const { return arguments_.scalars[index]; }

  /// Drops the operands' addresses; all must be reset before the next execution. Keeps the plan.
  void release_operands();
  /// Drops everything. Any number of times.
  void free();
  void release_workspace();

  [[nodiscard]] bool planned() const { return selection_ != nullptr; }
  [[nodiscard]] bool released() const { return missing_ != 0; }
  [[nodiscard]] bool freed() const { return freed_; }
  [[nodiscard]] bool has_out() const { return arguments_.out.has_value(); }
  [[nodiscard]] const AnyProblem& problem() const { return *problem_; }
  [[nodiscard]] const Arguments& arguments() const { return arguments_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  /// Errors (all three): invalid_state if not planned.
  [[nodiscard]] const Selection& selection() const;
  [[nodiscard]] std::size_t workspace_bytes() const;
  [[nodiscard]] double estimate() const { return selection().plan->estimate(); }
  /// What was planned and why, for people.
  [[nodiscard]] std::string explain() const;
  /// Errors: invalid_state if freed.
  void check_alive() const;

 private:
  void check_reset(std::size_t operand, const TensorRef& view) const;
  void check_executable() const;
  void take_workspace(Stream stream);
  void mark_workspace_used(Stream stream);
  void order_after_last_use(Stream stream);
  [[nodiscard]] std::size_t out_index() const { return arguments_.inputs.size(); }
  [[nodiscard]] const char* name_of(std::size_t operand) const;

  std::unique_ptr<AnyProblem> problem_;
  Arguments arguments_;
  Options options_;
  Placement placement_;
  std::vector<void*> addresses_;  ///< one per operand, the result last
  std::uint64_t missing_ = 0;     ///< bit i: operand i was released and not reset
  bool freed_ = false;
  std::shared_ptr<const Selection> selection_;
  Buffer workspace_;
  Stream workspace_stream_;  ///< of the last execution; for comparing only, it may be gone
  CudaEvent last_use_;       ///< of the workspace on a device
};

/// The explanation of a selection: problem, placement, candidates, copies, workspace, floor.
[[nodiscard]] std::string explain(const AnyProblem& problem, const Selection& selection);

}  // namespace mw
