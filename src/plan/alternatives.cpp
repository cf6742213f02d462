// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/alternatives.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace mw {

namespace {

constexpr int kMostVariants = 1024;  // when one of them is looked for by name

std::optional<std::size_t> candidate_index(const AnyProblem& problem, std::string_view name) {
  for (std::size_t i = 0; i < problem.candidate_count(); ++i) {
    if (name == problem.candidate_name(i)) return i;
  }
  return std::nullopt;
}

Alternative make_alternative(std::string_view candidate, PlanPtr plan,
                             const std::vector<CopyNote>& copies) {
  Alternative made{.candidate = std::string(candidate),
                   .variant = plan->variant(),
                   .plan = nullptr,
                   .copies = copies,
                   .estimate = plan->estimate(),
                   .measured = std::nullopt};
  made.plan = std::move(plan);
  return made;
}

/// A plan's variants; a library that fails while listing them has none.
std::vector<PlanPtr> variants_of(const Plan& plan, std::string_view candidate, int limit) {
  try {
    return plan.variants(limit);
  } catch (const Error& error) {
    log(LogLevel::debug,
        [&] { return text(candidate, ": no variants, it fails to list them: ", error.what()); });
    return {};
  }
}

}  // namespace

std::vector<PlanPtr> Plan::variants(int) const { return {}; }

PlanPtr Plan::with_variant(std::string_view words) const {
  for (PlanPtr& plan : variants(kMostVariants)) {
    if (plan->variant() == words) return std::move(plan);
  }
  return nullptr;
}

PlanPtr Plan::with_attributes(std::span<const AlgorithmAttribute> changes) const {
  fail(ErrorKind::invalid_argument, "\"", describe(), "\" has no settings, and ",
       changes.empty() ? "one" : changes.front().name,
       " is to be changed; take an algorithm of a vendor's library that has it");
}

std::vector<Alternative> alternatives_of(const AnyProblem& problem, const Selection& selection,
                                         int limit) {
  std::vector<Alternative> list;
  const auto add = [&](const std::string& candidate, const PlanPtr& plan,
                       const std::vector<CopyNote>& copies) {
    // The plan at hand is used again: it is warm, and another one would only take memory.
    const bool at_hand =
        candidate == selection.chosen && plan->variant() == selection.plan->variant();
    list.push_back(make_alternative(candidate, at_hand ? selection.plan : plan, copies));
  };
  for (std::size_t i = 0; i < selection.considered.size(); ++i) {
    const Considered& entry = selection.considered[i];
    if (!entry.accepted) continue;
    const Trial trial = ask_candidate(problem, selection.placement, i);
    if (!trial.plan) continue;
    const PlanPtr& own = trial.plan.value();
    add(entry.name, own, trial.copies);
    for (PlanPtr& plan : variants_of(*own, entry.name, limit)) {
      if (plan->variant() != own->variant()) add(entry.name, plan, trial.copies);
    }
  }
  const auto at_hand = [&](const Alternative& entry) { return entry.plan == selection.plan; };
  if (std::ranges::none_of(list, at_hand)) {
    list.push_back(make_alternative(selection.chosen, selection.plan, selection.copies));
  }
  std::ranges::stable_sort(list, {}, &Alternative::estimate);
  return list;
}

std::optional<Alternative> find_alternative(const AnyProblem& problem, const Placement& placement,
                                            std::string_view candidate, std::string_view variant) {
  const auto index = candidate_index(problem, candidate);
  if (!index) return std::nullopt;
  Trial trial = ask_candidate(problem, placement, *index);
  if (!trial.plan) return std::nullopt;
  PlanPtr plan = trial.plan.value();
  try {
    if (plan->variant() != variant) plan = plan->with_variant(variant);
    if (plan) plan->prepare();
  } catch (const Error&) {
    plan = nullptr;
  }
  if (!plan) return std::nullopt;
  return make_alternative(candidate, std::move(plan), trial.copies);
}

Selection with_choice(const Selection& selection, const Alternative& alternative, ChosenBy by) {
  Selection changed = selection;
  changed.plan = alternative.plan;
  changed.chosen = alternative.candidate;
  changed.copies = alternative.copies;
  changed.by = by;
  for (Considered& entry : changed.considered) {
    if (entry.name == alternative.candidate) entry.note = alternative.plan->describe();
  }
  return changed;
}

}  // namespace mw
