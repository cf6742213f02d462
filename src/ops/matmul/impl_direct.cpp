// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Small real products without a library: for a few thousand multiply-adds, packing and dispatch
// cost a BLAS more than the arithmetic, and so they do for each product of a batch. B, C and D have
// unit column stride and n ≤ 32, so that a row of D stays in registers while k runs:
//
//   d[0…n) = alpha · Σ_l a[i,l] · b[l, 0…n) + beta · c[i, 0…n)
//
// A batch is one product after another, shared out among the threads if it is worth waking them.
#include <algorithm>
#include <array>

#include "base/visit.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/rates.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::matmul_impl {

namespace {

constexpr std::int64_t kMostColumns = 32;
constexpr double kMostFlops = 32768;     // of one product
constexpr double kPieceSeconds = 10e-6;  // what a thread should have to do at the least

struct Shape {
  std::int64_t m, n, k;
  std::int64_t a_row, a_col, b_row, c_row, d_row;
};

/// Products that follow each other at steps (in elements) of their own; `c` is null without C.
template <class T>
struct Run {
  const T* a;
  const T* b;
  const T* c;
  T* d;
  std::array<std::int64_t, 4> steps;
  std::int64_t count;
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
  for (; j + 2 <= s.n; j += 2) block<T, 2>(s, a, b + j, c_at(j), d + j, alpha, beta);
  for (; j < s.n; ++j) block<T, 1>(s, a, b + j, c_at(j), d + j, alpha, beta);
}

template <class T>
[[gnu::always_inline]] inline void products(const Shape& s, const Run<T>& run, T alpha, T beta) {
  const auto [a_step, b_step, c_step, d_step] = run.steps;
  for (std::int64_t i = 0; i < run.count; ++i) {
    product(s, run.a + i * a_step, run.b + i * b_step, run.c ? run.c + i * c_step : nullptr,
            run.d + i * d_step, alpha, beta);
  }
}

template <class T>
using Kernel = void (*)(const Shape&, const Run<T>&, T, T);

template <class T>
void products_baseline(const Shape& s, const Run<T>& run, T alpha, T beta) {
  products(s, run, alpha, beta);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void products_avx2(const Shape& s, const Run<T>& run, T alpha, T beta) {
  products(s, run, alpha, beta);
}
#endif

template <class T>
Kernel<T> best_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return products_avx2<T>;
#endif
  return products_baseline<T>;
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

double flops_of(const Shape& s) {
  return 2 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

/// One product. Measured on AVX2 cores: 5 ns, and for each row and block of columns 2.5 ns and a
/// step of k in 0.8 ns (the latency of a multiply-add), or 0.03 ns a byte of the block if it is
/// wider.
double product_seconds(const Shape& s, std::size_t itemsize) {
  const auto k = static_cast<double>(s.k);
  double row = 0;
  std::int64_t left = s.n;
  for (const std::int64_t width : {16, 8, 4, 2, 1}) {
    const double bytes = static_cast<double>(width) * static_cast<double>(itemsize);
    row += static_cast<double>(left / width) * (2.5e-9 + k * std::max(0.8e-9, 0.03e-9 * bytes));
    left %= width;
  }
  return 5e-9 + static_cast<double>(s.m) * row;
}

template <class T>
class DirectPlan final : public Plan {
 public:
  DirectPlan(const MatmulProblem& problem, int threads)
      : shape_(shape_of(problem)), batches_(problem), kernel_(best_kernel<T>()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i] = batches_.inner_bytes()[i] / static_cast<std::int64_t>(sizeof(T));
    }
    const double each = product_seconds(shape_, sizeof(T));
    grain_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceSeconds / each));
    threads_ = static_cast<int>(
        std::clamp<std::int64_t>(batches_.count() / grain_, 1, static_cast<std::int64_t>(threads)));
    const Rates rate = rates(Device::cpu(), threads_, dtype_of<T>);
    seconds_ = 25e-9 + each * static_cast<double>(batches_.count()) / threads_ +
               floor_seconds(problem.work(), rate);
    if (threads_ > 1) seconds_ += 5e-6;  // waking the threads
  }

  void execute(const Call& call) const override {
    Shape shape = shape_;
    const T alpha = scalar_as<T>(call.scalars[0]);
    const T beta = scalar_as<T>(call.scalars[1]);
    if (alpha == T(0)) shape.k = 0;  // A and B are not read
    parallel_for(batches_.count(), grain_, threads_,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   const std::int64_t inner = batches_.inner_count();
                   for (std::int64_t i = begin; i < end;) {
                     const std::int64_t count = std::min(end - i, inner - i % inner);
                     kernel_(shape, run_at(call, i, count), alpha, beta);
                     i += count;
                   }
                 });
  }

  double estimate() const override { return seconds_; }
  std::string describe() const override {
    return text("rows of D in registers, ", threads_, threads_ == 1 ? " thread" : " threads");
  }

 private:
  Run<T> run_at(const Call& call, std::int64_t first, std::int64_t count) const {
    const Pointers at = batches_.at(call.operands, first);
    return {.a = static_cast<const T*>(at.a),
            .b = static_cast<const T*>(at.b),
            .c = static_cast<const T*>(at.c),
            .d = static_cast<T*>(at.d),
            .steps = steps_,
            .count = count};
  }

  Shape shape_;
  Batches batches_;
  Kernel<T> kernel_;
  std::array<std::int64_t, 4> steps_{};
  std::int64_t grain_ = 1;
  int threads_ = 1;
  double seconds_ = 0;
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
  if (problem.n() > kMostColumns || flops_of(shape_of(problem)) > kMostFlops) {
    return refuse("n ≤ ", kMostColumns, " and 2mnk ≤ ", kMostFlops, " only");
  }
  for (const auto& operand : problem.operands) {
    if (!operand.aligned_to_element()) return refuse("aligned elements only");
  }
  for (std::size_t i = 1; i < problem.operands.size(); ++i) {
    if (!unit_columns(problem.operands[i])) return refuse("unit column strides only");
  }
  if (dtype == DType::float32) return std::make_shared<DirectPlan<float>>(problem, context.threads);
  return std::make_shared<DirectPlan<double>>(problem, context.threads);
}

}  // namespace mw::matmul_impl
