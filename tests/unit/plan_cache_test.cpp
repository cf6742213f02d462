// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <thread>

#include <mathwright/log.hpp>

#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

class PlanCacheTest : public ToyTest {
 protected:
  void SetUp() override {
    ToyTest::SetUp();
    before_ = plan_cache_statistics();
    limit_plan_cache(100, std::size_t{1} << 30);
  }
  void TearDown() override {
    limit_plan_cache(before_.count_limit, before_.bytes_limit);
    ToyTest::TearDown();
  }

  std::shared_ptr<const Selection> look_up(const Problem& problem,
                                           const Placement& placement = host_placement()) {
    return cached_selection(ProblemOf<Problem>(problem), placement);
  }
  /// A problem for every number.
  Problem numbered(std::int64_t n) { return make({memory_, {n}}, {memory_, {n}}).problem; }

  double memory_[1] = {};  // layouts alone matter here
  PlanCacheStatistics before_;
};

TEST_F(PlanCacheTest, TheSameProblemIsPlannedOnce) {
  const auto first = look_up(numbered(5));
  const auto second = look_up(numbered(5));

  EXPECT_EQ(first, second);
  EXPECT_EQ(asked(0), 1);
  const auto statistics = plan_cache_statistics();
  EXPECT_EQ(statistics.count, 1U);
  EXPECT_EQ(statistics.hits, 1U);
  EXPECT_EQ(statistics.misses, 1U);
  ASSERT_EQ(plan_cache_entries().size(), 1U);
  EXPECT_EQ(plan_cache_entries()[0].hits, 1U);
  EXPECT_EQ(plan_cache_entries()[0].candidate, "first");
  EXPECT_EQ(plan_cache_entries()[0].title, "toy: y = s·x + z, (5,)");
}

TEST_F(PlanCacheTest, WhateverAPlanMayDependOnMakesAnotherPlan) {
  const std::vector<void (*)(Problem&, Placement&)> changes = {
      [](Problem& p, Placement&) { p.operands[0].dtype = DType::float32; },
      [](Problem& p, Placement&) { p.operands[0].shape[0] = 6; },
      [](Problem& p, Placement&) { p.operands[1].strides[0] = 2; },
      [](Problem& p, Placement&) { p.operands[1].alignment = 8; },
      [](Problem& p, Placement&) { p.operands[2].conjugate = true; },
      [](Problem& p, Placement&) { p.result_shape[0] = 7; },
      [](Problem& p, Placement&) { p.result_strides[0] = -1; },
      [](Problem&, Placement& at) { at.context.threads = 2; },
  };
  (void)look_up(numbered(5));

  for (const auto change : changes) {
    Problem problem = numbered(5);
    Placement placement = host_placement();
    change(problem, placement);
    (void)look_up(problem, placement);
  }

  EXPECT_EQ(plan_cache_statistics().count, 1 + changes.size());
  EXPECT_EQ(plan_cache_statistics().hits, 0U);
}

TEST_F(PlanCacheTest, ARestrictionOfTheCandidatesMakesAnotherPlan) {
  EXPECT_EQ(look_up(numbered(5))->chosen, "first");
  set_candidates({"third"});

  EXPECT_EQ(look_up(numbered(5))->chosen, "third");
}

TEST_F(PlanCacheTest, ARefusedProblemIsNotRemembered) {
  for (std::size_t i = 0; i < kCandidates; ++i) behaviour(i).refusal = "no";
  EXPECT_THROW((void)look_up(numbered(5)), Error);
  EXPECT_EQ(plan_cache_statistics().count, 0U);
  behaviour(1).refusal.clear();

  EXPECT_EQ(look_up(numbered(5))->chosen, "second");
}

TEST_F(PlanCacheTest, TheLeastRecentlyUsedPlanGoesFirst) {
  limit_plan_cache(3, std::size_t{1} << 30);
  for (const std::int64_t n : {1, 2, 3}) (void)look_up(numbered(n));
  (void)look_up(numbered(1));  // now 2 is the oldest

  (void)look_up(numbered(4));

  const auto entries = plan_cache_entries();
  std::vector<std::string> titles;
  for (const auto& entry : entries) titles.push_back(entry.title.substr(entry.title.find('(')));
  EXPECT_EQ(titles, (std::vector<std::string>{"(4,)", "(1,)", "(3,)"}));
  EXPECT_EQ(plan_cache_statistics().evictions, 1U);
}

TEST_F(PlanCacheTest, BytesKeptStayWithinTheBound) {
  behaviour(0).resident = 1 << 20;
  limit_plan_cache(100, std::size_t{5} << 20);

  for (std::int64_t n = 0; n < 20; ++n) {
    (void)look_up(numbered(n));
    EXPECT_LE(plan_cache_statistics().bytes, std::size_t{5} << 20);
  }

  EXPECT_EQ(plan_cache_statistics().count, 4U);
  std::size_t bytes = 0;
  for (const auto& entry : plan_cache_entries()) bytes += entry.bytes;
  EXPECT_EQ(bytes, plan_cache_statistics().bytes);
}

TEST_F(PlanCacheTest, APlanLargerThanTheBoundIsKeptAlone) {
  behaviour(0).resident = 10 << 20;
  limit_plan_cache(100, 1 << 20);

  const auto first = look_up(numbered(1));

  EXPECT_EQ(look_up(numbered(1)), first);
  (void)look_up(numbered(2));
  EXPECT_EQ(plan_cache_statistics().count, 1U);
}

