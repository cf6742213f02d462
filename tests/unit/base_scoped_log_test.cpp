// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.hpp"

namespace mw {
namespace {

void say(LogLevel level, const char* words) {
  log(level, [&] { return std::string(words); });
}

class ScopedLogSinkTest : public testing::Test {
 protected:
  void SetUp() override { set_log_sink(into(global_), LogLevel::warning); }
  void TearDown() override { set_log_sink({}); }

  static LogSink into(std::vector<std::string>& lines) {
    return [&lines](LogLevel, std::string_view message) { lines.emplace_back(message); };
  }

  std::vector<std::string> global_, own_, inner_;
};

TEST_F(ScopedLogSinkTest, TakesThisThreadsLinesFromItsOwnLevel) {
  {
    const ScopedLogSink scope(into(own_), LogLevel::info);
    say(LogLevel::debug, "internal");
    say(LogLevel::info, "phase");
    say(LogLevel::warning, "careful");
  }
  say(LogLevel::info, "after");
  say(LogLevel::warning, "careful after");

  EXPECT_EQ(own_, (std::vector<std::string>{"phase", "careful"}));
  EXPECT_EQ(global_, (std::vector<std::string>{"careful after"}));
}

TEST_F(ScopedLogSinkTest, MayBeQuieterThanTheGlobalSink) {
  const ScopedLogSink scope(into(own_), LogLevel::off);

  say(LogLevel::warning, "careful");

  EXPECT_TRUE(own_.empty());
  EXPECT_TRUE(global_.empty());
}

TEST_F(ScopedLogSinkTest, TheInnermostCounts) {
  const ScopedLogSink outer(into(own_), LogLevel::debug);
  {
    const ScopedLogSink inner(into(inner_), LogLevel::info);
    say(LogLevel::info, "inside");
  }
  say(LogLevel::debug, "outside");

  EXPECT_EQ(inner_, (std::vector<std::string>{"inside"}));
  EXPECT_EQ(own_, (std::vector<std::string>{"outside"}));
}

TEST_F(ScopedLogSinkTest, LinesOfOtherThreadsStayWithTheGlobalSinkAndItsLevel) {
  const ScopedLogSink scope(into(own_), LogLevel::debug);

  std::thread([] {
    say(LogLevel::info, "phase elsewhere");
    say(LogLevel::warning, "careful elsewhere");
  }).join();

  EXPECT_TRUE(own_.empty());
  EXPECT_EQ(global_, (std::vector<std::string>{"careful elsewhere"}));
}

}  // namespace
}  // namespace mw
