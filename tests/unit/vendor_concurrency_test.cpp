// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Many threads need the vendor libraries for the first time at once: each is opened once, and all
// see the same. First uses happen once per process, so each round runs in a fresh one.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dl/library.hpp"
#include "vendor/blas_lapack/blas.hpp"
#include "vendor/cublaslt/api.hpp"
#include "vendor/cuda/api.hpp"
#include "vendor/cufft/api.hpp"
#include "vendor/fftw/api.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

constexpr int kThreads = 16;
constexpr int kRounds = 3;

// What one thread gets to see: pointers that must be the same in all.
std::vector<const void*> use_everything() {
  std::vector<const void*> seen;
  const auto note = [&](const auto& outcome) {
    seen.push_back(outcome ? outcome.value() : nullptr);
  };
  note(blas::default_blas());
  for (const blas::BlasRow& row : blas::blas_libraries()) note(blas::load_blas(row));
  for (const fftw::FftwRow& row : fftw::fftw_libraries()) note(fftw::load_fftw(row));
  note(cuda::load());
  note(nvrtc::load());
  note(cublaslt::load());
  note(cufft::load());
  for (const blas::Blas* blas : blas::all_blas()) {
    const double a = 3, b = 5;
    double c = 0;
    blas->gemm(blas::Gemm<double>{.m = 1, .n = 1, .k = 1, .a = &a, .b = &b, .c = &c});
    seen.push_back(c == 15 ? blas : nullptr);
  }
  return seen;
}

bool all_threads_agree() {
  std::vector<std::vector<const void*>> seen(kThreads);
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&] {
      for (--waiting; waiting > 0;) std::this_thread::yield();  // start together
      mine = use_everything();
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen)
    if (mine != seen.front()) return false;
  return true;
}

TEST(VendorConcurrency, FirstUsesFromManyThreadsAtOnceAgree) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");

  for (int round = 0; round < kRounds; ++round)
    EXPECT_EXIT(std::_Exit(all_threads_agree() ? 0 : 1), testing::ExitedWithCode(0), "") << round;
}

}  // namespace
}  // namespace mw
