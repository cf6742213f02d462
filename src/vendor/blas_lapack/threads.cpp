// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/blas_lapack/threads.hpp"

#include "vendor/blas_lapack/blas.hpp"

namespace mw::blas {

namespace {

constexpr const char* kLocalSetters[] = {"MKL_Set_Num_Threads_Local",
                                         "nvpl_blas_set_num_threads_local"};

struct ProcessRow {
  const char* set;
  const char* get;
};

constexpr ProcessRow kProcessSetters[] = {
    {"scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"},
    {"openblas_set_num_threads64_", "openblas_get_num_threads64_"},
    {"openblas_set_num_threads", "openblas_get_num_threads"},
};

}  // namespace

void ThreadControl::bind(const dl::Library& library) {
  for (const char* name : kLocalSetters) {
    if ((set_local_ = library.function<int(int)>(name)) != nullptr) {
      reach_ = Reach::thread;
      return;
    }
  }
  for (const ProcessRow& row : kProcessSetters) {
    set_ = library.function<void(int)>(row.set);
    get_ = library.function<int()>(row.get);
    if (set_ != nullptr && get_ != nullptr) {
      reach_ = Reach::process;
      return;
    }
  }
}

int ThreadControl::enter(int count) {
  if (reach_ == Reach::thread) return set_local_(count);
  const std::lock_guard lock(mutex_);
  const int current = get_();
  if (depth_++ == 0) original_ = current;
  if (current != count) set_(count);
  return 0;
}

void ThreadControl::leave(int previous) noexcept {
  if (reach_ == Reach::thread) {
    set_local_(previous);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (--depth_ == 0 && get_() != original_) set_(original_);
}

BlasThreads::BlasThreads(const Blas& blas, int count) {
  if (count <= 0 || blas.threads().reach() == ThreadControl::Reach::none) return;
  control_ = &blas.threads();
  previous_ = control_->enter(count);
}

BlasThreads::~BlasThreads() {
  if (control_ != nullptr) control_->leave(previous_);
}

}  // namespace mw::blas
