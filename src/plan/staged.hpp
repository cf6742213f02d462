// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// StagedPlan: another plan with some of its operands copied into buffers first, or its result out
// of one. It serves both reasons there are for a copy: the operand is in another memory space, or
// its layout is one the inner plan does not take.
#pragma once

#include <vector>

#include "plan/placement.hpp"
#include "plan/plan.hpp"

namespace mw {

struct Stage {
  std::size_t operand = 0;
  OperandLayout given;     ///< as the caller holds it, in placement.memory
  OperandLayout staged;    ///< as the inner plan wants it, in placement.context.device
  std::size_t offset = 0;  ///< of the buffer in the workspace; booked by the constructor
};

class StagedPlan final : public Plan {
 public:
  /// The first `input_count` operands are read, the others written.
  StagedPlan(PlanPtr inner, Placement placement, std::vector<Stage> stages,
             std::size_t operand_count, std::size_t input_count);

  void execute(const Call& call) const override;
  [[nodiscard]] std::size_t workspace_bytes() const override { return ledger_.total(); }
  [[nodiscard]] double estimate() const override;
  void prepare() const override { inner_->prepare(); }
  [[nodiscard]] std::string describe() const override { return inner_->describe(); }
  [[nodiscard]] std::size_t resident_bytes() const override { return inner_->resident_bytes(); }

  [[nodiscard]] std::string library() const override { return inner_->library(); }
  [[nodiscard]] std::vector<PlanPtr> variants(int limit) const override;
  [[nodiscard]] std::string variant() const override { return inner_->variant(); }
  [[nodiscard]] PlanPtr with_variant(std::string_view words) const override;
  [[nodiscard]] std::vector<AlgorithmAttribute> attributes() const override {
    return inner_->attributes();
  }
  [[nodiscard]] std::vector<AlgorithmCapability> capabilities() const override {
    return inner_->capabilities();
  }
  [[nodiscard]] PlanPtr with_attributes(std::span<const AlgorithmAttribute> changes) const override;

 private:
  /// The same copies around another plan for the same layouts.
  [[nodiscard]] PlanPtr around(PlanPtr inner) const;

  PlanPtr inner_;
  Placement placement_;
  std::vector<Stage> stages_;
  std::size_t operand_count_;
  std::size_t input_count_;
  Ledger ledger_;
  std::size_t inner_offset_;
};

}  // namespace mw