TEST_F(PlanCacheTest, NarrowerBoundsApplyAtOnce) {
  for (std::int64_t n = 0; n < 10; ++n) (void)look_up(numbered(n));

  limit_plan_cache(4, std::size_t{1} << 30);

  EXPECT_EQ(plan_cache_statistics().count, 4U);
  EXPECT_EQ(plan_cache_entries()[0].title, "toy: y = s·x + z, (9,)");
}

TEST_F(PlanCacheTest, ZeroPlansTurnItOff) {
  limit_plan_cache(0, std::size_t{1} << 30);

  (void)look_up(numbered(1));
  (void)look_up(numbered(1));

  EXPECT_EQ(asked(0), 2);
  EXPECT_EQ(plan_cache_statistics().count, 0U);
}

TEST_F(PlanCacheTest, ClearForgetsPlansAndCounts) {
  (void)look_up(numbered(1));
  (void)look_up(numbered(1));

  clear_plan_cache();

  const auto statistics = plan_cache_statistics();
  EXPECT_EQ(statistics.count, 0U);
  EXPECT_EQ(statistics.bytes, 0U);
  EXPECT_EQ(statistics.hits + statistics.misses + statistics.evictions, 0U);
  EXPECT_EQ(statistics.count_limit, 100U);
  (void)look_up(numbered(1));
  EXPECT_EQ(asked(0), 2);
}

TEST_F(PlanCacheTest, APlanInUseOutlivesItsEviction) {
  limit_plan_cache(1, std::size_t{1} << 30);
  const auto held = look_up(numbered(1));
  (void)look_up(numbered(2));
  double x = 3;
  double y = 0;
  void* operands[] = {&x, &x, &y};
  const ScalarValue s = 2;

  held->plan->execute({.operands = operands, .scalars = &s, .workspace = nullptr, .stream = {}});

  EXPECT_EQ(y, 9);
}

TEST_F(PlanCacheTest, WarnsOnceWhenItThrashes) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, std::string_view line) { warnings.emplace_back(line); },
               LogLevel::warning);
  limit_plan_cache(2, std::size_t{1} << 30);

  for (std::int64_t n = 0; n < 40; ++n) (void)look_up(numbered(n));
  set_log_sink({});

  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(has(warnings[0], {"plan cache", "evictions", "MATHWRIGHT_PLAN_CACHE_COUNT"}));
}

TEST_F(PlanCacheTest, DoesNotWarnWhileLookUpsHit) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, std::string_view line) { warnings.emplace_back(line); },
               LogLevel::warning);
  limit_plan_cache(2, std::size_t{1} << 30);

  for (std::int64_t n = 0; n < 40; ++n) {
    for (int again = 0; again < 3; ++again) (void)look_up(numbered(n));
  }
  set_log_sink({});

  EXPECT_TRUE(warnings.empty());
}

// ---- many threads
// -----------------------------------------------------------------------------------

constexpr int kThreads = 8;

template <class Body>
void on_all_threads(Body&& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { body(t); });
  for (auto& thread : threads) thread.join();
}

TEST_F(PlanCacheTest, ConcurrentPlanningOfOneProblemLeavesOnePlan) {
  std::array<std::shared_ptr<const Selection>, kThreads> got;

  on_all_threads([&](int t) { got[static_cast<std::size_t>(t)] = look_up(numbered(5)); });

  EXPECT_EQ(plan_cache_statistics().count, 1U);
  const std::set distinct(got.begin(), got.end());
  EXPECT_EQ(distinct.size(), 1U) << "who planned at the same time takes the plan that is kept";
  EXPECT_EQ(distinct.count(nullptr), 0U);
}

TEST_F(PlanCacheTest, ConcurrentUseWithEvictionsClearsAndLooksStaysWhole) {
  set_log_sink([](LogLevel, std::string_view) {}, LogLevel::off);  // it thrashes on purpose
  limit_plan_cache(4, std::size_t{1} << 30);

  on_all_threads([&](int t) {
    for (std::int64_t i = 0; i < 200; ++i) {
      const std::int64_t n = (i * (t + 1)) % 11;
      const auto selection = look_up(numbered(n));
      if (!selection || !selection->plan) ADD_FAILURE() << "no plan for " << n;
      if (i % 50 == 0) clear_plan_cache();
      if (i % 20 == 0) (void)plan_cache_entries();
      if (i % 30 == 0) limit_plan_cache(static_cast<std::size_t>(2 + t), std::size_t{1} << 30);
    }
  });

  set_log_sink({});
  const auto statistics = plan_cache_statistics();
  EXPECT_EQ(statistics.count, plan_cache_entries().size());
  EXPECT_LE(statistics.count, statistics.count_limit);
}

TEST_F(PlanCacheTest, ConcurrentExecutionsShareOnePlan) {
  constexpr std::int64_t kSize = 64;
  behaviour(0).workspace = 256;
  behaviour(0).layouts = Behaviour::Layouts::dense;
  for (std::size_t i : {1U, 2U}) behaviour(i).refusal = "no";

  on_all_threads([&](int t) {
    std::vector<double> x(2 * kSize, t);
    std::vector<double> z(kSize, 1.0);
    std::vector<double> y(kSize);
    const TensorRef strided(x.data() + 2 * kSize - 2, DType::float64, {kSize}, {-2});
    const Request request = make(strided, {z.data(), {kSize}}, TensorRef(y.data(), {kSize}));
    for (int i = 0; i < 50; ++i) {
      execute_once(ProblemOf<Problem>(request.problem), request.arguments, {}, nullptr, {});
      for (const double value : y) {
        if (value != 2.0 * t + 1) ADD_FAILURE() << "thread " << t << " got " << value;
      }
    }
  });

  EXPECT_EQ(executed(0), kThreads * 50);
}

}  // namespace
}  // namespace mw::toy
