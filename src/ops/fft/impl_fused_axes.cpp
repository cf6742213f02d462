// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A transform along several axes with functions at its ends, in two stages: the prolog with the
// first axis, the rest with the epilog. A line along one axis fits a cache where the whole
// transform does not, so each function is applied there, and no pass of its own goes over memory:
// 2 sweeps instead of up to 4.
#include <algorithm>

#include "base/layout.hpp"
#include "ops/fft/candidates.hpp"
#include "ops/fft/parts.hpp"
#include "plan/cache.hpp"

namespace mw {

namespace {

/// A stage and the operands of the whole problem that its own are; kBetween for the array between.
struct Stage {
  FFTProblem problem;
  std::vector<std::size_t> operands;
  PlanPtr plan = nullptr;
  std::size_t workspace = 0;
};

void choose(Stage& stage, const Context& context) {
  const Placement placement{context.device, context};
  stage.plan = cached_selection(ProblemOf<FFTProblem>(stage.problem), placement)->plan;
}

Dims without(const Dims& axes, std::int64_t axis) {
  Dims rest;
  for (const auto one : axes) {
    if (one != axis) rest.push_back(one);
  }
  return rest;
}

/// The axes of the first stage. A halved axis comes first in r2c, last in c2r.
Dims first_axes(const FFTProblem& problem, bool prolog) {
  const std::int64_t front = problem.axes[0], back = problem.axes.back();
  if (prolog) return {problem.type == FFTType::c2r ? front : back};
  return without(problem.axes, problem.type == FFTType::c2r ? back : front);
}

Stage first_stage(const FFTProblem& problem, const FFTParts& parts) {
  Stage stage;
  FFTProblem& first = stage.problem;
  first.axes = first_axes(problem, parts.prolog);
  first.type = problem.type == FFTType::c2r ? FFTType::c2c : problem.type;
  first.directions = problem.directions;
  first.orthogonal = problem.orthogonal;
  first.prolog = problem.prolog;
  first.shape = problem.shape_used();
  for (const auto axis : first.axes) {
    const auto i = static_cast<std::size_t>(axis);
    first.shape[i] = problem.shape[i];
  }
  const std::size_t tensors = 1 + problem.prolog.tensors();
  for (std::size_t i = 0; i < tensors; ++i) stage.operands.push_back(i);
  for (std::size_t i = 0; i < problem.prolog.outputs(); ++i) {
    stage.operands.push_back(problem.first_aux() + i);
    first.aux.push_back(problem.aux[i]);
  }
  for (const std::size_t i : stage.operands) first.operands.push_back(problem.operands[i]);
  stage.operands.push_back(FFTParts::kBetween);
  const DType complex = parts.x == parts.y || problem.type == FFTType::r2c ? parts.y : parts.x;
  first.result_shape = first.shape_out();
  const OperandLayout between = between_layout(problem, complex, first.result_shape);
  first.operands.push_back(between);
  first.result_strides = between.strides;
  return stage;
}

Stage second_stage(const FFTProblem& problem, const FFTProblem& first) {
  Stage stage;
  FFTProblem& second = stage.problem;
  for (const auto axis : problem.axes) {
    if (std::ranges::find(first.axes, axis) == first.axes.end()) second.axes.push_back(axis);
  }
  second.type = problem.type == FFTType::r2c ? FFTType::c2c : problem.type;
  second.directions = problem.directions;
  second.orthogonal = problem.orthogonal;
  second.scaled = problem.scaled;
  second.scaling = problem.scaling;
  second.epilog = problem.epilog;
  second.shape = problem.type == FFTType::r2c ? problem.halved_shape() : problem.shape;
  second.operands.push_back(first.result());
  stage.operands.push_back(FFTParts::kBetween);
  const auto take = [&](std::size_t operand) {
    stage.operands.push_back(operand);
    second.operands.push_back(problem.operands[operand]);
  };
  const std::size_t tensors = 1 + problem.prolog.tensors();
  for (std::size_t i = 0; i < problem.epilog.tensors(); ++i) take(tensors + i);
  for (std::size_t i = problem.prolog.outputs(); i < problem.aux.size(); ++i) {
    take(problem.first_aux() + i);
    second.aux.push_back(problem.aux[i]);
  }
  take(problem.operands.size() - 1);
  second.result_shape = problem.result_shape;
  second.result_strides = problem.result_strides;
  return stage;
}

class AxesPlan final : public Plan {
 public:
  AxesPlan(const FFTProblem& problem, const Context& context)
      : result_(problem.operands.size() - 1),
        prolog_scalars_(problem.prolog.scalars()),
        epilog_scalars_(problem.epilog.scalars()) {
    const FFTParts parts = parts_of(problem);
    first_ = first_stage(problem, parts);
    second_ = second_stage(problem, first_.problem);
    share_result(problem);
    choose(first_, context);
    choose(second_, context);
    first_.workspace = ledger_.book(first_.plan->workspace_bytes());
    second_.workspace = ledger_.book(second_.plan->workspace_bytes());
    if (!in_result_) between_ = ledger_.book(dense_bytes(first_.problem.result()));
  }

