// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/autotune.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "base/log.hpp"

namespace mw {

namespace {

/// Of sorted copies: what a share of the values lie below.
double quantile(std::vector<double> values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
  std::ranges::nth_element(values, place);
  return *place;
}

constexpr std::size_t kEnough = 11;  // runs of the last two
constexpr double kMargin = 0.98;     // of the median at hand: what a winner stays below
constexpr double kHopeless = 2;      // times the fastest, by the better of the first two runs
constexpr int kRunsAtHand = 30;      // what the default budget allows a slow problem

class Rounds {
 public:
  Rounds(std::span<const Alternative> alternatives, std::size_t at_hand, const TuneOptions& options,
         double default_seconds, const Bench& bench)
      : alternatives_(alternatives),
        at_hand_(at_hand),
        options_(options),
        bench_(bench),
        // The same order each time makes a run's result easier to explain than a random seed would.
        random_(12345) {
    budget_ = options.seconds.value_or(options.iterations > 0 ? kUnbounded : default_seconds);
  }

  Tournament play() {
    enter_all();
    if (options_.iterations > 0) {
      run(options_.iterations);
    } else {
      halve();
    }
    return judge();
  }

 private:
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

  [[nodiscard]] double left() const { return budget_ - bench_.spent(); }

  void say(const Alternative& entry, const std::string& what) const {
    log(LogLevel::debug, [&] {
      return text("autotune: ", entry.candidate, entry.variant.empty() ? "" : " ", entry.variant,
                  ": ", what);
    });
  }

  void enter_all() {
    const Alternative& own = alternatives_[at_hand_];
    bench_.warm_up(own);
    // Twice: one stall of the machine must not make everything look too slow to be tried.
    standing_.push_back({at_hand_, {bench_.time(own), bench_.time(own)}});
    const double unit = std::ranges::min(standing_.front().seconds);
    if (!options_.seconds && options_.iterations == 0) {
      budget_ = std::max(budget_, kRunsAtHand * unit);
    }
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      if (i != at_hand_) enter(i, unit);
    }
  }

  /// Lets one alternative take part that is not expected to eat up the budget: a warm-up and a run
  /// of it, by the ratio of the estimates, in half of what is left.
  void enter(std::size_t place, double unit) {
    const Alternative& entry = alternatives_[place];
    const double ratio = entry.estimate / std::max(alternatives_[at_hand_].estimate, 1e-12);
    if (2 * ratio * unit > left() / 2) {
      return say(entry, text("not tried: it is expected to take ", human_seconds(ratio * unit),
                             ", and ", human_seconds(std::max(left(), 0.0)), " are left"));
    }
    try {
      bench_.warm_up(entry);
      standing_.push_back({place, {}});
    } catch (const Error& error) {
      failed_.push_back(place);
      say(entry, text("dropped, it fails: ", error.what()));
    }
  }

  /// Runs all that stand so often, in random order. False when the time is up.
  bool run(int times) {
    for (int i = 0; i < times; ++i) {
      if (left() <= 0) return false;
      std::ranges::shuffle(standing_, random_);
      std::erase_if(standing_, [&](Timings& one) { return !add_run(one); });
    }
    return true;
  }

  /// False if it failed, which the plan at hand may not.
  bool add_run(Timings& one) {
    const Alternative& entry = alternatives_[one.alternative];
    try {
      one.seconds.push_back(bench_.time(entry));
      return true;
    } catch (const Error& error) {
      if (one.alternative == at_hand_) throw;
      failed_.push_back(one.alternative);
      say(entry, text("dropped, it fails: ", error.what()));
      return false;
    }
  }

  void halve() {
    // Two, as for the plan at hand: one stall must not send the fastest away.
    if (!run(2)) return;
    const auto least = [](const Timings& one) { return std::ranges::min(one.seconds); };
    const double best = least(std::ranges::min(standing_, {}, least));
    drop([&](std::size_t, const Timings& one) { return least(one) > kHopeless * best; });
    for (int times = 3; standing_.size() > 1 && run(times); times = std::min(2 * times, 24)) {
      const std::size_t rivals = standing_.size() - 1;
      if (rivals == 1 && standing_.front().seconds.size() >= kEnough) return;
      const std::size_t kept = std::max<std::size_t>(rivals / 2, 1);
      drop([&](std::size_t rank, const Timings&) { return rank >= kept; });
    }
  }

  /// Sends away those rivals of the plan at hand of which this holds, given their rank.
  template <class Test>
  void drop(Test&& test) {
    std::ranges::sort(standing_, {}, &Timings::median);
    std::vector<Timings> stay;
    std::size_t rank = 0;
    for (Timings& one : standing_) {
      const bool goes = one.alternative != at_hand_ && test(rank++, one);
      (goes ? gone_ : stay).push_back(std::move(one));
    }
    standing_ = std::move(stay);
  }

  /// The fastest if it beats the plan at hand by 2 % in the median, and three quarters of that
  /// plan's runs: a difference that noise makes is no reason to change.
  Tournament judge() {
    Tournament result;
    result.winner = at_hand_;
    std::erase_if(standing_, [](const Timings& one) { return one.seconds.empty(); });
    std::ranges::sort(standing_, {}, &Timings::median);
    const Timings& best = standing_.front();
    const Timings& own = *std::ranges::find(standing_, at_hand_, &Timings::alternative);
    if (best.seconds.size() >= 2 && best.median() < kMargin * own.median() &&
        best.median() < quantile(own.seconds, 0.25)) {
      result.winner = best.alternative;
    }
    result.timings = std::move(standing_);
    std::erase_if(gone_, [](const Timings& one) { return one.seconds.empty(); });
    std::ranges::move(gone_, std::back_inserter(result.timings));
    std::ranges::stable_sort(result.timings, {}, &Timings::median);
    result.failed = std::move(failed_);
    return result;
  }

  std::span<const Alternative> alternatives_;
  std::size_t at_hand_;
  const TuneOptions& options_;
  const Bench& bench_;
  std::mt19937 random_;
  double budget_ = 0;
  std::vector<Timings> standing_, gone_;
  std::vector<std::size_t> failed_;
};

}  // namespace

double Timings::median() const {
  return seconds.empty() ? std::numeric_limits<double>::infinity() : quantile(seconds, 0.5);
}

Tournament run_tournament(std::span<const Alternative> alternatives, std::size_t at_hand,
                          const TuneOptions& options, double default_seconds, const Bench& bench) {
  return Rounds(alternatives, at_hand, options, default_seconds, bench).play();
}

}  // namespace mw
