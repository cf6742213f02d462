// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/select.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/env.hpp"
#include "base/log.hpp"
#include "plan/staged.hpp"
#include "runtime/copy.hpp"

namespace mw {

namespace {

/// The names the choice is restricted to; none means no restriction.
struct Restriction {
  std::mutex mutex;
  std::vector<std::string> names = split(env(EnvVar::candidates).value_or(""), ",");
  std::atomic<unsigned> generation = 0;

  static Restriction& instance() {
    static Restriction& restriction = *new Restriction;
    return restriction;
  }
  std::vector<std::string> copy() {
    const std::lock_guard lock(mutex);
    return names;
  }
};

/// A library that fails while planning declines: another candidate may do better.
Refusal failed_while_planning(const Error& error) {
  return refuse("failed while planning: ", error.what());
}

/// One problem in one placement, while its candidates are asked.
class Asking {
 public:
  Asking(const AnyProblem& problem, const Placement& placement)
      : problem_(problem), placement_(placement), layouts_(problem.operands()) {
    if (!placement.crosses()) return;
    for (auto& layout : layouts_) layout = dense_like(layout);
  }

  Trial ask(std::size_t candidate) const {
    Operands layouts = layouts_;
    std::string why;
    Answer answer = answer_of(candidate, layouts);
    // A candidate may see only one operand's trouble at a time, so it is asked a few times over.
    for (int round = 0; round < 3; ++round) {
      const auto* relayout = std::get_if<Relayout>(&answer);
      if (!relayout) break;
      for (const auto& entry : relayout->entries) layouts[entry.operand] = entry.layout;
      why = relayout->reason;
      answer = answer_of(candidate, layouts);
    }
    if (const auto* refusal = std::get_if<Refusal>(&answer)) return {*refusal, {}};
    if (std::holds_alternative<Relayout>(answer)) {
      return {refuse("asked for another layout again and again: ", why), {}};
    }
    return staged(std::get<PlanPtr>(std::move(answer)), layouts, why);
  }

 private:
  Answer answer_of(std::size_t candidate, const Operands& layouts) const {
    try {
      return problem_.ask(candidate, layouts, placement_.context);
    } catch (const Error& error) {
      return failed_while_planning(error);
    }
  }

  Trial staged(PlanPtr plan, const Operands& layouts, const std::string& why) const {
    const Operands& given = problem_.operands();
    std::vector<Stage> stages;
    std::vector<CopyNote> notes;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool crosses = placement_.crosses();
      if (!crosses && same(given[i], layouts[i])) continue;
      if (auto possible = copyable(given[i], layouts[i]); !possible)
        return {possible.refusal(), {}};
      const bool result = i >= problem_.input_count();
      const std::string direction =
          text(result ? "from " : "to ", placement_.context.device, why.empty() ? "" : ", ");
      stages.push_back({.operand = i, .given = given[i], .staged = layouts[i]});
      notes.push_back({problem_.operand_name(i), (crosses ? direction : std::string()) + why,
                       dense_bytes(layouts[i])});
    }
    if (stages.empty()) return {std::move(plan), {}};
    return {PlanPtr(std::make_shared<StagedPlan>(std::move(plan), placement_, std::move(stages),
                                                 given.size(), problem_.input_count())),
            std::move(notes)};
  }

  Outcome<bool> copyable(const OperandLayout& given, const OperandLayout& staged) const {
    const auto [from, to] = stored_once(view_of(given, nullptr, placement_.memory),
                                        view_of(staged, nullptr, placement_.context.device));
    return can_copy(from, to);
  }

  const AnyProblem& problem_;
  const Placement& placement_;
  Operands layouts_;
};

/// One that accepts, while it may still be chosen.
struct Accepting {
  std::size_t considered;
  Trial trial;
};

/// Takes the one of the lowest estimate and prepares it. One that fails then declines as well.
void choose(Selection& selection, std::vector<Accepting> accepting) {
  const auto estimate = [&](const Accepting& one) {
    return selection.considered[one.considered].estimate;
  };
  while (!accepting.empty()) {
    const auto best = std::ranges::min_element(accepting, {}, estimate);
    Considered& entry = selection.considered[best->considered];
    PlanPtr plan = best->trial.plan.value();
    try {
      plan->prepare();
    } catch (const Error& error) {
      entry.accepted = false;
      entry.note = failed_while_planning(error).reason;
      accepting.erase(best);
      continue;
    }
    entry.note = plan->describe();  // it may know more of itself now
    selection.plan = std::move(plan);
    selection.chosen = entry.name;
    selection.copies = std::move(best->trial.copies);
    return;
  }
}

[[noreturn]] void fail_all_refused(const AnyProblem& problem, const Selection& selection) {
  std::string reasons;
  for (const auto& entry : selection.considered) {
    reasons += text("\n  ", entry.name, ": ", entry.note);
  }
  fail(ErrorKind::unsupported, problem.operation(), ": no candidate accepts this problem on ",
       selection.placement.context.device, reasons);
}

}  // namespace

void set_candidates(std::vector<std::string> names) {
  if (names.empty()) names = split(env(EnvVar::candidates).value_or(""), ",");
  auto& restriction = Restriction::instance();
  const std::lock_guard lock(restriction.mutex);
  restriction.names = std::move(names);
  ++restriction.generation;
}

bool asked_for_by_name(std::string_view candidate) {
  const auto names = Restriction::instance().copy();
  return std::ranges::find(names, candidate) != names.end();
}

Trial ask_candidate(const AnyProblem& problem, const Placement& placement, std::size_t candidate) {
  return Asking(problem, placement).ask(candidate);
}

unsigned candidates_generation() { return Restriction::instance().generation; }

Selection select(const AnyProblem& problem, const Placement& placement) {
  Selection selection;
  selection.placement = placement;
  const Asking asking(problem, placement);
  const auto allowed = Restriction::instance().copy();
  std::vector<Accepting> accepting;
  for (std::size_t i = 0; i < problem.candidate_count(); ++i) {
    Considered entry{.name = problem.candidate_name(i), .note = {}};
    if (!allowed.empty() && std::ranges::find(allowed, entry.name) == allowed.end()) {
      entry.note = "not among the allowed candidates";
      selection.considered.push_back(std::move(entry));
      continue;
    }
    Trial trial = asking.ask(i);
    entry.accepted = static_cast<bool>(trial.plan);
    if (entry.accepted) {
      entry.estimate = trial.plan.value()->estimate();
      entry.note = trial.plan.value()->describe();
      entry.library = trial.plan.value()->library();
      accepting.push_back({i, std::move(trial)});
    } else {
      entry.note = trial.plan.refusal().reason;
    }
    log(LogLevel::debug, [&] {
      return text(problem.operation(), ": ", entry.name,
                  entry.accepted ? " accepts: " : " refuses: ", entry.note);
    });
    selection.considered.push_back(std::move(entry));
  }
  choose(selection, std::move(accepting));
  if (!selection.plan) fail_all_refused(problem, selection);
  return selection;
}

}  // namespace mw
