// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The plan: which axes in which order, and between which buffers.
//
//   c2c  the last listed axis from input to output, the others in place in the output
//   r2c  the halved axis from input to output, the others in place in the output
//   c2r  the others from input to the workspace and in place there, the halved axis to the output
//
// Axes of extent 1 are identities and skipped, unless nothing else moves the data.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "kernels/fft/axis.hpp"
#include "kernels/fft/fft.hpp"
#include "kernels/fft/isa.hpp"

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
    plan_steps(std::max(threads, 1));
    for (const auto& step : steps_) scratch_ = std::max(scratch_, step.axis->scratch());
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(intermediate_ + scratch_) * sizeof(T);
  }

  void execute(const void* in, void* out, int direction, double scale,
               void* workspace) const override {
    T* const work = static_cast<T*>(workspace);
    const T* from = static_cast<const T*>(in);
    for (const auto& step : steps_) {
      T* const to = step.to == Place::output ? static_cast<T*>(out) : work;
      const bool last = &step == &steps_.back();
      step.axis->run(from, to, {direction, last ? static_cast<T>(scale) : T{1}},
                     work + intermediate_);
      from = to;
    }
  }

  [[nodiscard]] double estimate() const override {
    return std::accumulate(steps_.begin(), steps_.end(), 0.0,
                           [](double sum, const Step& step) { return sum + step.axis->seconds(); });
  }

  [[nodiscard]] std::string describe() const override {
    std::string lines = text("native fft, ", fft::isa().name, ", ", name(shape_.precision));
    for (const auto& step : steps_) lines += text("\n  ", step.axis->describe());
    return lines;
  }

 private:
  struct Step {
    std::unique_ptr<const AxisStep<T>> axis;
    Place to;
  };

  /// Extents of the complex side.
  [[nodiscard]] Dims halved() const {
    Dims extents = shape_.shape;
    auto& extent = extents[static_cast<std::size_t>(shape_.axes.back())];
    if (shape_.kind != FftKind::c2c) extent = extent / 2 + 1;
    return extents;
  }

  void plan_steps(int threads) {
    const Side input = {shape_.in_strides, shape_.kind == FftKind::r2c ? 1 : 2};
    const Side output = {shape_.out_strides, shape_.kind == FftKind::c2r ? 1 : 2};
    const std::int64_t last = shape_.axes.back();
    Dims others;  // complex axes with something to do, the last listed first
    for (std::size_t i = shape_.axes.size() - 1; i-- > 0;) {
      if (shape_.shape[static_cast<std::size_t>(shape_.axes[i])] > 1)
        others.push_back(shape_.axes[i]);
    }
    if (shape_.kind == FftKind::c2r) {
      Side work = {contiguous_strides(halved()), 2};
      const Side* from = &input;
      for (auto axis : others) {
        add(FftKind::c2c, axis, *from, work, Place::workspace, threads);
        from = &work;
      }
      if (!others.empty()) {
        intermediate_ = (2 * checked_size(halved()).value_or(0) + 63) / 64 * 64;
      }
      add(FftKind::c2r, last, *from, output, Place::output, threads);
      return;
    }
    const bool needed = shape_.kind == FftKind::r2c || others.empty() ||
                        shape_.shape[static_cast<std::size_t>(last)] > 1;
    if (needed) add(shape_.kind, last, input, output, Place::output, threads);
    for (auto axis : others) {
      add(FftKind::c2c, axis, steps_.empty() ? input : output, output, Place::output, threads);
    }
  }

  void add(FftKind kind, std::int64_t axis64, const Side& from, const Side& to, Place place,
           int threads) {
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
    steps_.push_back({AxisStep<T>::make(step, threads), place});
  }

  FftShape shape_;
  std::vector<Step> steps_;
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
