// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The part of a session that looks at alternatives to its plan, and times them.
#include <algorithm>
#include <array>

#include "base/layout.hpp"
#include "base/log.hpp"
#include "base/stopwatch.hpp"
#include "plan/autotune.hpp"
#include "plan/device_scope.hpp"
#include "plan/session.hpp"
#include "plan/tuning_file.hpp"
#include "runtime/cold_timer.hpp"
#include "runtime/copy.hpp"

namespace mw {

namespace {

constexpr double kDeviceSeconds = 0.15;
constexpr double kHostSeconds = 0.5;  // emptying a host's caches takes 50 times as long

/// Memory for an operand of this layout, and the address of its element (0, …, 0), which is aligned
/// as well as any plan may want.
struct Scratch {
  Buffer block;
  void* element = nullptr;

  Scratch(const OperandLayout& layout, Device device, Stream stream) {
    if (checked_size(layout.shape).value_or(0) == 0) return;
    const auto [low, high] = offset_range(layout.shape, layout.strides);
    const auto size = static_cast<std::int64_t>(itemsize(layout.dtype));
    const auto before = static_cast<std::size_t>((-low * size + 255) / 256 * 256);
    block = Buffer(memory_of(device), before + static_cast<std::size_t>((high + 1) * size), stream);
    element = static_cast<char*>(block.data()) + before;
  }
};

std::size_t most_workspace(std::span<const Alternative> alternatives) {
  std::size_t most = 0;
  for (const auto& entry : alternatives) most = std::max(most, entry.plan->workspace_bytes());
  return most;
}

/// A session's operands with scratch memory in the place of its results, and the ways to run
/// alternatives on them.
class Course {
 public:
  Course(const AnyProblem& problem, const Arguments& arguments, const Placement& placement,
         Stream stream)
      : arguments_(arguments),
        placement_(placement),
        stream_(stream),
        on_device_(!placement.crosses() && placement.context.device.is_cuda()),
        timer_(on_device_ ? placement.context.device : Device::cpu(), stream,
               placement.context.threads) {
    const std::size_t inputs = arguments.inputs.size();
    for (std::size_t i = 0; i < inputs; ++i) addresses_[i] = arguments.inputs[i].data;
    for (std::size_t i = inputs; i < problem.operands().size(); ++i) {
      scratch_.emplace_back(problem.operands()[i], placement.memory, stream);
      addresses_[i] = scratch_.back().element;
    }
    // In place, the operand is in the scratch too, and is brought there anew before every run.
    if (arguments.in_place && arguments.out &&
        same_view(arguments.inputs[*arguments.in_place], *arguments.out)) {
      original_ = arguments.inputs[*arguments.in_place];
      copy_ = original_;
      copy_.data = addresses_[*arguments.in_place] = scratch_.back().element;
      copy_.readonly = false;
    }
  }

  void take_workspace(std::size_t bytes, MemoryResource* source) {
    const Device device = placement_.context.device;
    if (bytes > 0) workspace_ = Buffer(source ? *source : memory_of(device), bytes, stream_);
  }

  void warm_up(const Alternative& entry) {
    prepare();
    execute(entry);
    wait();
  }

  double time(const Alternative& entry) {
    return timer_.seconds([&] { prepare(); },
                          [&] {
                            execute(entry);
                            if (!on_device_) wait();
                          });
  }

 private:
  void prepare() {
    if (original_.data) copy(original_, copy_, stream_, placement_.context.threads);
  }
  void execute(const Alternative& entry) {
    entry.plan->execute({.operands = addresses_.data(),
                         .scalars = arguments_.scalars.data(),
                         .workspace = workspace_.data(),
                         .stream = stream_});
  }
  void wait() { synchronize(stream_device(placement_), stream_); }

