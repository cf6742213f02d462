// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace mw {

namespace {

namespace fs = std::filesystem;

// A file is this header, the key, the bytes.
struct Header {
  char magic[8] = {'M', 'W', 'C', 'A', 'C', 'H', 'E', '1'};
  std::uint64_t key_bytes = 0, bytes = 0;
  std::uint64_t checksum = 0;  // of key and bytes
};

constexpr const char* kSuffix = ".mwc";
constexpr std::int64_t kDefaultLimit = std::int64_t{1} << 28;
constexpr std::int64_t kLargest = std::int64_t{1} << 30;  // of a file that is worth reading
constexpr auto kStampEvery = std::chrono::hours(1);       // how exactly "last used" is kept

/// FNV-1a over words of 8 bytes: 5 GB/s, and it finds what tears and truncates files.
std::uint64_t checksum(std::string_view bytes, std::uint64_t sum = 14695981039346656037U) {
  const auto step = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * 1099511628211U;
    sum ^= sum >> 29;
  };
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    step(word);
  }
  for (const char c : bytes) step(static_cast<unsigned char>(c));
  step(bytes.size());
  return sum;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// ---- the folder -------------------------------------------------------------------------------

struct Folder {
  fs::path path;       // empty: none
  std::string reason;  // why none
};

Folder wanted_folder() {
  if (env_is_empty(EnvVar::cache_dir)) return {{}, "MATHWRIGHT_CACHE_DIR is empty"};
  if (const auto folder = env(EnvVar::cache_dir)) {
    if (*folder == "off") return {{}, "MATHWRIGHT_CACHE_DIR is off"};
    return {*folder, {}};
  }
  // The XDG base directory specification: relative paths are to be ignored.
  if (const auto folder = env(EnvVar::xdg_cache_home); folder && folder->front() == '/')
    return {fs::path(*folder) / "mathwright", {}};
  if (const auto home = env(EnvVar::home)) return {fs::path(*home) / ".cache" / "mathwright", {}};
  return {{}, "neither MATHWRIGHT_CACHE_DIR, XDG_CACHE_HOME nor HOME is set"};
}

/// Others must be able neither to place code here nor to change it.
bool is_private(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder, made if it is not there, or why it cannot be used.
Folder usable_folder() {
  Folder folder = wanted_folder();
  if (folder.path.empty()) return folder;
  const auto unusable = [&](const std::string& why) {
    return Folder{{}, text(folder.path.native(), ' ', why)};
  };
  struct stat status {};
  if (stat(folder.path.c_str(), &status) != 0) {
    std::error_code error;
    fs::create_directories(folder.path.parent_path(), error);
    if (mkdir(folder.path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return unusable(text("cannot be made: ", std::strerror(errno)));
    if (stat(folder.path.c_str(), &status) != 0) return unusable("cannot be read");
  }
  if (!S_ISDIR(status.st_mode)) return unusable("is not a folder");
  if (!is_private(status))
    return unusable(
        "belongs to another user or can be written by others, who could place code there");
  return folder;
}

/// Asked each time, since a variable may change between (tests do), which costs two microseconds;
/// said once.
Folder folder() {
  Folder found = usable_folder();
  static std::atomic<bool> said{false};
  if (found.path.empty() && !said.exchange(true))
    log(LogLevel::debug, [&] { return text("disk cache: off, ", found.reason); });
  return found;
}

fs::path file_of(const fs::path& folder, std::string_view kind, std::string_view key) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(checksum(key)));
  return folder / text(kind, '-', hash, kSuffix);
}

// ---- reading and writing ----------------------------------------------------------------------

bool read_all(int fd, void* to, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(fd, out, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

enum class Found : std::uint8_t { it, other, damaged };

/// The bytes of a file that belongs to this key. `other`: it is another key's, of the same hash.
Found read_file(int fd, std::int64_t size, std::string_view key, std::string& bytes) {
  Header header;
  const Header ours;
  if (!read_all(fd, &header, sizeof header)) return Found::damaged;
  if (std::memcmp(header.magic, ours.magic, sizeof ours.magic) != 0) return Found::damaged;
  const auto left = static_cast<std::uint64_t>(size) - sizeof header;
  if (header.key_bytes > left || header.bytes != left - header.key_bytes) return Found::damaged;
  std::string stored(header.key_bytes, '\0');
  bytes.resize(header.bytes);
  if (!read_all(fd, stored.data(), stored.size())) return Found::damaged;
  if (!read_all(fd, bytes.data(), bytes.size())) return Found::damaged;
  if (checksum(bytes, checksum(stored)) != header.checksum) return Found::damaged;
  return stored == key ? Found::it : Found::other;
}

/// The time of last change is the time of last use: reading does not always mark a file.
void stamp(int fd, const struct stat& status) {
  const auto used = std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
  if (std::chrono::system_clock::now() - used > kStampEvery) (void)futimens(fd, nullptr);
}

bool write_file(const fs::path& file, std::string_view key, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  const fs::path draft =
      file.parent_path() / text("draft-", getpid(), '-', counter.fetch_add(1), kSuffix);
  Header header;
  header.key_bytes = key.size();
  header.bytes = bytes.size();
  header.checksum = checksum(bytes, checksum(key));
  const std::string_view head(reinterpret_cast<const char*>(&header), sizeof header);
  const Descriptor fd(
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!fd) return false;
  const bool whole =
      write_all(fd.get(), head) && write_all(fd.get(), key) && write_all(fd.get(), bytes);
  if (whole && rename(draft.c_str(), file.c_str()) == 0) return true;
  (void)unlink(draft.c_str());
  return false;
}

// ---- the limit --------------------------------------------------------------------------------

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::int64_t bytes = 0;
};

std::vector<Entry> entries(const fs::path& folder) {
  std::vector<Entry> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != kSuffix) continue;  // somebody else's
    std::error_code gone;
    const auto bytes = it->file_size(gone);
    const auto used = it->last_write_time(gone);
    if (!gone) out.push_back({it->path(), used, static_cast<std::int64_t>(bytes)});
  }
  return out;
}

