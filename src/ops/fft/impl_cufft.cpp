// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transform by cuFFT: many.hpp says in which passes, cufft_plans.hpp makes and runs them.
#include <bit>

#include "ops/fft/candidates.hpp"
#include "ops/fft/cufft_plans.hpp"
#include "runtime/copy.hpp"

namespace mw {

namespace {

class CufftPlan final : public Plan {
 public:
  CufftPlan(const FFTProblem& problem, ManyRecipe recipe, Device device)
      : recipe_(std::move(recipe)), given_(problem.input()), device_(device) {
    const DType complex = problem.type == FFTType::r2c ? problem.result().dtype : given_.dtype;
    types_ = {.real = real_dtype(complex), .complex = complex};
    pool_ = std::make_unique<CufftPlanPool>(device.id, recipe_.passes, types_);
    if (recipe_.copy) copy_offset_ = ledger_.book(dense_bytes(*recipe_.copy));
    work_offset_ = ledger_.book(pool_->workspace_bytes());
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
      run_cufft(pass, (*plans)[i], types_, places[static_cast<std::size_t>(pass.from)],
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
  std::string library() const override { return cufft_name(); }
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

  ManyRecipe recipe_;
  OperandLayout given_;
  Device device_;
  CufftTypes types_{};
  Ledger ledger_;
  std::size_t copy_offset_ = 0;
  std::size_t work_offset_ = 0;
  std::unique_ptr<CufftPlanPool> pool_;
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
