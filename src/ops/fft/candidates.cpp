// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/candidates.hpp"

#include "ops/fft/trig.hpp"

namespace mw {

namespace {

/// A transform of nothing.
class EmptyPlan final : public Plan {
 public:
  void execute(const Call&) const override {}
  double estimate() const override { return 0; }
  std::string describe() const override { return "the result has no elements"; }
};

/// Sums of nothing are results all the same.
bool is_empty(const FFTProblem& problem) {
  return problem.transforms() == 0 && problem.aux.empty() && !problem.epilog.function;
}

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

using Try = Answer (*)(const FFTProblem&, const Context&);

template <Try kTry>
Answer on_host(const FFTProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the CPU only");
  if (is_empty(problem)) return refuse("there is nothing to transform");
  if (auto relayout = plain_operands(problem); !relayout.entries.empty()) return relayout;
  return kTry(problem, context);
}

template <Try kTry>
Answer anywhere(const FFTProblem& problem, const Context& context) {
  if (context.device.is_cpu()) return on_host<kTry>(problem, context);
  if (is_trig(problem.type)) return refuse("cosine and sine transforms run on the CPU only");
  return kTry(problem, context);
}

/// Those that only transform.
template <Try kTry>
Answer plain(const FFTProblem& problem, const Context& context) {
  if (!problem.is_plain() || problem.prolog.function || problem.epilog.function) {
    return refuse("it only transforms; this has functions, is cropped or padded, or changes dtype");
  }
  if (context.device.is_cpu() && real_dtype(problem.input().dtype) == DType::float16) {
    return refuse("it does not compute in half precision");
  }
  return kTry(problem, context);
}

/// Those that do not multiply the result either, and know Fourier transforms only.
template <Try kTry>
Answer bare(const FFTProblem& problem, const Context& context) {
  if (is_trig(problem.type)) return refuse("it has no cosine and sine transforms");
  if (problem.scaled) return refuse("it does not scale");
  return plain<kTry>(problem, context);
}

template <Try kTry>
Answer on_cuda(const FFTProblem& problem, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  if (is_empty(problem)) return refuse("there is nothing to transform");
  return kTry(problem, context);
}

// Ties go to the first.
constexpr Candidate<FFTProblem> kCandidates[] = {
    {"empty", try_empty},
    {"mkl", on_host<bare<try_mkl_fft>>},
    {"nvpl", on_host<bare<try_nvpl_fft>>},
    {"native", on_host<plain<try_native_fft>>},
    {"fftw", on_host<bare<try_fftw_fft>>},
    {"cufft", on_cuda<bare<try_cufft>>},
    {"cufft_callbacks", on_cuda<try_cufft_callbacks>},
    {"fused", anywhere<try_fused_fft>},
    {"fused_axes", on_host<try_fused_axes_fft>},
    {"reference", on_host<try_reference_fft>},
};

}  // namespace

std::span<const Candidate<FFTProblem>> FFTProblem::candidates() { return kCandidates; }

}  // namespace mw
