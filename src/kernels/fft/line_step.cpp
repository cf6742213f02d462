// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A step line by line: contiguous lines where they are, others through a contiguous copy.
#include <algorithm>

#include "base/text.hpp"
#include "kernels/fft/isa.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/step.hpp"
#include "kernels/fft/work.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels::fft {

namespace {

bool contiguous(const AxisShape& shape, bool input) {
  const std::int64_t stride = input ? shape.in_stride : shape.out_stride;
  return stride == unit_reals(shape.kind, input) ||
         line_reals(shape.kind, shape.n, input) == unit_reals(shape.kind, input);
}

template <class T>
class LineStep final : public AxisStep<T> {
 public:
  LineStep(const AxisShape& shape, int threads)
      : shape_(shape),
        lines_(shape),
        stage_in_(!contiguous(shape, true)),
        stage_out_(!contiguous(shape, false)),
        work_(LineWork<T>::make(shape.kind, shape.n)) {
    cycles_ = line_step_cycles<T>(shape, lines_);
    if (cycles_ / kHertz < kWorthThreads) threads = 1;
    if (lines_.count() < threads) {  // few long lines: threads inside a line
      inner_threads_ = threads;
    } else {
      threads_ = threads;
    }
    stage_ = ((line_reals(shape.kind, shape.n, true) * stage_in_ +
               line_reals(shape.kind, shape.n, false) * stage_out_) +
              63) /
             64 * 64;
    if (stage_in_ && stage_out_) stage_ += 64;
    each_ = 2 * stage_ + work_->scratch(inner_threads_);
  }

  [[nodiscard]] std::int64_t scratch() const override { return threads_ * each_; }
  [[nodiscard]] double seconds() const override {
    return model_seconds<T>(shape_, lines_.count(), cycles_, std::max(threads_, inner_threads_));
  }
  [[nodiscard]] std::string describe() const override {
    const int threads = std::max(threads_, inner_threads_);
    return text(shape_.n, " = ", work_->describe(), ", ", lines_.count(), " lines one by one",
                stage_in_ || stage_out_ ? " through a copy" : "", ", ", threads,
                threads == 1 ? " thread" : " threads");
  }

  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch) const override {
    if (threads_ == 1) return run_lines(0, lines_.count(), in, out, factors, scratch);
    const std::int64_t grain = std::max<std::int64_t>(
        1,
        static_cast<std::int64_t>(5e-6 * kHertz * static_cast<double>(lines_.count()) / cycles_));
    parallel_for(lines_.count(), grain, threads_,
                 [&](std::int64_t begin, std::int64_t end, int worker) {
                   run_lines(begin, end, in, out, factors, scratch + worker * each_);
                 });
  }

 private:
  void run_lines(std::int64_t begin, std::int64_t end, const T* in, T* out, AxisFactors<T> factors,
                 T* scratch) const {
    if (lines_.simple() && !stage_in_ && !stage_out_ && inner_threads_ == 1) {
      return work_->run_lines(in + begin * lines_.inner_in(), out + begin * lines_.inner_out(),
                              lines_.inner_in(), lines_.inner_out(), end - begin, factors, scratch);
    }
    constexpr std::int64_t kBatch = 32;
    std::int64_t starts_in[kBatch];
    std::int64_t starts_out[kBatch];
    for (auto first = begin; first < end; first += kBatch) {
      const std::int64_t count = std::min(kBatch, end - first);
      lines_.starts(first, count, starts_in, starts_out);
      for (std::int64_t i = 0; i < count; ++i) {
        run_line(in + starts_in[i], out + starts_out[i], factors, scratch);
      }
    }
  }

  void run_line(const T* in, T* out, AxisFactors<T> factors, T* scratch) const {
    T* const rest = scratch + 2 * stage_;
    const T* from = in;
    T* to = out;
    if (stage_in_) {
      copy(in, shape_.in_stride, scratch, unit_reals(shape_.kind, true), true);
      from = scratch;
    }
    if (stage_out_) to = scratch + stage_;
    work_->run(from, to, factors, rest, inner_threads_);
    if (stage_out_) copy(to, unit_reals(shape_.kind, false), out, shape_.out_stride, false);
  }

  /// One line between strides (in reals); `input` tells which side's elements these are.
  void copy(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
            bool input) const {
    const bool pairs = unit_reals(shape_.kind, input) == 2;
    const std::int64_t count =
        line_reals(shape_.kind, shape_.n, input) / unit_reals(shape_.kind, input);
    for (std::int64_t j = 0; j < count; ++j, from += from_stride, to += to_stride) {
      to[0] = from[0];
      if (pairs) to[1] = from[1];
    }
  }

  AxisShape shape_;
  Lines lines_;
  bool stage_in_;
  bool stage_out_;
  std::shared_ptr<const LineWork<T>> work_;
  int threads_ = 1;
  int inner_threads_ = 1;
  std::int64_t stage_ = 0;  // reals of one of the two copies
  std::int64_t each_ = 0;
  double cycles_ = 0;
};

}  // namespace

template <class T>
double line_step_cycles(const AxisShape& shape, const Lines& lines) {
  double each = LineWork<T>::cost(shape.kind, shape.n);
  for (const bool input : {true, false}) {  // copies of scattered lines miss the cache
    if (!contiguous(shape, input)) each += 6.0 * static_cast<double>(shape.n);
  }
  return static_cast<double>(lines.count()) * each;
}

template <class T>
std::unique_ptr<const AxisStep<T>> make_line_step(const AxisShape& shape, int threads) {
  return std::make_unique<LineStep<T>>(shape, threads);
}

template double line_step_cycles<float>(const AxisShape&, const Lines&);
template double line_step_cycles<double>(const AxisShape&, const Lines&);
template std::unique_ptr<const AxisStep<float>> make_line_step(const AxisShape&, int);
template std::unique_ptr<const AxisStep<double>> make_line_step(const AxisShape&, int);

}  // namespace mw::kernels::fft
