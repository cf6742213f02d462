// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every implementation of the matrix product. The lowest estimate wins; the order breaks ties.
#include <algorithm>
#include <array>

#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"

namespace mw {

namespace {

/// A library's name as a template argument: candidates are plain functions.
template <std::size_t N>
struct Name {
  char chars[N];
  constexpr Name(const char (&literal)[N]) { std::copy_n(literal, N, chars); }
};

/// What an implementation without epilogs and mixed dtypes says to them.
std::optional<Refusal> plain_refusal(const MatmulProblem& problem) {
  if (problem.inner) return refuse("has no block scales");
  if (problem.epilog) return refuse("has no epilogs");
  if (!problem.is_plain()) return refuse("wants one dtype for all operands");
  return std::nullopt;
}

template <Answer (*kTry)(const MatmulProblem&, const Context&)>
Answer plain(const MatmulProblem& problem, const Context& context) {
  if (auto why = plain_refusal(problem)) return *std::move(why);
  return kTry(problem, context);
}

/// Those with epilogs and mixed dtypes have no block scales either.
template <Answer (*kTry)(const MatmulProblem&, const Context&)>
Answer whole_scales(const MatmulProblem& problem, const Context& context) {
  if (problem.inner) return refuse("has no block scales");
  return kTry(problem, context);
}

template <Name kName>
constexpr Candidate<MatmulProblem> kBlas{
    kName.chars, [](const MatmulProblem& problem, const Context& context) -> Answer {
      if (auto why = plain_refusal(problem)) return *std::move(why);
      return matmul_impl::try_blas(kName.chars, problem, context);
    }};

constexpr std::array kCandidates{
    Candidate<MatmulProblem>{"direct", plain<matmul_impl::try_direct>},
    Candidate<MatmulProblem>{"skinny", whole_scales<matmul_impl::try_skinny>},
    kBlas<"named">,
    kBlas<"nvpl-ilp64">,
    kBlas<"mkl">,
    kBlas<"scipy-openblas">,
    kBlas<"openblas64">,
    kBlas<"nvpl">,
    kBlas<"openblas">,
    kBlas<"cblas">,
    Candidate<MatmulProblem>{"panels", whole_scales<matmul_impl::try_panels>},
    Candidate<MatmulProblem>{"cuda-skinny", whole_scales<matmul_impl::try_cuda_skinny>},
    Candidate<MatmulProblem>{"cuda-batched", whole_scales<matmul_impl::try_cuda_batched>},
    Candidate<MatmulProblem>{"cuda-warpgroups", whole_scales<matmul_impl::try_cuda_warpgroups>},
    Candidate<MatmulProblem>{"cublaslt", whole_scales<matmul_impl::try_cublaslt>},
    Candidate<MatmulProblem>{"cuda-panels", whole_scales<matmul_impl::try_cuda_panels>},
    Candidate<MatmulProblem>{"block-scaled", matmul_impl::try_block_scaled},
    Candidate<MatmulProblem>{"reference", whole_scales<matmul_impl::try_reference>},
};

}  // namespace

std::span<const Candidate<MatmulProblem>> MatmulProblem::candidates() { return kCandidates; }

namespace matmul_impl {

std::optional<Refusal> pointwise_refusal(const MatmulProblem& problem) {
  if (mask_operand(problem) || problem.summed_operand()) {
    return refuse("no bit masks, no sums of operands");
  }
  const auto reduces = [](const expr::Node& node) { return expr::is_reduction(node.op); };
  if (problem.epilog && std::ranges::any_of(problem.epilog->nodes, reduces)) {
    return refuse("no reductions in the epilog");
  }
  return std::nullopt;
}

std::optional<Refusal> host_refusal(const MatmulProblem& problem) {
  const DType dtype = problem.d().dtype;
  const DType real = real_dtype(dtype);
  if (real != DType::float32 && real != DType::float64) {
    return refuse("dtype ", dtype, " has no host arithmetic here; convert to float32");
  }
  return std::nullopt;
}

}  // namespace matmul_impl

}  // namespace mw
