// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/tuning_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <mathwright/version.hpp>

#include "base/disk_cache.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "plan/alternatives.hpp"
#include "runtime/capability.hpp"
#include "runtime/cuda_device.hpp"

namespace mw {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 4096;     // about 2 MB; the oldest go
constexpr std::uintmax_t kLargest = 32 << 20;  // bytes of a file that is worth reading

using Entries = std::unordered_map<Key, TuningEntry, KeyHash>;

/// The file, or an empty path.
fs::path file_path() {
  const auto given = env(EnvVar::tuning);
  if (given == "off") return {};
  if (given) return *given;
  const std::string folder = cache_folder();
  return folder.empty() ? fs::path() : fs::path(folder) / "tuning.json";
}

/// The newer of two measurements counts; of two of one second, the better.
bool add_newer(Entries& entries, TuningEntry entry) {
  const auto [place, fresh] = entries.try_emplace(Key::of(entry.key), entry);
  if (fresh) return true;
  const TuningEntry& held = place->second;
  const bool better =
      entry.when > held.when || (entry.when == held.when && entry.seconds < held.seconds);
  if (better) place->second = std::move(entry);
  return better;
}

/// Newest first, as many as the bound allows.
std::vector<TuningEntry> listed(const Entries& entries) {
  std::vector<TuningEntry> list;
  for (const auto& [key, entry] : entries) list.push_back(entry);
  std::ranges::sort(list, [](const TuningEntry& a, const TuningEntry& b) {
    return a.when != b.when ? a.when > b.when : a.title < b.title;
  });
  if (list.size() > kMostEntries) list.resize(kMostEntries);
  return list;
}

enum class FileState : std::uint8_t { absent, good, damaged, newer };

struct FileContent {
  FileState state = FileState::absent;
  std::string fault = {};
  std::vector<TuningEntry> entries = {};
};

FileContent read_file(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return {};
  if (bytes > kLargest) return {FileState::damaged, "it is too large to be one"};
  auto read = read_tuning(file_text(path.native()));
  if (!read) return {FileState::damaged, read.refusal().reason};
  if (read.value().newer) {
    return {FileState::newer, text("a later release wrote it (format ", "above ", kTuningVersion,
                                   "); update Mathwright, or set MATHWRIGHT_TUNING")};
  }
  return {FileState::good, {}, std::move(read.value().entries)};
}

/// A file appears whole, under its name, or not at all.
bool write_whole(const fs::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const fs::path draft =
      text(path.native(), ".draft-", static_cast<int>(getpid()), '-', counter.fetch_add(1));
  std::error_code error;
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!stream.flush()) {
      fs::remove(draft, error);
      return false;
    }
  }
  fs::rename(draft, path, error);
  if (!error) return true;
  std::error_code ignored;
  fs::remove(draft, ignored);
  return false;
}

