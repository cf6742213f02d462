// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Autotuning: the tournament with times that a test makes up, and a session with slow and fast
// plans.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "base/log.hpp"
#include "plan/autotune.hpp"
#include "plan/tuning_file.hpp"
#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

// ---- the tournament ---------------------------------------------------------------------------

/// A clock and plans that take the times given, with noise.
struct Invented {
  std::vector<Alternative> list;
  std::map<const Alternative*, double> truth;
  std::map<const Alternative*, int> runs;
  std::map<const Alternative*, std::string> failures;
  std::mt19937 random{7};
  double noise = 0;  ///< share of a time
  double now = 0;

  explicit Invented(const std::vector<double>& seconds, std::vector<double> estimates = {}) {
    estimates.resize(seconds.size(), 1e-3);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      list.push_back({.candidate = text("c", i),
                      .variant = {},
                      .plan = nullptr,
                      .copies = {},
                      .estimate = estimates[i],
                      .measured = {}});
    }
    for (std::size_t i = 0; i < seconds.size(); ++i) truth[&list[i]] = seconds[i];
  }

  double run(const Alternative& entry) {
    if (const auto failure = failures.find(&entry); failure != failures.end()) {
      fail(ErrorKind::vendor, failure->second);
    }
    const double seconds =
        truth.at(&entry) * (1 + noise * std::exponential_distribution<>(1)(random));
    now += seconds;
    ++runs[&entry];
    return seconds;
  }

  Tournament play(std::size_t at_hand, const TuneOptions& options = {}, double budget = 0.15) {
    const auto warm_up = [&](const Alternative& entry) { (void)run(entry); };
    const auto time = [&](const Alternative& entry) { return run(entry); };
    const auto spent = [&] { return now; };
    return run_tournament(list, at_hand, options, budget,
                          {.warm_up = warm_up, .time = time, .spent = spent});
  }
};

TEST(Tournament, FindsTheFastest) {
  Invented invented({5e-4, 4e-4, 1e-4, 3e-4, 2e-4, 6e-4, 1.5e-4, 7e-4});
  const Tournament result = invented.play(0);
  EXPECT_EQ(result.winner, 2U);
  EXPECT_EQ(result.timings.front().alternative, 2U);
  EXPECT_EQ(result.timings.size(), 8U);
  EXPECT_LE(invented.now, 0.15 + 8e-3);  // a round begun is finished
  EXPECT_GT(invented.runs[&invented.list[2]], invented.runs[&invented.list[7]]);
}

TEST(Tournament, ATieKeepsThePlanAtHand) {
  for (const double other : {1e-4, 0.985e-4, 1.2e-4}) {
    Invented invented({1e-4, other, other});
    EXPECT_EQ(invented.play(0).winner, 0U) << other;
  }
}

TEST(Tournament, NoiseAloneChangesNothing) {
  int changes = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Invented invented(std::vector<double>(9, 1e-4));
    invented.random.seed(seed);
    invented.noise = 0.5;
    changes += invented.play(seed % 9).winner == seed % 9 ? 0 : 1;
  }
  EXPECT_LT(changes, 20);  // one test in ten, and then by nothing
}

TEST(Tournament, ADifferenceIsSeenThroughNoise) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Invented invented({2e-4, 3e-4, 1e-4, 2.5e-4});
    invented.random.seed(seed);
    invented.noise = 0.3;
    found += invented.play(0).winner == 2 ? 1 : 0;
  }
  EXPECT_GE(found, 95);
}

TEST(Tournament, StaysInTheTime) {
  Invented invented(std::vector<double>(40, 1e-3));
  const Tournament result = invented.play(3, {.seconds = 0.05});
  EXPECT_EQ(result.winner, 3U);
  EXPECT_LE(invented.now, 0.05 + 40e-3);  // a round begun is finished
  Invented none({1, 1e-3});
  EXPECT_EQ(none.play(0, {.seconds = 0.0}).winner, 0U);
  EXPECT_EQ(none.runs[&none.list[1]], 0);
}

TEST(Tournament, TheHopelessAreNotTried) {
  // The second is expected to take a thousand times as long as the first.
  Invented invented({1e-3, 1, 5e-4}, {1e-4, 1e-1, 2e-4});
  EXPECT_EQ(invented.play(0).winner, 2U);
  EXPECT_EQ(invented.runs[&invented.list[1]], 0);
}

