// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Code made from the expression: by LLVM, by the interpreter, by NVRTC.
#include <array>

#include "ops/fuse/implementations.hpp"
#include "plan/rates.hpp"

namespace mw::fuse_impl {

PassPlan::PassPlan(const FuseProblem& problem, codegen::PassPtr pass, double seconds)
    : function_(problem.function), pass_(std::move(pass)), seconds_(seconds) {
  for (std::size_t i = 0; i < problem.input_count(); ++i) order_.push_back(i);
  for (std::size_t i = 0; i < problem.function->outputs.size(); ++i) {
    order_.push_back(problem.operand_of(i));
  }
}

void PassPlan::execute(const Call& call) const {
  std::array<void*, kMostOperands> arrays{};
  for (std::size_t i = 0; i < order_.size(); ++i) arrays[i] = call.operands[order_[i]];
  pass_->run({.arrays = arrays.data(),
              .scalars = call.scalars,
              .workspace = call.workspace,
              .stream = call.stream});
}

namespace {

double seconds_of(const FuseProblem& problem, const Context& context, double slowdown) {
  const Rates rate = rates(context.device, context.threads, problem.operands.back().dtype);
  Work work = problem.work();
  work.flops *= slowdown;
  return rate.call + floor_seconds(work, rate);
}

Answer on_host(const FuseProblem& problem, const Context& context, codegen::HostBackend backend,
               double slowdown) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  return std::make_shared<PassPlan>(
      problem, codegen::make_host_pass(problem.pass(), context.threads, backend),
      seconds_of(problem, context, slowdown));
}

}  // namespace

Answer try_generated(const FuseProblem& problem, const Context& context) {
  const auto version = codegen::llvm_version();
  if (context.device.is_cpu() && !version) return refuse(version.refusal().reason);
  return on_host(problem, context, codegen::HostBackend::llvm, 1);
}

Answer try_interpreted(const FuseProblem& problem, const Context& context) {
  // Each operation reads and writes tiles in the first cache: some three operations a cycle.
  constexpr double kSlowdown = 8;
  return on_host(problem, context, codegen::HostBackend::interpreter, kSlowdown);
}

Answer try_generated_cuda(const FuseProblem& problem, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  return std::make_shared<PassPlan>(problem,
                                    codegen::make_device_pass(problem.pass(), context.device.id),
                                    seconds_of(problem, context, 1));
}

}  // namespace mw::fuse_impl
