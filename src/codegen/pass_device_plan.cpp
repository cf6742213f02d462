// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_device_plan.hpp"

#include <algorithm>

namespace mw::codegen {

namespace {

constexpr int kVectorBytes = 16;  ///< the most one thread moves at once
constexpr int kMostLanes = 8;
// Threads that keep a multiprocessor's memory pipes full.
constexpr std::int64_t kThreads = 2048;
// Steps of a chunk below which its bookkeeping shows.
constexpr std::int64_t kLeastSteps = 16;

bool is_reduced(const expr::Function& function, std::size_t output) {
  return expr::is_reduction(
      function.nodes[static_cast<std::size_t>(function.outputs[output].node)].op);
}

/// Outputs that one sweep can make: those reduced over the same axes, elementwise ones with the
/// first of them.
std::vector<std::vector<std::size_t>> groups_of(const PassProblem& problem) {
  const auto& function = *problem.function;
  const std::size_t first = function.elements.size() + function.tensors.size();
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::vector<bool>> keeps;
  std::vector<std::size_t> elementwise;
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    if (!is_reduced(function, i)) {
      elementwise.push_back(i);
      continue;
    }
    std::vector<bool> kept;
    for (const auto stride : problem.arrays[first + i].strides) kept.push_back(stride != 0);
    const auto known = std::ranges::find(keeps, kept);
    if (known == keeps.end()) {
      keeps.push_back(kept);
      groups.push_back({i});
    } else {
      groups[static_cast<std::size_t>(known - keeps.begin())].push_back(i);
    }
  }
  if (groups.empty()) groups.emplace_back();
  groups[0].insert(groups[0].end(), elementwise.begin(), elementwise.end());
  return groups;
}

DeviceSweep sweep_of(const PassProblem& problem, const std::vector<std::size_t>& outputs) {
  const auto& function = *problem.function;
  const std::size_t inputs = function.elements.size() + function.tensors.size();
  auto part = std::make_shared<expr::Function>(function);
  part->outputs.clear();
  DeviceSweep sweep;
  sweep.problem.shape = problem.shape;
  for (std::size_t k = 0; k < inputs; ++k) sweep.arrays.push_back(k);
  for (const auto output : outputs) {
    part->outputs.push_back(function.outputs[output]);
    sweep.arrays.push_back(inputs + output);
  }
  for (const auto array : sweep.arrays) sweep.problem.arrays.push_back(problem.arrays[array]);
  sweep.problem.function = std::move(part);
  sweep.loops = plan_loops(sweep.problem, true, 1);
  return sweep;
}

int lanes_of(const PassForm& form) {
  std::size_t widest = 0;
  for (std::size_t k = 0; k < form.arrays.size(); ++k) {
    if (form.reach[k] == Reach::unit) widest = std::max(widest, itemsize(form.arrays[k]));
  }
  if (widest == 0) return 1;
  return std::clamp(kVectorBytes / static_cast<int>(widest), 1, kMostLanes);
}

/// Which loops are not reduced over.
std::vector<bool> kept_loops(const PassLoops& loops) {
  std::vector<bool> kept(loops.form.rank, true);
  if (loops.form.reductions.empty()) return kept;
  const auto& partial = loops.walk.operands[loops.form.first_partial()];
  for (std::size_t d = 0; d < kept.size(); ++d) kept[d] = partial.strides[d] != 0;
  return kept;
}

std::int64_t vectors(std::int64_t points, int lanes) { return (points + lanes - 1) / lanes; }

/// Items (the product over kept loops) and steps of each (over the others).
struct Counts {
  std::int64_t items = 1, steps = 1;
};
Counts counts_of(const DeviceSweep& sweep, const PassLoops& loops, const WalkBox& box) {
  Counts counts;
  const auto kept = kept_loops(loops);
  for (std::size_t d = 0; d < kept.size(); ++d) {
    const bool last = d + 1 == kept.size();
    (kept[d] ? counts.items : counts.steps) *=
        last ? vectors(box.extent[d], sweep.lanes) : box.extent[d];
  }
  return counts;
}

void plan_chunks(DeviceSweep& sweep, int multiprocessors) {
  const PassLoops& loops = sweep.loops;
  const WalkBox all{Dims(loops.walk.rank(), std::int64_t{0}), loops.walk.extents()};
  const auto [items, steps] = counts_of(sweep, loops, all);
  sweep.short_index = items * std::max<std::int64_t>(steps, 1) < (std::int64_t{1} << 30);
  if (loops.form.reductions.empty()) return;
  sweep.team = !kept_loops(loops).back() && steps >= kWarp ? kWarp : 1;
  const std::int64_t wanted = multiprocessors * kThreads / sweep.team / (sweep.team > 1 ? 2 : 1);
  const std::int64_t most = std::max<std::int64_t>(steps / (kLeastSteps * sweep.team), 1);
  sweep.chunks = std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(items, 1), 1, most);
  for (std::size_t i = 0; i < loops.form.reductions.size(); ++i) {
    sweep.finishes.push_back(plan_finish(loops, i));
  }
  for (const auto extent : sweep.finishes[0].walk.extents()) sweep.kept *= extent;
  sweep.finish_team = sweep.chunks >= kWarp ? kWarp : 1;
}

/// Bytes, up to 16, that divide the address of every first lane of an array.
int alignment_of(const PassArray& array, const WalkOperand& operand, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(itemsize(array.dtype));
  int bytes = std::min<int>(array.alignment, kVectorBytes);
  const auto cut = [&](std::int64_t step) {
    while (bytes > 1 && step * size % bytes != 0) bytes /= 2;
  };
  cut(operand.base);
  for (std::size_t d = 0; d + 1 < rank; ++d) cut(operand.strides[d]);
  return bytes;
}

}  // namespace

Target device_target(int lanes) {
  Target target;
  target.lanes = lanes;
  target.device = true;
  return target;
}

std::vector<DeviceSweep> plan_sweeps(const PassProblem& problem, int multiprocessors) {
  std::vector<DeviceSweep> sweeps;
  for (const auto& group : groups_of(problem)) {
    DeviceSweep sweep = sweep_of(problem, group);
    sweep.lanes = lanes_of(sweep.loops.form);
    plan_chunks(sweep, multiprocessors);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

Kernel sweep_kernel(const DeviceSweep& sweep, const PassLoops& loops,
                    const DeviceVariant& variant) {
  DeviceForm device{.form = loops.form,
                    .kept = kept_loops(loops),
                    .whole = variant.whole,
                    .short_index = sweep.short_index,
                    .team = sweep.team,
                    .accumulate = variant.accumulate};
  if (variant.aligned) {
    for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
      device.form.alignment.push_back(
          alignment_of(sweep.problem.arrays[k], loops.walk.operands[k], loops.form.rank));
    }
  }
  return device_pass_kernel(device, device_target(sweep.lanes));
}

bool is_aligned(const DeviceSweep& sweep, const PassLoops& loops, const WalkBox& box) {
  for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
    if (loops.form.reach[k] != Reach::unit) continue;
    const auto size = static_cast<std::int64_t>(itemsize(loops.form.arrays[k]));
    const std::int64_t bytes = std::min<std::int64_t>(kVectorBytes, sweep.lanes * size);
    if (box.first[loops.form.rank - 1] * size % bytes != 0) return false;
  }
  return true;
}

std::int64_t reduced_steps(const DeviceSweep& sweep, const PassLoops& loops, const WalkBox& box) {
  return counts_of(sweep, loops, box).steps;
}

}  // namespace mw::codegen
