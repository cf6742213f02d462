// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// How many threads a BLAS uses, for a scope:
//
//   const BlasThreads four(blas, 4);
//
// MKL and NVPL keep a count per calling thread: setting it disturbs nobody. OpenBLAS has one count
// per process: while scopes of several threads overlap, the newest one's count holds for all of
// them, and the last to end brings back what was before the first. Results do not depend on it.
#pragma once

#include <cstdint>
#include <mutex>

#include "dl/library.hpp"

namespace mw::blas {

class Blas;

class ThreadControl {
 public:
  enum class Reach : std::uint8_t { none, thread, process };

  /// Finds the functions that the library offers, if any.
  void bind(const dl::Library& library);
  [[nodiscard]] Reach reach() const { return reach_; }

 private:
  friend class BlasThreads;
  int enter(int count);
  void leave(int previous) noexcept;

  Reach reach_ = Reach::none;
  int (*set_local_)(int) = nullptr;  // returns the count before; 0 stands for the process's
  void (*set_)(int) = nullptr;
  int (*get_)() = nullptr;
  std::mutex mutex_;
  int depth_ = 0;     // scopes alive
  int original_ = 0;  // count before the first of them
};

/// Sets the count for the current scope; a count of 0, or a library without control, leaves it
/// alone. Cost: below 100 ns, and no vendor call where the count is right already (OpenBLAS).
class [[nodiscard]] BlasThreads {
 public:
  BlasThreads(const Blas& blas, int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  ThreadControl* control_ = nullptr;
  int previous_ = 0;
};

}  // namespace mw::blas