TEST(Tournament, ASlowProblemGetsMoreTime) {
  Invented invented({0.1, 0.05});
  EXPECT_EQ(invented.play(0).winner, 1U);
  EXPECT_GT(invented.now, 0.15);
}

TEST(Tournament, FailuresAreDropped) {
  Invented invented({2e-4, 1e-4, 1.5e-4});
  invented.failures[&invented.list[1]] = "out of something";
  const Tournament result = invented.play(0);
  EXPECT_EQ(result.winner, 2U);
  EXPECT_EQ(result.failed, std::vector<std::size_t>{1});
  Invented at_hand({2e-4, 1e-4});
  at_hand.failures[&at_hand.list[0]] = "it";
  EXPECT_THROW((void)at_hand.play(0), Error);
}

TEST(Tournament, IterationsRunAllAlike) {
  Invented invented({2e-4, 1e-4, 1});
  const Tournament result = invented.play(0, {.iterations = 5});
  EXPECT_EQ(result.winner, 1U);
  EXPECT_EQ(invented.runs[&invented.list[1]], 6);  // warmed up once
  EXPECT_EQ(invented.runs[&invented.list[2]], 6);
}

// ---- a session --------------------------------------------------------------------------------

/// More than is needed, however busy the machine: it ends when two are left and well timed.
const TuneOptions kLong{.seconds = 10.0};
constexpr double kDelays[] = {12e-3, 5e-3, 1e-3};

class Autotune : public ToyTest {
 protected:
  void SetUp() override {
    ToyTest::SetUp();
    path_ = std::filesystem::temp_directory_path() /
            text("mw-autotune-", static_cast<int>(getpid()), ".json");
    std::filesystem::remove(path_);
    setenv("MATHWRIGHT_TUNING", path_.c_str(), 1);
    reread_tuning();
    // By estimate the first is chosen, which is the slowest.
    for (std::size_t i = 0; i < kCandidates; ++i) {
      behaviour(i).estimate = 1e-4 * static_cast<double>(i + 1);
      behaviour(i).delay = kDelays[i];
    }
  }
  void TearDown() override {
    unsetenv("MATHWRIGHT_TUNING");
    reread_tuning();
    for (const char* suffix : {"", ".lock", ".damaged"}) {
      std::filesystem::remove(path_.native() + suffix);
    }
    ToyTest::TearDown();
  }

  std::filesystem::path path_;
  std::vector<double> x_{1, 2, 3}, z_{10, 20, 30}, y_{-1, -1, -1};
  [[nodiscard]] TensorRef x() { return {x_.data(), {3}}; }
  [[nodiscard]] TensorRef z() { return {z_.data(), {3}}; }
  [[nodiscard]] TensorRef y() { return {y_.data(), {3}}; }
  std::unique_ptr<Session> planned(const std::optional<TensorRef>& out = {}) {
    auto session = make_session(x(), z(), out);
    session->plan({});
    return session;
  }
};

TEST_F(Autotune, ChangesToTheFastest) {
  const auto session = planned();
  EXPECT_EQ(session->selection().chosen, "first");
  const TuneReport report = session->autotune(kLong, {});
  EXPECT_EQ(session->selection().chosen, "third");
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(report.candidate, "third");
  EXPECT_EQ(report.alternatives, 3);
  EXPECT_EQ(report.timed, 3);
  EXPECT_GE(report.before, 12e-3);
  EXPECT_LT(report.after, report.before);
  EXPECT_EQ(session->alternatives().front().candidate, "third");
  EXPECT_TRUE(has(session->explain(), {"measured fastest by autotune", "* third", "ms"}));
  session->execute(y_.data(), {});
  EXPECT_EQ(y_, (std::vector<double>{12, 24, 36}));
}

TEST_F(Autotune, TheLogTellsWhatWasTried) {
  std::string lines;
  const auto session = planned();
  const ScopedLogSink sink([&](LogLevel, std::string_view line) { lines += line; },
                           LogLevel::debug);
  behaviour(1).execution_failure = "no such instruction";
  const auto other = planned(y());
  (void)other->autotune(kLong, {});
  EXPECT_TRUE(has(
      lines, {"tuned", "3 alternatives", "first", "third", "failed: 1", "no such instruction"}));
}

