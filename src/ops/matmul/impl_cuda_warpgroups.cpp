// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Large products of 16-bit operands on capability 9.0 with any elementwise epilog: one kernel, sums
// in registers until the epilog has seen them, memory touched once.
#include <algorithm>
#include <cmath>
#include <span>

#include "ops/matmul/cuda_program.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/rates.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw::matmul_impl {

namespace {

class CudaWarpgroupsPlan final : public Plan {
 public:
  CudaWarpgroupsPlan(const MatmulProblem& problem, CudaForm form, const matmul_cuda::Params& params,
                     int device_id)
      : estimate_(estimate_of(problem, form, params, device_id)),
        program_(std::move(form), params, device_id) {}

  void prepare() const override { program_.prepare(); }
  void execute(const Call& call) const override { program_.launch(call); }
  double estimate() const override { return estimate_; }
  std::string describe() const override { return program_.describe(); }
  std::size_t resident_bytes() const override { return 4096; }

 private:
  // Whole tiles, in whole rounds of them. Measured on an H200: 2 % behind cuBLASLt's own
  // epilogs, whose estimate this stays above.
  static double estimate_of(const MatmulProblem& problem, const CudaForm& form,
                            const matmul_cuda::Params& params, int device_id) {
    const Rates rate = rates(Device::cuda(device_id), 1, problem.a().dtype);
    const auto tiles = [](std::int64_t extent, std::int64_t tile) {
      return static_cast<double>((extent + tile - 1) / tile);
    };
    const std::int64_t rows = 2 * matmul_cuda::kWarpgroupRows;
    const double pairs = static_cast<double>(form.shape.count) * tiles(problem.m(), rows) *
                         tiles(problem.n(), params.columns);
    const double at_once = form.shape.multiprocessors / 2;
    const double rounds = pairs > 4 * at_once ? pairs / at_once : std::ceil(pairs / at_once);
    const double flops = rounds * at_once * 2 * static_cast<double>(rows * params.columns) *
                         static_cast<double>(problem.k());
    const double bytes = 1.2 * problem.work().bytes / (kReachedBandwidth * rate.bandwidth);
    return rate.call + std::max(bytes, flops / (0.88 * rate.flops));
  }

  double estimate_;
  CudaProgram program_;
};

bool has_narrow_results(const MatmulProblem& problem) {
  const auto outputs = std::span(problem.operands).subspan(problem.first_aux());
  return std::ranges::all_of(outputs, [](const OperandLayout& output) {
    return output.dtype == DType::float16 || output.dtype == DType::bfloat16;
  });
}

}  // namespace

Answer try_cuda_warpgroups(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  if (given.m() == 0 || given.n() == 0 || given.batch() == 0) return refuse("nothing to do");
  if (!given.epilog && given.is_plain()) return refuse("there is nothing to fuse");
  if (const auto compiler = nvrtc::load(); !compiler) return compiler.refusal();
  const auto& driver = cuda::api();
  if (!driver.cuTensorMapEncodeTiled) return refuse("a driver for CUDA 12 is needed");
  auto rows = by_rows(given, may_fold(given) ? fold_batch(given) : given);
  if (!rows) return rows.refusal();
  if (itemsize(rows->problem.a().dtype) != 2) return refuse("16-bit operands only");
  auto made = cuda_form(*rows, cuda_traits(context.device.id), Fetch::by_map);
  if (auto* why = std::get_if<Refusal>(&made)) return std::move(*why);
  auto& form = std::get<CudaForm>(made);
  auto params = matmul_cuda::choose_warpgroups(form.shape, form.maps[0].by_k, form.maps[1].by_k);
  if (!params) return params.refusal();
  params->narrow_results = has_narrow_results(rows->problem);
  constexpr auto kLine = static_cast<std::uint32_t>(matmul_cuda::kWarpgroupDepth);
  const std::uint32_t across[] = {static_cast<std::uint32_t>(matmul_cuda::kWarpgroupRows),
                                  static_cast<std::uint32_t>(params->columns / 2)};
  for (std::size_t i = 0; i < 2; ++i) {
    form.maps[i].shape.box = {kLine, form.maps[i].by_k ? across[i] : kLine, 1};
  }
  return std::make_shared<CudaWarpgroupsPlan>(rows->problem, std::move(form), *params,
                                              context.device.id);
}

}  // namespace mw::matmul_impl
