// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/log.hpp>

#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

/// Counts what is taken and given back.
class CountingMemory final : public MemoryResource {
 public:
  Device device() const override { return {}; }
  void* allocate(std::size_t bytes, Stream stream) override {
    ++allocations;
    live += bytes;
    require(bytes <= limit, ErrorKind::out_of_memory, "no room for ", bytes);
    return host_memory().allocate(bytes, stream);
  }
  void deallocate(void* memory, std::size_t bytes, Stream stream) noexcept override {
    live -= bytes;
    host_memory().deallocate(memory, bytes, stream);
  }

  int allocations = 0;
  std::size_t live = 0;
  std::size_t limit = std::size_t{1} << 30;
};

class SessionLifecycle : public ToyTest {
 protected:
  static constexpr std::int64_t kSize = 4;

  void execute_and_expect(Session& session, double expected) {
    session.execute(y_.data(), {});
    EXPECT_EQ(y_, std::vector<double>(kSize, expected));
  }
  std::string message_of_execute(Session& session) {
    return message_of(ErrorKind::invalid_state, [&] { session.execute(y_.data(), {}); });
  }

  std::vector<double> x_ = std::vector<double>(kSize, 3.0);
  std::vector<double> z_ = std::vector<double>(kSize, 1.0);
  std::vector<double> y_ = std::vector<double>(kSize, 0.0);
  std::vector<double> other_ = std::vector<double>(2 * kSize, 10.0);
  TensorRef x{x_.data(), {kSize}};
  TensorRef z{z_.data(), {kSize}};
  TensorRef other{other_.data(), {kSize}};
};

TEST_F(SessionLifecycle, ExecutesAfterPlanningAsOftenAsWanted) {
  const auto session = make_session(x, z);
  EXPECT_FALSE(session->planned());

  session->plan({});

  EXPECT_TRUE(session->planned());
  execute_and_expect(*session, 7);
  x_.assign(kSize, 5.0);
  execute_and_expect(*session, 11);
}

TEST_F(SessionLifecycle, ExecutionBeforePlanningIsAnInvalidState) {
  const auto session = make_session(x, z);

  EXPECT_TRUE(has(message_of_execute(*session), {"toy", "plan()"}));

  session->plan({});
  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, ASecondPlanIsTheSame) {
  const auto session = make_session(x, z);
  session->plan({});
  const Plan* const before = session->selection().plan.get();
  clear_plan_cache();

  session->plan({});

  EXPECT_EQ(session->selection().plan.get(), before);
}

TEST_F(SessionLifecycle, AFailedPlanLeavesItUnplannedAndUsable) {
  for (std::size_t i = 0; i < kCandidates; ++i) behaviour(i).refusal = "no";
  const auto session = make_session(x, z);
  EXPECT_THROW(session->plan({}), Error);
  EXPECT_FALSE(session->planned());
  behaviour(2).refusal.clear();

  session->plan({});

  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, QuestionsAboutThePlanNeedOne) {
  const auto session = make_session(x, z);

  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { (void)session->selection(); }, [&] { (void)session->workspace_bytes(); },
           [&] { (void)session->estimate(); }, [&] { (void)session->explain(); }}) {
    EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, ask), {"toy", "plan()"}));
  }
}

TEST_F(SessionLifecycle, ScalarsChangeWithoutAPlan) {
  const auto session = make_session(x, z);
  session->plan({});
  session->set_scalar(0, 4);

  execute_and_expect(*session, 13);

  EXPECT_EQ(session->scalar(0), ScalarValue(4));
  EXPECT_EQ(asked(0), 1);
}

TEST_F(SessionLifecycle, AResetOperandIsUsedAndKeepsThePlan) {
  const auto session = make_session(x, z);
  session->plan({});

  session->reset(0, other);

  execute_and_expect(*session, 21);
  EXPECT_EQ(asked(0), 1);
}

TEST_F(SessionLifecycle, ResetMayComeBeforePlanning) {
  const auto session = make_session(x, z);
  session->reset(0, other);

  session->plan({});

  execute_and_expect(*session, 21);
}

TEST_F(SessionLifecycle, AnUncheckedResetOnlyLooksAtTheAddress) {
  const auto session = make_session(x, z);
  session->plan({});

  session->reset_unchecked(0, other_.data());

  execute_and_expect(*session, 21);
  EXPECT_EQ(session->arguments().inputs[0].data, other_.data());
}

