// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// cuFFT's plans for the passes of a recipe.
//
// A cuFFT plan keeps its stream, its work area and the address of its callbacks' arguments, so a
// plan of ours, which many threads may execute, keeps a pool of sets of cuFFT plans, one set for
// each execution that is being queued at the same time. All sets are alike; the pool grows to the
// most that were needed at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ops/fft/many.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"
#include "vendor/cuda/api.hpp"
#include "vendor/cufft/api.hpp"

namespace mw {

struct CufftTypes {
  DType real;
  DType complex;

  [[nodiscard]] DType side(bool is_real) const { return is_real ? real : complex; }
};

/// A function that cuFFT links into its kernels (of recipes of one pass).
struct CufftCallback {
  std::string symbol;
  std::string code;  ///< LTO-IR
  cufft::CallbackType type{};
  std::size_t first_word = 0;  ///< of its arguments
};

/// One cuFFT plan a pass, all on one stream and one work area.
class CufftPlanSet {
 public:
  CufftPlanSet(int device_id, const std::vector<ManyPass>& passes, const CufftTypes& types,
               const std::vector<CufftCallback>& callbacks, std::size_t words);
  ~CufftPlanSet();
  CufftPlanSet(const CufftPlanSet&) = delete;
  CufftPlanSet& operator=(const CufftPlanSet&) = delete;

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
  [[nodiscard]] cufft::Plan operator[](std::size_t pass) const { return plans_[pass].get(); }

  void use(Stream stream, void* work_area);
  /// Queues the callbacks' arguments before what follows on the stream. A graph writes them in
  /// each of its replays.
  void put_arguments(std::span<const std::uint64_t> words, Stream stream, bool capturing);
  /// After the last kernel of an execution with arguments.
  void mark(Stream stream);

 private:
  int device_id_;
  std::vector<cufft::PlanOwner> plans_;
  std::size_t workspace_bytes_ = 0;
  Stream stream_;
  void* work_area_ = nullptr;
  bool on_stream_ = false;
  Buffer arguments_;  ///< in device memory
  cuda::Kernel writer_ = nullptr;
  std::vector<std::uint64_t> written_;
  CudaEvent used_;
  Stream used_on_;
};

class CufftPlanPool {
 public:
  /// `words`: of the callbacks' arguments.
  CufftPlanPool(int device_id, std::vector<ManyPass> passes, CufftTypes types,
                std::vector<CufftCallback> callbacks = {}, std::size_t words = 0);
  ~CufftPlanPool();
  CufftPlanPool(const CufftPlanPool&) = delete;
  CufftPlanPool& operator=(const CufftPlanPool&) = delete;

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// While capturing, only of those there are: cuFFT plans nothing then. Error: invalid_state if
  /// there is none.
  [[nodiscard]] std::unique_ptr<CufftPlanSet> take(bool capturing = false);
  void give_back(std::unique_ptr<CufftPlanSet> set);
  /// A set with callbacks whose kernels went into a graph. The graph may outlive the pool, and
  /// nothing tells when it ends: the set stays until the process does.
  static void leave_to_graph(std::unique_ptr<CufftPlanSet> set);

 private:
  [[nodiscard]] std::unique_ptr<CufftPlanSet> make() const;

  int device_id_;
  std::vector<ManyPass> passes_;
  CufftTypes types_;
  std::vector<CufftCallback> callbacks_;
  std::size_t words_;
  std::size_t workspace_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CufftPlanSet>> idle_;
};

/// 12000 of release 12.0.
[[nodiscard]] int cufft_version();
/// "cuFFT 12000".
[[nodiscard]] std::string cufft_name();

/// Runs a pass: all its calls.
void run_cufft(const ManyPass& pass, cufft::Plan plan, const CufftTypes& types, void* from,
               void* to, int direction);

}  // namespace mw
