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

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mathwright/tuning.hpp>

#include "plan/alternatives.hpp"
#include "plan/cache.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"

namespace mw {

struct Tournament;  // plan/autotune.hpp

/// An operation's operands as the user gave them, beside the problem made of them.
struct Arguments {
  std::vector<TensorRef> inputs;  ///< as many as the problem has inputs, in its order
  std::optional<TensorRef> out;   ///< where the result goes; none: memory given at each execution
  std::vector<ScalarValue> scalars;  ///< run-time scalars, in the problem's order
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

/// Memory for the results beside the main one, in the problem's order.
[[nodiscard]] std::vector<Tensor> aux_memory(const AnyProblem& problem, const Arguments& arguments,
                                             Stream stream);

/// Memory for all results, and their addresses as an execution takes them.
struct Results {
  Results(const AnyProblem& problem, const Arguments& arguments, Stream stream);
  /// By name; the main one is "result".
  [[nodiscard]] std::map<std::string, Tensor> named(const AnyProblem& problem) const;

  Tensor main;
  std::vector<Tensor> aux;
  std::vector<void*> addresses;
};

/// Plans (through the cache) and executes once. `results`: an address for each result beside the
/// main one, then one for the main result, which is used when there is no `out`.
void execute_once(const AnyProblem& problem, const Arguments& arguments, const Execution& execution,
                  std::span<void* const> results, Stream stream);
/// The same for a problem with one result.
inline void execute_once(const AnyProblem& problem, const Arguments& arguments,
                         const Execution& execution, void* result, Stream stream) {
  execute_once(problem, arguments, execution, std::span<void* const>(&result, 1), stream);
}

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
  /// Runs the plan. `results`: an address for each result beside the main one, then one for the
  /// main result, which is used where the arguments had no `out`. Returns when the work is queued
  /// (device) or done (host operands or host execution).
  /// Errors: invalid_state if freed, released or not planned, or if operands would have to be
  /// copied between host and device while the stream is capturing; invalid_argument if a result is
  /// less aligned than planned for.
  void execute(std::span<void* const> results, Stream stream, bool release_workspace = false);
  /// The same for a problem with one result.
  void execute(void* result, Stream stream, bool release_workspace = false) {
    execute(std::span<void* const>(&result, 1), stream, release_workspace);
  }
  /// The same for an address that a user gave. Errors: also invalid_argument if it is null, or if
  /// the arguments had `out`.
  void execute_into(void* result, Stream stream);

  /// Replaces an input (or `out`: the problem's last operand) by another of the same shape,
  /// strides, dtype and device; a lesser alignment makes a new plan. Errors: invalid_argument,
  /// invalid_state; the session is then as it was.
  void reset(std::size_t operand, const TensorRef& view);
  /// The same for several at once: all or none.
  void reset(const std::vector<std::pair<std::size_t, TensorRef>>& operands);
  /// The same on the caller's word: only the address is looked at.
  void reset_unchecked(std::size_t operand, void* data);
  void set_scalar(std::size_t index, ScalarValue value) { arguments_.scalars[index] = value; }
  [[nodiscard]] ScalarValue scalar(std::size_t index) const { return arguments_.scalars[index]; }

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

  /// Times the alternatives on the session's own operands and changes to the fastest, unless the
  /// plan at hand is as fast. Results go to scratch memory. The list is in the order found, the
  /// choice first. Errors: those of execute(), also of memory for the results; the session is then
  /// as it was.
  TuneReport autotune(const TuneOptions& options, Stream stream);
  /// All ways there are to run the problem, the chosen one first after autotune() or choose(), else
  /// by estimate.
  [[nodiscard]] const std::vector<Alternative>& alternatives();
  /// Takes one of them, by its place in alternatives(), and puts it first.
  void choose(std::size_t alternative);
  /// The same by name, listed or not. Errors: unsupported if there is no such.
  void choose(const std::string& candidate, const std::string& variant);
  /// Replaces one of them by itself with other settings. Errors: as Plan::with_attributes().
  void configure(std::size_t alternative, std::span<const AlgorithmAttribute> changes);

 private:
  void check_reset(std::size_t operand, const TensorRef& view) const;
  void check_executable() const;
  void take_workspace(Stream stream);
  void run(Stream stream, bool release);
  void finish(Stream stream, bool release);
  void mark_workspace_used(Stream stream);
  void order_after_last_use(Stream stream);
  void list_alternatives(int limit);
  void adopt(std::shared_ptr<const Selection> selection);
  void finish_tuning(const Tournament& tournament, const TuneOptions& options, TuneReport& report);
  [[nodiscard]] std::size_t out_index() const { return problem_->operands().size() - 1; }
  [[nodiscard]] const char* name_of(std::size_t operand) const;

  std::unique_ptr<AnyProblem> problem_;
  Arguments arguments_;
  Options options_;
  Placement placement_;
  std::vector<void*> addresses_;  ///< one per operand, the result last
  std::uint64_t missing_ = 0;     ///< bit i: operand i was released and not reset
  bool freed_ = false;
  std::shared_ptr<const Selection> selection_;
  std::vector<Alternative> alternatives_;  ///< made when asked for
  int alternatives_limit_ = 0;             ///< variants of each
  Buffer workspace_;
  Stream workspace_stream_;  ///< of the last execution; for comparing only, it may be gone
  CudaEvent last_use_;       ///< of the workspace on a device
};

/// The explanation of a selection: problem, placement, candidates, copies, workspace, floor.
[[nodiscard]] std::string explain(const AnyProblem& problem, const Selection& selection);

}  // namespace mw