TEST_F(SessionLifecycle, EveryMismatchOfAResetIsNamed) {
  struct Wrong {
    std::function<void(TensorRef&)> change;
    std::vector<std::string> words;
  };
  const std::vector<Wrong> wrongs = {
      {[](TensorRef& t) { t.dtype = DType::float32; }, {"dtype", "float32", "float64"}},
      {[](TensorRef& t) { t.shape = {5}; }, {"shape", "(5,)", "(4,)"}},
      {[](TensorRef& t) { t.device = Device::cuda(1); }, {"device", "cuda:1", "cpu"}},
      {[](TensorRef& t) { t.strides = {2}; }, {"strides", "(2,)", "(1,)"}},
      {[](TensorRef& t) { t.conjugate = true; }, {"conjugate", "true", "false"}},
  };
  const auto session = make_session(x, z);
  session->plan({});

  for (const auto& wrong : wrongs) {
    TensorRef changed = other;
    wrong.change(changed);
    const auto message =
        message_of(ErrorKind::invalid_argument, [&] { session->reset(0, changed); });
    EXPECT_TRUE(has(message, {"toy", "operand x"}));
    EXPECT_TRUE(has(message, wrong.words));
    execute_and_expect(*session, 7);
  }
}

TEST_F(SessionLifecycle, StridesOfSingleElementsDoNotCount) {
  double memory[2] = {3, 1};
  const auto session = make_session({memory, {1}}, {memory + 1, {1}});
  session->plan({});

  session->reset(0, TensorRef(other_.data(), DType::float64, {1}, {999}));
  session->execute(y_.data(), {});

  EXPECT_EQ(y_[0], 21);
}

TEST_F(SessionLifecycle, AResetOfSeveralIsAllOrNone) {
  const auto session = make_session(x, z);
  session->plan({});
  TensorRef wrong = other;
  wrong.shape = {3};

  EXPECT_THROW(session->reset({{0, other}, {1, wrong}}), Error);

  EXPECT_EQ(session->arguments().inputs[0].data, x_.data());
  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, AResetOfSeveralTakesAll) {
  const auto session = make_session(x, z);
  session->plan({});

  session->reset({{0, other}, {1, other}});

  execute_and_expect(*session, 30);
}

TEST_F(SessionLifecycle, ALesserAlignmentMakesANewPlan) {
  const auto session = make_session(x, z);
  session->plan({});
  std::vector<char> bytes(kSize * sizeof(double) + 1);
  char* const odd = bytes.data() + 1;
  std::memcpy(odd, other_.data(), kSize * sizeof(double));

  session->reset(0, TensorRef(odd, DType::float64, {kSize}, {1}));

  EXPECT_EQ(asked(0), 2);
  EXPECT_EQ(session->problem().operands()[0].alignment, 1);
  execute_and_expect(*session, 21);
}

TEST_F(SessionLifecycle, ALesserAlignmentThatNobodyTakesLeavesTheObjectAsItWas) {
  const auto session = make_session(x, z);
  session->plan({});
  for (std::size_t i = 0; i < kCandidates; ++i) behaviour(i).refusal = "no";
  std::vector<char> bytes(kSize * sizeof(double) + 1);

  const auto message = message_of(ErrorKind::unsupported, [&] {
    session->reset(0, TensorRef(bytes.data() + 1, DType::float64, {kSize}, {1}));
  });

  EXPECT_TRUE(has(message, {"no candidate"}));
  EXPECT_EQ(session->problem().operands()[0].alignment, 16);
  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, ReleasedOperandsAreNamedUntilTheyAreGivenAgain) {
  const auto session = make_session(x, z);
  session->plan({});

  session->release_operands();

  EXPECT_TRUE(session->released());
  EXPECT_TRUE(has(message_of_execute(*session), {"toy", "released", "x, z"}));
  session->reset(0, other);
  EXPECT_TRUE(has(message_of_execute(*session), {"released", "z"}));
  session->reset(1, z);
  EXPECT_FALSE(session->released());
  execute_and_expect(*session, 21);
  EXPECT_EQ(asked(0), 1) << "the plan is kept";
}

TEST_F(SessionLifecycle, AReleasedOutIsToBeGivenAgainToo) {
  std::vector<double> out(kSize);
  const TensorRef to(out.data(), {kSize});
  const auto session = make_session(x, z, to);
  session->plan({});

  session->release_operands();
  session->reset(0, x);
  session->reset(1, z);
  EXPECT_TRUE(has(message_of_execute(*session), {"out"}));
  session->reset(2, to);
  session->execute(nullptr, {});

  EXPECT_EQ(out, std::vector<double>(kSize, 7.0));
}

