// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/mkl/threading.hpp"

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>

#include "base/text.hpp"
#include "dl/deferred_log.hpp"

namespace mw::mkl {

namespace {

namespace fs = std::filesystem;

std::atomic<const char*> chosen{"not set"};

struct LayerRow {
  Layer layer;
  const char* name;
  const char* part;  ///< the sub-library libmkl_rt opens for it
};

constexpr LayerRow kIntel{Layer::intel, "intel", "libmkl_intel_thread"};
constexpr LayerRow kGnu{Layer::gnu, "gnu", "libmkl_gnu_thread"};
constexpr LayerRow kSequential{Layer::sequential, "sequential", "libmkl_sequential"};

// libmkl_rt.so.3 opens libmkl_intel_thread.so.3: the same ending, in the same folder.
bool has_part(const dl::Library& library, const LayerRow& row) {
  const fs::path rt(library.path());
  const std::string file = rt.filename().string();
  const auto ending = file.find(".so");
  std::error_code ignored;
  return ending != std::string::npos &&
         fs::exists(rt.parent_path() / (row.part + file.substr(ending)), ignored);
}

bool gnu_openmp_opens() { return dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr; }

const LayerRow& choose(const dl::Library& library) {
  if (has_part(library, kIntel) && dl::open(dl::LibraryId::intel_openmp)) return kIntel;
  if (has_part(library, kGnu) && gnu_openmp_opens()) return kGnu;
  return kSequential;
}

void set_layer(const dl::Library& library) {
  const auto set = library.function<int(int)>("MKL_Set_Threading_Layer");
  if (set == nullptr) return;
  const LayerRow& row = choose(library);
  const int now = set(static_cast<int>(row.layer));
  chosen = now == static_cast<int>(row.layer) ? row.name : "set elsewhere";
  dl::defer_log(LogLevel::debug, [&] {
    return text("mkl: threading layer ", row.name, " asked for, ", now,
                " set (0 intel, 1 sequential, "
                "3 gnu)");
  });
}

}  // namespace

bool is_mkl(const dl::Library& library) {
  return library.symbol("MKL_Set_Threading_Layer") != nullptr;
}

void prepare(const dl::Library& library) {
  static std::once_flag once;
  const dl::DeferredLog logs;
  std::call_once(once, set_layer, library);
}

const char* layer_name() { return chosen; }

}  // namespace mw::mkl
