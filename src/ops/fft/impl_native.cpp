// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transform by our own kernels: any layout, rank and length, always there.
#include "kernels/fft/fft.hpp"

#include "ops/fft/candidates.hpp"

namespace mw {

namespace {

using kernels::Fft;
using kernels::FftKind;
using kernels::FftShape;

class NativePlan final : public Plan {
 public:
  explicit NativePlan(std::shared_ptr<const Fft> fft) : fft_(std::move(fft)) {}

  void execute(const Call& call) const override {
    fft_->execute(call.operands[0], call.operands[1], direction_of(call), call.scalars[1].real(),
                  call.workspace);
  }
  std::size_t workspace_bytes() const override { return fft_->workspace_bytes(); }
  double estimate() const override { return fft_->estimate(); }
  std::string describe() const override { return fft_->describe(); }

 private:
  std::shared_ptr<const Fft> fft_;
};

FftKind kind_of(FFTType type) {
  static constexpr FftKind kKinds[] = {FftKind::c2c,  FftKind::r2c,  FftKind::c2r,  FftKind::dct1,
                                       FftKind::dct2, FftKind::dct3, FftKind::dct4, FftKind::dst1,
                                       FftKind::dst2, FftKind::dst3, FftKind::dst4};
  return kKinds[static_cast<std::size_t>(type)];
}

}  // namespace

Answer try_native_fft(const FFTProblem& problem, const Context& context) {
  const FftShape shape{.kind = kind_of(problem.type),
                       .precision = real_dtype(problem.input().dtype),
                       .shape = problem.shape,
                       .in_strides = problem.input().strides,
                       .out_strides = problem.result().strides,
                       .axes = problem.axes};
  return PlanPtr(std::make_shared<NativePlan>(Fft::make(shape, context.threads)));
}

}  // namespace mw
