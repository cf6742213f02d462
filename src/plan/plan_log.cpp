// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "base/env.hpp"
#include "base/log.hpp"
#include "runtime/thread_pool.hpp"

namespace mw {

namespace {

std::string line_of(const AnyProblem& problem, const Placement& placement) {
  const auto& [memory, context] = placement;
  const std::string words = problem.case_line();
  if (words.empty()) {
    return text("# no case file says this: ", problem.operation(), ": ", problem.title(), "\n");
  }
  return text(words, memory.is_cuda() ? " cuda" : "",
              !placement.crosses() ? ""
              : memory.is_cuda()   ? " space=cpu"
                                   : " space=cuda",
              context.device.is_cpu() && context.threads != available_threads()
                  ? text(" threads=", context.threads)
                  : "",
              "\n");
}

/// Appended by one call, so that lines of several writers do not mix.
bool append(const std::string& path, const std::string& line) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  const ssize_t written = write(fd, line.data(), line.size());
  close(fd);
  return written == static_cast<ssize_t>(line.size());
}

}  // namespace

std::string case_dims(const Dims& numbers, char separator) {
  std::string words;
  for (const auto number : numbers) {
    if (!words.empty()) words += separator;
    words += text(number);
  }
  return words;
}

void log_plan(const AnyProblem& problem, const Placement& placement) noexcept {
  try {
    const auto path = env(EnvVar::plan_log);
    if (!path || append(*path, line_of(problem, placement))) return;
    static std::atomic<bool> said{false};
    if (said.exchange(true)) return;
    log(LogLevel::warning, [&] {
      return text("MATHWRIGHT_PLAN_LOG: cannot write to ", *path, ": ", std::strerror(errno));
    });
  } catch (...) {
    // The plan is made and matters more.
  }
}

}  // namespace mw
