// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/staged.hpp"

#include <array>

#include "base/layout.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"

namespace mw {

StagedPlan::StagedPlan(PlanPtr inner, Placement placement, std::vector<Stage> stages,
                       std::size_t operand_count, std::size_t input_count)
    : inner_(std::move(inner)),
      placement_(placement),
      stages_(std::move(stages)),
      operand_count_(operand_count),
      input_count_(input_count) {
  for (Stage& stage : stages_) stage.offset = ledger_.book(dense_bytes(stage.staged));
  inner_offset_ = ledger_.book(inner_->workspace_bytes());
}

void StagedPlan::execute(const Call& call) const {
  std::array<void*, kMostOperands> operands{};
  std::copy_n(call.operands, operand_count_, operands.begin());
  const Device device = placement_.context.device;
  const int threads = placement_.context.threads;

  // The staged buffer's block may start before its element (0, …, 0) when strides are negative.
  const auto staged_view = [&](const Stage& stage) {
    const auto low = offset_range(stage.staged.shape, stage.staged.strides).first;
    char* block = static_cast<char*>(Ledger::grant(call.workspace, stage.offset));
    const auto size = static_cast<std::int64_t>(itemsize(stage.staged.dtype));
    return view_of(stage.staged, block - low * size, device);
  };
  for (const Stage& stage : stages_) {
    const TensorRef target = staged_view(stage);
    if (stage.operand < input_count_) {
      const auto [from, to] =
          stored_once(view_of(stage.given, operands[stage.operand], placement_.memory), target);
      copy(from, to, call.stream, threads);
    }
    operands[stage.operand] = target.data;
  }

  inner_->execute({.operands = operands.data(),
                   .scalars = call.scalars,
                   .workspace = Ledger::grant(call.workspace, inner_offset_),
                   .stream = call.stream});

  for (const Stage& stage : stages_) {
    if (stage.operand < input_count_) continue;
    const TensorRef target = view_of(stage.given, call.operands[stage.operand], placement_.memory);
    copy(staged_view(stage), target, call.stream, threads);
  }
}

PlanPtr StagedPlan::around(PlanPtr inner) const {
  if (!inner) return nullptr;
  return std::make_shared<StagedPlan>(std::move(inner), placement_, stages_, operand_count_,
                                      input_count_);
}

std::vector<PlanPtr> StagedPlan::variants(int limit) const {
  std::vector<PlanPtr> plans = inner_->variants(limit);
  for (PlanPtr& plan : plans) plan = around(std::move(plan));
  return plans;
}

PlanPtr StagedPlan::with_variant(std::string_view words) const {
  return around(inner_->with_variant(words));
}

PlanPtr StagedPlan::with_attributes(std::span<const AlgorithmAttribute> changes) const {
  return around(inner_->with_attributes(changes));
}

double StagedPlan::estimate() const {
  constexpr double kLink = 20e9;  // bytes per second between host and device
  double seconds = inner_->estimate();
  for (const Stage& stage : stages_) {
    const auto bytes = static_cast<double>(dense_bytes(stage.staged));
    const auto rate =
        rates(placement_.context.device, placement_.context.threads, stage.staged.dtype);
    seconds += rate.call + (placement_.crosses() ? bytes / kLink : 2 * bytes / rate.bandwidth);
  }
  return seconds;
}

}  // namespace mw
