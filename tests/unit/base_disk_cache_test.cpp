// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/disk_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mw {

namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed afterwards.
class DiskCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mw_cache_XXXXXX";
    root_ = mkdtemp(name.data());
    use(root_ / "cache");
  }
  void TearDown() override {
    unsetenv("MATHWRIGHT_CACHE_DIR");
    unsetenv("MATHWRIGHT_CACHE_BYTES");
    fs::remove_all(root_);
  }
  static void use(const fs::path& folder) { setenv("MATHWRIGHT_CACHE_DIR", folder.c_str(), 1); }
  [[nodiscard]] fs::path only_file() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(root_ / "cache")) found = entry.path();
    return found;
  }

  fs::path root_;
};

TEST_F(DiskCache, GivesBackWhatWasStored) {
  const std::string bytes("code\0with zeros", 15);
  EXPECT_FALSE(disk_cache_load("object", "key"));
  disk_cache_store("object", "key", bytes);
  EXPECT_EQ(disk_cache_load("object", "key"), bytes);
  EXPECT_FALSE(disk_cache_load("object", "other key"));
  EXPECT_FALSE(disk_cache_load("cubin", "key"));
  disk_cache_store("object", "key", "");
  EXPECT_EQ(disk_cache_load("object", "key"), "");
}

TEST_F(DiskCache, IsPrivate) {
  disk_cache_store("object", "key", "code");
  EXPECT_EQ(fs::status(root_ / "cache").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(only_file()).permissions() & fs::perms::others_all, fs::perms::none);
}

TEST_F(DiskCache, RefusesWhatOthersCanWrite) {
  disk_cache_store("object", "key", "code");
  ASSERT_EQ(chmod(only_file().c_str(), 0666), 0);
  EXPECT_FALSE(disk_cache_load("object", "key"));
  ASSERT_EQ(chmod((root_ / "cache").c_str(), 0777), 0);
  EXPECT_TRUE(disk_cache_report().folder.empty());
  EXPECT_NE(disk_cache_report().reason.find("written by others"), std::string::npos);
}

TEST_F(DiskCache, RemovesDamagedFiles) {
  const std::string bytes(1000, 'x');
  const auto damage = [&](auto&& how) {
    disk_cache_store("object", "key", bytes);
    const fs::path file = only_file();
    how(file);
    EXPECT_FALSE(disk_cache_load("object", "key"));
    EXPECT_FALSE(fs::exists(file));
  };
  damage([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); });
  damage([](const fs::path& file) { fs::resize_file(file, 7); });
  damage([](const fs::path& file) { fs::resize_file(file, 0); });
  for (const int at : {0, 9, 20, 30, 33, 500}) {
    damage([at](const fs::path& file) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(at);
      stream.put('\x7F');
    });
  }
}

TEST_F(DiskCache, IgnoresLinks) {
  disk_cache_store("object", "key", "code");
  const fs::path file = only_file();
  fs::rename(file, root_ / "moved");
  fs::create_symlink(root_ / "moved", file);
  EXPECT_FALSE(disk_cache_load("object", "key"));
}

TEST_F(DiskCache, WorksWithoutAFolder) {
  for (const char* off : {"", "off", "/proc/nowhere/cache", "/dev/null"}) {
    setenv("MATHWRIGHT_CACHE_DIR", off, 1);
    disk_cache_store("object", "key", "code");
    EXPECT_FALSE(disk_cache_load("object", "key")) << off;
    EXPECT_FALSE(disk_cache_report().reason.empty()) << off;
  }
}

TEST_F(DiskCache, FollowsTheXdgVariable) {
  unsetenv("MATHWRIGHT_CACHE_DIR");
  setenv("XDG_CACHE_HOME", root_.c_str(), 1);
  disk_cache_store("object", "key", "code");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_TRUE(fs::exists(root_ / "mathwright"));
}

TEST_F(DiskCache, DropsTheOldestBeyondTheLimit) {
  setenv("MATHWRIGHT_CACHE_BYTES", "10000", 1);
  const std::string bytes(1000, 'x');
  // All so far count as a day old; each store here is more than a sixteenth of the limit.
  for (int k = 0; k < 8; ++k) disk_cache_store("object", "old" + std::to_string(k), bytes);
  for (const auto& entry : fs::directory_iterator(root_ / "cache"))
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(24));
  EXPECT_TRUE(disk_cache_load("object", "old0"));  // used again: no longer the oldest

  for (int k = 0; k < 6; ++k) disk_cache_store("object", "new" + std::to_string(k), bytes);
  const DiskCacheReport report = disk_cache_report();
  EXPECT_LE(report.bytes, report.limit);
  EXPECT_GE(report.files, 5);
  EXPECT_TRUE(disk_cache_load("object", "old0"));
  EXPECT_TRUE(disk_cache_load("object", "new5"));
}

TEST_F(DiskCache, SurvivesConcurrentWritersAndReaders) {
  const auto payload = [](int k) {
    return std::string(static_cast<std::size_t>(5000 + k), static_cast<char>('a' + k));
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int round = 0; round < 60; ++round) {
      disk_cache_store("object", "shared", payload(round % 5));
      const auto seen = disk_cache_load("object", "shared");
      if (!seen || *seen != payload(static_cast<int>(seen->size()) - 5000)) _exit(1);
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(disk_cache_report().files, 1);
}

}  // namespace

}  // namespace mw
