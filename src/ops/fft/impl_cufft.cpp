// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transform by cuFFT: many.hpp says in which passes, this file makes and runs them.
//
// A cuFFT plan keeps its stream and work area, so a plan of ours, which many threads may execute,
// keeps a pool of sets of cuFFT plans, one set for each execution that is being queued at the same
// time. All sets are alike; the pool grows to the most that were needed at once.
#include <bit>
#include <memory>
#include <mutex>
#include <vector>

#include "base/log.hpp"
#include "ops/fft/candidates.hpp"
#include "ops/fft/many.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "vendor/cufft/api.hpp"

namespace mw {

namespace {

struct TypeRow {
  DType dtype;
  cufft::DataType type;
};
constexpr TypeRow kTypes[] = {
    {DType::float16, cufft::DataType::r_16f},   {DType::float32, cufft::DataType::r_32f},
    {DType::float64, cufft::DataType::r_64f},   {DType::complex32, cufft::DataType::c_16f},
    {DType::complex64, cufft::DataType::c_32f}, {DType::complex128, cufft::DataType::c_64f},
};

cufft::DataType cufft_type(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) return row.type;
  }
  fail(ErrorKind::unsupported, FFTProblem::kOperation, ": cuFFT has no type for ", dtype);
}

struct Types {
  DType real;
  DType complex;
};

DType side_dtype(const Types& types, bool real) { return real ? types.real : types.complex; }

/// One cuFFT plan; its work area is `workspace` bytes.
struct Made {
  cufft::PlanOwner plan;
  std::size_t workspace = 0;
};
Made make_plan(const ManyPass& pass, const Types& types) {
  const cufft::Api& api = cufft::api();
  Made made;
  cufft::call(api.cufftCreate, made.plan.receive());
  cufft::call(api.cufftSetAutoAllocation, made.plan.get(), 0);
  const auto longs = [](const Dims& dims) {
    return std::vector<long long>(dims.begin(), dims.end());
  };
  auto lengths = longs(pass.lengths);
  auto in_embed = longs(pass.in.embed);
  auto out_embed = longs(pass.out.embed);
  cufft::call(api.cufftXtMakePlanMany, made.plan.get(), static_cast<int>(lengths.size()),
              lengths.data(), in_embed.data(), pass.in.stride, pass.in.distance,
              cufft_type(side_dtype(types, pass.type == FFTType::r2c)), out_embed.data(),
              pass.out.stride, pass.out.distance,
              cufft_type(side_dtype(types, pass.type == FFTType::c2r)), pass.batch, &made.workspace,
              cufft_type(types.complex));
  return made;
}

/// One cuFFT plan a pass, all on one stream and one work area.
class PlanSet {
 public:
  PlanSet(const std::vector<ManyPass>& passes, const Types& types) {
    for (const ManyPass& pass : passes) {
      Made made = make_plan(pass, types);
      workspace_bytes_ = std::max(workspace_bytes_, made.workspace);
      plans_.push_back(std::move(made.plan));
    }
  }

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
  [[nodiscard]] cufft::Plan operator[](std::size_t pass) const { return plans_[pass].get(); }

  void use(Stream stream, void* work_area) {
    const cufft::Api& api = cufft::api();
    const bool new_stream = !on_stream_ || !(stream == stream_);
    const bool new_area = workspace_bytes_ > 0 && work_area != work_area_;
    on_stream_ = false;  // until all plans agree again
    for (const auto& plan : plans_) {
      if (new_stream) cufft::call(api.cufftSetStream, plan.get(), stream.handle);
      if (new_area) cufft::call(api.cufftSetWorkArea, plan.get(), work_area);
    }
    stream_ = stream;
    work_area_ = work_area;
    on_stream_ = true;
  }

 private:
  std::vector<cufft::PlanOwner> plans_;
  std::size_t workspace_bytes_ = 0;
  Stream stream_;
  void* work_area_ = nullptr;
  bool on_stream_ = false;
};

class PlanPool {
 public:
  PlanPool(int device_id, std::vector<ManyPass> passes, Types types)
      : device_id_(device_id), passes_(std::move(passes)), types_(types) {
    idle_.push_back(std::make_unique<PlanSet>(passes_, types_));
  }
  ~PlanPool() {
    try {
      const CudaScope scope(device_id_);  // the last owner may be on any thread
      idle_.clear();
    } catch (const std::exception& error) {
      log(LogLevel::warning,
          [&] { return text("fft: cuFFT plans not destroyed: ", error.what()); });
    }
  }

  [[nodiscard]] std::unique_ptr<PlanSet> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto set = std::move(idle_.back());
        idle_.pop_back();
        return set;
      }
    }
    return std::make_unique<PlanSet>(passes_, types_);
  }
  void give_back(std::unique_ptr<PlanSet> set) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(set));
  }

 private:
  int device_id_;
  std::vector<ManyPass> passes_;
  Types types_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PlanSet>> idle_;
};

class CufftPlan final : public Plan {
 public:
  CufftPlan(const FFTProblem& problem, ManyRecipe recipe, Device device)
      : recipe_(std::move(recipe)), given_(problem.input()), device_(device) {
    const DType complex = problem.type == FFTType::r2c ? problem.result().dtype : given_.dtype;
    types_ = {.real = real_dtype(complex), .complex = complex};
    pool_ = std::make_unique<PlanPool>(device.id, recipe_.passes, types_);
    if (recipe_.copy) copy_offset_ = ledger_.book(dense_bytes(*recipe_.copy));
    auto first = pool_->take();
    work_offset_ = ledger_.book(first->workspace_bytes());
    pool_->give_back(std::move(first));
  }

