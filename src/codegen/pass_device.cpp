// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The pass on a CUDA device: the kernels of its sweeps, compiled, and their launches.
#include <array>
#include <cstring>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "codegen/c_family.hpp"
#include "codegen/pass_common.hpp"
#include "codegen/pass_device_plan.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/device_program.hpp"

namespace mw::codegen {

namespace {

constexpr unsigned kBlock = 256;
constexpr int kBlocksPerMultiprocessor = 8;
/// What a kernel's parameters may take on every driver.
constexpr std::size_t kMostWords = 4096 / 8;

/// The parameters of a kernel: words in the order of c_family.hpp.
class Words {
 public:
  void pointer(const void* address) { put(&address); }
  void integer(std::int64_t value) { put(&value); }
  void scalar(double value) { put(&value); }
  [[nodiscard]] std::int64_t* integers(std::size_t count) {
    auto* at = reinterpret_cast<std::int64_t*>(words_.data() + used_);
    used_ += count;
    return at;
  }
  [[nodiscard]] void* data() { return words_.data(); }

 private:
  void put(const void* value) { std::memcpy(&words_[used_++], value, 8); }

  std::array<std::uint64_t, kMostWords> words_;
  std::size_t used_ = 0;
};

struct Variant {
  PassLoops loops;
  Dims fixed;
  std::size_t varying = 0;
  std::string source;
  cuda::Kernel kernel = nullptr;
};

cuda::Kernel compiled(int device_id, const Kernel& kernel, std::string* source = nullptr) {
  const std::size_t words = kernel.pointers.size() + kernel.integers.size() + kernel.scalars.size();
  require(words <= kMostWords, ErrorKind::unsupported, "pass: ", words,
          " arguments do not fit a kernel's ", kMostWords, "; split the expression");
  std::string text = to_cuda(kernel);
  if (source) *source = text;
  return device_kernel(device_id, {.source = std::move(text), .name = kernel.name, .options = {}});
}

class DevicePass final : public Pass {
 public:
  DevicePass(const PassProblem& problem, int device_id)
      : function_(problem.function),
        device_id_(device_id),
        blocks_(cuda_device_info(device_id).multiprocessors * kBlocksPerMultiprocessor) {
    check_problem(problem);
    std::size_t total = 0;
    for (auto& planned : plan_sweeps(problem, cuda_device_info(device_id).multiprocessors)) {
      auto sweep = std::make_unique<Sweep>();
      sweep->plan = std::move(planned);
      for (const auto& finish : sweep->plan.finishes) {
        sweep->finish.push_back(compiled(
            device_id, device_finish_kernel(finish, sweep->plan.finish_team, device_target(1))));
        auto& slots = sweep->slots.emplace_back();
        for (const DType slot : finish.reduction.slots) {
          slots.push_back(total);
          const auto bytes =
              static_cast<std::size_t>(sweep->plan.chunks * sweep->plan.kept) * itemsize(slot);
          total += (bytes + 255) / 256 * 256;
        }
      }
      const auto& walk = sweep->plan.loops.walk;
      sweep->all = {Dims(walk.rank(), std::int64_t{0}), walk.extents()};
      sweep->main = &variant(*sweep, choose(*sweep, sweep->plan.loops, sweep->all, true, false));
      sweeps_.push_back(std::move(sweep));
    }
    workspace_bytes_ = total;
  }

  void run(const PassCall& call) const override {
    for (const auto& sweep : sweeps_) {
      launch_sweep(*sweep, *sweep->main, call, sweep->all);
      finish(*sweep, call);
    }
  }

  void start(const PassCall& call) const override {
    for (const auto& sweep : sweeps_) {
      if (sweep->finish.empty()) continue;
      Words words;
      for (const auto& slots : sweep->slots) {
        for (const std::size_t slot : slots) words.pointer(at(call, slot));
      }
      const std::int64_t count = sweep->plan.chunks * sweep->plan.kept;
      for (std::size_t i = 0; i < sweep->slots.size(); ++i) words.integer(count);
      launch_words(start_kernel(*sweep), words, count, call.stream);
    }
  }

