// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The same on a CUDA device: the time the host spends on calls that are not waited for. Blocks are
// short, since a full queue would make the host wait.
#include <complex>

#include <mathwright/mathwright.hpp>

#include "runtime/cuda_device.hpp"
#include "timing.hpp"
#include "vendor/cublaslt/api.hpp"
#include "vendor/cufft/api.hpp"

namespace mw::bench {

namespace {

namespace lt = cublaslt;

constexpr int kCalls = 200;
constexpr Device kDevice = Device::cuda(0);

/// cublasLtMatmul with everything prepared: square float32 matrices in column-major order.
class DirectProduct {
 public:
  DirectProduct(std::int64_t n, const Tensor& a, const Tensor& b, const Tensor& d)
      : a_(a.ref().data), b_(b.ref().data), d_(d.ref().data) {
    const auto& api = lt::api();
    lt::call(api.cublasLtCreate, context_.receive());
    lt::call(api.cublasLtMatmulDescCreate, desc_.receive(), lt::ComputeType::f32,
             lt::DataType::r_32f);
    lt::call(api.cublasLtMatrixLayoutCreate, layout_.receive(), lt::DataType::r_32f,
             static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(n), n);
    lt::PreferenceOwner preference;
    lt::call(api.cublasLtMatmulPreferenceCreate, preference.receive());
    lt::HeuristicResult result{};
    int found = 0;
    lt::call(api.cublasLtMatmulAlgoGetHeuristic, context_.get(), desc_.get(), layout_.get(),
             layout_.get(), layout_.get(), layout_.get(), preference.get(), 1, &result, &found);
    require(found == 1, ErrorKind::vendor, "cuBLASLt has no algorithm without workspace");
    algo_ = result.algo;
  }

  void operator()() const {
    const float one = 1;
    const float zero = 0;
    lt::call(lt::api().cublasLtMatmul, context_.get(), desc_.get(), &one, a_, layout_.get(), b_,
             layout_.get(), &zero, d_, layout_.get(), d_, layout_.get(), &algo_, nullptr,
             std::size_t{0}, nullptr);
  }

 private:
  void *a_, *b_, *d_;
  lt::ContextOwner context_;
  lt::DescOwner desc_;
  lt::LayoutOwner layout_;
  lt::Algo algo_{};
};

void compare_product(std::int64_t n) {
  const Tensor a = Tensor::zeros(DType::float32, {n, n}, kDevice);
  const Tensor b = Tensor::zeros(DType::float32, {n, n}, kDevice);
  const Tensor d = Tensor::zeros(DType::float32, {n, n}, kDevice);
  const MatmulOperands operands{.a = a, .b = b, .out = d.ref()};
  Matmul planned(operands);
  planned.plan();
  const DirectProduct direct(n, a, b, d);
  const auto wait = [] { synchronize(kDevice, {}); };
  compare({.title = text("float32 product ", n, "×", n, "×", n, " on ", kDevice), .calls = kCalls},
          {{"cublasLtMatmul", repeated([&] { direct(); }), wait},
           {"Matmul::execute", repeated([&] { (void)planned.execute(); }), wait},
           {"reset_operands + execute", repeated([&] {
              planned.reset_operands(a, b.ref());
              (void)planned.execute();
            }),
            wait},
           {"matmul()", repeated([&] { (void)matmul(operands); }), wait}});
  std::cout << planned.explain() << '\n';
}

void compare_transform(std::int64_t n) {
  const Tensor x = Tensor::zeros(DType::complex64, {n, n}, kDevice);
  const Tensor y = Tensor::zeros(DType::complex64, {n, n}, kDevice);
  const FFTOptions options{.axes = {1}, .out = y.ref()};
  FFT planned(x, options);
  planned.plan(FFTDirection::forward);

  const auto& api = cufft::api();
  cufft::PlanOwner plan;
  cufft::call(api.cufftCreate, plan.receive());
  long long length = n;
  std::size_t workspace_bytes = 0;
  constexpr auto type = cufft::DataType::c_32f;
  cufft::call(api.cufftXtMakePlanMany, plan.get(), 1, &length, nullptr, 1LL,
              static_cast<long long>(n), type, nullptr, 1LL, static_cast<long long>(n), type,
              static_cast<long long>(n), &workspace_bytes, type);
  const auto wait = [] { synchronize(kDevice, {}); };
  compare({.title = text("complex64 transform of ", n, "×", n, ", axis 1, on ", kDevice),
           .calls = kCalls},
          {{"cufftExecC2C", repeated([&] {
              cufft::call(api.cufftExecC2C, plan.get(), x.ref().data, y.ref().data,
                          cufft::kForward);
            }),
            wait},
           {"FFT::execute", repeated([&] { (void)planned.execute(); }), wait},
           {"reset_operand + execute", repeated([&] {
              planned.reset_operand(x);
              (void)planned.execute();
            }),
            wait},
           {"fft()", repeated([&] { (void)fft(x, options); }), wait}});
  std::cout << planned.explain() << '\n';
}

}  // namespace

void compare_on_cuda() {
  if (cuda_device_count() == 0) {
    std::cout << "no CUDA device: the GPU's tables are left out\n";
    return;
  }
  const CudaScope scope(kDevice.id);
  compare_product(64);
  compare_transform(64);
}

}  // namespace mw::bench
