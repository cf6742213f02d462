// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/axis.hpp"

#include <algorithm>
#include <optional>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "kernels/fft/real.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels::fft {

namespace {

constexpr double kHertz = 3e9;           // the clock that costs in cycles are divided by
constexpr double kBytesPerSecond = 8e9;  // one core reading and writing memory
constexpr double kWorthThreads = 2e-5;   // seconds of work below which one thread does it

/// The lines of a step: where the i-th begins on either side.
class Lines {
 public:
  explicit Lines(const AxisShape& shape)
      : nest_(fuse_loops(shape.batch, shape.batch_in, &shape.batch_out)) {
    for (auto extent : nest_.extents) count_ *= extent;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t inner() const {
    return nest_.extents.empty() ? 1 : nest_.extents.back();
  }
  [[nodiscard]] std::int64_t inner_in() const {
    return nest_.extents.empty() ? 0 : nest_.strides[0].back();
  }
  [[nodiscard]] std::int64_t inner_out() const {
    return nest_.extents.empty() ? 0 : nest_.strides[1].back();
  }

  /// Starts of lines first … first + count − 1.
  void starts(std::int64_t first, std::int64_t count, std::int64_t* in, std::int64_t* out) const {
    for (std::int64_t i = 0; i < count;) {
      std::int64_t rest = first + i;
      std::int64_t at_in = 0;
      std::int64_t at_out = 0;
      std::int64_t run = 1;  // lines left in the innermost axis
      for (std::size_t d = nest_.extents.size(); d-- > 0;) {
        const std::int64_t index = rest % nest_.extents[d];
        rest /= nest_.extents[d];
        if (d + 1 == nest_.extents.size()) run = nest_.extents[d] - index;
        at_in += index * nest_.strides[0][d];
        at_out += index * nest_.strides[1][d];
      }
      for (; run > 0 && i < count; --run, ++i, at_in += inner_in(), at_out += inner_out()) {
        in[i] = at_in;
        out[i] = at_out;
      }
    }
  }

 private:
  LoopNest nest_;
  std::int64_t count_ = 1;
};

/// Elements of one line on either side, in reals.
std::int64_t line_reals(const AxisShape& shape, bool input) {
  if (shape.kind == (input ? FftKind::r2c : FftKind::c2r)) return shape.n;
  return 2 * (shape.kind == FftKind::c2c ? shape.n : shape.n / 2 + 1);
}

/// Reals of one element on either side.
std::int64_t unit(const AxisShape& shape, bool input) {
  return shape.kind == (input ? FftKind::r2c : FftKind::c2r) ? 1 : 2;
}

/// Bytes that a step must at least read and write.
template <class T>
double bytes_moved(const AxisShape& shape, std::int64_t lines) {
  return static_cast<double>((line_reals(shape, true) + line_reals(shape, false)) * lines) *
         sizeof(T);
}

template <class T>
double model_seconds(const AxisShape& shape, std::int64_t lines, double cycles, int threads) {
  const double compute = cycles / kHertz;
  const double bytes = bytes_moved<T>(shape, lines);
  const double memory = bytes > 4e6 ? bytes / kBytesPerSecond : 0;
  return std::max(compute, memory) / threads + (threads > 1 ? 5e-6 : 0);
}

// --- by lanes
// --------------------------------------------------------------------------------------

template <class T>
double lanes_cycles(const AxisShape& shape, const Lines& lines) {
  const std::int64_t whole = (lines.count() + kernels<T>().lanes - 1) / kernels<T>().lanes;
  const auto blocks = static_cast<double>(whole);
  double each =
      shape.kind == FftKind::c2c ? LaneFft<T>::cost(shape.n) : RealLanes<T>::cost(shape.n);
  const bool runs = lines.inner() >= kernels<T>().lanes;
  for (const bool input : {true, false}) {
    const std::int64_t stride = input ? lines.inner_in() : lines.inner_out();
    if (!runs || stride != unit(shape, input)) {
      each += LaneFft<T>::gather_cost((line_reals(shape, input) + 1) / 2);
    }
  }
  return blocks * (each + 60);
}

template <class T>
class LaneStep final : public AxisStep<T> {
 public:
  LaneStep(const AxisShape& shape, int threads)
      : shape_(shape), lines_(shape), lanes_(kernels<T>().lanes) {
    adjacent_in_ = lines_.inner_in() == unit(shape, true);
    adjacent_out_ = lines_.inner_out() == unit(shape, false);
    // Blocks stay within runs of adjacent lines if there are any worth it.
    run_ = lines_.inner() >= lanes_ && (adjacent_in_ || adjacent_out_) ? lines_.inner()
                                                                       : lines_.count();
    if (run_ != lines_.inner()) adjacent_in_ = adjacent_out_ = false;
    blocks_per_run_ = (run_ + lanes_ - 1) / lanes_;
    blocks_ = lines_.count() / run_ * blocks_per_run_;
    if (shape.kind == FftKind::c2c) {
      fft_ = LaneFft<T>::get(shape.n);
      each_ = fft_->scratch();
    } else {
      real_.emplace(shape.n);
      each_ = real_->scratch();
    }
    cycles_ = lanes_cycles<T>(shape, lines_);
    threads_ = cycles_ / kHertz < kWorthThreads
                   ? 1
                   : static_cast<int>(std::min<std::int64_t>(threads, blocks_));
  }

