// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The plan: which axes in which order, and between which buffers.
//
//   c2c  the last listed axis from input to output, the others in place in the output
//   r2c  the halved axis from input to output, the others in place in the output
//   c2r  the others from input to the workspace and in place there, the halved axis to the output
//
//   dct, dst  as c2c
//
// Axes of extent 1 are identities of c2c and skipped, unless nothing else moves the data. Where the
// array is larger than the cache, steps that leave an axis alone are done together, slice after
// slice along that axis (of a cube: all planes by both their axes, then the third axis), which
// saves a passage through memory each.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "kernels/fft/axis.hpp"
#include "kernels/fft/fft.hpp"
#include "kernels/fft/isa.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/work.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels {

namespace {

using fft::AxisShape;
using fft::AxisStep;

enum class Place : std::uint8_t { input, output, workspace };

/// Layout of one buffer: its strides and how many reals an element has.
struct Side {
  Dims strides;
  std::int64_t reals;
};

void check(const FftShape& s) {
  const auto wrong = ErrorKind::invalid_argument;
  const std::size_t rank = s.shape.size();
  require(s.precision == DType::float32 || s.precision == DType::float64, ErrorKind::unsupported,
          "fft: precision ", name(s.precision),
          " has no native kernels; float32 or float64 is wanted");
  require(s.in_strides.size() == rank && s.out_strides.size() == rank, wrong, "fft: shape ",
          s.shape, " has ", rank, " axes, but in_strides ", s.in_strides, " and out_strides ",
          s.out_strides, " do not; one stride per axis is wanted");
  require(!s.axes.empty(), wrong, "fft: axes is empty; at least one axis is wanted");
  for (auto extent : s.shape) {
    require(extent >= 0, wrong, "fft: shape ", s.shape,
            " has a negative extent; 0 or more is wanted");
  }
  for (std::size_t i = 0; i < s.axes.size(); ++i) {
    require(s.axes[i] >= 0 && s.axes[i] < static_cast<std::int64_t>(rank), wrong, "fft: axis ",
            s.axes[i], " is out of range for ", rank, " axes; 0 … ", rank - 1, " is wanted");
    require(std::count(s.axes.begin(), s.axes.end(), s.axes[i]) == 1, wrong, "fft: axes ", s.axes,
            " lists axis ", s.axes[i], " twice; distinct axes are wanted");
    const auto n = s.shape[static_cast<std::size_t>(s.axes[i])];
    require(s.kind != FftKind::dct1 || n != 1, wrong, "fft: axis ", s.axes[i],
            " has extent 1, which dct type 1 does not define; at least 2 is wanted");
    require(n >= 1, wrong, "fft: axis ", s.axes[i], " has extent ", n, "; at least 1 is wanted");
  }
}

template <class T>
class Plan final : public Fft {
 public:
  Plan(const FftShape& shape, int threads) : shape_(shape) {
    const auto size = checked_size(shape.shape);
    require(size.has_value(), ErrorKind::invalid_argument, "fft: shape ", shape.shape,
            " has more elements than 63 bits count");
    if (*size == 0) return;
    plan_stages(steps(), std::max(threads, 1));
    for (const auto& stage : stages_) scratch_ = std::max(scratch_, stage.threads * stage.scratch);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(intermediate_ + scratch_) * sizeof(T);
  }

  void execute(const void* in, void* out, int direction, double scale,
               void* workspace) const override {
    T* const work = static_cast<T*>(workspace);
    const Buffers buffers = {static_cast<const T*>(in), static_cast<T*>(out), work};
    for (const auto& stage : stages_) {
      const T factor = &stage == &stages_.back() ? static_cast<T>(scale) : T{1};
      const auto run = [&](std::int64_t begin, std::int64_t end, int worker) {
        T* const scratch = work + intermediate_ + worker * stage.scratch;
        for (auto slice = begin; slice < end; ++slice) {
          run_slice(stage, slice, buffers, {direction, factor}, scratch);
        }
      };
      if (stage.threads == 1) {
        run(0, stage.slices, 0);
      } else {
        parallel_for(stage.slices, 1, stage.threads, run);
      }
    }
  }

