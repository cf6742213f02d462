// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// FFTs through FFTW's interface: MKL, NVPL and FFTW itself speak it.
//
//   const auto fftw = fftw::default_fftw();
//   if (!fftw) return fftw.refusal();
//   auto plan = (*fftw)->plan<double>({.kind = fftw::Kind::c2c, .dims = dims, .batch = batch,
//                                      .input = x, .output = y, .sign = fftw::kForward});
//   plan->execute(x, y);
//
// FFTW's planner (planning and destroying) is not thread safe: it runs under a mutex of the
// provider. Executing is, also of one plan on many threads. FFTW is under the GPL: it is opened
// only where the user has installed it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/outcome.hpp"
#include "dl/symbol_table.hpp"

namespace mw::fftw {

/// fftw_iodim64: extent, and strides of input and output in elements of their own types.
struct IoDim {
  std::ptrdiff_t n = 1;
  std::ptrdiff_t input_stride = 1;
  std::ptrdiff_t output_stride = 1;
};

inline constexpr int kForward = -1;
inline constexpr int kInverse = 1;

enum Flags : unsigned {
  measure = 0,  ///< times the possibilities; overwrites both arrays while planning
  destroy_input = 1u << 0,
  unaligned = 1u << 1,  ///< the plan may be executed on arrays of any alignment
  preserve_input = 1u << 4,
  patient = 1u << 5,
  estimate = 1u << 6,  ///< plans from a model, leaves the arrays alone
  wisdom_only = 1u << 21,
};

struct PlanObject;
using PlanPtr = PlanObject*;

template <class R>
struct Routines {
  using Real = R;
  using Complex = std::complex<R>;

#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/fftw/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/fftw/api.def"
#undef MW_FUNCTION
  }
};

enum class Kind : std::uint8_t { c2c, r2c, c2r };

/// Complex arrays hold std::complex<R>. c2r of rank above 1 destroys its input in any case; of rank
/// 1 unless preserve_input is given.
struct PlanRequest {
  Kind kind = Kind::c2c;
  std::span<const IoDim> dims{};   ///< transformed axes, logical extents (real ones for r2c, c2r)
  std::span<const IoDim> batch{};  ///< the other axes
  void* input = nullptr;           ///< equal to output for in-place
  void* output = nullptr;
  int sign = kForward;  ///< of c2c; r2c is forward, c2r inverse; neither direction is scaled
  unsigned flags = estimate;
  int threads = 1;
};

class Fftw;

/// A plan; goes under the planner's mutex.
template <class R>
class Plan {
 public:
  Plan(const Fftw& provider, PlanPtr handle, Kind kind)
      : provider_(&provider), handle_(handle), kind_(kind) {}
  Plan(Plan&& other) noexcept
      : provider_(other.provider_),
        handle_(std::exchange(other.handle_, nullptr)),
        kind_(other.kind_) {}
  Plan& operator=(Plan&& other) noexcept {
    std::swap(provider_, other.provider_);
    std::swap(handle_, other.handle_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  ~Plan();

  /// Arrays laid out as those the plan was made with, in place if and only if those were, and
  /// aligned as they were unless it was made with `unaligned`. Safe from many threads at once.
  void execute(void* input, void* output) const;

 private:
  const Fftw* provider_;
  PlanPtr handle_;
  Kind kind_;
};

/// One library (or pair, FFTW has one per precision).
class Fftw {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }        ///< for example "mkl"
  [[nodiscard]] const std::string& version() const { return version_; }  ///< as the library says it
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& how() const { return how_; }

  /// Whether the precision of R (float, double) is there.
  template <class R>
  [[nodiscard]] bool has() const {
    return bool(routines<R>().execute_dft);
  }
  /// Whether plans may use more than one thread.
  template <class R>
  [[nodiscard]] bool has_threads() const {
    return bool(routines<R>().plan_with_nthreads);
  }

  /// Refuses what the library has no plan for, and a precision it lacks. Cost: the planning itself;
  /// other threads that plan with this provider wait.
  template <class R>
  [[nodiscard]] Outcome<Plan<R>> plan(const PlanRequest& request) const;

  template <class R>
  [[nodiscard]] const Routines<R>& routines() const {
    if constexpr (sizeof(R) == sizeof(float)) {
      return single_;
    } else {
      return double_;
    }
  }

 private:
  friend class Loader;
  template <class R>
  friend class Plan;

  std::string name_, version_, path_, how_;
  Routines<float> single_;
  Routines<double> double_;
  mutable std::mutex planner_;
};

struct FftwRow {
  const char* name;  ///< as explanations call it
  dl::LibraryId double_library, single_library;
  dl::LibraryId double_threads, single_threads;  ///< where the functions for threads are
};

/// The libraries that are looked for, best first. The first row is the override.
[[nodiscard]] std::span<const FftwRow> fftw_libraries();

/// Loaded once; a refusal holds the places searched and how to get it.
[[nodiscard]] Outcome<const Fftw*> load_fftw(const FftwRow& row);

/// The library MATHWRIGHT_FFT_LIBRARY names (nothing else if it is set), or the first that loads.
[[nodiscard]] Outcome<const Fftw*> default_fftw();

/// All that load, best first; only the named one if the variable is set. For comparing them.
[[nodiscard]] std::vector<const Fftw*> all_fftw();

}  // namespace mw::fftw
