// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The tuning file: its text, and what happens to the file between processes.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "base/json.hpp"
#include "base/log.hpp"
#include "plan/tuning_file.hpp"
#include "unit/plan_toy.hpp"

namespace mw {
namespace {

namespace fs = std::filesystem;

TuningEntry entry_of(const std::string& problem, double seconds = 1e-3) {
  return {.key = {.operation = "toy", .problem = problem, .device = "a device", .libraries = "l 1"},
          .title = "y = \"x\"\n\xC3\xA9",
          .candidate = "first",
          .variant = "tile=3",
          .seconds = seconds,
          .when = 1700000000};
}

// ---- json -------------------------------------------------------------------------------------

TEST(Json, ReadsEveryKindOfValue) {
  const auto read = json::parse(
      R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}, "": 0} )");
  ASSERT_TRUE(read) << read.refusal().reason;
  const json::Value& value = read.value();
  const auto& list = *value.find("a")->as<json::Array>();
  ASSERT_EQ(list.size(), 5U);
  const auto* number = list[1].as<double>();
  const auto* truth = list[2].as<bool>();
  ASSERT_TRUE(number && truth);
  EXPECT_EQ(*number, -2500);
  EXPECT_TRUE(*truth);
  EXPECT_TRUE(list[4].as<std::nullptr_t>());
  EXPECT_EQ(*value.find("b")->find("c")->as<std::string>(), "x\n\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(value.find("missing"), nullptr);
  EXPECT_EQ(list[0].find("a"), nullptr);
}

TEST(Json, RefusesWhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "tru",
                           "nul",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\t\"",
                           "1 2",
                           "{\"a\":1,\"a\":2}",
                           "\"\xFF\"",
                           "\"\xC0\x80\"",
                           "\"\xED\xA0\x80\"",
                           "1e999",
                           "NaN",
                           "[1}",
                           "'a'",
                           "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(json::parse(text)) << text;
  }
  EXPECT_FALSE(json::parse(std::string_view("\0", 1)));
  EXPECT_FALSE(json::parse(std::string(100000, '[')));
  EXPECT_FALSE(json::parse(std::string(40, '[') + std::string(40, ']')));
  EXPECT_TRUE(json::parse(std::string(30, '[') + std::string(30, ']')));
}

TEST(Json, QuotesWhatItReadsBack) {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  all += std::string_view("\0\xC3\xA9", 3);
  const auto read = json::parse(json::quoted(all));
  ASSERT_TRUE(read) << read.refusal().reason;
  EXPECT_EQ(*read.value().as<std::string>(), all);
  EXPECT_TRUE(json::parse(json::quoted("\xFF\xC3")));  // replaced, not passed on
  for (const double value : {0.0, 1e-300, 0.1, 123456789.0, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(*json::parse(json::number(value)).value().as<double>(), value);
  }
}

TEST(TuningFormat, ReadsWhatItWrites) {
  const std::vector<TuningEntry> entries{entry_of("a"), entry_of("b", 0)};
  const auto read = read_tuning(write_tuning(entries));
  ASSERT_TRUE(read) << read.refusal().reason;
  ASSERT_EQ(read.value().entries.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(same(read.value().entries[i].key, entries[i].key));
    EXPECT_EQ(read.value().entries[i].title, entries[i].title);
    EXPECT_EQ(read.value().entries[i].seconds, entries[i].seconds);
    EXPECT_EQ(read.value().entries[i].when, entries[i].when);
  }
  EXPECT_TRUE(read_tuning(write_tuning({})));
}

TEST(TuningFormat, RefusesOtherFiles) {
  const std::string good = write_tuning(std::vector{entry_of("a")});
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_FALSE(read_tuning("{}"));
  EXPECT_FALSE(read_tuning("[]"));
  EXPECT_FALSE(read_tuning(good.substr(0, good.size() / 2)));
  EXPECT_FALSE(read_tuning(replaced("mathwright tuning", "another")));
  EXPECT_FALSE(read_tuning(replaced("\"version\": 1", "\"version\": 0")));
  EXPECT_FALSE(read_tuning(replaced("\"version\": 1", "\"version\": \"1\"")));
  EXPECT_FALSE(read_tuning(replaced("\"seconds\": 0.001", "\"seconds\": -1")));
  EXPECT_FALSE(read_tuning(replaced("\"device\"", "\"place\"")));
  EXPECT_TRUE(read_tuning(replaced("\"when\"", "\"more\": [1], \"when\"")));
  const auto newer = read_tuning(replaced("\"version\": 1", "\"version\": 2"));
  ASSERT_TRUE(newer);
  EXPECT_TRUE(newer.value().newer);
}

TEST(TuningFormat, SurvivesDamage) {
  const std::string good = write_tuning(std::vector{entry_of("a"), entry_of("b")});
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, random() % 9); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
      if (text.empty()) text = "x";
    }
    (void)read_tuning(text);  // must neither crash nor throw
  }
}