  const Arguments& arguments_;
  const Placement& placement_;
  Stream stream_;
  bool on_device_;
  ColdTimer timer_;
  std::array<void*, kMostOperands> addresses_{};
  std::vector<Scratch> scratch_;
  TensorRef original_, copy_;
  Buffer workspace_;
};

/// The list in the order found: the winner, the others that ran by their times, the rest; without
/// those that failed.
std::vector<Alternative> reordered(std::vector<Alternative> list, const Tournament& tournament) {
  std::vector<bool> listed(list.size(), false);
  std::vector<Alternative> order;
  const auto add = [&](std::size_t place) {
    if (!listed[place]) order.push_back(list[place]);
    listed[place] = true;
  };
  for (const Timings& one : tournament.timings) list[one.alternative].measured = one.median();
  for (const std::size_t place : tournament.failed) listed[place] = true;
  add(tournament.winner);
  for (const Timings& one : tournament.timings) add(one.alternative);
  for (std::size_t place = 0; place < list.size(); ++place) add(place);
  return order;
}

/// The selection with each candidate's best time, and with the first of the list chosen.
Selection measured_selection(const Selection& selection, const std::vector<Alternative>& list,
                             bool compared) {
  Selection made =
      with_choice(selection, list.front(), compared ? ChosenBy::measurement : selection.by);
  for (Considered& entry : made.considered) {
    entry.measured.reset();
    for (const Alternative& one : list) {
      if (one.candidate != entry.name || !one.measured) continue;
      entry.measured = std::min(entry.measured.value_or(*one.measured), *one.measured);
    }
  }
  return made;
}

std::string account(const std::vector<Alternative>& list, const Tournament& tournament) {
  std::string lines;
  for (const Alternative& entry : list) {
    if (!entry.measured) continue;
    lines +=
        text("\n  ", human_seconds(*entry.measured), " (estimated ", human_seconds(entry.estimate),
             ")  ", entry.candidate, entry.variant.empty() ? "" : " ", entry.variant);
  }
  if (!tournament.failed.empty()) lines += text("\n  failed: ", tournament.failed.size());
  return lines;
}

std::size_t place_at_hand(const std::vector<Alternative>& list, const Selection& selection) {
  const auto found = std::ranges::find(list, selection.plan, &Alternative::plan);
  return static_cast<std::size_t>(found - list.begin());
}

}  // namespace

void Session::adopt(std::shared_ptr<const Selection> selection) {
  selection_ = std::move(selection);
  alternatives_.clear();
}

void Session::list_alternatives(int limit) {
  if (!alternatives_.empty() && alternatives_limit_ == limit) return;
  const DeviceScope scope(placement_);
  alternatives_ = alternatives_of(*problem_, selection(), limit);
  alternatives_limit_ = limit;
}

const std::vector<Alternative>& Session::alternatives() {
  (void)selection();
  list_alternatives(alternatives_.empty() ? kVariants : alternatives_limit_);
  return alternatives_;
}

TuneReport Session::autotune(const TuneOptions& options, Stream stream) {
  check_executable();
  require(options.iterations >= 0 && options.prune >= 0 && options.limit >= 0 &&
              options.seconds.value_or(0) >= 0,
          ErrorKind::invalid_argument, problem_->operation(),
          ": autotune with negative iterations, prune, limit or seconds; 0 or more are wanted");
  const Stopwatch whole;
  const DeviceScope scope(placement_);
  require(stream_device(placement_).is_cpu() || !is_capturing(stream), ErrorKind::invalid_state,
          problem_->operation(),
          ": autotune() while the stream is capturing a graph, which forbids waiting; call it "
          "before the capture begins");
  list_alternatives(options.limit);
  TuneReport report;
  report.alternatives = static_cast<int>(alternatives_.size());
  report.candidate = selection_->chosen;
  report.description = selection_->plan->describe();
  const bool empty = checked_size(problem_->result_shape()).value_or(0) == 0;
  if (alternatives_.size() > 1 && !empty) {
    release_workspace();
    Course course(*problem_, arguments_, placement_, stream);
    course.take_workspace(most_workspace(alternatives_), options_.workspace);
    const Stopwatch timing;  // the memory for it has been taken
    const auto spent = [&] { return timing.seconds(); };
    const auto warm_up = [&](const Alternative& entry) { course.warm_up(entry); };
    const auto time = [&](const Alternative& entry) { return course.time(entry); };
    const bool on_host = placement_.context.device.is_cpu();
    const Tournament tournament =
        run_tournament(alternatives_, place_at_hand(alternatives_, *selection_), options,
                       on_host ? kHostSeconds : kDeviceSeconds,
                       {.warm_up = warm_up, .time = time, .spent = spent});
    report.spent = whole.seconds();
    finish_tuning(tournament, options, report);
    return report;
  }
  report.spent = whole.seconds();
  log(LogLevel::info, [&] {
    return text(problem_->operation(), ": nothing to tune for ", problem_->title(), ", ",
                empty ? "the result is empty" : "there is one way to run it");
  });
  return report;
}

void Session::finish_tuning(const Tournament& tournament, const TuneOptions& options,
                            TuneReport& report) {
  const std::size_t at_hand = place_at_hand(alternatives_, *selection_);
  auto order = reordered(alternatives_, tournament);
  const bool compared = tournament.timings.size() > 1;
  auto made = std::make_shared<const Selection>(measured_selection(*selection_, order, compared));
  const auto own = std::ranges::find(tournament.timings, at_hand, &Timings::alternative);
  report.timed = static_cast<int>(tournament.timings.size());
  report.before = own->median();
  report.after = order.front().measured.value_or(0);
  report.changed = tournament.winner != at_hand;
  report.candidate = made->chosen;
  report.description = made->plan->describe();
  log(LogLevel::info, [&] {
    return text(problem_->operation(), ": tuned ", problem_->title(), " in ",
                human_seconds(report.spent), ", ", report.timed, " of ", report.alternatives,
                " alternatives timed, ", human_seconds(report.before), " before, ",
                human_seconds(report.after), " now", account(order, tournament));
  });
  if (compared) {
    if (options.remember) {
      remember_tuned({.key = tuning_key(*problem_, *made),
                      .title = problem_->title(),
                      .candidate = made->chosen,
                      .variant = made->plan->variant(),
                      .seconds = report.after});
    }
    replace_cached_selection(*problem_, made);
  }
  if (options.prune > 0 && order.size() > static_cast<std::size_t>(options.prune)) {
    order.resize(static_cast<std::size_t>(options.prune));
  }
  selection_ = std::move(made);
  alternatives_ = std::move(order);
}

void Session::choose(std::size_t alternative) {
  const auto& list = alternatives();
  require(alternative < list.size(), ErrorKind::invalid_argument, problem_->operation(),
          ": choice of alternative ", alternative, "; one of 0 to ", list.size() - 1, " is wanted");
  auto made = std::make_shared<const Selection>(
      with_choice(*selection_, list[alternative], ChosenBy::caller));
  std::rotate(alternatives_.begin(),
              alternatives_.begin() + static_cast<std::ptrdiff_t>(alternative),
              alternatives_.begin() + static_cast<std::ptrdiff_t>(alternative) + 1);
  selection_ = std::move(made);
}

void Session::choose(const std::string& candidate, const std::string& variant) {
  (void)selection();
  const DeviceScope scope(placement_);
  const auto found = find_alternative(*problem_, placement_, candidate, variant);
  require(found.has_value(), ErrorKind::unsupported, problem_->operation(), ": candidate ",
          candidate, variant.empty() ? "" : " with variant ", variant,
          " does not take this problem here; one of those that alternatives list is wanted");
  auto made = std::make_shared<const Selection>(with_choice(*selection_, *found, ChosenBy::caller));
  adopt(std::move(made));
}

void Session::configure(std::size_t alternative, std::span<const AlgorithmAttribute> changes) {
  const auto& list = alternatives();
  require(alternative < list.size(), ErrorKind::invalid_argument, problem_->operation(),
          ": settings for alternative ", alternative, "; one of 0 to ", list.size() - 1,
          " is wanted");
  const DeviceScope scope(placement_);
  Alternative& entry = alternatives_[alternative];
  PlanPtr changed = entry.plan->with_attributes(changes);
  std::shared_ptr<const Selection> made;
  Alternative fresh = entry;
  fresh.plan = changed;
  fresh.variant = changed->variant();
  fresh.estimate = changed->estimate();
  fresh.measured.reset();
  if (entry.plan == selection_->plan) {
    made = std::make_shared<const Selection>(with_choice(*selection_, fresh, ChosenBy::caller));
  }
  entry = std::move(fresh);
  if (made) selection_ = std::move(made);
}

}  // namespace mw
