// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A step by lanes.
//
// Lines beside each other, far apart from element to element (the slow axis of a matrix), touch one
// cache line of each row: at strides that are powers of two these rows share a few sets of the
// caches, and neighbouring blocks fetch every line again. Such lines go through a slab: several
// blocks' columns copied to where rows are close together, transformed there, and copied back, so
// that memory sees runs of kSlabBytes and each byte of it once.
#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/step.hpp"
#include "kernels/fft/work.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels::fft {

namespace {

constexpr std::int64_t kSlabBytes = 512;      // of each row
constexpr std::int64_t kSlabSpan = 64 << 10;  // bytes from a line's first to its last element
constexpr std::int64_t kSlabSize = 2 << 20;   // bytes of a slab: two stay in the outer cache

template <class T>
class LaneStep final : public AxisStep<T> {
 public:
  LaneStep(const AxisShape& shape, int threads)
      : shape_(shape),
        lines_(shape),
        lanes_(kernels<T>().lanes),
        work_(LaneWork<T>::make(shape.kind, shape.n)) {
    adjacent_in_ = lines_.inner_in() == unit(true);
    adjacent_out_ = lines_.inner_out() == unit(false);
    // Blocks stay within runs of adjacent lines if there are any worth it.
    run_ = lines_.inner() >= lanes_ && (adjacent_in_ || adjacent_out_) ? lines_.inner()
                                                                       : lines_.count();
    if (run_ != lines_.inner()) adjacent_in_ = adjacent_out_ = false;
    slab_in_ = adjacent_in_ && spans(shape.in_stride);
    slab_out_ = adjacent_out_ && spans(shape.out_stride);
    columns_ = slab_in_ || slab_out_ ? slab_columns() : lanes_;
    groups_per_run_ = (run_ + columns_ - 1) / columns_;
    groups_ = lines_.count() / run_ * groups_per_run_;
    each_ = work_->scratch() + slab(true) + slab(false);
    cycles_ = lane_step_cycles<T>(shape, lines_);
    threads_ = cycles_ / kHertz < kWorthThreads
                   ? 1
                   : static_cast<int>(std::min<std::int64_t>(threads, groups_));
  }

  [[nodiscard]] std::int64_t scratch() const override { return threads_ * each_; }
  [[nodiscard]] double seconds() const override {
    return model_seconds<T>(shape_, lines_.count(), cycles_, threads_);
  }
  [[nodiscard]] std::string describe() const override {
    return text(shape_.n, " = ", work_->describe(), ", ", lines_.count(), " lines in blocks of ",
                lanes_, adjacent_in_ && adjacent_out_ ? " adjacent ones" : "",
                slab_in_ || slab_out_ ? text(", through slabs of ", columns_) : "", ", ", threads_,
                threads_ == 1 ? " thread" : " threads");
  }

  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch) const override {
    if (threads_ == 1) {
      for (std::int64_t g = 0; g < groups_; ++g) run_group(g, in, out, factors, scratch);
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(5e-6 * kHertz * static_cast<double>(groups_) / cycles_));
    parallel_for(groups_, grain, threads_, [&](std::int64_t begin, std::int64_t end, int worker) {
      for (auto g = begin; g < end; ++g) run_group(g, in, out, factors, scratch + worker * each_);
    });
  }

 private:
  [[nodiscard]] std::int64_t unit(bool input) const { return unit_reals(shape_.kind, input); }
  /// Elements of a line.
  [[nodiscard]] std::int64_t rows(bool input) const {
    return line_reals(shape_.kind, shape_.n, input) / unit(input);
  }
  [[nodiscard]] bool spans(std::int64_t stride) const {
    const std::int64_t bytes = stride * static_cast<std::int64_t>(sizeof(T));
    return shape_.n >= 32 && std::abs(bytes) >= 256 && std::abs(bytes) * shape_.n > kSlabSpan;
  }
  /// Columns of a slab: whole blocks of about kSlabBytes, fewer for lines so long that a slab would
  /// leave the cache.
  [[nodiscard]] std::int64_t slab_columns() const {
    const std::int64_t bytes =
        std::max(unit(true), unit(false)) * lanes_ * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t most = std::max<std::int64_t>(1, kSlabSize / (bytes * shape_.n));
    return lanes_ * std::min(std::max<std::int64_t>(1, kSlabBytes / bytes), most);
  }
  /// Reals from one row of a slab to the next: an odd number of cache lines, so that rows spread
  /// over all sets.
  [[nodiscard]] std::int64_t pitch(bool input) const {
    const std::int64_t cache_line = 64 / static_cast<std::int64_t>(sizeof(T));
    return ((columns_ * unit(input) + cache_line - 1) / cache_line | 1) * cache_line;
  }
  [[nodiscard]] std::int64_t slab(bool input) const {
    return (input ? slab_in_ : slab_out_) ? rows(input) * pitch(input) : 0;
  }