// ---- the file ---------------------------------------------------------------------------------

class TuningFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / text("mw-tuning-", static_cast<int>(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    use(path());
  }
  void TearDown() override {
    unsetenv("MATHWRIGHT_TUNING");
    reread_tuning();
    fs::remove_all(folder_);
  }

  [[nodiscard]] fs::path path() const { return folder_ / "tuning.json"; }
  static void use(const fs::path& path) {
    setenv("MATHWRIGHT_TUNING", path.c_str(), 1);
    reread_tuning();
  }
  static void write(const fs::path& path, const std::string& content) {
    std::ofstream(path) << content;
  }
  static bool known(const std::string& problem) {
    return find_tuned(entry_of(problem).key).has_value();
  }

  fs::path folder_;
};

TEST_F(TuningFile, KeepsBetweenProcesses) {
  remember_tuned(entry_of("a"));
  EXPECT_TRUE(known("a"));
  reread_tuning();
  EXPECT_TRUE(known("a"));
  EXPECT_FALSE(known("b"));
  TuningKey other = entry_of("a").key;
  other.libraries = "l 2";
  EXPECT_FALSE(find_tuned(other));
  EXPECT_EQ(tuning_records().size(), 1U);
  EXPECT_GT(tuning_records()[0].when, 1700000000);
  EXPECT_EQ(tuning_path(), path());
}

TEST_F(TuningFile, ANewMeasurementCounts) {
  remember_tuned(entry_of("a", 1));
  auto later = entry_of("a", 2);
  later.when = tuning_records()[0].when + 100;
  later.variant = "later";
  write(folder_ / "other.json", write_tuning(std::vector{later}));
  EXPECT_EQ(merge_tuning(folder_ / "other.json"), 1U);
  EXPECT_EQ(find_tuned(later.key)->variant, "later");
  EXPECT_EQ(merge_tuning(folder_ / "other.json"), 0U);
  later.when = 5;
  later.variant = "older";
  write(folder_ / "other.json", write_tuning(std::vector{later}));
  EXPECT_EQ(merge_tuning(folder_ / "other.json"), 0U);
  EXPECT_EQ(find_tuned(later.key)->variant, "later");
}

TEST_F(TuningFile, ExportMergeClear) {
  remember_tuned(entry_of("a"));
  const auto generation = tuning_generation();
  export_tuning(folder_ / "shipped.json");
  clear_tuning();
  EXPECT_NE(tuning_generation(), generation);
  EXPECT_FALSE(known("a"));
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_EQ(merge_tuning(folder_ / "shipped.json"), 1U);
  EXPECT_TRUE(known("a"));
  EXPECT_TRUE(fs::exists(path()));
}

TEST_F(TuningFile, ErrorsOfExportAndMergeSayWhy) {
  const auto kind_of = [](auto&& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::timeout;
  };
  EXPECT_EQ(kind_of([&] { export_tuning(folder_ / "no" / "such"); }), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of([&] { (void)merge_tuning(folder_ / "absent"); }), ErrorKind::not_found);
  write(folder_ / "bad", "{");
  EXPECT_EQ(kind_of([&] { (void)merge_tuning(folder_ / "bad"); }), ErrorKind::invalid_argument);
}