std::int64_t limit() {
  try {
    return env_count(EnvVar::cache_bytes).value_or(kDefaultLimit);
  } catch (const Error& error) {
    log(LogLevel::warning, [&] { return text("disk cache: ", error.what()); });
    return kDefaultLimit;
  }
}

/// Removes the files unused for longest, down to three quarters of the limit, so that it is not
/// done again at once.
void shrink(const fs::path& folder, std::int64_t most) {
  std::vector<Entry> all = entries(folder);
  std::int64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  if (total <= most) return;
  std::ranges::sort(all, {}, &Entry::used);
  for (const Entry& entry : all) {
    if (total <= most / 4 * 3) break;
    std::error_code error;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

/// Counting the folder takes a millisecond per thousand files: it is done at a process's first
/// store, and then each time it has written a sixteenth of the limit.
void account(const fs::path& folder, std::size_t bytes) {
  static std::atomic<bool> first{true};
  static std::atomic<std::int64_t> written{0};  // since the folder was counted
  const std::int64_t most = limit();
  const auto added = static_cast<std::int64_t>(bytes);
  if (!first.exchange(false) && written.fetch_add(added) + added < most / 16) return;
  written = 0;
  shrink(folder, most);
}

}  // namespace

std::optional<std::string> disk_cache_load(std::string_view kind, std::string_view key) {
  const Folder where = folder();
  if (where.path.empty()) return std::nullopt;
  const fs::path file = file_of(where.path, kind, key);
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return std::nullopt;
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status))
    return std::nullopt;
  std::string bytes;
  const Found found =
      status.st_size > kLargest ? Found::damaged : read_file(fd.get(), status.st_size, key, bytes);
  if (found == Found::damaged) {
    (void)unlink(file.c_str());
    log(LogLevel::debug, [&] { return text("disk cache: removed damaged ", file.native()); });
  }
  if (found != Found::it) return std::nullopt;
  stamp(fd.get(), status);
  return bytes;
}

void disk_cache_store(std::string_view kind, std::string_view key, std::string_view bytes) {
  const Folder where = folder();
  if (where.path.empty()) return;
  if (!write_file(file_of(where.path, kind, key), key, bytes)) {
    log(LogLevel::debug, [&] {
      return text("disk cache: cannot write to ", where.path.native(), ": ", std::strerror(errno));
    });
    return;
  }
  account(where.path, sizeof(Header) + key.size() + bytes.size());
}

std::string cache_folder() { return folder().path.native(); }

DiskCacheReport disk_cache_report() {
  const Folder where = folder();
  DiskCacheReport report{.folder = where.path.native(), .reason = where.reason, .limit = limit()};
  for (const Entry& entry : entries(where.path)) {
    ++report.files;
    report.bytes += entry.bytes;
  }
  return report;
}

}  // namespace mw
