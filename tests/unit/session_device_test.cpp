// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The lifecycle on a device, which here is made of host memory: the order of workspace among
// streams, after failures, and while a graph is captured.
#include <mathwright/log.hpp>

#include "unit/fake_driver.hpp"
#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

using test::FakeDriver;
using Order = std::vector<std::string>;

Stream stream_number(std::uintptr_t number) { return {reinterpret_cast<void*>(number)}; }

class SessionDevice : public test::FakeDevice {
 protected:
  void SetUp() override {
    FakeDevice::SetUp();
    Script::instance().reset();
    behaviour().workspace = 5000;
    clear_plan_cache();
  }
  void TearDown() override {
    clear_plan_cache();
    set_log_sink({});
    FakeDevice::TearDown();
  }

  static Behaviour& behaviour() { return Script::instance().behaviours[0]; }
  [[nodiscard]] std::unique_ptr<Session> planned() const {
    auto session = make_session(x, x);
    session->plan({});
    return session;
  }
  /// What `body` queues and gives back.
  template <class Body>
  static Order order_of(Body&& body) {
    Order order;
    FakeDriver::order = &order;
    body();
    FakeDriver::order = nullptr;
    return order;
  }

  std::vector<double> x_ = std::vector<double>(4, 3.0);
  std::vector<double> y_ = std::vector<double>(4);
  TensorRef x{x_.data(), DType::float64, {4}, {1}, Device::cuda(0)};
};

TEST_F(SessionDevice, AnotherStreamWaitsForTheWorkspace) {
  const auto session = planned();

  const Order order = order_of([&] {
    session->execute(y_.data(), stream_number(1));
    session->execute(y_.data(), stream_number(1));
    session->execute(y_.data(), stream_number(2));
  });

  EXPECT_EQ(order, (Order{"record on 1", "record on 1", "wait on 2", "record on 2"}));
  EXPECT_EQ(y_[0], 9);
}

TEST_F(SessionDevice, AFailedExecutionMarksTheWorkspaceAllTheSame) {
  behaviour().execution_failure = "out of luck";
  const auto session = planned();

  const Order order = order_of([&] {
    EXPECT_TRUE(
        has(message_of(ErrorKind::vendor, [&] { session->execute(y_.data(), stream_number(1)); }),
            {"out of luck"}));
    session->free();
  });

  EXPECT_EQ(order, (Order{"record on 1", "wait on 0", "free on 0"}));
}

TEST_F(SessionDevice, AFailedExecutionReleasesTheWorkspaceIfAsked) {
  behaviour().execution_failure = "out of luck";
  const auto session = planned();

  const Order order =
      order_of([&] { EXPECT_THROW(session->execute(y_.data(), stream_number(1), true), Error); });

  EXPECT_EQ(order, (Order{"record on 1", "wait on 0", "free on 0"}));
  EXPECT_EQ(FakeDriver::live_blocks, 0);
}

TEST_F(SessionDevice, TheFirstFailureIsTheOneThatIsReported) {
  behaviour().execution_failure = "out of luck";
  FakeDriver::accepts_events = false;
  std::string logged;
  set_log_sink([&](LogLevel, std::string_view line) { logged = line; }, LogLevel::warning);
  const auto session = planned();

  const std::string message =
      message_of(ErrorKind::vendor, [&] { session->execute(y_.data(), stream_number(1)); });

  EXPECT_TRUE(has(message, {"out of luck"}));
  EXPECT_TRUE(has(logged, {"toy", "after a failed execution", "cuEventRecord"}));
}

TEST_F(SessionDevice, AFailedCallGivesItsWorkspaceBackOnItsStream) {
  behaviour().execution_failure = "out of luck";
  const Request request = make(x, x);
  const ProblemOf<Problem> problem(request.problem);

  const Order order = order_of([&] {
    EXPECT_THROW(execute_once(problem, request.arguments, {}, y_.data(), stream_number(3)), Error);
  });

  EXPECT_EQ(order, (Order{"free on 3"}));
}

class SessionCapture : public SessionDevice {
 protected:
  std::string message_of_execute(Session& session, Stream stream) {
    return message_of(ErrorKind::invalid_state, [&] { session.execute(y_.data(), stream); });
  }
};

TEST_F(SessionCapture, MayBeOnAnotherStreamOnceTheWarmUpIsOver) {
  const auto session = planned();
  session->execute(y_.data(), stream_number(1));
  FakeDriver::capturing = true;

  const Order order = order_of([&] { session->execute(y_.data(), stream_number(2)); });

  EXPECT_EQ(order, (Order{"record on 2"}));
}

TEST_F(SessionCapture, WaitsForWhatTheSameCaptureHolds) {
  FakeDriver::capturing = true;
  FakeDriver::events_reached = false;  // as of an event that was captured
  const auto session = planned();
  session->execute(y_.data(), stream_number(1));

  const Order order = order_of([&] { session->execute(y_.data(), stream_number(2)); });

  EXPECT_EQ(order, (Order{"wait on 2", "record on 2"}));
}

TEST_F(SessionCapture, CannotWaitForWorkOutside) {
  const auto session = planned();
  session->execute(y_.data(), stream_number(1));
  FakeDriver::capturing = true;
  FakeDriver::events_reached = FakeDriver::accepts_events = false;

  EXPECT_TRUE(has(message_of_execute(*session, stream_number(2)),
                  {"toy", "capturing a graph", "workspace", "before the capture begins"}));
  FakeDriver::reset();
}

TEST_F(SessionCapture, RefusesOperandsThatWouldBeCopiedToTheDevice) {
  const TensorRef host(x_.data(), {4});
  const Execution on_device{.space = Execution::Space::cuda};
  const auto session = make_session(host, host, {}, {.execution = on_device});
  session->plan({});
  const Request request = make(host, host);
  const ProblemOf<Problem> problem(request.problem);
  FakeDriver::capturing = true;

  const std::vector<std::string> words{"toy", "capturing a graph", "operands are on cpu",
                                       "runs on cuda:0", "operands in device memory"};
  EXPECT_TRUE(has(message_of_execute(*session, stream_number(1)), words));
  EXPECT_TRUE(has(message_of(ErrorKind::invalid_state,
                             [&] {
                               execute_once(problem, request.arguments, on_device, y_.data(),
                                            stream_number(1));
                             }),
                  words));
  FakeDriver::capturing = false;
  session->execute(y_.data(), stream_number(1));

  EXPECT_EQ(y_[0], 9);
}

TEST_F(SessionCapture, RefusesOperandsThatWouldBeCopiedToTheHost) {
  const auto session = make_session(x, x, {}, {.execution = {.space = Execution::Space::cpu}});
  session->plan({});
  FakeDriver::capturing = true;

  EXPECT_TRUE(has(message_of_execute(*session, stream_number(1)),
                  {"capturing a graph", "operands are on cuda:0", "runs on cpu"}));
}

}  // namespace
}  // namespace mw::toy