  [[nodiscard]] double estimate() const override {
    double seconds = 0;
    for (const auto& stage : stages_) {
      double each = 0;
      for (const auto& step : stage.steps) each += step.axis->seconds();
      seconds += std::max(each * static_cast<double>(stage.slices) / stage.threads, stage.memory);
    }
    return seconds;
  }

  [[nodiscard]] std::string describe() const override {
    std::string lines = text("native fft, ", fft::isa().name, ", ", name(shape_.precision));
    for (const auto& stage : stages_) {
      for (const auto& step : stage.steps) {
        lines += text("\n  ", step.axis->describe());
        if (stage.slices == 1) continue;
        lines += text(", in each of ", stage.slices, " slices on ", stage.threads,
                      stage.threads == 1 ? " thread" : " threads");
      }
    }
    return lines;
  }

 private:
  struct Buffers {
    const T* in;
    T* out;
    T* work;
  };
  /// A step before it is planned.
  struct Draft {
    AxisShape shape;
    std::size_t axis;
    Place from, to;
  };
  struct Step {
    std::unique_ptr<const AxisStep<T>> axis;
    Place from, to;
    std::int64_t from_slice, to_slice;  // reals from one slice to the next
  };
  /// Steps done together, slice after slice, so that each slice is in the cache for all of them but
  /// the first; slices go to threads. One slice: the whole array, and the threads are the step's.
  struct Stage {
    std::vector<Step> steps;
    std::int64_t slices = 1;
    int threads = 1;
    std::int64_t scratch = 0;  // reals per thread
    double memory = 0;         // seconds for reading and writing the array once
  };

  void run_slice(const Stage& stage, std::int64_t slice, const Buffers& buffers,
                 fft::AxisFactors<T> factors, T* scratch) const {
    for (const auto& step : stage.steps) {
      const T* const from = step.from == Place::input    ? buffers.in
                            : step.from == Place::output ? buffers.out
                                                         : buffers.work;
      T* const to = step.to == Place::output ? buffers.out : buffers.work;
      const bool last = &step == &stage.steps.back();
      step.axis->run(from + slice * step.from_slice, to + slice * step.to_slice,
                     {factors.direction, last ? factors.scale : T{1}}, scratch);
    }
  }

  /// Extents of the complex side; those of both sides of dct and dst.
  [[nodiscard]] Dims halved() const {
    Dims extents = shape_.shape;
    auto& extent = extents[static_cast<std::size_t>(shape_.axes.back())];
    if (shape_.kind == FftKind::r2c || shape_.kind == FftKind::c2r) extent = extent / 2 + 1;
    return extents;
  }

  /// The steps in their order.
  std::vector<Draft> steps() {
    const bool trig = fft::is_trig(shape_.kind);
    const FftKind inner = trig ? shape_.kind : FftKind::c2c;  // of all axes but the last listed
    const Side input = {shape_.in_strides, fft::unit_reals(shape_.kind, true)};
    const Side output = {shape_.out_strides, fft::unit_reals(shape_.kind, false)};
    const std::int64_t last = shape_.axes.back();
    std::vector<Draft> drafts;
    const auto busy = [&](std::int64_t axis) {
      return trig || shape_.shape[static_cast<std::size_t>(axis)] > 1;
    };
    Dims others;  // axes with something to do, the last listed first
    for (std::size_t i = shape_.axes.size() - 1; i-- > 0;) {
      if (busy(shape_.axes[i])) others.push_back(shape_.axes[i]);
    }
    if (shape_.kind == FftKind::c2r) {
      std::reverse(others.begin(), others.end());  // the fast axes last, beside the halved one
      const Side work = {contiguous_strides(halved()), 2};
      for (auto axis : others) {
        const bool first = drafts.empty();
        drafts.push_back(draft(FftKind::c2c, axis, first ? input : work, work,
                               first ? Place::input : Place::workspace, Place::workspace));
      }
      const bool alone = drafts.empty();
      if (!alone) intermediate_ = (2 * checked_size(halved()).value_or(0) + 63) / 64 * 64;
      drafts.push_back(draft(FftKind::c2r, last, alone ? input : work, output,
                             alone ? Place::input : Place::workspace, Place::output));
      return drafts;
    }
    if (shape_.kind == FftKind::r2c || others.empty() || busy(last)) {
      drafts.push_back(draft(shape_.kind, last, input, output, Place::input, Place::output));
    }
    for (auto axis : others) {
      const bool first = drafts.empty();
      drafts.push_back(draft(inner, axis, first ? input : output, output,
                             first ? Place::input : Place::output, Place::output));
    }
    return drafts;
  }