/// Writers of one file take turns. Where a file system has no locks, or one process hangs, a write
/// goes on after two seconds without: the file stays whole, though an entry may be lost.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : fd_(open(text(path.native(), ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                 S_IRUSR | S_IWUSR)) {
    for (int i = 0; fd_ >= 0 && i < 400 && flock(fd_, LOCK_EX | LOCK_NB) != 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~FileLock() {
    if (fd_ >= 0) close(fd_);  // which unlocks
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

/// What this process knows.
class Table {
 public:
  static Table& instance() {
    static Table& table = *new Table;  // threads may plan while the process exits
    return table;
  }

  std::optional<TuningEntry> find(const TuningKey& key) {
    return with([&]() -> std::optional<TuningEntry> {
      load();
      if (entries_.empty()) return std::nullopt;
      const auto found = entries_.find(Key::of(key));
      return found == entries_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  std::vector<TuningEntry> list() {
    return with([&] {
      load();
      return listed(entries_);
    });
  }

  /// How many of them are news.
  std::size_t add(const std::vector<TuningEntry>& entries) {
    return with([&] {
      load();
      std::size_t fresh = 0;
      for (const TuningEntry& entry : entries) {
        if (add_newer(entries_, entry)) ++fresh;
      }
      if (fresh > 0) save();
      return fresh;
    });
  }

  bool clear() {
    return with([&] {
      entries_.clear();
      loaded_ = true;
      said_ = false;
      const fs::path path = file_path();
      if (path.empty()) return false;
      const FileLock turn(path);
      std::error_code error;
      return fs::remove(path, error);
    });
  }

  void reread() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    loaded_ = said_ = false;
  }

 private:
  /// Calls it under the lock, and writes the log afterwards: a sink may plan.
  template <class Body>
  std::invoke_result_t<Body&> with(Body&& body) {
    std::string warning;
    auto result = [&] {
      const std::lock_guard lock(mutex_);
      auto made = body();
      warning.swap(warning_);
      return made;
    }();
    if (!warning.empty()) log(LogLevel::warning, [&] { return "tuning: " + warning; });
    return result;
  }

  void say(std::string what) {
    if (said_) return;
    said_ = true;
    warning_ = std::move(what);
  }

  void take(FileContent content, const fs::path& path) {
    if (content.state == FileState::damaged || content.state == FileState::newer) {
      say(text("the file ", path.native(), " is ignored: ", content.fault));
    }
    for (TuningEntry& entry : content.entries) add_newer(entries_, std::move(entry));
  }

  void load() {
    if (loaded_) return;
    loaded_ = true;
    const fs::path path = file_path();
    if (!path.empty()) take(read_file(path), path);
  }

  void save() {
    const fs::path path = file_path();
    if (path.empty()) return;
    const FileLock turn(path);
    FileContent there = read_file(path);
    const FileState state = there.state;
    take(std::move(there), path);
    if (state == FileState::newer) return;  // not ours to write over
    if (state == FileState::damaged) {      // somebody may want to look at it
      std::error_code error;
      fs::rename(path, text(path.native(), ".damaged"), error);
    }
    if (!write_whole(path, write_tuning(listed(entries_)))) {
      say(text("cannot write ", path.native(), ": ", std::strerror(errno)));
    }
  }

  std::mutex mutex_;
  Entries entries_;
  std::string warning_;  // to be said when the lock is gone
  bool loaded_ = false;
  bool said_ = false;
};

std::atomic<unsigned> generation{0};

/// 128 bits of the bytes, the same in every process: two runs of FNV-1a with mixing, from different
/// starts.
std::string hashed(std::string_view bytes) {
  std::string digits;
  for (std::uint64_t sum : {14695981039346656037U, 9600629759793949339U}) {
    for (const char c : bytes) {
      sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
      sum ^= sum >> 29;
    }
    char part[17];
    std::snprintf(part, sizeof part, "%016llx", static_cast<unsigned long long>(sum));
    digits += part;
  }
  return digits;
}

std::string device_title(const Context& context) {
  if (context.device.is_cpu()) return cpu_title();
  const CudaDeviceInfo& info = cuda_device_info(context.device.id);
  return text(info.name, ", ", info.multiprocessors, " multiprocessors");
}

std::string libraries_of(const Selection& selection) {
  std::string out = text("mathwright ", MW_VERSION);
  for (const Considered& entry : selection.considered) {
    if (!entry.accepted) continue;
    out += text("; ", entry.name, entry.library.empty() ? "" : ": ", entry.library);
  }
  return out;
}

}  // namespace

TuningKey tuning_key(const AnyProblem& problem, const Selection& selection) {
  const auto& [memory, context] = selection.placement;
  Key key;
  problem.add_to(key);
  key.add(memory.kind);  // which of several equal devices does not matter
  key.add(context.device.kind);
  key.add(context.threads);
  return {.operation = problem.operation(),
          .problem = hashed(key.bytes()),
          .device = device_title(context),
          .libraries = libraries_of(selection)};
}

std::optional<TuningEntry> find_tuned(const TuningKey& key) { return Table::instance().find(key); }

void remember_tuned(TuningEntry entry) {
  entry.when = std::chrono::duration_cast<std::chrono::seconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count();
  (void)Table::instance().add({std::move(entry)});
}

unsigned tuning_generation() { return generation.load(std::memory_order_relaxed); }

void reread_tuning() {
  Table::instance().reread();
  ++generation;
}

Selection with_tuned_choice(const AnyProblem& problem, Selection selection) {
  if (env(EnvVar::tuning) == "off") return selection;
  const auto tuned = find_tuned(tuning_key(problem, selection));
  if (!tuned) return selection;
  for (Considered& entry : selection.considered) {
    if (entry.name == tuned->candidate) entry.measured = tuned->seconds;
  }
  const bool at_hand =
      tuned->candidate == selection.chosen && tuned->variant == selection.plan->variant();
  if (at_hand) {
    selection.by = ChosenBy::tuning_file;
    return selection;
  }
  const auto found =
      find_alternative(problem, selection.placement, tuned->candidate, tuned->variant);
  if (!found) {
    log(LogLevel::debug, [&] {
      return text(problem.operation(), ": what was fastest earlier, ", tuned->candidate, " ",
                  tuned->variant, ", cannot be had now");
    });
    return selection;
  }
  return with_choice(selection, *found, ChosenBy::tuning_file);
}

std::string tuning_path() { return file_path().native(); }

std::vector<TuningRecord> tuning_records() {
  std::vector<TuningRecord> records;
  for (TuningEntry& entry : Table::instance().list()) {
    records.push_back({.operation = std::move(entry.key.operation),
                       .title = std::move(entry.title),
                       .device = std::move(entry.key.device),
                       .libraries = std::move(entry.key.libraries),
                       .candidate = std::move(entry.candidate),
                       .variant = std::move(entry.variant),
                       .seconds = entry.seconds,
                       .when = entry.when});
  }
  return records;
}

void export_tuning(const std::string& path) {
  require(write_whole(path, write_tuning(Table::instance().list())), ErrorKind::invalid_argument,
          "tuning: cannot write ", path, ": ", std::strerror(errno),
          "; a path in a folder that can be written is wanted");
}

std::size_t merge_tuning(const std::string& path) {
  const FileContent content = read_file(path);
  require(content.state != FileState::absent, ErrorKind::not_found, "tuning: there is no file ",
          path, "; one that export made is wanted");
  require(content.state == FileState::good, ErrorKind::invalid_argument, "tuning: the file ", path,
          " cannot be used: ", content.fault, "; one that export made is wanted");
  const std::size_t fresh = Table::instance().add(content.entries);
  ++generation;
  return fresh;
}

void clear_tuning() {
  (void)Table::instance().clear();
  ++generation;
}

}  // namespace mw
