// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

class PlanSelection : public ToyTest {
 protected:
  Selection select_now() {
    const Request request = make(x_, z_);
    return select(ProblemOf<Problem>(request.problem), host_placement());
  }

  std::vector<double> memory_ = std::vector<double>(6, 1.0);
  TensorRef x_{memory_.data(), {2, 3}};
  TensorRef z_{memory_.data(), {2, 3}};
};

TEST_F(PlanSelection, TakesTheLowestEstimate) {
  behaviour(0).estimate = 3e-6;
  behaviour(1).estimate = 1e-6;
  behaviour(2).estimate = 2e-6;

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "second");
  EXPECT_EQ(selection.plan->describe(), "toy plan 1");
  ASSERT_EQ(selection.considered.size(), kCandidates);
  EXPECT_EQ(selection.considered[2].estimate, 2e-6);
  EXPECT_TRUE(selection.copies.empty());
}

TEST_F(PlanSelection, OrderBreaksTies) { EXPECT_EQ(select_now().chosen, "first"); }

TEST_F(PlanSelection, KeepsTheReasonOfARefusalBesideTheChoice) {
  behaviour(0).refusal = "odd extents only";

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "second");
  EXPECT_FALSE(selection.considered[0].accepted);
  EXPECT_EQ(selection.considered[0].note, "odd extents only");
}

TEST_F(PlanSelection, ListsEveryReasonWhenAllRefuse) {
  behaviour(0).refusal = "odd extents only";
  behaviour(1).refusal = "not on a Monday";
  behaviour(2).failure = "library returned 7";

  const std::string message = message_of(ErrorKind::unsupported, [&] { (void)select_now(); });

  EXPECT_TRUE(has(
      message, {"toy", "no candidate accepts", "cpu", "first: odd extents only",
                "second: not on a Monday", "third: failed while planning", "library returned 7"}));
}

TEST_F(PlanSelection, AFailureWhilePlanningIsARefusal) {
  behaviour(0).failure = "library returned 7";

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "second");
  EXPECT_TRUE(has(selection.considered[0].note, {"library returned 7"}));
}

TEST_F(PlanSelection, OnlyWhatIsChosenIsPrepared) {
  behaviour(1).estimate = 1e-7;

  EXPECT_EQ(select_now().chosen, "second");

  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_EQ(prepared(i), i == 1 ? 1 : 0) << i;
}

TEST_F(PlanSelection, AFailureWhilePreparingIsARefusal) {
  behaviour(1).estimate = 1e-7;
  behaviour(1).unprepared = "the compiler died";

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "first");
  EXPECT_FALSE(selection.considered[1].accepted);
  EXPECT_TRUE(has(selection.considered[1].note, {"failed while planning", "the compiler died"}));
}

TEST_F(PlanSelection, ListsTheReasonsOfThoseThatFailWhilePreparing) {
  for (const std::size_t i : {0U, 1U, 2U}) behaviour(i).unprepared = "the compiler died";

  EXPECT_TRUE(has(message_of(ErrorKind::unsupported, [&] { (void)select_now(); }),
                  {"no candidate accepts", "the compiler died"}));
}

TEST_F(PlanSelection, CountsTheCopiesOfARelayoutInTheEstimate) {
  for (std::size_t i : {1U, 2U}) behaviour(i).refusal = "no";
  behaviour(0).layouts = Behaviour::Layouts::dense;
  const double bare = select_now().plan->estimate();
  x_.strides = {1, 2};
  x_.shape = {2, 3};
  z_ = TensorRef(memory_.data() + 5, DType::float64, {2, 3}, {-3, -1});

  const Selection selection = select_now();

  EXPECT_GT(selection.plan->estimate(), bare);
  ASSERT_EQ(selection.copies.size(), 1U) << "x has no gaps, only z is turned round";
  EXPECT_EQ(selection.copies[0].operand, "z");
  EXPECT_EQ(selection.copies[0].bytes, 6 * sizeof(double));
  EXPECT_EQ(selection.copies[0].why, "unit strides are wanted");
}

TEST_F(PlanSelection, RefusesACandidateThatIsNeverContent) {
  behaviour(0).layouts = Behaviour::Layouts::moody;

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "second");
  EXPECT_TRUE(has(selection.considered[0].note, {"again and again"}));
  EXPECT_LT(asked(0), 10);
}

TEST_F(PlanSelection, CanBeRestrictedByName) {
  set_candidates({"third"});

  const Selection selection = select_now();

  EXPECT_EQ(selection.chosen, "third");
  EXPECT_EQ(asked(0), 0);
  EXPECT_EQ(selection.considered[0].note, "not among the allowed candidates");
}

TEST_F(PlanSelection, ARestrictionToNobodySaysSo) {
  set_candidates({"fourth"});

  const std::string message = message_of(ErrorKind::unsupported, [&] { (void)select_now(); });

  EXPECT_TRUE(has(message, {"third: not among the allowed candidates"}));
}

TEST_F(PlanSelection, ARestrictionEndsWithAnEmptyList) {
  set_candidates({"third"});
  set_candidates({});

  EXPECT_EQ(select_now().chosen, "first");
}

TEST_F(PlanSelection, ExecutesWhatItChose) {
  behaviour(1).estimate = 1e-9;
  std::vector<double> y(6);
  const Request request = make(x_, z_, TensorRef(y.data(), {2, 3}));

  execute_once(ProblemOf<Problem>(request.problem), request.arguments, {}, nullptr, {});

  EXPECT_EQ(executed(1), 1);
  EXPECT_EQ(y, std::vector<double>(6, 3.0));
}

TEST(PlanPlacement, RefusesNegativeThreadsAndDevices) {
  const auto threads =
      message_of(ErrorKind::invalid_argument, [] { (void)place("toy", {}, {.num_threads = -2}); });
  const auto device = message_of(ErrorKind::invalid_argument, [] {
    (void)place("toy", {}, {.space = Execution::Space::cuda, .device_id = -1});
  });

  EXPECT_TRUE(has(threads, {"toy", "num_threads", "-2"}));
  EXPECT_TRUE(has(device, {"toy", "device_id", "-1"}));
}

TEST(PlanPlacement, HostOperandsRunOnTheHostByDefault) {
  const Placement some = place("toy", {}, {.num_threads = 3});
  const Placement all = place("toy", {}, {});

  EXPECT_EQ(some.context.device, Device::cpu());
  EXPECT_EQ(some.context.threads, 3);
  EXPECT_GE(all.context.threads, 1);
  EXPECT_FALSE(all.crosses());
}

TEST(PlanLedger, BooksDisjointPartsOf256Bytes) {
  Ledger ledger;

  const std::size_t first = ledger.book(1);
  const std::size_t nothing = ledger.book(0);
  const std::size_t second = ledger.book(257);

  EXPECT_EQ(first, 0U);
  EXPECT_EQ(nothing, second);
  EXPECT_EQ(second, 256U);
  EXPECT_EQ(ledger.total(), 256U + 512U);
}

}  // namespace
}  // namespace mw::toy
