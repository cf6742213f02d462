// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A toy operation for testing the layers that know no operation: y = s·x + z, element by element,
// with three candidates that do what a test's script says. That it fits here without a change there
// is itself a test.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "base/visit.hpp"
#include "plan/session.hpp"

namespace mw::toy {

/// What one candidate does.
struct Behaviour {
  enum class Layouts : std::uint8_t {
    any,       ///< takes every layout
    dense,     ///< wants dense_like(): no gaps, repeated axes still repeated
    c_order,   ///< wants C order, repeated axes written out
    reversed,  ///< C order, run through backwards
    moody,     ///< asks for other layouts for ever
  };

  std::string refusal = {};            ///< refuses with this reason if it is not empty
  std::string failure = {};            ///< throws Error{vendor} with this text if it is not empty
  std::string execution_failure = {};  ///< the same of its plan, once the result is there
  Layouts layouts = Layouts::any;
  double estimate = 1e-6;
  std::size_t workspace = 0;
  std::size_t resident = 0;
  double delay = 0;                         ///< seconds an execution takes at least
  std::vector<double> variant_delays = {};  ///< the same of its plan's variants
  std::string library = {};
  std::string unprepared = {};  ///< why preparing its plan fails
};

inline void PrintTo(Behaviour::Layouts layouts, std::ostream* os) {
  static constexpr const char* kNames[] = {"any", "dense", "c_order", "reversed", "moody"};
  *os << kNames[static_cast<std::size_t>(layouts)];
}

inline constexpr std::size_t kCandidates = 3;

/// The script of the running test, and what happened.
struct Script {
  std::array<Behaviour, kCandidates> behaviours;
  std::array<std::atomic<int>, kCandidates> asked{};
  std::array<std::atomic<int>, kCandidates> executed{}, prepared{};

  static Script& instance() {
    static Script script;
    return script;
  }
  void reset() {
    behaviours = {};
    for (auto& count : asked) count = 0;
    for (auto& count : executed) count = 0;
    for (auto& count : prepared) count = 0;
  }
};

struct Problem {
  static constexpr const char* kOperation = "toy";

  Operands operands;  ///< x, z, y
  Dims result_shape;
  Dims result_strides;

  auto fields() const {
    return std::tuple{field("operands", operands), field("result_shape", result_shape),
                      field("result_strides", result_strides)};
  }
  [[nodiscard]] const char* operand_name(std::size_t index) const {
    static constexpr const char* kNames[] = {"x", "z", "result"};
    return kNames[index];
  }
  [[nodiscard]] std::string title() const { return text("y = s·x + z, ", result_shape); }
  [[nodiscard]] Work work() const {
    const auto size = static_cast<double>(checked_size(result_shape).value_or(0));
    return {.flops = 2 * size,
            .bytes = 3 * size * static_cast<double>(itemsize(operands[0].dtype))};
  }
  [[nodiscard]] static std::span<const Candidate<Problem>> candidates();
};

class ToyPlan final : public Plan {
 public:
  /// `variant`: -1, or the place of one.
  ToyPlan(Problem problem, std::size_t which, int variant = -1)
      : problem_(std::move(problem)),
        which_(which),
        variant_(variant),
        behaviour_(Script::instance().behaviours[which]) {
    if (variant >= 0) {
      behaviour_.delay = behaviour_.variant_delays[static_cast<std::size_t>(variant)];
    }
  }

  void prepare() const override {
    require(behaviour_.unprepared.empty(), ErrorKind::compile, behaviour_.unprepared);
    ++Script::instance().prepared[which_];
  }
  void execute(const Call& call) const override {
    ++Script::instance().executed[which_];
    if (behaviour_.workspace > 0) std::memset(call.workspace, 0xff, behaviour_.workspace);
    visit_blas(problem_.operands[0].dtype, "toy", [&]<class T>(TypeTag<T>) {
      T factor;
      if constexpr (std::is_arithmetic_v<T>) {
        factor = static_cast<T>(call.scalars[0].real());
      } else {
        factor = static_cast<T>(call.scalars[0]);
      }
      run<T>(call, factor, 0, {0, 0, 0});
    });
    const std::string& failure = behaviour_.execution_failure;
    require(failure.empty(), ErrorKind::vendor, failure);
    if (behaviour_.delay > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(behaviour_.delay));
    }
  }
  std::string library() const override { return behaviour_.library; }
  std::vector<PlanPtr> variants(int limit) const override {
    std::vector<PlanPtr> plans;
    for (int i = 0; i < limit && i < static_cast<int>(behaviour_.variant_delays.size()); ++i) {
      if (i != variant_) plans.push_back(std::make_shared<ToyPlan>(problem_, which_, i));
    }
    return plans;
  }
  std::string variant() const override {
    return variant_ < 0 ? std::string() : text("variant=", variant_);
  }
  std::size_t workspace_bytes() const override { return behaviour_.workspace; }
  double estimate() const override { return behaviour_.estimate; }
  std::string describe() const override { return text("toy plan ", which_); }
  std::size_t resident_bytes() const override { return behaviour_.resident; }