TEST_F(SessionLifecycle, ReleasingTwiceIsHarmless) {
  const auto session = make_session(x, z);
  session->plan({});

  session->release_operands();
  session->release_operands();
  session->reset_unchecked(0, x_.data());
  session->reset_unchecked(1, z_.data());

  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, AFreedObjectRefusesEverythingButFree) {
  const auto session = make_session(x, z);
  session->plan({});

  session->free();
  session->free();

  EXPECT_TRUE(session->freed());
  EXPECT_TRUE(has(message_of_execute(*session), {"toy", "freed"}));
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { session->plan({}); }, [&] { session->reset(0, x); },
           [&] { session->release_operands(); }, [&] { (void)session->explain(); }}) {
    EXPECT_TRUE(has(message_of(ErrorKind::invalid_state, use), {"toy", "freed"}));
  }
}

TEST_F(SessionLifecycle, OutWithoutOneIsRefused) {
  const auto session = make_session(x, z);

  const auto message = message_of(ErrorKind::invalid_argument,
                                  [&] { session->reset(2, TensorRef(y_.data(), {kSize})); });

  EXPECT_TRUE(has(message, {"toy", "out"}));
}

class SessionWorkspace : public SessionLifecycle {
 protected:
  void SetUp() override {
    SessionLifecycle::SetUp();
    behaviour(0).workspace = 5000;
  }
  CountingMemory memory_;
};

TEST_F(SessionWorkspace, IsTakenAtTheFirstExecutionAndReused) {
  const auto session = make_session(x, z, {}, {.execution = {}, .workspace = &memory_});
  session->plan({});
  EXPECT_EQ(memory_.allocations, 0);
  EXPECT_GE(session->workspace_bytes(), 5000U);

  for (int i = 0; i < 3; ++i) execute_and_expect(*session, 7);

  EXPECT_EQ(memory_.allocations, 1);
}

TEST_F(SessionWorkspace, GoesWithReleaseWorkspaceAndComesBack) {
  const auto session = make_session(x, z, {}, {.execution = {}, .workspace = &memory_});
  session->plan({});

  session->execute(y_.data(), {}, true);
  EXPECT_EQ(memory_.live, 0U);
  execute_and_expect(*session, 7);

  EXPECT_EQ(memory_.allocations, 2);
}

TEST_F(SessionWorkspace, GoesWithFreeAndWithTheObject) {
  auto freed = make_session(x, z, {}, {.execution = {}, .workspace = &memory_});
  auto dropped = make_session(x, z, {}, {.execution = {}, .workspace = &memory_});
  for (const auto* session : {&freed, &dropped}) {
    (*session)->plan({});
    (*session)->execute(y_.data(), {});
  }
  ASSERT_GT(memory_.live, 0U);

  freed->free();
  dropped.reset();

  EXPECT_EQ(memory_.live, 0U);
}

TEST_F(SessionWorkspace, WithoutRoomFailsAndCanBeTriedAgain) {
  memory_.limit = 100;
  const auto session = make_session(x, z, {}, {.execution = {}, .workspace = &memory_});
  session->plan({});

  EXPECT_TRUE(has(message_of(ErrorKind::out_of_memory, [&] { session->execute(y_.data(), {}); }),
                  {"no room"}));
  memory_.live = 0;
  memory_.limit = 1 << 20;

  execute_and_expect(*session, 7);
}

TEST_F(SessionLifecycle, PhasesAreLoggedAtInfo) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); }, LogLevel::info);
  const auto session = make_session(x, z);

  session->plan({});
  session->execute(y_.data(), {});
  set_log_sink({});

  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(has(lines[0], {"toy", "planned", "first"}));
  EXPECT_TRUE(has(lines[1], {"toy", "executed", "first"}));
}

TEST_F(SessionLifecycle, RefusalsAreLoggedAtDebug) {
  std::vector<std::string> lines;
  behaviour(1).refusal = "not on a Monday";
  set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); }, LogLevel::debug);

  make_session(x, z)->plan({});
  set_log_sink({});

  const auto said = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("second refuses: not on a Monday") != std::string::npos;
  });
  EXPECT_EQ(said, 1);
}

}  // namespace
}  // namespace mw::toy
