// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mathwright/device.hpp>
#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>

#include "base/env.hpp"
#include "base/function_ref.hpp"
#include "base/outcome.hpp"
#include "base/text.hpp"

namespace mw {
namespace {

TEST(Text, WritesPiecesOneAfterAnother) {
  EXPECT_EQ(text(), "");
  EXPECT_EQ(text("a", 1, ' ', std::string("b"), 2.5), "a1 b2.5");
}

TEST(Text, WritesShapesAsPythonTuples) {
  EXPECT_EQ(text(Dims{}), "()");
  EXPECT_EQ(text(Dims{3}), "(3,)");
  EXPECT_EQ(text(Dims{3, -4}), "(3, -4)");
  EXPECT_EQ(text(std::vector<Dims>{{1}, {2, 3}}), "((1,), (2, 3))");
}

TEST(Text, WritesFlagsAndSmallNumbersReadably) {
  EXPECT_EQ(text(true, false), "truefalse");
  EXPECT_EQ(text(std::uint8_t{65}, " ", std::int8_t{-1}), "65 -1");
}

TEST(Text, WritesDevicesAndEnumerationsByName) {
  EXPECT_EQ(text(Device::cpu(), " ", Device::cuda(3)), "cpu cuda:3");
  EXPECT_EQ(text(DType::complex64), "complex64");
  EXPECT_EQ(text(ErrorKind::singular), "singular");
}

TEST(Text, EveryErrorKindHasItsOwnName) {
  EXPECT_EQ(name(ErrorKind::invalid_argument), "invalid_argument");
  EXPECT_EQ(name(ErrorKind::out_of_memory), "out_of_memory");
  EXPECT_EQ(name(ErrorKind::timeout), "timeout");
}

TEST(HumanBytes, PicksTheLargestUnitNotAboveTheValue) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(human_bytes(0x1p41), "2.0 TiB");
}

TEST(HumanSeconds, PicksTheLargestUnitNotAboveTheValue) {
  EXPECT_EQ(human_seconds(0), "0 ns");
  EXPECT_EQ(human_seconds(250e-9), "250 ns");
  EXPECT_EQ(human_seconds(1.25e-6), "1.25 µs");
  EXPECT_EQ(human_seconds(0.0031), "3.10 ms");
  EXPECT_EQ(human_seconds(61), "61.00 s");
}

TEST(Fail, ThrowsTheKindWithTheMessage) {
  try {
    fail(ErrorKind::timeout, "waited ", 3, " s");
    FAIL() << "an Error was expected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::timeout);
    EXPECT_STREQ(error.what(), "waited 3 s");
  }
}

TEST(Require, ThrowsOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require(true, ErrorKind::vendor, "never"));
  EXPECT_THROW(require(false, ErrorKind::vendor, "now"), Error);
}

TEST(OutcomeType, HoldsAValueOrARefusal) {
  Outcome<std::string> yes = std::string("value");
  const Outcome<std::string> no = Refusal{"library", "is not here"};

  EXPECT_TRUE(yes);
  EXPECT_EQ(*yes, "value");
  EXPECT_EQ(yes->size(), 5U);
  EXPECT_FALSE(no);
  EXPECT_EQ(no.refusal().who, "library");
  EXPECT_EQ(no.refusal().reason, "is not here");
}

TEST(OutcomeType, WrongSideThrowsInsteadOfGivingRubbish) {
  const Outcome<int> no = Refusal{"x", "y"};
  const Outcome<int> yes = 1;

  EXPECT_THROW((void)no.value(), std::bad_variant_access);
  EXPECT_THROW((void)yes.refusal(), std::bad_variant_access);
}

TEST(OutcomeType, TakesValuesThatOnlyMove) {
  Outcome<std::unique_ptr<int>> made = std::make_unique<int>(7);

  const std::unique_ptr<int> taken = std::move(made.value());

  EXPECT_EQ(*taken, 7);
}

TEST(FunctionRefType, CallsTheCallableItRefersTo) {
  int calls = 0;
  auto counts = [&](int by) { return calls += by; };
  const FunctionRef<int(int)> ref = counts;

  ref(2);

  EXPECT_EQ(ref(3), 5);
  EXPECT_EQ(calls, 5);
}

class Environment : public testing::Test {
 protected:
  static constexpr const char* kName = "MATHWRIGHT_PLAN_CACHE_COUNT";
  void SetUp() override {
    if (const char* value = std::getenv(kName)) before_ = value;
  }
  void TearDown() override {
    if (before_) {
      setenv(kName, before_->c_str(), 1);
    } else {
      unsetenv(kName);
    }
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(Environment, UnsetAndEmptyVariablesAreNothing) {
  unsetenv(kName);
  EXPECT_EQ(env(EnvVar::plan_cache_count), std::nullopt);
  setenv(kName, "", 1);
  EXPECT_EQ(env(EnvVar::plan_cache_count), std::nullopt);
  EXPECT_EQ(env_count(EnvVar::plan_cache_count), std::nullopt);
}

TEST_F(Environment, CountsAreWholeNumbersOfAtLeastZero) {
  setenv(kName, "42", 1);
  EXPECT_EQ(env_count(EnvVar::plan_cache_count), 42);
  setenv(kName, "0", 1);
  EXPECT_EQ(env_count(EnvVar::plan_cache_count), 0);
}

TEST_F(Environment, ABadCountNamesVariableAndValue) {
  for (const char* bad : {"-1", "ten", "1.5", "12 ", "99999999999999999999"}) {
    setenv(kName, bad, 1);
    try {
      (void)env_count(EnvVar::plan_cache_count);
      ADD_FAILURE() << bad << " was taken";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
      EXPECT_NE(what.find(kName), std::string::npos) << what;
      EXPECT_NE(what.find(bad), std::string::npos) << what;
    }
  }
}

TEST(EnvironmentTable, EveryRowStandsAtItsOwnPlaceAndExplainsItself) {
  const auto rows = env_table();

  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].var), i);
    EXPECT_GT(std::string_view(rows[i].name).size(), 0U);
    EXPECT_GT(std::string_view(rows[i].meaning).size(), 10U) << rows[i].name;
  }
}

}  // namespace
}  // namespace mw
