// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/fftw/api.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "base/env.hpp"
#include "base/text.hpp"
#include "dl/deferred_log.hpp"
#include "dl/version.hpp"
#include "vendor/mkl/threading.hpp"

namespace mw::fftw {

namespace {

using dl::LibraryId;

constexpr FftwRow one_library(const char* name, LibraryId id) { return {name, id, id, id, id}; }

constexpr std::array kRows{
    one_library("named", LibraryId::fft_override),
    one_library("nvpl", LibraryId::nvpl_fftw),
    one_library("mkl", LibraryId::mkl_rt),
    FftwRow{"fftw3", LibraryId::fftw3, LibraryId::fftw3f, LibraryId::fftw3_threads,
            LibraryId::fftw3f_threads},
};

template <class R>
constexpr const char* kPrefix = sizeof(R) == sizeof(float) ? "fftwf_" : "fftw_";

struct Slot {
  std::mutex mutex;
  std::atomic<const Fftw*> ready{nullptr};
};

bool is_named() { return env(EnvVar::fft_library) || env(EnvVar::nvmath_fft_library); }

}  // namespace

/// Fills an Fftw from opened libraries.
class Loader {
 public:
  static Outcome<const Fftw*> load(const FftwRow& row) {
    auto fftw = std::make_unique<Fftw>();
    fftw->name_ = row.name;
    const auto no_double = bind(*fftw, fftw->double_, row, row.double_library, row.double_threads);
    const auto no_single = bind(*fftw, fftw->single_, row, row.single_library, row.single_threads);
    // One precision is enough: a transform of the other is refused by name.
    if (no_double && no_single) return *no_double;
    return static_cast<const Fftw*>(fftw.release());  // for the life of the process
  }

 private:
  template <class R>
  static std::optional<Refusal> bind(Fftw& fftw, Routines<R>& table, const FftwRow& row,
                                     LibraryId main_id, LibraryId threads_id) {
    const auto library = dl::open(main_id);
    if (!library) return library.refusal();
    const dl::Library& main = *library.value();
    if (mkl::is_mkl(main)) mkl::prepare(main);
    const auto symbol = [](const char* name) { return text(kPrefix<R>, name); };
    if (auto refusal = dl::bind_all(table, main, row.name, symbol)) {
      table = {};  // half a table would look usable
      return refusal;
    }
    bind_threads(table, main, threads_id);
    if (fftw.path_.empty()) {
      fftw.path_ = main.path();
      fftw.how_ = main.how();
      fftw.version_ = mkl::is_mkl(main)            ? dl::mkl_version(main)
                      : sizeof(R) == sizeof(float) ? dl::fftwf_version(main)
                                                   : dl::fftw_version(main);
    }
    return std::nullopt;
  }