  void execute(const Call& call) const override {
    std::array<ScalarValue, kMostOperands> scalars{call.scalars[0], 1};
    std::copy_n(call.scalars + 2, prolog_scalars_, scalars.begin() + 2);
    run(first_, call, scalars.data());
    scalars[1] = call.scalars[1];
    std::copy_n(call.scalars + 2 + prolog_scalars_, epilog_scalars_, scalars.begin() + 2);
    run(second_, call, scalars.data());
  }
  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override { return first_.plan->estimate() + second_.plan->estimate(); }
  std::string describe() const override {
    return text("axes ", first_.problem.axes, " by ", first_.plan->describe(), "; then axes ",
                second_.problem.axes, " by ", second_.plan->describe());
  }

 private:
  /// The array between the stages lies in the result's memory where that has its shape and dtype.
  void share_result(const FFTProblem& problem) {
    const OperandLayout& between = first_.problem.result();
    const OperandLayout& result = problem.result();
    in_result_ = !problem.halves() && between.shape == result.shape &&
                 between.dtype == result.dtype && second_.problem.shape_in() == between.shape &&
                 maps_one_to_one(result.shape, result.strides);
    if (!in_result_) return;
    first_.problem.operands.back() = second_.problem.operands.front() = result;
    first_.problem.result_strides = result.strides;
    first_.problem.in_place = problem.in_place;
    second_.problem.in_place = true;
  }

  void run(const Stage& stage, const Call& call, const ScalarValue* scalars) const {
    std::array<void*, kMostOperands + 1> addresses{};
    for (std::size_t i = 0; i < stage.operands.size(); ++i) {
      const std::size_t operand = stage.operands[i];
      addresses[i] = operand != FFTParts::kBetween ? call.operands[operand]
                     : in_result_                  ? call.operands[result_]
                                                   : Ledger::grant(call.workspace, between_);
    }
    stage.plan->execute(
        {addresses.data(), scalars, Ledger::grant(call.workspace, stage.workspace), call.stream});
  }

  Stage first_, second_;
  std::size_t result_, prolog_scalars_, epilog_scalars_;
  bool in_result_ = false;
  Ledger ledger_;
  std::size_t between_ = 0;
};

}  // namespace

Answer try_fused_axes_fft(const FFTProblem& problem, const Context& context) {
  const FFTParts parts = parts_of(problem);
  if (!parts.prolog && !parts.epilog) return refuse("there is nothing to fuse");
  if (problem.axes.size() < 2) return refuse("there is one axis only");
  if (problem.transforms() == 0) return refuse("there is nothing to transform");
  return PlanPtr(std::make_shared<AxesPlan>(problem, context));
}

}  // namespace mw