  [[nodiscard]] std::int64_t scratch() const override { return threads_ * each_; }
  [[nodiscard]] double seconds() const override {
    return model_seconds<T>(shape_, lines_.count(), cycles_, threads_);
  }
  [[nodiscard]] std::string describe() const override {
    return text(shape_.n, " = ", fft_ ? fft_->describe() : real_->fft().describe(), ", ",
                lines_.count(), " lines in blocks of ", lanes_,
                adjacent_in_ && adjacent_out_ ? " adjacent ones" : "", ", ", threads_,
                threads_ == 1 ? " thread" : " threads");
  }

  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch) const override {
    if (threads_ == 1) {
      for (std::int64_t b = 0; b < blocks_; ++b) run_block(b, in, out, factors, scratch);
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(5e-6 * kHertz * static_cast<double>(blocks_) / cycles_));
    parallel_for(blocks_, grain, threads_, [&](std::int64_t begin, std::int64_t end, int worker) {
      for (auto b = begin; b < end; ++b) run_block(b, in, out, factors, scratch + worker * each_);
    });
  }

 private:
  void run_block(std::int64_t block, const T* in, T* out, AxisFactors<T> factors,
                 T* scratch) const {
    const std::int64_t at = block % blocks_per_run_ * lanes_;
    const int count = static_cast<int>(std::min<std::int64_t>(lanes_, run_ - at));
    std::int64_t starts_in[kMaxLanes];
    std::int64_t starts_out[kMaxLanes];
    lines_.starts(block / blocks_per_run_ * run_ + at, count, starts_in, starts_out);
    for (int i = count; i < lanes_; ++i) {  // lanes without a line repeat the last one
      starts_in[i] = starts_in[count - 1];
    }
    LaneSource<T> source = {in, shape_.in_stride, starts_in, 1};
    LaneSink<T> sink = {out, shape_.out_stride, starts_out, count, factors.scale, factors.scale};
    if (count == lanes_ && adjacent_in_) source = {in + starts_in[0], shape_.in_stride, nullptr, 1};
    if (count == lanes_ && adjacent_out_) {
      sink.data = out + starts_out[0];
      sink.offsets = nullptr;
    }
    // Inverse = conj ∘ forward ∘ conj.
    const T sign = factors.direction < 0 ? T{1} : T{-1};
    switch (shape_.kind) {
      case FftKind::c2c:
        source.sign = sign;
        sink.im_scale *= sign;
        return fft_->run(source, sink, scratch);
      case FftKind::r2c: sink.im_scale *= sign; return real_->forward(source, sink, scratch);
      case FftKind::c2r: source.sign = -sign; return real_->backward(source, sink, scratch);
    }
  }