TEST_F(Autotune, OthersHeedIt) {
  const auto session = planned();
  (void)session->autotune(kLong, {});
  const auto same_problem = planned();
  EXPECT_EQ(same_problem->selection().chosen, "third");
  // A new process, as it were.
  clear_plan_cache();
  reread_tuning();
  const auto later = planned();
  EXPECT_EQ(later->selection().chosen, "third");
  EXPECT_TRUE(has(later->explain(), {"tuned", "tuning file", "* third"}));
  // Another problem.
  const auto other = planned(TensorRef(z_.data(), {3}));
  EXPECT_EQ(other->selection().chosen, "third");  // the same layouts are the same problem
  auto smaller = make_session(TensorRef(x_.data(), {2}), TensorRef(z_.data(), {2}));
  smaller->plan({});
  EXPECT_EQ(smaller->selection().chosen, "first");
}

TEST_F(Autotune, StaleEntriesAreIgnored) {
  (void)planned()->autotune(kLong, {});
  const auto chosen_now = [&] {
    clear_plan_cache();
    reread_tuning();
    return planned()->selection().chosen;
  };
  EXPECT_EQ(chosen_now(), "third");
  behaviour(1).library = "a library 2.0";  // of a candidate that was not even chosen
  EXPECT_EQ(chosen_now(), "first");
  behaviour(1).library = "";
  EXPECT_EQ(chosen_now(), "third");
  behaviour(2).refusal = "not today";
  EXPECT_EQ(chosen_now(), "first");
  behaviour(2).refusal = "";
  set_candidates({"first", "third"});
  EXPECT_EQ(chosen_now(), "first");
  set_candidates({});
  clear_tuning();
  EXPECT_EQ(chosen_now(), "first");
}

TEST_F(Autotune, RememberMayBeOff) {
  (void)planned()->autotune({.seconds = 10.0, .remember = false}, {});
  EXPECT_TRUE(tuning_records().empty());
}

TEST_F(Autotune, VariantsTakePart) {
  behaviour(0).variant_delays = {8e-3, 1e-4, 4e-3};
  const auto session = planned();
  EXPECT_EQ(session->alternatives().size(), 6U);
  (void)session->autotune(kLong, {});
  EXPECT_EQ(session->selection().chosen, "first");
  EXPECT_EQ(session->selection().plan->variant(), "variant=1");
  clear_plan_cache();
  reread_tuning();
  EXPECT_EQ(planned()->selection().plan->variant(), "variant=1");
  // The variant is gone: the estimate chooses.
  behaviour(0).variant_delays = {2e-3};
  clear_plan_cache();
  EXPECT_EQ(planned()->selection().plan->variant(), "");
  // None are asked for.
  const auto none = planned(y());
  EXPECT_EQ(none->autotune({.seconds = 10.0, .limit = 0}, {}).alternatives, 3);
}

TEST_F(Autotune, VariantsOfStagedPlans) {
  behaviour(0).layouts = Behaviour::Layouts::dense;
  behaviour(0).variant_delays = {1e-4};
  std::vector<double> wide{1, 0, 2, 0, 3, 0};
  const TensorRef strided(wide.data(), DType::float64, {3}, {2});
  auto session = make_session(strided, z(), y());
  session->plan({});
  (void)session->autotune(kLong, {});
  EXPECT_EQ(session->selection().plan->variant(), "variant=0");
  EXPECT_EQ(session->selection().copies.size(), 1U);
  session->execute(nullptr, {});
  EXPECT_EQ(y_, (std::vector<double>{12, 24, 36}));
}

TEST_F(Autotune, LeavesTheUsersDataAlone) {
  const auto with_out = planned(y());
  (void)with_out->autotune(kLong, {});
  EXPECT_EQ(y_, (std::vector<double>{-1, -1, -1}));
  const auto in_place = planned(z());
  (void)in_place->autotune(kLong, {});
  EXPECT_EQ(z_, (std::vector<double>{10, 20, 30}));
  in_place->execute(nullptr, {});
  EXPECT_EQ(z_, (std::vector<double>{12, 24, 36}));
}

TEST_F(Autotune, ResultsOfAnyLayout) {
  std::vector<double> gaps(9, -1);
  const TensorRef backwards(gaps.data() + 8, DType::float64, {3}, {-4});
  const auto session = planned(backwards);
  (void)session->autotune(kLong, {});
  EXPECT_EQ(gaps, std::vector<double>(9, -1));
  session->execute(nullptr, {});
  EXPECT_EQ(gaps, (std::vector<double>{36, -1, -1, -1, 24, -1, -1, -1, 12}));
}