 private:
  template <class T>
  void run(const Call& call, T factor, std::size_t axis, std::array<std::int64_t, 3> offset) const {
    if (axis < problem_.result_shape.size()) {
      for (std::int64_t i = 0; i < problem_.result_shape[axis]; ++i) {
        run(call, factor, axis + 1, offset);
        for (std::size_t k = 0; k < 3; ++k) offset[k] += problem_.operands[k].strides[axis];
      }
      return;
    }
    const auto element = [&](std::size_t k) {
      T value;
      std::memcpy(&value, static_cast<const T*>(call.operands[k]) + offset[k], sizeof value);
      if constexpr (!std::is_arithmetic_v<T>) {
        if (problem_.operands[k].conjugate) value = std::conj(value);
      }
      return value;
    };
    const T y = factor * element(0) + element(1);
    std::memcpy(static_cast<T*>(call.operands[2]) + offset[2], &y, sizeof y);
  }

  Problem problem_;
  std::size_t which_;
  int variant_;
  Behaviour behaviour_;
};

inline Answer try_toy(std::size_t which, const Problem& problem, const Context&) {
  Script& script = Script::instance();
  const Behaviour& behaviour = script.behaviours[which];
  const int round = ++script.asked[which];
  if (!behaviour.refusal.empty()) return refuse(behaviour.refusal);
  require(behaviour.failure.empty(), ErrorKind::vendor, behaviour.failure);
  if (behaviour.layouts == Behaviour::Layouts::any)
    return std::make_shared<ToyPlan>(problem, which);
  Relayout relayout{.reason = "unit strides are wanted", .entries = {}};
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    OperandLayout wanted = dense_like(problem.operands[i]);
    if (behaviour.layouts == Behaviour::Layouts::c_order ||
        behaviour.layouts == Behaviour::Layouts::reversed) {
      wanted.strides = contiguous_strides(wanted.shape);
    }
    if (behaviour.layouts == Behaviour::Layouts::reversed) {
      for (auto& stride : wanted.strides) stride = -stride;
    }
    if (behaviour.layouts == Behaviour::Layouts::moody) {
      wanted.strides = Dims(wanted.shape.size(), 1 << (round % 2));
    }
    if (!same(wanted, problem.operands[i])) relayout.entries.push_back({i, wanted});
  }
  if (relayout.entries.empty()) return std::make_shared<ToyPlan>(problem, which);
  return relayout;
}

template <std::size_t kWhich>
inline constexpr auto kAsk = [](const Problem& problem, const Context& context) {
  return try_toy(kWhich, problem, context);
};

inline std::span<const Candidate<Problem>> Problem::candidates() {
  static constexpr std::array<Candidate<Problem>, kCandidates> kList{
      {{"first", kAsk<0>}, {"second", kAsk<1>}, {"third", kAsk<2>}}};
  return kList;
}

struct Request {
  Problem problem;
  Arguments arguments;
};

/// y = s·x + z; y is in new memory of C order unless `out` is given, and may be z.
inline Request make(const TensorRef& x, const TensorRef& z,
                    const std::optional<TensorRef>& out = {}, ScalarValue s = 2) {
  Request request;
  Problem& problem = request.problem;
  problem.result_shape = x.shape;
  problem.result_strides = out ? out->strides : contiguous_strides(x.shape);
  const TensorRef y = out ? *out : TensorRef(nullptr, x.dtype, x.shape, problem.result_strides);
  problem.operands = {layout_of(x), layout_of(z), layout_of(y)};
  request.arguments.inputs = {x, z};
  request.arguments.out = out;
  request.arguments.scalars = {s};
  request.arguments.in_place = 1;
  return request;
}

inline std::unique_ptr<Session> make_session(const TensorRef& x, const TensorRef& z,
                                             const std::optional<TensorRef>& out = {},
                                             const Session::Options& options = {}) {
  Request request = make(x, z, out);
  return std::make_unique<Session>(std::make_unique<ProblemOf<Problem>>(std::move(request.problem)),
                                   std::move(request.arguments), options);
}

inline Placement host_placement() {
  return {.memory = {}, .context = {.device = {}, .threads = 1}};
}

/// Every test starts with an empty plan cache and candidates that take anything.
class ToyTest : public testing::Test {
 protected:
  void SetUp() override {
    Script::instance().reset();
    clear_plan_cache();
  }
  void TearDown() override {
    set_candidates({});
    clear_plan_cache();
  }

  static Behaviour& behaviour(std::size_t which) { return Script::instance().behaviours[which]; }
  static int asked(std::size_t which) { return Script::instance().asked[which]; }
  static int executed(std::size_t which) { return Script::instance().executed[which]; }
  static int prepared(std::size_t which) { return Script::instance().prepared[which]; }
};

/// The message of the Error of this kind that `body` throws; a failure of the test if there is
/// none.
template <class Body>
std::string message_of(ErrorKind kind, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), name(kind)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "an Error " << name(kind) << " was expected";
  return {};
}

/// Whether a message holds every one of the words.
inline testing::AssertionResult has(const std::string& message,
                                    const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (message.find(word) == std::string::npos) {
      return testing::AssertionFailure() << '"' << word << "\" is missing in:\n" << message;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace mw::toy