  void run_part(const PassCall& call, const PassPart& part, int) const override {
    for (const auto& sweep : sweeps_) {
      const bool reduces = !sweep->finish.empty();
      auto box = box_of(sweep->plan.loops.walk, part);
      const bool merged = box.has_value();
      if (!merged) box = box_of(unmerged(*sweep).walk, part);
      const PassLoops& loops = merged ? sweep->plan.loops : unmerged(*sweep);
      launch_sweep(*sweep, variant(*sweep, choose(*sweep, loops, *box, merged, reduces)), call,
                   *box);
    }
  }

  void finish(const PassCall& call) const override {
    for (const auto& sweep : sweeps_) finish(*sweep, call);
  }

  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  double flops_per_point() const override { return flops_of(*function_); }
  std::string source() const override { return sweeps_[0]->main->source; }

  std::string describe() const override {
    const DeviceSweep& plan = sweeps_[0]->plan;
    return text("CUDA C++ by NVRTC, ", plan.lanes, plan.lanes == 1 ? " element" : " elements",
                " a thread along the last axis of ", plan.loops.walk.extents(),
                plan.team > 1 ? ", a warp a result" : "", ", ", sweeps_.size(),
                sweeps_.size() == 1 ? " sweep" : " sweeps");
  }

 private:
  struct Sweep {
    DeviceSweep plan;
    WalkBox all;
    std::vector<std::vector<std::size_t>> slots;  ///< in the workspace, by reduction
    std::vector<cuda::Kernel> finish;
    const Variant* main = nullptr;
    // Kernels for parts are compiled when the first part of their kind comes.
    mutable std::mutex mutex;
    mutable std::map<int, Variant> variants;
    mutable std::unique_ptr<PassLoops> unmerged;
    mutable cuda::Kernel start = nullptr;
  };

  static char* at(const PassCall& call, std::size_t offset) {
    return static_cast<char*>(call.workspace) + offset;
  }

  static DeviceVariant choose(const Sweep& sweep, const PassLoops& loops, const WalkBox& box,
                              bool merged, bool accumulate) {
    return {.merged = merged,
            .aligned = is_aligned(sweep.plan, loops, box),
            .whole = box.extent[loops.form.rank - 1] % sweep.plan.lanes == 0,
            .accumulate = accumulate};
  }

  static const PassLoops& unmerged(const Sweep& sweep) {
    const std::lock_guard lock(sweep.mutex);
    if (!sweep.unmerged) {
      sweep.unmerged = std::make_unique<PassLoops>(plan_loops(sweep.plan.problem, false, 1));
    }
    return *sweep.unmerged;
  }

  const Variant& variant(const Sweep& sweep, const DeviceVariant& wanted) const {
    const int key = (wanted.merged ? 1 : 0) + (wanted.aligned ? 2 : 0) + (wanted.whole ? 4 : 0) +
                    (wanted.accumulate ? 8 : 0);
    const PassLoops& loops = wanted.merged ? sweep.plan.loops : unmerged(sweep);
    const std::lock_guard lock(sweep.mutex);
    if (const auto known = sweep.variants.find(key); known != sweep.variants.end()) {
      return known->second;
    }
    Variant made{.loops = loops, .fixed = loops.fixed(), .varying = loops.varying(), .source = {}};
    made.kernel = compiled(device_id_, sweep_kernel(sweep.plan, loops, wanted), &made.source);
    return sweep.variants.emplace(key, std::move(made)).first->second;
  }

  cuda::Kernel start_kernel(const Sweep& sweep) const {
    const std::lock_guard lock(sweep.mutex);
    if (!sweep.start) {
      sweep.start = compiled(
          device_id_, device_start_kernel(sweep.plan.loops.form.reductions, device_target(1)));
    }
    return sweep.start;
  }