TEST_F(Autotune, AFailureChangesNothing) {
  behaviour(0).execution_failure = "broken";
  const auto session = planned(y());
  EXPECT_THROW((void)session->autotune(kLong, {}), Error);
  EXPECT_EQ(session->selection().chosen, "first");
  EXPECT_EQ(session->alternatives().size(), 3U);
  EXPECT_TRUE(tuning_records().empty());
  EXPECT_EQ(y_, (std::vector<double>{-1, -1, -1}));
}

TEST_F(Autotune, FailingAlternativesAreLeftOut) {
  behaviour(2).execution_failure = "broken";
  const auto session = planned();
  const TuneReport report = session->autotune(kLong, {});
  EXPECT_EQ(report.candidate, "second");
  EXPECT_EQ(session->alternatives().size(), 2U);
}

TEST_F(Autotune, NothingToTime) {
  const auto empty = make_session(TensorRef(x_.data(), {0}), TensorRef(z_.data(), {0}));
  empty->plan({});
  EXPECT_EQ(empty->autotune(kLong, {}).timed, 0);
  set_candidates({"second"});
  const auto single = planned();
  EXPECT_EQ(single->autotune(kLong, {}).alternatives, 1);
  EXPECT_EQ(executed(1), 0);
}

TEST_F(Autotune, WrongStates) {
  auto session = make_session(x(), z());
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, [&] { (void)session->autotune(kLong, {}); }),
                  {"plan()"}));
  session->plan({});
  (void)message_of(ErrorKind::invalid_argument,
                   [&] { (void)session->autotune({.iterations = -1}, {}); });
  (void)message_of(ErrorKind::invalid_argument,
                   [&] { (void)session->autotune({.seconds = -1.0}, {}); });
  session->release_operands();
  (void)message_of(ErrorKind::invalid_state, [&] { (void)session->autotune(kLong, {}); });
  session->free();
  (void)message_of(ErrorKind::invalid_state, [&] { (void)session->autotune(kLong, {}); });
}

TEST_F(Autotune, PruneShortensTheList) {
  const auto session = planned();
  (void)session->autotune({.seconds = 10.0, .prune = 1}, {});
  ASSERT_EQ(session->alternatives().size(), 1U);
  EXPECT_EQ(session->alternatives()[0].candidate, "third");
  EXPECT_TRUE(session->alternatives()[0].measured);
}

TEST_F(Autotune, TheCallerMayChoose) {
  behaviour(1).variant_delays = {1e-4};
  const auto session = planned();
  session->choose(2);
  const std::string second = session->selection().chosen + session->selection().plan->variant();
  EXPECT_EQ(session->alternatives()[0].plan, session->selection().plan);
  EXPECT_EQ(second, "secondvariant=0");
  session->choose("third", "");
  EXPECT_EQ(session->selection().chosen, "third");
  session->execute(y_.data(), {});
  EXPECT_EQ(executed(2), 1);
  EXPECT_EQ(y_, (std::vector<double>{12, 24, 36}));
  (void)message_of(ErrorKind::invalid_argument, [&] { session->choose(99); });
  EXPECT_TRUE(has(message_of(ErrorKind::unsupported, [&] { session->choose("third", "tile=9"); }),
                  {"third", "tile=9"}));
  (void)message_of(ErrorKind::unsupported, [&] { session->choose("nobody", ""); });
  const std::vector<AlgorithmAttribute> changes{{"tile", 3}};
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, [&] { session->configure(0, changes); }),
                  {"tile", "no settings"}));
  EXPECT_EQ(planned()->selection().chosen, "first");  // others are not concerned
}

TEST_F(Autotune, WorkspaceOfTheLargest) {
  behaviour(0).workspace = 100;
  behaviour(2).workspace = 5000;
  const auto session = planned(y());
  session->execute(nullptr, {});
  (void)session->autotune(kLong, {});
  session->execute(nullptr, {});
  EXPECT_EQ(session->workspace_bytes(), 5000U);
  EXPECT_EQ(y_, (std::vector<double>{12, 24, 36}));
}

}  // namespace
}  // namespace mw::toy