  AxisShape shape_;
  Lines lines_;
  int lanes_;
  int threads_ = 1;
  bool adjacent_in_ = false;
  bool adjacent_out_ = false;
  std::int64_t run_ = 1;
  std::int64_t blocks_per_run_ = 1;
  std::int64_t blocks_ = 1;
  std::int64_t each_ = 0;
  double cycles_ = 0;
  std::shared_ptr<const LaneFft<T>> fft_;
  std::optional<RealLanes<T>> real_;
};

// --- by line
// ---------------------------------------------------------------------------------------

bool contiguous(const AxisShape& shape, bool input) {
  const std::int64_t stride = input ? shape.in_stride : shape.out_stride;
  return stride == unit(shape, input) || line_reals(shape, input) == unit(shape, input);
}

template <class T>
double line_cycles(const AxisShape& shape, const Lines& lines) {
  double each = shape.kind == FftKind::c2c ? LineFft<T>::cost(shape.n) : RealLine<T>::cost(shape.n);
  for (const bool input : {true, false}) {  // copies of scattered lines miss the cache
    if (!contiguous(shape, input)) each += 6.0 * static_cast<double>(shape.n);
  }
  return static_cast<double>(lines.count()) * (each + 30);
}

template <class T>
class LineStep final : public AxisStep<T> {
 public:
  LineStep(const AxisShape& shape, int threads)
      : shape_(shape),
        lines_(shape),
        stage_in_(!contiguous(shape, true)),
        stage_out_(!contiguous(shape, false)) {
    cycles_ = line_cycles<T>(shape, lines_);
    if (cycles_ / kHertz < kWorthThreads) threads = 1;
    if (lines_.count() < threads) {  // few long lines: threads inside a line
      inner_threads_ = threads;
    } else {
      threads_ = threads;
    }
    if (shape.kind == FftKind::c2c) {
      fft_ = LineFft<T>::get(shape.n);
    } else {
      real_.emplace(shape.n);
    }
    stage_ = ((line_reals(shape, true) * stage_in_ + line_reals(shape, false) * stage_out_) + 63) /
             64 * 64;
    if (stage_in_ && stage_out_) stage_ += 64;
    each_ = 2 * stage_ + (fft_ ? fft_->scratch(inner_threads_) : real_->scratch(inner_threads_));
  }

  [[nodiscard]] std::int64_t scratch() const override { return threads_ * each_; }
  [[nodiscard]] double seconds() const override {
    return model_seconds<T>(shape_, lines_.count(), cycles_, std::max(threads_, inner_threads_));
  }
  [[nodiscard]] std::string describe() const override {
    const int threads = std::max(threads_, inner_threads_);
    return text(shape_.n, " = ", fft_ ? fft_->describe() : real_->fft().describe(), ", ",
                lines_.count(), " lines one by one",
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
    LineArgs<T> line = {in, out, 1, factors.scale, factors.scale};
    if (stage_in_) {
      copy(in, shape_.in_stride, scratch, unit(shape_, true), true);
      line.in = scratch;
    }
    if (stage_out_) line.out = scratch + stage_;
    const T sign = factors.direction < 0 ? T{1} : T{-1};
    switch (shape_.kind) {
      case FftKind::c2c:
        line.sign = sign;
        line.im_scale *= sign;
        fft_->run(line, rest, inner_threads_);
        break;
      case FftKind::r2c:
        line.im_scale *= sign;
        real_->forward(line, rest, inner_threads_);
        break;
      case FftKind::c2r:
        line.sign = -sign;
        real_->backward(line, rest, inner_threads_);
        break;
    }
    if (stage_out_) {
      copy(line.out, unit(shape_, false), out, shape_.out_stride, false);
    }
  }

  /// One line between strides (in reals); `input` tells which side's elements these are.
  void copy(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
            bool input) const {
    const bool pairs = unit(shape_, input) == 2;
    const std::int64_t count = line_reals(shape_, input) / unit(shape_, input);
    for (std::int64_t j = 0; j < count; ++j, from += from_stride, to += to_stride) {
      to[0] = from[0];
      if (pairs) to[1] = from[1];
    }
  }

  AxisShape shape_;
  Lines lines_;
  bool stage_in_;
  bool stage_out_;
  int threads_ = 1;
  int inner_threads_ = 1;
  std::int64_t stage_ = 0;  // reals of one of the two copies
  std::int64_t each_ = 0;
  double cycles_ = 0;
  std::shared_ptr<const LineFft<T>> fft_;
  std::optional<RealLine<T>> real_;
};

}  // namespace

template <class T>
std::unique_ptr<const AxisStep<T>> AxisStep<T>::make(const AxisShape& shape, int threads) {
  const Lines lines(shape);
  if (line_cycles<T>(shape, lines) < lanes_cycles<T>(shape, lines)) {
    return std::make_unique<LineStep<T>>(shape, threads);
  }
  return std::make_unique<LaneStep<T>>(shape, threads);
}

template class AxisStep<float>;
template class AxisStep<double>;

}  // namespace mw::kernels::fft