  // The functions for threads may be in a library of their own, and must be initialised before use.
  template <class R>
  static void bind_threads(Routines<R>& table, const dl::Library& main, LibraryId threads_id) {
    if (!table.init_threads) {
      const auto library = dl::open(threads_id);
      if (library && library.value() != &main) {
        table.init_threads.bind(library.value()->symbol(text(kPrefix<R>, "init_threads").c_str()));
        table.plan_with_nthreads.bind(
            library.value()->symbol(text(kPrefix<R>, "plan_with_nthreads").c_str()));
      }
    }
    if (!table.init_threads || table.init_threads() == 0)
      table.plan_with_nthreads.bind(static_cast<void*>(nullptr));
  }
};

template <class R>
Plan<R>::~Plan() {
  if (handle_ == nullptr) return;
  const std::lock_guard lock(provider_->planner_);
  provider_->routines<R>().destroy_plan(handle_);
}

template <class R>
void Plan<R>::execute(void* input, void* output) const {
  using C = std::complex<R>;
  const Routines<R>& routines = provider_->routines<R>();
  switch (kind_) {
    case Kind::c2c:
      routines.execute_dft(handle_, static_cast<C*>(input), static_cast<C*>(output));
      break;
    case Kind::r2c:
      routines.execute_dft_r2c(handle_, static_cast<R*>(input), static_cast<C*>(output));
      break;
    case Kind::c2r:
      routines.execute_dft_c2r(handle_, static_cast<C*>(input), static_cast<R*>(output));
      break;
  }
}

namespace {

template <class R>
PlanPtr make_plan(const Routines<R>& routines, const PlanRequest& request) {
  using C = std::complex<R>;
  const int rank = static_cast<int>(request.dims.size());
  const int batch_rank = static_cast<int>(request.batch.size());
  const IoDim* dims = request.dims.data();
  const IoDim* batch = request.batch.data();
  switch (request.kind) {
    case Kind::c2c:
      return routines.plan_guru64_dft(rank, dims, batch_rank, batch, static_cast<C*>(request.input),
                                      static_cast<C*>(request.output), request.sign, request.flags);
    case Kind::r2c:
      return routines.plan_guru64_dft_r2c(rank, dims, batch_rank, batch,
                                          static_cast<R*>(request.input),
                                          static_cast<C*>(request.output), request.flags);
    case Kind::c2r:
      return routines.plan_guru64_dft_c2r(rank, dims, batch_rank, batch,
                                          static_cast<C*>(request.input),
                                          static_cast<R*>(request.output), request.flags);
  }
  return nullptr;
}

}  // namespace

template <class R>
Outcome<Plan<R>> Fftw::plan(const PlanRequest& request) const {
  if (!has<R>())
    return Refusal{name_, text(path_, " has no functions named ", kPrefix<R>,
                               "*: this precision needs another library")};
  const Routines<R>& table = routines<R>();
  PlanPtr handle = nullptr;
  {
    const std::lock_guard lock(planner_);
    if (has_threads<R>()) table.plan_with_nthreads(request.threads > 0 ? request.threads : 1);
    handle = make_plan(table, request);
  }
  if (handle == nullptr)
    return Refusal{name_, "the library has no plan for these extents, strides and flags"};
  return Plan<R>(*this, handle, request.kind);
}

template class Plan<float>;
template class Plan<double>;
template Outcome<Plan<float>> Fftw::plan<float>(const PlanRequest&) const;
template Outcome<Plan<double>> Fftw::plan<double>(const PlanRequest&) const;

std::span<const FftwRow> fftw_libraries() { return kRows; }

Outcome<const Fftw*> load_fftw(const FftwRow& row) {
  static auto& slots = *new std::array<Slot, dl::kLibraryCount>;
  Slot& slot = slots[static_cast<std::size_t>(row.double_library)];
  if (const Fftw* fftw = slot.ready.load(std::memory_order_acquire)) return fftw;
  const dl::DeferredLog logs;
  const std::lock_guard lock(slot.mutex);
  if (const Fftw* fftw = slot.ready.load(std::memory_order_relaxed)) return fftw;
  auto loaded = Loader::load(row);
  if (loaded) slot.ready.store(loaded.value(), std::memory_order_release);
  return loaded;
}

Outcome<const Fftw*> default_fftw() {
  if (is_named()) return load_fftw(kRows[0]);
  std::string reasons;
  for (const FftwRow& row : std::span(kRows).subspan(1)) {
    auto fftw = load_fftw(row);
    if (fftw) return fftw;
    reasons += text("\n", fftw.refusal().reason);
  }
  return Refusal{"fftw", "no library with FFTW's interface was found." + reasons};
}

std::vector<const Fftw*> all_fftw() {
  std::vector<const Fftw*> found;
  for (const FftwRow& row : is_named() ? std::span(kRows).first(1) : std::span(kRows).subspan(1))
    if (const auto fftw = load_fftw(row)) found.push_back(fftw.value());
  return found;
}

}  // namespace mw::fftw
