// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What may be passed as out, and what explain() tells.
#include <functional>

#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

class SessionOut : public ToyTest {
 protected:
  void check(const TensorRef& first, const TensorRef& second, const TensorRef& out) {
    const Request request = make(first, second, out);
    check_out(ProblemOf<Problem>(request.problem), request.arguments);
  }
  std::string refusal(const TensorRef& first, const TensorRef& second, const TensorRef& out) {
    return message_of(ErrorKind::invalid_argument, [&] { check(first, second, out); });
  }

  std::vector<double> memory_ = std::vector<double>(64, 1.0);
  TensorRef x{memory_.data(), {2, 3}};
  TensorRef z{memory_.data() + 6, {2, 3}};
  TensorRef free{memory_.data() + 12, {2, 3}};
};

TEST_F(SessionOut, MayBeAnyOneToOneLayoutOfItsOwn) {
  EXPECT_NO_THROW(check(x, z, free));
  EXPECT_NO_THROW(check(x, z, {memory_.data() + 20, DType::float64, {2, 3}, {1, 2}}));
  EXPECT_NO_THROW(check(x, z, {memory_.data() + 60, DType::float64, {2, 3}, {-20, -3}}));
}

TEST_F(SessionOut, MayNotBeReadOnly) {
  TensorRef readonly = free;
  readonly.readonly = true;

  EXPECT_TRUE(has(refusal(x, z, readonly), {"toy", "out", "read-only"}));
}

TEST_F(SessionOut, MayNotShareElementsAmongIndices) {
  EXPECT_TRUE(has(refusal(x, z, {memory_.data() + 12, DType::float64, {2, 3}, {0, 1}}),
                  {"toy", "out", "(0, 1)", "share"}));
  EXPECT_TRUE(has(refusal(x, z, {memory_.data() + 12, DType::float64, {2, 3}, {1, 1}}), {"share"}));
}

TEST_F(SessionOut, MayNotBeAConjugatedView) {
  TensorRef conjugated = free;
  conjugated.conjugate = true;

  EXPECT_TRUE(has(refusal(x, z, conjugated), {"toy", "out", "conjugated"}));
}

TEST_F(SessionOut, MayNotOverlapAnInput) {
  EXPECT_TRUE(has(refusal(x, z, x), {"out overlaps operand x"}));
  EXPECT_TRUE(has(refusal(x, z, {memory_.data() + 5, {2, 3}}), {"out overlaps operand x"}));
  EXPECT_TRUE(has(refusal(x, z, {memory_.data() + 11, {2, 3}}), {"out overlaps operand z"}));
}

TEST_F(SessionOut, MayBeTheInPlaceInputButOnlyAsTheSameView) {
  EXPECT_NO_THROW(check(x, z, z));
  EXPECT_TRUE(has(refusal(x, z, {memory_.data() + 6, DType::float64, {2, 3}, {1, 2}}),
                  {"out overlaps operand z"}));
}

TEST_F(SessionOut, MayNotBecomeAnOverlapByAReset) {
  const auto session = make_session(x, z, free);
  session->plan({});

  const auto message = message_of(ErrorKind::invalid_argument, [&] { session->reset(0, free); });

  EXPECT_TRUE(has(message, {"out overlaps operand x"}));
  EXPECT_NO_THROW(session->execute(nullptr, {}));
}

TEST_F(SessionOut, ReceivesTheResultInItsOwnStrides) {
  const TensorRef turned(memory_.data() + 12, DType::float64, {2, 3}, {1, 2});
  const auto session = make_session(x, z, turned);
  session->plan({});
  memory_[1] = 10;  // x[0, 1]

  session->execute(nullptr, {});

  EXPECT_EQ(memory_[12 + 2], 21);
  EXPECT_EQ(memory_[12 + 1], 3);
}

class SessionResult : public SessionOut {
 protected:
  void SetUp() override {
    SessionOut::SetUp();
    if (operand_alignment(place) < 16) ++place;
  }

  double* place = memory_.data() + 20;  // 16-byte aligned
};

TEST_F(SessionResult, LessAlignedThanPlannedIsRefused) {
  const auto session = make_session(x, z);
  session->plan({});
  const Request request = make(x, z);
  const ProblemOf<Problem> problem(request.problem);

  for (const auto& use : std::vector<std::function<void()>>{
           [&] { session->execute(place + 1, {}); }, [&] { session->execute_into(place + 1, {}); },
           [&] { execute_once(problem, request.arguments, {}, place + 1, {}); }}) {
    EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, use), {"toy", "multiple of 16 bytes"}));
  }
  session->execute(place, {});

  EXPECT_EQ(place[5], 3);
}

TEST_F(SessionResult, NeedsAnAddressUnlessThereIsOut) {
  const auto session = make_session(x, z);
  const auto with_out = make_session(x, z, free);
  session->plan({});
  with_out->plan({});

  EXPECT_TRUE(has(message_of(ErrorKind::invalid_argument, [&] { session->execute_into({}, {}); }),
                  {"toy", "null address", "(2, 3)", "float64"}));
  EXPECT_TRUE(
      has(message_of(ErrorKind::invalid_argument, [&] { with_out->execute_into(place, {}); }),
          {"toy", "has its place", "execute()"}));
}

class PlanExplanation : public ToyTest {};

TEST_F(PlanExplanation, TellsWhatWasChosenWhyAndAtWhatCost) {
  std::vector<std::complex<double>> memory(24);
  TensorRef x(memory.data(), DType::complex128, {2, 3}, {1, 2});
  x.conjugate = true;
  behaviour(0).refusal = "odd extents only";
  behaviour(1).layouts = Behaviour::Layouts::c_order;
  behaviour(1).workspace = 5000;
  behaviour(1).estimate = 1e-9;
  behaviour(2).estimate = 1;
  const auto session = make_session(x, {memory.data() + 6, {2, 3}});
  session->plan({});

  const std::string page = session->explain();

  EXPECT_TRUE(has(page, {"toy", "y = s·x + z, (2, 3)", "complex128", "strides (1, 2)", "conjugated",
                         "runs on cpu", "threads"}));
  EXPECT_TRUE(has(
      page, {"first", "refused", "odd extents only", "* second", "toy plan 1", "third", "1.00 s"}));
  EXPECT_TRUE(
      has(page, {"copies", "x ", "96 B", "unit strides are wanted", "workspace", "5.2 KiB"}));
  EXPECT_TRUE(has(page, {"floor", "memory", "estimated"}));
  EXPECT_EQ(page.find("* third"), std::string::npos);
}

TEST_F(PlanExplanation, SaysThatNothingIsCopied) {
  std::vector<double> memory(6);
  const auto session = make_session({memory.data(), {6}}, {memory.data(), {6}});
  session->plan({});

  EXPECT_TRUE(has(session->explain(), {"copies      none", "workspace   0 B"}));
}

}  // namespace
}  // namespace mw::toy
