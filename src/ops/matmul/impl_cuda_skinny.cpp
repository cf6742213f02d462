// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Products with few columns and a small inner dimension on a device, by templates made for n and k
// with any elementwise epilog spliced in: memory is touched once.
#include "ops/matmul/cuda_program.hpp"
#include "ops/matmul/fused_passes.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/rates.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw::matmul_impl {

namespace {

// A plain product is worth a compilation only if it takes longer than a launch.
constexpr double kLeastPlainBytes = 4e6;

class CudaSkinnyPlan final : public Plan {
 public:
  CudaSkinnyPlan(const MatmulProblem& problem, CudaForm form, const matmul_cuda::Params& params,
                 int device_id)
      : work_(problem.work()),
        template_(params.kind),
        rate_(rates(Device::cuda(device_id), 1, problem.a().dtype)),
        program_(std::move(form), params, device_id) {}

  void prepare() const override { program_.prepare(); }
  void execute(const Call& call) const override { program_.launch(call); }

  // Measured: 1.03 of what a copy takes; arithmetic outside the Tensor Cores at 0.7 of its peak.
  double estimate() const override {
    const double bytes = 1.03 * work_.bytes / (kReachedBandwidth * rate_.bandwidth);
    const double share = template_ == matmul_cuda::Template::mma ? 0.4 : 0.7;
    return rate_.call + std::max(bytes, work_.flops / (share * rate_.flops));
  }
  std::string describe() const override { return program_.describe(); }
  std::size_t resident_bytes() const override { return 4096; }

 private:
  Work work_;
  matmul_cuda::Template template_;
  Rates rate_;
  CudaProgram program_;
};

/// Where the vendor's kernels are as good: measured on an H200.
bool gemm_is_good(const MatmulProblem& problem) {
  if (!problem.is_plain()) return false;
  const std::size_t size = itemsize(problem.a().dtype);
  const std::int64_t nk = problem.n() * problem.k();
  return size == 2 ? nk >= 64 * 64 && !problem.has_c : nk > 64 * 64;
}

}  // namespace

Answer try_cuda_skinny(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  if (given.m() == 0 || given.n() == 0 || given.batch() == 0) return refuse("nothing to do");
  if (const auto compiler = nvrtc::load(); !compiler) return compiler.refusal();
  auto rows = by_rows(given, may_fold(given) ? fold_batch(given) : given);
  if (!rows) return rows.refusal();
  const MatmulProblem& problem = rows->problem;
  if (problem.is_plain() && problem.work().bytes < kLeastPlainBytes) {
    return refuse("small: a launch decides, and compiling takes longer");
  }
  if (gemm_is_good(problem)) return refuse("a GEMM is as fast");
  auto made = cuda_form(*rows, cuda_traits(context.device.id));
  if (auto* why = std::get_if<Refusal>(&made)) return std::move(*why);
  if (auto* relayout = std::get_if<Relayout>(&made)) return std::move(*relayout);
  auto& form = std::get<CudaForm>(made);
  auto params = matmul_cuda::choose(form.shape);
  if (!params) return params.refusal();
  return std::make_shared<CudaSkinnyPlan>(problem, std::move(form), *params, context.device.id);
}

}  // namespace mw::matmul_impl
