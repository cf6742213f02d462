// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/info.hpp"

#include <gtest/gtest.h>

namespace mw {
namespace {

bool contains(const std::string& all, const std::string& part) {
  return all.find(part) != std::string::npos;
}

TEST(ThreadsReason, NamesTheVariableThatDecided) {
  const CpuLimits limits{
      .affinity = 8, .quota = 4.0, .variable = 2, .variable_name = "OMP_NUM_THREADS", .usable = 2};

  const std::string reason = threads_reason(limits);

  EXPECT_TRUE(reason.starts_with("2, by OMP_NUM_THREADS")) << reason;
  EXPECT_TRUE(contains(reason, "affinity mask 8")) << reason;
}

TEST(ThreadsReason, NamesTheQuotaWhenItIsTheTightest) {
  const CpuLimits limits{
      .affinity = 8, .quota = 2.5, .variable = std::nullopt, .variable_name = "", .usable = 2};

  const std::string reason = threads_reason(limits);

  EXPECT_TRUE(reason.starts_with("2, by the control group's quota")) << reason;
}

TEST(ThreadsReason, NamesTheMaskWhenNothingElseLimits) {
  const CpuLimits limits{.affinity = 8,
                         .quota = std::nullopt,
                         .variable = std::nullopt,
                         .variable_name = "",
                         .usable = 8};

  const std::string reason = threads_reason(limits);

  EXPECT_TRUE(reason.starts_with("8, by CPUs this process may run on")) << reason;
  EXPECT_TRUE(contains(reason, "quota none")) << reason;
}

InfoReport small_report() {
  InfoReport report;
  report.machine.cpu_model = "a \"quoted\" name";
  report.machine.cuda_reason =
      "the CUDA driver was not found. Looked for libcuda.so.1 in:\n  somewhere";
  report.libraries = {
      {.name = "Found", .found = true, .path = "/lib/found.so", .how = "wheel", .version = "1.2"},
      {.name = "Missing", .looked = {"wheel /a", "CONDA_PREFIX (not set)"}, .hint = "install it"},
      {.name = "Unasked", .looked = {"SOME_VARIABLE (not set)"}}};
  report.samples = {{.problem = "matmul 8×8×8 float32",
                     .device = {},
                     .selection = {},
                     .failure = "no candidate"}};
  return report;
}

TEST(InfoText, ShowsWhereEachLibraryWasFoundOrLookedFor) {
  const std::string page = to_text(small_report());

  EXPECT_TRUE(contains(page, "/lib/found.so, found by: wheel")) << page;
  EXPECT_TRUE(contains(page, "looked: wheel /a; CONDA_PREFIX (not set)")) << page;
  EXPECT_TRUE(contains(page, "to get it: install it")) << page;
  EXPECT_FALSE(contains(page, "Unasked")) << page;
}

TEST(InfoText, ShortensAReasonToItsFirstSentence) {
  const std::string page = to_text(small_report());

  EXPECT_TRUE(contains(page, "none: the CUDA driver was not found\n")) << page;
}

TEST(InfoText, ShowsWhyASampleCannotBePlanned) {
  EXPECT_TRUE(contains(to_text(small_report()), "no candidate"));
}

TEST(InfoJson, EscapesQuotesAndLineBreaks) {
  const std::string json = to_json(small_report());

  EXPECT_TRUE(contains(json, R"("a \"quoted\" name")")) << json;
  EXPECT_TRUE(contains(json, R"(\u000a)")) << json;
  EXPECT_FALSE(contains(json, "\n")) << json;
}

TEST(InfoJson, WritesAbsentValuesAsNull) {
  const std::string json = to_json(small_report());

  EXPECT_TRUE(contains(json, R"("quota": null)")) << json;
  EXPECT_TRUE(contains(json, R"("chosen": null)")) << json;
}

TEST(InfoReport, PlansEverySampleOnTheHost) {
  const InfoReport report = info_report();

  ASSERT_FALSE(report.samples.empty());
  for (const auto& sample : report.samples) {
    if (!sample.device.is_cpu()) continue;
    ASSERT_TRUE(sample.selection) << sample.problem << ": " << sample.failure;
    EXPECT_FALSE(sample.selection->chosen.empty()) << sample.problem;
  }
}

}  // namespace
}  // namespace mw
