// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a planned execution costs on top of the call it makes: the vendor's own function, called
// from C++ with everything prepared, beside ours. The first row of each table is the floor.
#include <complex>
#include <memory>
#include <random>

#include <mathwright/mathwright.hpp>

#include "kernels/fft/fft.hpp"
#include "timing.hpp"
#include "vendor/blas_lapack/blas.hpp"

namespace mw::bench {

namespace {

template <class T>
std::vector<T> random_values(std::size_t count) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(normal(generator));
    } else {
      value = {static_cast<typename T::value_type>(normal(generator)),
               static_cast<typename T::value_type>(normal(generator))};
    }
  }
  return values;
}

void compare_product(std::int64_t n, int calls) {
  const auto count = static_cast<std::size_t>(n * n);
  auto a = random_values<float>(count);
  auto b = random_values<float>(count);
  std::vector<float> d(count);
  const TensorRef view_a(a.data(), {n, n});
  const TensorRef view_b(b.data(), {n, n});
  const TensorRef view_d(d.data(), {n, n});
  const MatmulOperands operands{.a = view_a, .b = view_b, .out = view_d};
  const MatmulOptions one_thread{.execution = {.num_threads = 1}};
  Matmul planned(operands, one_thread);
  planned.plan();

  std::vector<Contestant> rows;
  if (const auto blas = blas::default_blas()) {
    const blas::Blas& library = *blas.value();
    const blas::BlasThreads threads(library, 1);
    const blas::Gemm<float> gemm{.order = blas::Order::row,
                                 .m = n,
                                 .n = n,
                                 .k = n,
                                 .a = a.data(),
                                 .lda = n,
                                 .b = b.data(),
                                 .ldb = n,
                                 .c = d.data(),
                                 .ldc = n};
    rows.push_back({library.name() + " sgemm", repeated([&library, gemm] { library.gemm(gemm); })});
  }
  rows.push_back({"Matmul::execute", repeated([&] { (void)planned.execute(); })});
  rows.push_back({"reset_operands + execute", repeated([&] {
                    planned.reset_operands(view_a, view_b);
                    (void)planned.execute();
                  })});
  rows.push_back({"matmul()", repeated([&] { (void)matmul(operands, one_thread); })});
  compare({.title = text("float32 product ", n, "×", n, "×", n, ", one thread"), .calls = calls},
          rows);
  std::cout << planned.explain() << '\n';
}

void compare_transform(std::int64_t n, int calls) {
  using Complex = std::complex<double>;
  auto x = random_values<Complex>(static_cast<std::size_t>(n));
  std::vector<Complex> y(x.size());
  const TensorRef view_x(x.data(), {n});
  const TensorRef view_y(y.data(), {n});
  const FFTOptions options{.out = view_y, .execution = {.num_threads = 1}};
  FFT planned(view_x, options);
  planned.plan(FFTDirection::forward);

  const auto kernel = kernels::Fft::make({.kind = kernels::FftKind::c2c,
                                          .precision = DType::float64,
                                          .shape = {n},
                                          .in_strides = {1},
                                          .out_strides = {1},
                                          .axes = {0}},
                                         1);
  const Tensor scratch =
      Tensor::empty(DType::uint8, {static_cast<std::int64_t>(kernel->workspace_bytes()) + 64});
  void* workspace = scratch.ref().data;
  compare({.title = text("complex128 transform of ", n, ", one thread"), .calls = calls},
          {{"native kernel",
            repeated([&] { kernel->execute(x.data(), y.data(), -1, 1.0, workspace); })},
           {"FFT::execute", repeated([&] { (void)planned.execute(); })},
           {"reset_operand + execute", repeated([&] {
              planned.reset_operand(view_x);
              (void)planned.execute();
            })},
           {"fft()", repeated([&] { (void)fft(view_x, options); })}});
  std::cout << planned.explain() << '\n';
}

}  // namespace

}  // namespace mw::bench

int main() {
  try {
    mw::bench::compare_product(8, 20000);
    mw::bench::compare_product(64, 2000);
    mw::bench::compare_transform(64, 20000);
    mw::bench::compare_transform(1024, 2000);
    mw::bench::compare_on_cuda();
  } catch (const mw::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