  [[nodiscard]] Draft draft(FftKind kind, std::int64_t axis64, const Side& from, const Side& to,
                            Place from_place, Place to_place) const {
    const auto axis = static_cast<std::size_t>(axis64);
    AxisShape step = {kind,
                      shape_.shape[axis],
                      from.strides[axis] * from.reals,
                      to.strides[axis] * to.reals,
                      kind == FftKind::c2c ? halved() : shape_.shape,
                      from.strides,
                      to.strides};
    step.batch[axis] = 1;
    for (auto& stride : step.batch_in) stride *= from.reals;
    for (auto& stride : step.batch_out) stride *= to.reals;
    return {step, axis, from_place, to_place};
  }

  void plan_stages(std::vector<Draft> drafts, int threads) {
    for (std::size_t first = 0; first < drafts.size();) {
      std::size_t last = first;
      std::optional<std::size_t> cut;
      while (last + 1 < drafts.size()) {
        const auto wider = slice_axis(drafts, first, last + 1, threads);
        if (!wider) break;
        cut = wider;
        ++last;
      }
      add_stage(drafts, first, last, cut, threads);
      first = last + 1;
    }
  }

  /// The outermost axis that none of the drafts works on, if its slices fit the cache, the whole
  /// does not, and there are enough of them for the threads.
  [[nodiscard]] std::optional<std::size_t> slice_axis(const std::vector<Draft>& drafts,
                                                      std::size_t first, std::size_t last,
                                                      int threads) const {
    constexpr double kSlice = 4e6;  // bytes, of both sides
    const double bytes = 4.0 * sizeof(T) * static_cast<double>(*checked_size(halved()));
    const Draft& end = drafts[last];
    const auto stride = [&](std::size_t d) { return std::abs(end.shape.batch_out[d]); };
    std::size_t outer = 0;
    for (std::size_t d = 0; d < shape_.shape.size(); ++d) {
      if (shape_.shape[d] > 1 && stride(d) >= stride(outer)) outer = d;
    }
    const auto extent = end.shape.batch[outer];
    for (auto i = first; i <= last; ++i) {
      if (drafts[i].axis == outer || drafts[i].shape.batch[outer] != extent) return std::nullopt;
    }
    const bool worth = extent >= 2 * threads && extent >= 4 && bytes > kSlice &&
                       bytes <= kSlice * static_cast<double>(extent);
    return worth ? std::optional(outer) : std::nullopt;
  }

  void add_stage(const std::vector<Draft>& drafts, std::size_t first, std::size_t last,
                 std::optional<std::size_t> cut, int threads) {
    Stage stage;
    if (cut) {
      stage.slices = drafts[first].shape.batch[*cut];
      stage.threads = static_cast<int>(std::min<std::int64_t>(threads, stage.slices));
      const double bytes = 4.0 * sizeof(T) * static_cast<double>(*checked_size(halved()));
      stage.memory = bytes / fft::kBytesPerSecond / stage.threads;
    }
    for (auto i = first; i <= last; ++i) {
      const Draft& draft = drafts[i];
      AxisShape shape = draft.shape;
      if (cut) shape.batch[*cut] = 1;
      stage.steps.push_back({AxisStep<T>::make(shape, cut ? 1 : threads), draft.from, draft.to,
                             cut ? shape.batch_in[*cut] : 0, cut ? shape.batch_out[*cut] : 0});
      stage.scratch = std::max(stage.scratch, (stage.steps.back().axis->scratch() + 15) / 16 * 16);
    }
    stages_.push_back(std::move(stage));
  }

  FftShape shape_;
  std::vector<Stage> stages_;
  std::int64_t intermediate_ = 0;  // reals
  std::int64_t scratch_ = 0;       // reals
};

}  // namespace

std::shared_ptr<const Fft> Fft::make(const FftShape& shape, int threads) {
  check(shape);
  if (shape.precision == DType::float32) return std::make_shared<const Plan<float>>(shape, threads);
  return std::make_shared<const Plan<double>>(shape, threads);
}

}  // namespace mw::kernels