TEST_F(TuningFile, DamageIsSaidOnceAndMendedByTheNextWrite) {
  write(path(), "{\"format\": \"mathwright tun");
  int warnings = 0;
  const ScopedLogSink sink([&](LogLevel, std::string_view) { ++warnings; }, LogLevel::warning);
  reread_tuning();
  EXPECT_FALSE(known("a"));
  EXPECT_FALSE(known("a"));
  EXPECT_EQ(warnings, 1);
  remember_tuned(entry_of("a"));
  EXPECT_EQ(warnings, 1);
  reread_tuning();
  EXPECT_TRUE(known("a"));
  EXPECT_TRUE(fs::exists(folder_ / "tuning.json.damaged"));
}

TEST_F(TuningFile, ALaterReleasesFileIsLeftAlone) {
  const std::string later = R"({"format": "mathwright tuning", "version": 99, "data": 1})";
  write(path(), later);
  int warnings = 0;
  const ScopedLogSink sink([&](LogLevel, std::string_view) { ++warnings; }, LogLevel::warning);
  reread_tuning();
  EXPECT_FALSE(known("a"));
  remember_tuned(entry_of("a"));
  EXPECT_TRUE(known("a"));  // for this process
  EXPECT_EQ(file_text(path()), later);
  EXPECT_EQ(warnings, 1);
}

TEST_F(TuningFile, OffNeitherReadsNorWrites) {
  remember_tuned(entry_of("a"));
  setenv("MATHWRIGHT_TUNING", "off", 1);
  reread_tuning();
  EXPECT_FALSE(known("a"));
  remember_tuned(entry_of("b"));
  EXPECT_EQ(tuning_path(), "");
  use(path());
  EXPECT_TRUE(known("a"));
  EXPECT_FALSE(known("b"));
}

TEST_F(TuningFile, APlaceThatCannotBeWrittenIsSaidOnce) {
  int warnings = 0;
  const ScopedLogSink sink([&](LogLevel, std::string_view) { ++warnings; }, LogLevel::warning);
  use(folder_ / "no" / "such" / "tuning.json");
  remember_tuned(entry_of("a"));
  remember_tuned(entry_of("b"));
  EXPECT_TRUE(known("b"));
  EXPECT_EQ(warnings, 1);
}

TEST_F(TuningFile, IsBounded) {
  std::vector<TuningEntry> entries;
  for (int i = 0; i < 5000; ++i) {
    entries.push_back(entry_of(text("p", i)));
    entries.back().when = 1000 + i;
  }
  write(folder_ / "large.json", write_tuning(entries));
  EXPECT_EQ(merge_tuning(folder_ / "large.json"), 5000U);
  reread_tuning();
  EXPECT_EQ(tuning_records().size(), 4096U);
  EXPECT_TRUE(known("p4999"));
  EXPECT_FALSE(known("p0"));
}

TEST_F(TuningFile, ConcurrentThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEntries = 8;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < kEntries; ++i) remember_tuned(entry_of(text(t, '-', i)));
    });
  }
  for (auto& thread : threads) thread.join();
  reread_tuning();
  EXPECT_EQ(tuning_records().size(), std::size_t{kThreads * kEntries});
}

TEST_F(TuningFile, ProcessesLoseNothing) {
  constexpr int kProcesses = 2;
  constexpr int kEntries = 40;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < kEntries; ++i) remember_tuned(entry_of(text(p, '-', i)));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    // A reader at the same time sees a whole file or none.
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      const std::string now = file_text(path());
      if (!now.empty()) {
        EXPECT_TRUE(read_tuning(now));
      }
    }
    EXPECT_EQ(status, 0);
  }
  reread_tuning();
  EXPECT_EQ(tuning_records().size(), std::size_t{kProcesses * kEntries});
  for (const auto& file : fs::directory_iterator(folder_)) {
    EXPECT_EQ(file.path().string().find("draft"), std::string::npos) << file.path();
  }
}

}  // namespace
}  // namespace mw