  void launch_sweep(const Sweep& sweep, const Variant& variant, const PassCall& call,
                    const WalkBox& box) const {
    const PassLoops& loops = variant.loops;
    const PassForm& form = loops.form;
    std::int64_t points = 1;
    for (const auto extent : box.extent) points *= extent;
    if (points == 0 && sweep.finish.empty()) return;
    Words words;
    for (std::size_t k = 0; k < form.arrays.size(); ++k) {
      const auto size = static_cast<std::int64_t>(itemsize(form.arrays[k]));
      words.pointer(static_cast<char*>(call.arrays[sweep.plan.arrays[k]]) +
                    loops.offset(k, box) * size);
    }
    for (std::size_t i = 0; i < sweep.slots.size(); ++i) {
      const std::int64_t offset = loops.offset(form.first_partial() + i, box);
      for (std::size_t s = 0; s < sweep.slots[i].size(); ++s) {
        const auto size = static_cast<std::int64_t>(itemsize(form.reductions[i].slots[s]));
        words.pointer(at(call, sweep.slots[i][s]) + offset * size);
      }
    }
    loops.put_varying(box, words.integers(variant.varying));
    std::int64_t* fixed = words.integers(variant.fixed.size());
    std::copy(variant.fixed.begin(), variant.fixed.end(), fixed);
    std::int64_t threads = (points + sweep.plan.lanes - 1) / sweep.plan.lanes;
    if (!sweep.finish.empty()) {
      const std::int64_t steps = reduced_steps(sweep.plan, loops, box);
      words.integer(sweep.plan.chunks);
      words.integer((steps + sweep.plan.chunks - 1) / sweep.plan.chunks);
      words.integer(sweep.plan.kept);
      threads = sweep.plan.chunks * sweep.plan.kept * sweep.plan.team;
    }
    const KernelScalars scalars(*function_, call.scalars);
    for (std::size_t i = 0; i < scalars.size(); ++i) words.scalar(scalars.data()[i]);
    launch_words(variant.kernel, words, threads, call.stream);
  }

  void finish(const Sweep& sweep, const PassCall& call) const {
    for (std::size_t i = 0; i < sweep.finish.size(); ++i) {
      const PassFinish& plan = sweep.plan.finishes[i];
      const std::size_t array = sweep.plan.loops.form.array_of(plan.reduction.output);
      Words words;
      words.pointer(static_cast<char*>(call.arrays[sweep.plan.arrays[array]]) +
                    plan.walk.operands[0].base * static_cast<std::int64_t>(itemsize(plan.output)));
      for (std::size_t s = 0; s < sweep.slots[i].size(); ++s) {
        const auto size = static_cast<std::int64_t>(itemsize(plan.reduction.slots[s]));
        words.pointer(at(call, sweep.slots[i][s]) + plan.walk.operands[1].base * size);
      }
      for (const auto integer : plan.integers(sweep.plan.chunks)) words.integer(integer);
      launch_words(sweep.finish[i], words, sweep.plan.kept * sweep.plan.finish_team, call.stream);
    }
  }

  void launch_words(cuda::Kernel kernel, Words& words, std::int64_t threads, Stream stream) const {
    const std::int64_t wanted = (threads + kBlock - 1) / kBlock;
    const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, blocks_));
    void* arguments[] = {words.data()};
    cuda::call(cuda::api().cuLaunchKernel, kernel, blocks, 1U, 1U, kBlock, 1U, 1U, 0U,
               stream.handle, arguments, nullptr);
  }

  expr::FunctionPtr function_;
  int device_id_;
  std::int64_t blocks_;
  std::vector<std::unique_ptr<Sweep>> sweeps_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace

PassPtr make_device_pass(const PassProblem& problem, int device_id) {
  return std::make_shared<DevicePass>(problem, device_id);
}

}  // namespace mw::codegen
