// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// How a pass is walked, and what its kernels are compiled for.
#include <algorithm>

#include "codegen/pass_loops.hpp"

namespace mw::codegen {

namespace {

double bytes_of(const Dims& shape, const PassArray& array) {
  auto bytes = static_cast<double>(itemsize(array.dtype));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (array.strides[d] != 0) bytes *= static_cast<double>(shape[d]);
  }
  return bytes;
}

/// C-order strides over the axes along which the output is repeated, 0 along the others.
Dims position_strides(const Dims& shape, const PassArray& output) {
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (output.strides[d] != 0 && shape[d] > 1) continue;
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

/// C-order strides over the other axes: where the partial results are.
Dims partial_strides(const Dims& shape, const PassArray& output) {
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (output.strides[d] == 0) continue;
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

std::vector<WalkOperand> operands_of(const PassProblem& problem, const PassForm& form) {
  const Dims& shape = problem.shape;
  std::vector<WalkOperand> operands;
  for (const auto& array : problem.arrays) {
    operands.push_back({.strides = array.strides, .weight = bytes_of(shape, array)});
  }
  for (const auto axis : form.index_axes) {
    Dims strides(shape.size(), 0);
    strides[shape.size() - static_cast<std::size_t>(-axis)] = 1;
    operands.push_back({.strides = std::move(strides)});
  }
  for (const auto& reduction : form.reductions) {
    const PassArray& output = problem.arrays[form.array_of(reduction.output)];
    operands.push_back({.strides = reduction.has_position() ? position_strides(shape, output)
                                                            : Dims(shape.size(), 0)});
  }
  for (const auto& reduction : form.reductions) {
    operands.push_back(
        {.strides = partial_strides(shape, problem.arrays[form.array_of(reduction.output)])});
  }
  return operands;
}

Reach reach_of(std::int64_t stride) {
  if (stride == 0) return Reach::uniform;
  return stride == 1 ? Reach::unit : Reach::strided;
}

/// Whether short rows are better walked across their ends: everything large is contiguous there,
/// and what is not can be had otherwise.
bool worth_flattening(const PassLoops& loops, int lanes) {
  const Walk& walk = loops.walk;
  const PassForm& form = loops.form;
  if (walk.rank() < 2) return false;
  const std::int64_t columns = walk.axes.back().extent;
  // From some lengths on, and where rows are whole vectors, their ends cost little.
  if (columns >= 16 * lanes || columns % lanes == 0) return false;
  for (std::size_t k = 0; k < form.operands(); ++k) {
    if (form.reach[k] == Reach::unused) continue;
    const RowReach reach = row_reach(walk, walk.operands[k]);
    if (reach == RowReach::dense || reach == RowReach::uniform || form.is_number(k)) continue;
    const std::size_t elements = form.function->elements.size();
    const bool small = reach == RowReach::periodic || reach == RowReach::rows;
    if (!small || k < elements || k >= form.array_of(0)) return false;
  }
  return true;
}

void flatten(PassLoops& loops) {
  PassForm& form = loops.form;
  for (std::size_t k = 0; k < form.operands(); ++k) {
    if (form.reach[k] == Reach::unused) continue;
    switch (row_reach(loops.walk, loops.walk.operands[k])) {
      case RowReach::dense: form.reach[k] = Reach::unit; break;
      case RowReach::uniform: form.reach[k] = Reach::uniform; break;
      case RowReach::periodic:
        form.reach[k] = form.is_number(k) ? Reach::gathered : Reach::periodic;
        break;
      default: form.reach[k] = Reach::gathered; break;
    }
  }
  loops.walk = flattened(loops.walk);
  form.flat = true;
  --form.rank;
}

}  // namespace

namespace {

/// The walk, and what the lanes see of its operands.
PassLoops loops_over(const Walk& walk, PassForm form) {
  form.rank = walk.rank();
  for (const auto& operand : walk.operands) form.reach.push_back(reach_of(operand.strides.back()));
  for (std::size_t i = 0; i < form.reductions.size(); ++i) {
    const Reduction& reduction = form.reductions[i];
    form.reach[form.array_of(reduction.output)] = Reach::unused;  // written at the end
    if (!reduction.has_position()) form.reach[form.first_position() + i] = Reach::unused;
  }
  return {.walk = walk, .rows = walk, .form = std::move(form)};
}

}  // namespace

PassLoops plan_loops(const PassProblem& problem, bool merge, int lanes) {
  PassForm form;
  form.function = problem.function;
  for (const auto& array : problem.arrays) form.arrays.push_back(array.dtype);
  form.index_axes = index_axes_of(*problem.function);
  form.reductions = reductions_of(*problem.function);
  const Walk walk = make_walk(problem.shape, operands_of(problem, form), merge);
  PassLoops loops = loops_over(walk, form);
  if (!merge) return loops;
  if (worth_flattening(loops, lanes)) {
    flatten(loops);
    return loops;
  }
  // Rows that leave most lanes idle: strided lanes along the longest axis do better.
  const Dims extents = walk.extents();
  const auto longest = std::ranges::max_element(extents);
  if (extents.back() * 4 < lanes && *longest > extents.back()) {
    return loops_over(with_last(walk, static_cast<std::size_t>(longest - extents.begin())), form);
  }
  return loops;
}

PassFinish plan_finish(const PassLoops& loops, std::size_t reduction) {
  PassFinish finish;
  finish.reduction = loops.form.reductions[reduction];
  const std::size_t array = loops.form.array_of(finish.reduction.output);
  finish.output = loops.form.arrays[array];
  const WalkOperand& output = loops.rows.operands[array];
  const WalkOperand& partial = loops.rows.operands[loops.form.first_partial() + reduction];
  finish.walk.operands.resize(2);
  finish.walk.operands[0].base = output.base;
  finish.walk.operands[1].base = partial.base;
  for (std::size_t d = 0; d < loops.rows.rank(); ++d) {
    if (partial.strides[d] == 0) continue;
    finish.walk.axes.push_back(loops.rows.axes[d]);
    finish.walk.operands[0].strides.push_back(output.strides[d]);
    finish.walk.operands[1].strides.push_back(partial.strides[d]);
  }
  if (finish.walk.axes.empty()) {
    finish.walk.axes.emplace_back();
    for (auto& operand : finish.walk.operands) operand.strides.push_back(1);
  }
  return finish;
}

}  // namespace mw::codegen
