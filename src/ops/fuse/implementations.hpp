// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The implementations of a fused expression; candidates.cpp lists them.
#pragma once

#include "ops/fuse/problem.hpp"

namespace mw::fuse_impl {

Answer try_generated(const FuseProblem& problem, const Context& context);
Answer try_interpreted(const FuseProblem& problem, const Context& context);
Answer try_generated_cuda(const FuseProblem& problem, const Context& context);
Answer try_reference(const FuseProblem& problem, const Context& context);

/// A pass as a plan: the problem's operands in the pass's order.
class PassPlan final : public Plan {
 public:
  PassPlan(const FuseProblem& problem, codegen::PassPtr pass, double seconds);

  void execute(const Call& call) const override;
  void prepare() const override { pass_->prepare(); }
  [[nodiscard]] std::size_t workspace_bytes() const override { return pass_->workspace_bytes(); }
  [[nodiscard]] double estimate() const override { return seconds_; }
  [[nodiscard]] std::string describe() const override { return pass_->describe(); }

 private:
  expr::FunctionPtr function_;  ///< its address is in the plan cache's key
  codegen::PassPtr pass_;
  double seconds_;
  std::vector<std::size_t> order_;  ///< the operand that each array of the pass is
};

}  // namespace mw::fuse_impl
