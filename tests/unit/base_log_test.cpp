// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.hpp"

namespace mw {
namespace {

class LogSinkTest : public testing::Test {
 protected:
  void TearDown() override { set_log_sink({}); }

  void collect(LogLevel lowest) {
    set_log_sink(
        [this](LogLevel level, std::string_view message) { lines_.emplace_back(level, message); },
        lowest);
  }

  std::vector<std::pair<LogLevel, std::string>> lines_;
};

TEST_F(LogSinkTest, GetsItsLevelAndThoseAbove) {
  collect(LogLevel::info);

  log(LogLevel::debug, [] { return std::string("internal"); });
  log(LogLevel::info, [] { return std::string("phase"); });
  log(LogLevel::warning, [] { return std::string("careful"); });

  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[0], std::pair(LogLevel::info, std::string("phase")));
  EXPECT_EQ(lines_[1], std::pair(LogLevel::warning, std::string("careful")));
}

TEST_F(LogSinkTest, NothingIsFormattedWhenItsLevelIsOff) {
  collect(LogLevel::off);
  bool formatted = false;

  log(LogLevel::warning, [&] {
    formatted = true;
    return std::string();
  });

  EXPECT_FALSE(formatted);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(LogSinkTest, MayLogAndReplaceItselfWhileItIsCalled) {
  int calls = 0;
  set_log_sink(
      [&](LogLevel, std::string_view) {
        ++calls;
        set_log_sink({});  // would hang if a lock were held
      },
      LogLevel::debug);

  log(LogLevel::debug, [] { return std::string("first"); });
  log(LogLevel::debug, [] { return std::string("second"); });

  EXPECT_EQ(calls, 1);
}

TEST_F(LogSinkTest, AnEmptySinkRestoresTheDefaultLevel) {
  const bool before = log_enabled(LogLevel::debug);
  collect(LogLevel::debug);
  ASSERT_TRUE(log_enabled(LogLevel::debug));

  set_log_sink({});

  EXPECT_EQ(log_enabled(LogLevel::debug), before);
}

}  // namespace
}  // namespace mw
