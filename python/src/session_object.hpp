// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// SessionObject: a Session as Python holds it, for every operation: the session, what keeps its
// operands' memory alive, and how its results are made.
//
// Threads: an object may be used from any thread, by one at a time; each method takes the object's
// lock, and lets other Python threads run while it waits for it.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "aux_results.hpp"
#include "logging.hpp"
#include "plan/session.hpp"

namespace mw::py {

class SessionObject {
 public:
  SessionObject(const Package& array_package, nb::handle options_given, const char* operation_name);
  SessionObject(const SessionObject&) = delete;
  SessionObject& operator=(const SessionObject&) = delete;
  virtual ~SessionObject();

  void plan(nb::handle stream);
  /// The result; with results beside it, a tuple of it and a dict of those.
  nb::object execute(nb::handle stream, bool release_workspace);
  nb::object execute_unchecked(nb::handle stream, bool release_workspace);
  void release_operands();
  void release_workspace();
  void free();

  /// The alternatives as a list of dicts: candidate, variant, description, library, estimate,
  /// measured (or None), workspace, chosen, and for a vendor's algorithm its settings by name.
  nb::list algorithms();
  /// What the alternative at this place can do, by name; None where the library does not tell.
  nb::dict capabilities(std::size_t index);
  nb::dict autotune(const TuneOptions& options, bool release_workspace, nb::handle stream);
  void select(std::size_t index);
  void select_named(const std::string& candidate, const std::string& variant);
  void configure(std::size_t index, const nb::dict& changes);

  [[nodiscard]] std::string explain();
  [[nodiscard]] std::size_t workspace_bytes();
  [[nodiscard]] bool planned();
  [[nodiscard]] bool freed();
  /// Whether the work runs on a device.
  [[nodiscard]] bool on_cuda();
  [[nodiscard]] const Package& package() const { return *package_; }

  int traverse(visitproc visit, void* arg) const;
  void clear();

 protected:
  /// Held by every method. The same thread coming back (a log handler, a finalizer) is refused.
  class Lock {
   public:
    explicit Lock(SessionObject& object);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    SessionObject& object_;
  };

  /// An operand to be replaced: its place in the session, and the new array.
  struct Replacement {
    std::size_t index;
    nb::handle array;
    const char* name;
    bool is_result = false;  ///< the array is also what execute() returns
  };

  void start(std::unique_ptr<AnyProblem> problem, Arguments arguments, const Execution& execution);
  void keep(nb::object keeper) { keepers_.push_back(std::move(keeper)); }
  /// Reads an operand for this session; it is not kept yet.
  [[nodiscard]] Adopted read(nb::handle array, const char* name, Stream consumer,
                             bool writes) const;
  void replace(const std::vector<Replacement>& replacements, nb::handle stream);
  void replace_unchecked(const std::vector<Replacement>& replacements);
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] const char* operation() const { return operation_; }
  /// The place of a given result among a session's operands.
  [[nodiscard]] std::size_t out_index() const { return session_->problem().operands().size() - 1; }
  nb::object run(nb::handle stream, bool release_workspace);
  nb::object run_with_aux(Produced& result, const Queue& queue, bool release_workspace);

  nb::object out_;     ///< what execute() returns if the result goes where the user said
  nb::object logger_;  ///< the options' logger, or None
  std::vector<nb::object> keepers_;  ///< by operand: inputs, then out

 private:
  [[nodiscard]] Device stream_device() const;
  void learn_from_plan();

  const Package* package_;
  const char* operation_;
  nb::object allocator_;
  std::unique_ptr<MemoryResource> resource_;  // outlives the session that draws on it
  std::unique_ptr<Session> session_;
  ResultSpec spec_;
  std::vector<ResultSpec> aux_specs_;
  bool blocking_ = false;
  bool on_device_ = false;  ///< operands or execution on a device: streams matter
  bool waits_ = false;      ///< execute() runs, or waits, long enough to let other threads run
  std::mutex mutex_;
  std::atomic<unsigned long> owner_{0};  ///< thread in the lock
};

}  // namespace mw::py