  void execute(const Call& call) const override {
    void* places[] = {call.operands[0], Ledger::grant(call.workspace, copy_offset_),
                      call.operands[1]};
    if (recipe_.copy) {
      copy(view_of(given_, places[0], device_), view_of(*recipe_.copy, places[1], device_),
           call.stream);
    }
    auto plans = pool_->take();
    plans->use(call.stream, Ledger::grant(call.workspace, work_offset_));
    for (std::size_t i = 0; i < recipe_.passes.size(); ++i) {
      const ManyPass& pass = recipe_.passes[i];
      if (i + 1 == recipe_.passes.size()) zero(places[1], call.stream);
      run(pass, (*plans)[i], places[static_cast<std::size_t>(pass.from)],
          places[static_cast<std::size_t>(pass.to)], direction_of(call));
    }
    pool_->give_back(std::move(plans));
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override { return recipe_.seconds; }
  std::size_t resident_bytes() const override {
    std::size_t bytes = 0;
    for (const ManyPass& pass : recipe_.passes) {
      for (const auto n : pass.lengths) {
        bytes += static_cast<std::size_t>(n) * itemsize(types_.complex);
      }
    }
    return bytes;
  }
  std::string library() const override {
    int version = 0;
    cufft::call(cufft::api().cufftGetVersion, &version);
    return text("cuFFT ", version);
  }
  std::string describe() const override {
    std::int64_t calls = 0;
    for (const ManyPass& pass : recipe_.passes) calls += pass.calls();
    const std::size_t passes = recipe_.passes.size();
    return text(library(), passes > 1 ? text(", ", passes, " passes") : "",
                calls > static_cast<std::int64_t>(passes) ? text(", ", calls, " calls") : "",
                recipe_.copy ? ", input copied first" : "");
  }

 private:
  void zero(void* copied, Stream stream) const {
    for (const ManyReals& reals : recipe_.zeroed) {
      const auto size = static_cast<std::int64_t>(itemsize(reals.layout.dtype));
      char* first = static_cast<char*>(copied) + reals.offset * size;
      fill_zero(view_of(reals.layout, first, device_), stream);
    }
  }

  void run(const ManyPass& pass, cufft::Plan plan, void* from, void* to, int direction) const {
    const cufft::Api& api = cufft::api();
    const DType in = side_dtype(types_, pass.type == FFTType::r2c);
    const DType out = side_dtype(types_, pass.type == FFTType::c2r);
    const std::int64_t calls = pass.calls();
    for (std::int64_t index = 0; index < calls; ++index) {
      const LoopStart start = start_of(pass.loops, index);
      cufft::call(api.cufftXtExec, plan,
                  static_cast<char*>(from) + start.in * static_cast<std::int64_t>(itemsize(in)),
                  static_cast<char*>(to) + start.out * static_cast<std::int64_t>(itemsize(out)),
                  direction);
    }
  }

  ManyRecipe recipe_;
  OperandLayout given_;
  Device device_;
  Types types_{};
  Ledger ledger_;
  std::size_t copy_offset_ = 0;
  std::size_t work_offset_ = 0;
  std::unique_ptr<PlanPool> pool_;
};

bool is_half(const FFTProblem& problem) {
  return real_dtype(problem.input().dtype) == DType::float16;
}

/// cuFFT's limit on half precision.
std::optional<Refusal> refuse_half(const FFTProblem& problem) {
  if (!is_half(problem)) return std::nullopt;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const std::int64_t n = problem.length(i);
    if (std::has_single_bit(static_cast<std::uint64_t>(n))) continue;
    return refuse("axis ", problem.axes[i], " has length ", n, ", and in ", problem.input().dtype,
                  " cuFFT transforms powers of two only. Pad the axis, or convert the operand to ",
                  is_complex(problem.input().dtype) ? "complex64" : "float32", ".");
  }
  return std::nullopt;
}

}  // namespace

Answer try_cufft(const FFTProblem& problem, const Context& context) {
  if (auto refusal = refuse_half(problem)) return *std::move(refusal);
  if (auto api = cufft::load(); !api) return api.refusal();
  const ManyRules rules{
      .most_axes = 3, .pairs_of_reals = true, .unit_real_stride = is_half(problem)};
  const Rates rate = rates(context.device, context.threads, problem.result().dtype);
  auto recipe = make_many_recipe(problem, rules, rate);
  if (auto* refusal = std::get_if<Refusal>(&recipe)) return std::move(*refusal);
  if (auto* relayout = std::get_if<Relayout>(&recipe)) return std::move(*relayout);
  auto& chosen = std::get<ManyRecipe>(recipe);
  if (chosen.copy) {
    const auto possible = can_copy(view_of(problem.input(), nullptr, context.device),
                                   view_of(*chosen.copy, nullptr, context.device));
    if (!possible) return possible.refusal();
  }
  try {
    return PlanPtr(std::make_shared<CufftPlan>(problem, std::move(chosen), context.device));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::out_of_memory) throw;
    return refuse(error.what());
  }
}

}  // namespace mw
