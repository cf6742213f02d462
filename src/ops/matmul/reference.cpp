// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The specification of the matrix product: plain loops over any strides, sums in a wider type.
//
// D[i,j] = alpha · Σ_l op(A)[i,l] · op(B)[l,j] + beta · C[i,j]
//
// As in BLAS, C is not read when beta is 0, and A and B are not read when alpha is 0.
#include "ops/matmul/implementations.hpp"

#include <cstring>

#include "base/visit.hpp"
#include "ops/matmul/batches.hpp"

namespace mw::matmul_impl {

namespace {

template <class T>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};
template <class T>
struct Wider<std::complex<T>> {
  using type = std::complex<typename Wider<T>::type>;
};

/// An element wherever it stands: views into packed records need not be aligned.
template <class T>
T load(const T* at, bool conjugate = false) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (kIsComplex<T>) {
    if (conjugate) value = std::conj(value);
  }
  return value;
}

/// One product of a batch.
template <class T>
struct Product {
  const MatmulProblem& problem;
  const T* a;
  const T* b;
  const T* c;
  T* d;
  T alpha;
  T beta;

  void run() const {
    for (std::int64_t i = 0; i < problem.m(); ++i) {
      for (std::int64_t j = 0; j < problem.n(); ++j) entry(i, j);
    }
  }

  void entry(std::int64_t i, std::int64_t j) const {
    using Wide = typename Wider<T>::type;
    const auto [a_row, a_col] = steps(problem.a());
    const auto [b_row, b_col] = steps(problem.b());
    const auto [d_row, d_col] = steps(problem.d());
    Wide value = 0;
    if (alpha != T(0)) {
      for (std::int64_t l = 0; l < problem.k(); ++l) {
        value += Wide(load(a + i * a_row + l * a_col, problem.a().conjugate)) *
                 Wide(load(b + l * b_row + j * b_col, problem.b().conjugate));
      }
      value *= Wide(alpha);
    }
    if (beta != T(0)) {
      const auto [c_row, c_col] = steps(problem.c());
      value += Wide(beta) * Wide(load(c + i * c_row + j * c_col));
    }
    const T rounded = static_cast<T>(value);
    std::memcpy(d + i * d_row + j * d_col, &rounded, sizeof rounded);
  }
};

class ReferencePlan final : public Plan {
 public:
  explicit ReferencePlan(const MatmulProblem& problem) : problem_(problem), batches_(problem) {}

  void execute(const Call& call) const override {
    visit_blas(problem_.d().dtype, MatmulProblem::kOperation, [&]<class T>(TypeTag<T>) {
      const T alpha = scalar_as<T>(call.scalars[0]);
      const T beta = scalar_as<T>(call.scalars[1]);
      batches_.for_each(call.operands, [&](const Pointers& at) {
        Product<T>{problem_,
                   static_cast<const T*>(at.a),
                   static_cast<const T*>(at.b),
                   static_cast<const T*>(at.c),
                   static_cast<T*>(at.d),
                   alpha,
                   beta}
            .run();
      });
    });
  }

  double estimate() const override {
    constexpr double kFlopsPerSecond = 5e8;  // scalar, strided, in the wider type
    return 1e-6 + problem_.work().flops / kFlopsPerSecond;
  }
  std::string describe() const override { return "plain loops, sums in a wider type, 1 thread"; }

 private:
  MatmulProblem problem_;
  Batches batches_;
};

}  // namespace

Answer try_reference(const MatmulProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  if (!problem.is_plain() || host_refusal(problem)) return try_fused_reference(problem, context);
  return std::make_shared<ReferencePlan>(problem);
}

}  // namespace mw::matmul_impl
