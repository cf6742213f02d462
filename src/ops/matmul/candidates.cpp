// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every implementation of the matrix product. The lowest estimate wins; the order breaks ties.
#include <algorithm>
#include <array>

#include "ops/matmul/implementations.hpp"

namespace mw {

namespace {

/// A library's name as a template argument: candidates are plain functions.
template <std::size_t N>
struct Name {
  char chars[N];
  constexpr Name(const char (&literal)[N]) { std::copy_n(literal, N, chars); }
};

template <Name kName>
constexpr Candidate<MatmulProblem> kBlas{
    kName.chars, [](const MatmulProblem& problem, const Context& context) {
      return matmul_impl::try_blas(kName.chars, problem, context);
    }};

constexpr std::array kCandidates{
    Candidate<MatmulProblem>{"direct", matmul_impl::try_direct},
    kBlas<"named">,
    kBlas<"nvpl-ilp64">,
    kBlas<"mkl">,
    kBlas<"scipy-openblas">,
    kBlas<"openblas64">,
    kBlas<"nvpl">,
    kBlas<"openblas">,
    kBlas<"cblas">,
    Candidate<MatmulProblem>{"cublaslt", matmul_impl::try_cublaslt},
    Candidate<MatmulProblem>{"reference", matmul_impl::try_reference},
};

}  // namespace

std::span<const Candidate<MatmulProblem>> MatmulProblem::candidates() { return kCandidates; }

namespace matmul_impl {

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