  void copy_rows(const T* from, std::int64_t from_pitch, T* to, std::int64_t to_pitch,
                 std::int64_t columns, bool input) const {
    const auto bytes = static_cast<std::size_t>(columns * unit(input)) * sizeof(T);
    for (std::int64_t j = 0; j < rows(input); ++j, from += from_pitch, to += to_pitch) {
      std::memcpy(to, from, bytes);
    }
  }

  void run_group(std::int64_t group, const T* in, T* out, AxisFactors<T> factors,
                 T* scratch) const {
    const std::int64_t at = group % groups_per_run_ * columns_;
    const std::int64_t first = group / groups_per_run_ * run_ + at;
    const std::int64_t columns = std::min(columns_, run_ - at);
    T* const slab_in = scratch + work_->scratch();
    T* const slab_out = slab_in + slab(true);
    std::int64_t start_in = 0;
    std::int64_t start_out = 0;
    if (slab_in_ || slab_out_) lines_.starts(first, 1, &start_in, &start_out);
    if (slab_in_) copy_rows(in + start_in, shape_.in_stride, slab_in, pitch(true), columns, true);
    for (std::int64_t c = 0; c < columns; c += lanes_) {
      const int count = static_cast<int>(std::min<std::int64_t>(lanes_, columns - c));
      std::int64_t starts_in[kMaxLanes];
      std::int64_t starts_out[kMaxLanes];
      lines_.starts(first + c, count, starts_in, starts_out);
      LaneSource<T> source = {in, shape_.in_stride, starts_in, 1};
      LaneSink<T> sink = {out, shape_.out_stride, starts_out, count, 1, 1};
      if (slab_in_) {
        source = {slab_in, pitch(true), starts_in, 1};
        for (int i = 0; i < count; ++i) starts_in[i] = (c + i) * unit(true);
      }
      if (slab_out_) {
        sink = {slab_out, pitch(false), starts_out, count, 1, 1};
        for (int i = 0; i < count; ++i) starts_out[i] = (c + i) * unit(false);
      }
      run_block(source, sink, starts_in, factors, scratch);
    }
    if (slab_out_) {
      copy_rows(slab_out, pitch(false), out + start_out, shape_.out_stride, columns, false);
    }
  }

  /// Both ends come with the starts of their lines; where all V are adjacent the first is enough.
  void run_block(LaneSource<T> source, LaneSink<T> sink, std::int64_t* starts_in,
                 AxisFactors<T> factors, T* scratch) const {
    for (int i = sink.count; i < lanes_; ++i) {  // lanes without a line repeat the last one
      starts_in[i] = starts_in[sink.count - 1];
    }
    if (sink.count == lanes_ && adjacent_in_) {
      source.data += source.offsets[0];
      source.offsets = nullptr;
    }
    if (sink.count == lanes_ && adjacent_out_) {
      sink.data += sink.offsets[0];
      sink.offsets = nullptr;
    }
    work_->run(source, sink, factors, scratch);
  }

  AxisShape shape_;
  Lines lines_;
  int lanes_;
  std::shared_ptr<const LaneWork<T>> work_;
  int threads_ = 1;
  bool adjacent_in_ = false;
  bool adjacent_out_ = false;
  bool slab_in_ = false;
  bool slab_out_ = false;
  std::int64_t run_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t groups_per_run_ = 1;
  std::int64_t groups_ = 1;
  std::int64_t each_ = 0;
  double cycles_ = 0;
};

}  // namespace

template <class T>
double lane_step_cycles(const AxisShape& shape, const Lines& lines) {
  const std::int64_t whole = (lines.count() + kernels<T>().lanes - 1) / kernels<T>().lanes;
  const auto blocks = static_cast<double>(whole);
  double each = LaneWork<T>::cost(shape.kind, shape.n);
  const bool runs = lines.inner() >= kernels<T>().lanes;
  for (const bool input : {true, false}) {
    const std::int64_t stride = input ? lines.inner_in() : lines.inner_out();
    if (!runs || stride != unit_reals(shape.kind, input)) {
      each += LaneFft<T>::gather_cost((line_reals(shape.kind, shape.n, input) + 1) / 2);
    }
  }
  return blocks * (each + 60);
}

template <class T>
std::unique_ptr<const AxisStep<T>> make_lane_step(const AxisShape& shape, int threads) {
  return std::make_unique<LaneStep<T>>(shape, threads);
}

template double lane_step_cycles<float>(const AxisShape&, const Lines&);
template double lane_step_cycles<double>(const AxisShape&, const Lines&);
template std::unique_ptr<const AxisStep<float>> make_lane_step(const AxisShape&, int);
template std::unique_ptr<const AxisStep<double>> make_lane_step(const AxisShape&, int);

}  // namespace mw::kernels::fft
