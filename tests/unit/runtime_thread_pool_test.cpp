// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/cpu_limits.hpp"

namespace mw {
namespace {

struct Count {
  std::int64_t count, grain;
  int threads;
};

void PrintTo(const Count& given, std::ostream* os) {
  *os << given.count << " by " << given.grain << " on " << given.threads;
}

class ThreadPoolRanges : public testing::TestWithParam<Count> {};

TEST_P(ThreadPoolRanges, CoverEveryItemOnceInRangesOfAtLeastTheGrain) {
  const auto [count, grain, threads] = GetParam();
  const auto hits = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(count + 1));
  std::atomic<int> calls = 0;
  std::atomic<int> bad = 0;

  parallel_for(count, grain, threads, [&, n = count, g = grain](auto begin, auto end, int worker) {
    ++calls;
    if (begin >= end || begin < 0 || end > n || worker < 0 || worker >= threads) ++bad;
    if (end - begin < std::min(g, n)) ++bad;
    for (auto i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
  });

  EXPECT_EQ(bad, 0);
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(hits[static_cast<std::size_t>(i)], 1) << i;
  if (count == 0 || threads == 1 || count <= grain) {
    EXPECT_EQ(calls, std::min<std::int64_t>(count, 1));
  }
}
INSTANTIATE_TEST_SUITE_P(Counts, ThreadPoolRanges,
                         testing::Values(Count{0, 1, 4}, Count{1, 1, 4}, Count{2, 1, 2},
                                         Count{7, 3, 4}, Count{1000, 1, 1}, Count{1000, 1000, 4},
                                         Count{1001, 7, 3}, Count{100000, 1, 8}, Count{5, 100, 2}));

TEST(ThreadPool, WorkersAreDistinctAtAnyMoment) {
  constexpr int kThreads = 4;
  std::atomic<int> busy[kThreads] = {};
  std::atomic<int> clashes = 0;

  for (int round = 0; round < 50; ++round) {
    parallel_for(64, 1, kThreads, [&](auto, auto, int worker) {
      if (busy[worker].exchange(1) != 0) ++clashes;
      std::this_thread::yield();
      busy[worker] = 0;
    });
  }

  EXPECT_EQ(clashes, 0);
}

TEST(ThreadPool, UsesMoreThanOneThread) {
  // Two bodies that wait for each other can only both finish on two threads.
  std::atomic<int> arrived = 0;
  std::atomic<bool> met = false;

  parallel_for(2, 1, 2, [&](auto begin, auto end, int) {
    for (auto i = begin; i < end; ++i) {
      ++arrived;
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (arrived < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
      if (arrived == 2) met = true;
    }
  });

  EXPECT_TRUE(met);
}

TEST(ThreadPool, NestedLoopsRunOnTheCallingThread) {
  std::atomic<int> strangers = 0;
  std::atomic<std::int64_t> items = 0;

  parallel_for(8, 1, 4, [&](auto begin, auto end, int) {
    for (auto i = begin; i < end; ++i) {
      const auto self = std::this_thread::get_id();
      parallel_for(10, 1, 4, [&](auto from, auto to, int worker) {
        if (std::this_thread::get_id() != self || worker != 0) ++strangers;
        items += to - from;
      });
    }
  });

  EXPECT_EQ(strangers, 0);
  EXPECT_EQ(items, 80);
}

TEST(ThreadPool, RethrowsAfterAllBodiesHaveReturned) {
  std::atomic<int> inside = 0;

  const auto loop = [&] {
    parallel_for(100, 1, 4, [&](auto begin, auto, int) {
      ++inside;
      if (begin == 0) {
        --inside;
        throw std::runtime_error("first");
      }
      std::this_thread::yield();
      --inside;
    });
  };

  EXPECT_THROW(loop(), std::runtime_error);
  EXPECT_EQ(inside, 0);
  std::atomic<int> after = 0;
  parallel_for(100, 1, 4,
               [&](auto begin, auto end, int) { after += static_cast<int>(end - begin); });
  EXPECT_EQ(after, 100);
}

TEST(ThreadPool, ServesConcurrentCallers) {
  constexpr int kCallers = 6;
  std::atomic<std::int64_t> sums[kCallers] = {};

  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&, c] {
        for (int round = 0; round < 300; ++round) {
          parallel_for(1000, 10, 3, [&](auto begin, auto end, int) {
            for (auto i = begin; i < end; ++i) sums[c] += i;
          });
        }
      });
    }
  }

  for (const auto& sum : sums) EXPECT_EQ(sum, std::int64_t{300} * 1000 * 999 / 2);
}

TEST(ThreadPool, WakesWorkersThatHaveGoneToSleep) {
  std::atomic<int> items = 0;

  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    parallel_for(16, 1, 3,
                 [&](auto begin, auto end, int) { items += static_cast<int>(end - begin); });
  }

  EXPECT_EQ(items, 20 * 16);
}

// A forked child has none of its parent's workers and must make its own.
TEST(ThreadPool, WorksInAForkedChildAndStillInTheParent) {
  const auto sum = [] {
    std::atomic<std::int64_t> total = 0;
    parallel_for(1000, 1, 3, [&](auto begin, auto end, int) {
      for (auto i = begin; i < end; ++i) total += i;
    });
    return total.load();
  };
  ASSERT_EQ(sum(), 499500);

  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(sum() == 499500 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum(), 499500);
}

TEST(CpuLimits, AreAtLeastOneAndAtMostTheAffinity) {
  const CpuLimits limits = read_cpu_limits();

  EXPECT_GE(limits.usable, 1);
  EXPECT_LE(limits.usable, limits.affinity);
}

class CgroupFolder : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& value) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << value;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("mathwright-cgroup-" + std::to_string(getpid()));
};

TEST_F(CgroupFolder, VersionTwoTakesTheTightestQuotaOnThePath) {
  put("a/cpu.max", "150000 100000\n");
  put("a/b/cpu.max", "max 100000\n");

  EXPECT_EQ(cgroup_cpu_quota("0::/a/b\n", root_.string()), 1.5);
  EXPECT_EQ(cgroup_cpu_quota("0::/\n", root_.string()), std::nullopt);
}

TEST_F(CgroupFolder, VersionOneReadsQuotaAndPeriod) {
  put("cpu,cpuacct/box/cpu.cfs_quota_us", "400000\n");
  put("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");

  const auto quota = cgroup_cpu_quota("5:memory:/box\n4:cpu,cpuacct:/box\n0::/\n", root_.string());

  EXPECT_EQ(quota, 4.0);
}

TEST_F(CgroupFolder, APathThatIsNotVisibleFallsBackToTheRoot) {
  put("cpu.max", "200000 100000\n");

  EXPECT_EQ(cgroup_cpu_quota("0::/outside/of/the/container\n", root_.string()), 2.0);
}

}  // namespace
}  // namespace mw
