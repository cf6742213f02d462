// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/search.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "base/text.hpp"

namespace mw::dl {

namespace {

namespace fs = std::filesystem;

struct WheelRoots {
  std::mutex mutex;
  std::vector<std::string> roots;
  std::atomic<std::uint64_t> generation{1};
};

WheelRoots& wheel_roots() {
  static auto& state = *new WheelRoots;  // never destroyed: searches may run while the process ends
  return state;
}

const char* variable_name(EnvVar var) { return env_table()[static_cast<std::size_t>(var)].name; }

std::string join(const std::string& folder, const char* rest) {
  return (fs::path(folder) / rest).lexically_normal().string();
}

// ---- the steps
// ------------------------------------------------------------------------------------

using Step = void (*)(const SearchContext&, const LibraryRow&, std::vector<Place>&);

void named_by_variable(const SearchContext&, const LibraryRow& row, std::vector<Place>& out) {
  for (const EnvVar var : row.overrides) {
    if (auto value = env(var)) {
      out.push_back({Place::Kind::file, text("named by ", variable_name(var)), *value});
      return;
    }
  }
  if (!row.overrides.empty())
    out.push_back({Place::Kind::note, text(variable_name(row.overrides[0]), " (not set)"), ""});
}

void already_loaded(const SearchContext&, const LibraryRow& row, std::vector<Place>& out) {
  if (row.share_loaded) out.push_back({Place::Kind::loaded, "already loaded in this process", ""});
}

void wheels(const SearchContext& context, const LibraryRow& row, std::vector<Place>& out) {
  if (row.wheels.empty()) return;
  if (context.wheel_roots.empty()) {
    out.push_back({Place::Kind::note,
                   "wheels (no site-packages folder is known; "
                   "MATHWRIGHT_WHEEL_PATH is not set)",
                   ""});
  }
  for (const std::string& root : context.wheel_roots)
    for (const char* folder : row.wheels)
      out.push_back({Place::Kind::folder, "wheel", join(root, folder)});
}

void cuda_toolkit(const SearchContext& context, const LibraryRow& row, std::vector<Place>& out) {
  if (!row.toolkit) return;
  if (context.toolkit_root.empty()) {
    out.push_back({Place::Kind::note, "CUDA_PATH, CUDA_HOME (not set)", ""});
    return;
  }
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    out.push_back(
        {Place::Kind::folder, context.toolkit_variable, join(context.toolkit_root, folder)});
}

void conda(const SearchContext& context, const LibraryRow& row, std::vector<Place>& out) {
  if (row.sonames.empty()) return;
  if (context.conda_prefix.empty())
    out.push_back({Place::Kind::note, "CONDA_PREFIX (not set)", ""});
  else
    out.push_back({Place::Kind::folder, "CONDA_PREFIX", join(context.conda_prefix, "lib")});
}

void system_loader(const SearchContext&, const LibraryRow& row, std::vector<Place>& out) {
  if (!row.sonames.empty())
    out.push_back({Place::Kind::loader, "system loader (LD_LIBRARY_PATH, ld.so.conf)", ""});
}

void known_folders(const SearchContext&, const LibraryRow& row, std::vector<Place>& out) {
  for (const char* folder : row.folders)
    out.push_back({Place::Kind::folder, "well-known folder", folder});
}

constexpr Step kSteps[] = {named_by_variable, already_loaded, wheels, cuda_toolkit, conda,
                           system_loader,     known_folders};

}  // namespace

void set_wheel_roots(std::vector<std::string> roots) {
  WheelRoots& state = wheel_roots();
  const std::lock_guard lock(state.mutex);
  if (state.roots == roots) return;
  state.roots = std::move(roots);
  state.generation.fetch_add(1, std::memory_order_release);
}

std::uint64_t search_generation() {
  return wheel_roots().generation.load(std::memory_order_acquire);
}

SearchContext search_context() {
  SearchContext context;
  if (const auto listed = env(EnvVar::wheel_path)) {
    context.wheel_roots = split(*listed, ":");
  }
  {
    WheelRoots& state = wheel_roots();
    const std::lock_guard lock(state.mutex);
    context.wheel_roots.insert(context.wheel_roots.end(), state.roots.begin(), state.roots.end());
  }
  for (const EnvVar var : {EnvVar::cuda_home, EnvVar::cuda_path}) {
    if (auto root = env(var)) {
      context.toolkit_variable = variable_name(var);
      context.toolkit_root = std::move(*root);
    }
  }
  context.conda_prefix = env(EnvVar::conda_prefix).value_or("");
  return context;
}

std::vector<Place> places(const SearchContext& context, const LibraryRow& row) {
  std::vector<Place> out;
  for (const Step step : kSteps) step(context, row, out);
  return out;
}

std::vector<std::string> files_matching(const std::string& folder, const char* name) {
  std::vector<std::string> out;
  std::error_code ignored;  // an unreadable folder holds nothing for us
  const std::string_view pattern = name;
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) {
    const fs::path file = fs::path(folder) / name;
    if (fs::exists(file, ignored)) out.push_back(file.string());
    return out;
  }
  const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const std::string file = it->path().filename().string();
    if (file.size() >= head.size() + tail.size() && file.starts_with(head) && file.ends_with(tail))
      out.push_back(it->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace mw::dl
