// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/candidates.hpp"

namespace mw {

namespace {

/// A transform of nothing.
class EmptyPlan final : public Plan {
 public:
  void execute(const Call&) const override {}
  double estimate() const override { return 0; }
  std::string describe() const override { return "the result has no elements"; }
};

bool is_empty(const FFTProblem& problem) { return problem.transforms() == 0; }

Answer try_empty(const FFTProblem& problem, const Context&) {
  if (!is_empty(problem)) return refuse("there is something to transform");
  return PlanPtr(std::make_shared<EmptyPlan>());
}

/// What every host implementation asks of its operands: plain elements at their own alignment.
Relayout plain_operands(const FFTProblem& problem) {
  Relayout relayout;
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    const OperandLayout& operand = problem.operands[i];
    const bool aligned = operand.aligned_to_element();
    if (aligned && !operand.conjugate) continue;
    relayout.reason =
        aligned ? "its lazy conjugation is resolved" : "its address is off its elements'";
    relayout.entries.push_back({i, dense_like(operand)});
  }
  return relayout;
}

template <Answer (*kTry)(const FFTProblem&, const Context&)>
Answer on_host(const FFTProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the CPU only");
  if (is_empty(problem)) return refuse("there is nothing to transform");
  if (auto relayout = plain_operands(problem); !relayout.entries.empty()) return relayout;
  return kTry(problem, context);
}

template <Answer (*kTry)(const FFTProblem&, const Context&)>
Answer on_cuda(const FFTProblem& problem, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  if (is_empty(problem)) return refuse("there is nothing to transform");
  return kTry(problem, context);
}

// Ties go to the first.
constexpr Candidate<FFTProblem> kCandidates[] = {
    {"empty", try_empty},
    {"mkl", on_host<try_mkl_fft>},
    {"nvpl", on_host<try_nvpl_fft>},
    {"native", on_host<try_native_fft>},
    {"fftw", on_host<try_fftw_fft>},
    {"cufft", on_cuda<try_cufft>},
    {"reference", on_host<try_reference_fft>},
};

}  // namespace

std::span<const Candidate<FFTProblem>> FFTProblem::candidates() { return kCandidates; }

void require_unit_factor(const Call& call) {
  require(call.scalars[1] == Scalar(1), ErrorKind::unsupported, FFTProblem::kOperation,
          ": this implementation does not scale the result by ", call.scalars[1],
          "; a factor of 1 is wanted. Scale the result afterwards.");
}

}  // namespace mw
