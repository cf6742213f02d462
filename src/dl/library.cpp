// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/text.hpp"
#include "dl/deferred_log.hpp"
#include "dl/search.hpp"
#include "dl/version.hpp"

namespace mw::dl {

namespace {

namespace fs = std::filesystem;

// Lazy: a library whose rarely used symbols do not resolve still serves. Local: MKL exports FFTW's
// names, and most BLAS libraries export each other's; none of them may replace another's.
constexpr int kMode = RTLD_LAZY | RTLD_LOCAL;

struct Slot {
  std::mutex mutex;
  std::atomic<const Library*> ready{nullptr};
  std::optional<Refusal> refusal;
  std::uint64_t generation = 0;  // of the search that gave the refusal
  std::vector<std::string> looked;
};

Slot& slot_of(LibraryId id) {
  // Never destroyed: threads may still ask while the process ends.
  static auto& slots = *new std::array<Slot, kLibraryCount>;
  return slots[static_cast<std::size_t>(id)];
}

std::string loader_error() {
  const char* message = dlerror();
  return message != nullptr ? message : "unknown error of the loader";
}

std::string file_of(void* handle, const std::string& fallback) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr ||
      map->l_name == nullptr || *map->l_name == '\0')
    return fallback;
  std::error_code error;
  const fs::path real = fs::canonical(map->l_name, error);
  return error ? std::string(map->l_name) : real.string();
}

/// One search: walks the places, remembers what was tried.
class Search {
 public:
  Search(const LibraryRow& wanted, std::vector<std::string>& tried)
      : row_(wanted), looked_(tried) {}

  std::optional<Library> run() {
    for (const Place& place : places(search_context(), row_)) {
      place_ = &place;
      if (auto library = try_place(place)) return library;
    }
    return std::nullopt;
  }

 private:
  std::optional<Library> try_place(const Place& place) {
    switch (place.kind) {
      case Place::Kind::note: looked_.push_back(place.how); return std::nullopt;
      case Place::Kind::file: return try_open(place.where, kMode);
      case Place::Kind::folder: return try_folder(place.where);
      case Place::Kind::loaded: return try_names(kMode | RTLD_NOLOAD);
      case Place::Kind::loader: return try_names(kMode);
    }
    return std::nullopt;
  }

  std::optional<Library> try_folder(const std::string& folder) {
    bool seen = false;
    for (const Soname& soname : row_.sonames) {
      for (const std::string& file : files_matching(folder, soname.name)) {
        seen = true;
        if (too_new(soname, file)) continue;
        open_beside(folder);
        if (auto library = try_open(file, kMode)) return library;
      }
    }
    if (!seen) looked_.push_back(text(place_->how, " ", folder));
    return std::nullopt;
  }

  std::optional<Library> try_names(int mode) {
    const std::size_t before = looked_.size();
    for (const Soname& soname : row_.sonames) {
      if (std::string_view(soname.name).find('*') != std::string_view::npos) continue;
      // What is loaded runs on this driver, or its owner has told the user by now.
      if ((mode & RTLD_NOLOAD) == 0 && too_new(soname, soname.name)) continue;
      if (void* handle = dlopen(soname.name, mode)) return opened(handle, soname.name);
      const std::string why = loader_error();
      // "No such file" is what the list of places says anyway; anything else is news.
      if (!why.empty() && why.find("No such file") == std::string::npos &&
          (mode & RTLD_NOLOAD) == 0)
        looked_.push_back(text(place_->how, ": ", why));
    }
    if (looked_.size() == before) looked_.push_back(place_->how);
    return std::nullopt;
  }

  std::optional<Library> try_open(const std::string& file, int mode) {
    if (void* handle = dlopen(file.c_str(), mode)) return opened(handle, file);
    looked_.push_back(text(place_->how, ": ", loader_error()));
    return std::nullopt;
  }

  Library opened(void* handle, const std::string& name) const {
    return Library(handle, file_of(handle, name), place_->how);
  }

  // A library of a newer CUDA release than the driver runs loads well and then fails in every call.
  bool too_new(const Soname& soname, const std::string& file) {
    if (soname.cuda_major == 0) return false;
    const int driver = driver_cuda_major();
    if (driver == 0 || soname.cuda_major <= driver) return false;
    looked_.push_back(text(place_->how, " ", file, " (for CUDA ", soname.cuda_major,
                           "; the driver runs CUDA ", driver, ")"));
    return true;
  }

  void open_beside(const std::string& folder) const {
    for (const char* head : row_.beside)
      for (const std::string& file : files_matching(folder, text(head, '*').c_str()))
        if (dlopen(file.c_str(), kMode) == nullptr) (void)dlerror();
  }

  const LibraryRow& row_;
  std::vector<std::string>& looked_;
  const Place* place_ = nullptr;
};

Refusal not_found(const LibraryRow& row, const std::vector<std::string>& looked) {
  std::string names;
  for (const Soname& soname : row.sonames) names += text(names.empty() ? "" : ", ", soname.name);
  std::string reason = text(row.name, " was not found.");
  reason += names.empty() ? std::string(" Tried:") : text(" Looked for ", names, " in:");
  for (const std::string& place : looked) reason += text("\n  ", place);
  reason += text("\nRemedy: ", row.hint, ".");
  return {row.name, std::move(reason)};
}

// Under the slot's lock. The library, or null with the slot's refusal set.
const Library* search(const LibraryRow& row, Slot& slot) {
  slot.generation = search_generation();
  slot.looked.clear();
  for (const LibraryId needed : row.dependencies) (void)open(needed);
  auto library = Search(row, slot.looked).run();
  if (!library) {
    slot.refusal = not_found(row, slot.looked);
    defer_log(LogLevel::debug, [&] { return text("dl: ", slot.refusal->reason); });
    return nullptr;
  }
  slot.refusal.reset();
  const Library* opened = new Library(std::move(*library));  // for the life of the process
  slot.ready.store(opened, std::memory_order_release);
  defer_log(LogLevel::debug,
            [&] { return text("dl: ", row.name, ": ", opened->path(), " (", opened->how(), ")"); });
  return opened;
}

}  // namespace

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

Outcome<const Library*> open(LibraryId id) {
  Slot& slot = slot_of(id);
  if (const Library* library = slot.ready.load(std::memory_order_acquire)) return library;
  const DeferredLog logs;
  const std::lock_guard lock(slot.mutex);
  if (const Library* library = slot.ready.load(std::memory_order_relaxed)) return library;
  if (slot.refusal && slot.generation == search_generation()) return *slot.refusal;
  if (const Library* library = search(catalog_row(id), slot)) return library;
  return *slot.refusal;
}

std::vector<LibraryReport> report() {
  std::vector<LibraryReport> out;
  for (const LibraryRow& row : catalog()) {
    const auto library = open(row.id);
    LibraryReport entry{.id = row.id, .name = row.name, .hint = row.hint};
    {
      Slot& slot = slot_of(row.id);
      const std::lock_guard lock(slot.mutex);
      entry.looked = slot.looked;
    }
    if (library) {
      entry.found = true;
      entry.path = library.value()->path();
      entry.how = library.value()->how();
      if (row.version != nullptr) entry.version = row.version(*library.value());
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace mw::dl
