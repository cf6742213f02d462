// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a line of an FFT case file says, and its arrays with a session to run them on one candidate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case_file.hpp"
#include "conformance/strided_array.hpp"
#include "ops/fft/problem.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {

inline constexpr std::uint8_t kUntouched = 0x5A;

struct FFTCase {
  FFTType type = FFTType::c2c;
  DType dtype = DType::complex64;
  Dims shape;
  Dims strides;
  FFTDirection direction = FFTDirection::forward;
  FFTOptions options;  ///< without out
  std::optional<Dims> out_strides;
  std::int64_t offset = 0;
  bool conjugate = false;
  bool must_refuse = false;
  bool on_cuda = false;
  std::vector<std::string> must_accept;
};

[[nodiscard]] FFTCase fft_case(const Case& line, const CommandLine& command);

/// A problem's arrays and session for one candidate.
class FFTTrial {
 public:
  FFTTrial(const FFTCase& problem, Device device)
      : problem_(problem), input_(problem.dtype, problem.shape, problem.strides, problem.offset) {
    input_.randomize(3);
    operand_ = input_.on(device);
    FFTOptions options = problem.options;
    const auto directions = planned_directions(problem.type, problem.direction);
    const FFTRequest fresh = make_fft(view(), options, directions);
    const FFTProblem& planned = fresh.problem;
    result_.emplace(planned.result().dtype, planned.result_shape,
                    problem.out_strides.value_or(planned.result_strides),
                    options.in_place ? problem.offset : 0);
    result_->fill_bytes(kUntouched);
    if (!options.in_place) target_ = result_->on(device);
    if (problem.out_strides) options.out = target_.ref();
    request_ = make_fft(view(), options, directions);
    session_ = std::make_unique<Session>(std::make_unique<ProblemOf<FFTProblem>>(request_.problem),
                                         request_.arguments,
                                         Session::Options{.execution = options.execution});
  }

  void plan() { session_->plan({}); }
  void execute() {
    if (problem_.options.in_place && device().is_cpu()) input_.randomize(3);
    if (problem_.options.in_place && device().is_cuda()) {
      input_.randomize(3);
      operand_ = input_.on(device());
      session_->reset({{0, view()}, {1, view()}});
    }
    run_again();
    StridedArray& written = problem_.options.in_place ? input_ : *result_;
    written.take(problem_.options.in_place ? operand_ : target_);
  }
  /// Without refilling or looking: for timing.
  void run_again() {
    session_->execute(problem_.options.in_place ? operand_.ref().data : target_.ref().data, {});
    synchronize(device(), {});
  }

  [[nodiscard]] const StridedArray& result() const {
    return problem_.options.in_place ? input_ : *result_;
  }
  [[nodiscard]] const FFTProblem& planned() const { return request_.problem; }
  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] StridedArray& input() { return input_; }
  [[nodiscard]] bool input_unchanged() {
    if (problem_.options.in_place) return true;
    StridedArray same(problem_.dtype, problem_.shape, problem_.strides, problem_.offset);
    same.randomize(3);
    input_.take(operand_);
    const auto now = input_.view();
    const auto then = same.view();
    if (now.size() == 0) return true;
    const auto [low, high] = offset_range(now.shape, now.strides);
    const auto size = static_cast<std::int64_t>(itemsize(now.dtype));
    return std::memcmp(static_cast<std::byte*>(now.data) + low * size,
                       static_cast<std::byte*>(then.data) + low * size,
                       static_cast<std::size_t>((high - low + 1) * size)) == 0;
  }

 private:
  [[nodiscard]] Device device() const { return operand_.device(); }
  [[nodiscard]] TensorRef view() const {
    TensorRef ref = operand_.ref();
    ref.conjugate = problem_.conjugate;
    ref.readonly = !problem_.options.in_place;
    return ref;
  }

  const FFTCase& problem_;
  StridedArray input_;
  Tensor operand_;
  std::optional<StridedArray> result_;
  Tensor target_;
  FFTRequest request_;
  std::unique_ptr<Session> session_;
};

}  // namespace mw::conformance
