// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Small real products without a library: for a few thousand multiply-adds, packing and dispatch
// cost a BLAS more than the arithmetic. B, C and D have unit column stride and n ≤ 32, so that a
// row of D stays in registers while k runs:
//
//   d[0…n) = alpha · Σ_l a[i,l] · b[l, 0…n) + beta · c[i, 0…n)
#include <array>

#include "base/visit.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"

namespace mw::matmul_impl {

namespace {

constexpr std::int64_t kMostColumns = 32;
constexpr double kMostFlops = 32768;

struct Shape {
  std::int64_t m, n, k;
  std::int64_t a_row, a_col, b_row, c_row, d_row;
};

/// One row of D in blocks of eight columns; the compiler keeps `sum` in vector registers.
template <class T, std::size_t kWidth>
[[gnu::always_inline]] inline void block(const Shape& s, const T* a, const T* b, const T* c, T* d,
                                         T alpha, T beta) {
  for (std::int64_t i = 0; i < s.m; ++i) {
    T sum[kWidth] = {};
    for (std::int64_t l = 0; l < s.k; ++l) {
      const T x = a[i * s.a_row + l * s.a_col];
      const T* line = b + l * s.b_row;
      for (std::size_t j = 0; j < kWidth; ++j) sum[j] += x * line[j];
    }
    T* row = d + i * s.d_row;
    if (beta == T(0)) {
      for (std::size_t j = 0; j < kWidth; ++j) row[j] = alpha * sum[j];
    } else {
      const T* old = c + i * s.c_row;
      for (std::size_t j = 0; j < kWidth; ++j) row[j] = alpha * sum[j] + beta * old[j];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void product(const Shape& s, const T* a, const T* b, const T* c, T* d,
                                           T alpha, T beta) {
  std::int64_t j = 0;
  const auto c_at = [&](std::int64_t column) { return c ? c + column : nullptr; };
  for (; j + 16 <= s.n; j += 16) block<T, 16>(s, a, b + j, c_at(j), d + j, alpha, beta);
  for (; j + 8 <= s.n; j += 8) block<T, 8>(s, a, b + j, c_at(j), d + j, alpha, beta);
  for (; j + 4 <= s.n; j += 4) block<T, 4>(s, a, b + j, c_at(j), d + j, alpha, beta);
  for (; j < s.n; ++j) block<T, 1>(s, a, b + j, c_at(j), d + j, alpha, beta);
}

template <class T>
using Kernel = void (*)(const Shape&, const T*, const T*, const T*, T*, T, T);

template <class T>
void product_baseline(const Shape& s, const T* a, const T* b, const T* c, T* d, T alpha, T beta) {
  product(s, a, b, c, d, alpha, beta);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void product_avx2(const Shape& s, const T* a, const T* b, const T* c,
                                              T* d, T alpha, T beta) {
  product(s, a, b, c, d, alpha, beta);
}
#endif

template <class T>
Kernel<T> best_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return product_avx2<T>;
#endif
  return product_baseline<T>;
}

Shape shape_of(const MatmulProblem& problem) {
  return {.m = problem.m(),
          .n = problem.n(),
          .k = problem.k(),
          .a_row = steps(problem.a()).first,
          .a_col = steps(problem.a()).second,
          .b_row = steps(problem.b()).first,
          .c_row = problem.has_c ? steps(problem.c()).first : 0,
          .d_row = steps(problem.d()).first};
}

template <class T>
class DirectPlan final : public Plan {
 public:
  explicit DirectPlan(const MatmulProblem& problem)
      : shape_(shape_of(problem)),
        flops_(problem.work().flops),
        has_c_(problem.has_c),
        kernel_(best_kernel<T>()) {}

  void execute(const Call& call) const override {
    const T* c = has_c_ ? static_cast<const T*>(call.operands[2]) : nullptr;
    Shape shape = shape_;
    const T alpha = scalar_as<T>(call.scalars[0]);
    if (alpha == T(0)) shape.k = 0;  // A and B are not read
    kernel_(shape, static_cast<const T*>(call.operands[0]), static_cast<const T*>(call.operands[1]),
            c, static_cast<T*>(call.operands[has_c_ ? 3 : 2]), alpha,
            scalar_as<T>(call.scalars[1]));
  }

  // Measured on AVX2 cores: about 30 ns and 8 (float32) or 5 (float64) flops per nanosecond.
  double estimate() const override { return 30e-9 + flops_ / (sizeof(T) == 4 ? 8e9 : 5e9); }
  std::string describe() const override { return "rows of D in registers, 1 thread"; }

 private:
  Shape shape_;
  double flops_;
  bool has_c_;
  Kernel<T> kernel_;
};

bool unit_columns(const OperandLayout& operand) {
  return operand.shape.back() <= 1 || operand.strides.back() == 1;
}

}  // namespace

Answer try_direct(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  const MatmulProblem problem = fold_batch(given);
  const DType dtype = problem.d().dtype;
  if (dtype != DType::float32 && dtype != DType::float64)
    return refuse("real float32 and float64 only");
  if (problem.batch_rank() > 0) return refuse("a single product only");
  if (problem.n() > kMostColumns || problem.work().flops > kMostFlops) {
    return refuse("n ≤ ", kMostColumns, " and 2mnk ≤ ", kMostFlops, " only");
  }
  for (const auto& operand : problem.operands) {
    if (!operand.aligned_to_element()) return refuse("aligned elements only");
  }
  for (std::size_t i = 1; i < problem.operands.size(); ++i) {
    if (!unit_columns(problem.operands[i])) return refuse("unit column strides only");
  }
  if (dtype == DType::float32) return std::make_shared<DirectPlan<float>>(problem);
  return std::make_shared<DirectPlan<double>>(problem);
}

}  // namespace mw::matmul_impl
