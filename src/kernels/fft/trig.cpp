// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/trig.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/text.hpp"
#include "kernels/fft/line_fft.hpp"
#include "kernels/fft/real.hpp"
#include "kernels/fft/trig_tables.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels::fft {

namespace {

/// What of the user's side a transform sees: one line (no offsets) or V.
template <class T>
struct TrigCall {
  LaneSource<T> source;
  LaneSink<T> sink;
  T scale;
  T* scratch;
  int threads;
};

/// One transform, on V lines in lanes or on one line.
template <class T, bool InLanes>
class Trig final {
 public:
  Trig(FftKind kind, std::int64_t n)
      : kernels_(kernels<T>()),
        ends_(InLanes ? kernels_.lane_trig : kernels_.line_trig),
        width_(InLanes ? kernels_.lanes : 1),
        n_(n),
        tables_(TrigTables<T>::get(kind, n)) {
    const auto inner = trig_inner(kind, n);
    if (inner.method == TrigMethod::merge) {
      even_ = std::make_unique<const Trig>(kind, inner.length);
      odd_ = std::make_unique<const Trig>(kind == FftKind::dct1 ? FftKind::dct2 : FftKind::dst2,
                                          n - inner.length);
    } else if (inner.method == TrigMethod::pairs) {
      fft_ = Complex::get(inner.length);
    } else {
      real_ = std::make_unique<const Real>(inner.length);
    }
    method_ = inner.method;
    length_ = inner.length;
  }

  [[nodiscard]] std::int64_t scratch(int threads) const {
    if (even_) return 2 * row_block() + std::max(even_->scratch(threads), odd_->scratch(threads));
    if constexpr (InLanes) {
      return rows() + (fft_ ? fft_->scratch() : real_->scratch());
    } else {
      return 2 * rows() + (fft_ ? fft_->scratch(threads) : real_->scratch(threads));
    }
  }

  [[nodiscard]] std::string describe() const {
    if (even_) return text("split into ", even_->describe(), " and ", odd_->describe());
    if (fft_) return text("complex ", length_, " = ", fft_->describe());
    return text("real ", length_, " over ", real_->fft().describe());
  }

  void run(TrigCall<T> call) const {
    if (tables_->reverse_in) {
      call.source.data += (n_ - 1) * call.source.stride;
      call.source.stride = -call.source.stride;
    }
    if (tables_->reverse_out) {
      call.sink.data += (n_ - 1) * call.sink.stride;
      call.sink.stride = -call.sink.stride;
    }
    switch (method_) {
      case TrigMethod::forward: return run_forward(call);
      case TrigMethod::backward: return run_backward(call);
      case TrigMethod::pairs: return run_pairs(call);
      case TrigMethod::picked: return run_picked(call);
      case TrigMethod::merge: return run_merge(call);
    }
  }

 private:
  using Complex = std::conditional_t<InLanes, LaneFft<T>, LineFft<T>>;
  using Real = std::conditional_t<InLanes, RealLanes<T>, RealLine<T>>;
  using End = typename TrigKernels<T>::End;

  /// Reals of our rows: length_ complex elements and one more.
  [[nodiscard]] std::int64_t rows() const { return ((length_ + 1) * 2 * width_ + 63) / 64 * 64; }
  [[nodiscard]] std::int64_t row_block() const { return (n_ * width_ + 63) / 64 * 64; }
  /// Reals from one real row to the next where the real transform of `length_` wants them.
  [[nodiscard]] std::int64_t pitch() const {
    return InLanes && length_ % 2 != 0 ? 2 * width_ : width_;
  }
  /// What makes the spectrum inside that of the definition.
  [[nodiscard]] T factor() const {
    if constexpr (InLanes) return real_->factor();
    return T{1};
  }

  [[nodiscard]] TrigArgs<T> args(const TrigCall<T>& call, bool input, const T* own) const {
    return {.in = call.source.data,
            .out = call.sink.data,
            .offsets = input ? call.source.offsets : call.sink.offsets,
            .stride = input ? call.source.stride : call.sink.stride,
            .count = std::min(call.sink.count, kernels_.lanes),
            .own = const_cast<T*>(own),  // only read where it is a result
            .other = nullptr,
            .pitch = pitch(),
            .n = n_,
            .twiddle = input ? tables_->in.data() : tables_->out.data(),
            .index = input ? tables_->index_in.data() : tables_->index_out.data(),
            .scale = call.scale,
            .flip = tables_->flip,
            .begin = 0,
            .end = n_ / 2};
  }

  /// The loop of one end, over threads if one line is long.
  void end(End kernel, TrigArgs<T> a, int threads) const {
    constexpr std::int64_t kGrain = 1 << 14;
    if (InLanes || threads == 1 || a.end <= kGrain || a.pitch != width_) return kernel(a);
    parallel_for(a.end, kGrain, threads, [&](std::int64_t begin, std::int64_t stop, int) {
      TrigArgs<T> part = a;
      part.begin = begin;
      part.end = stop;
      kernel(part);
    });
  }

  /// The real transform of our rows.
  const T* forward(T* own, const TrigCall<T>& call) const {
    if constexpr (InLanes) {
      return real_->forward_split(own, call.scratch + rows());
    } else {
      T* const spectrum = own + rows();
      real_->forward({own, spectrum}, call.scratch + 2 * rows(), call.threads);
      return spectrum;
    }
  }

  void run_forward(const TrigCall<T>& call) const {
    T* const own = call.scratch;
    end(ends_.fold, args(call, true, own), call.threads);
    auto out = args(call, false, forward(own, call));
    out.scale *= 2 * factor();
    end(ends_.rotate_out, out, call.threads);
  }

  void run_backward(const TrigCall<T>& call) const {
    T* const own = call.scratch;
    const T* reals = nullptr;
    auto in = args(call, true, own);
    in.flip = 1;
    if constexpr (InLanes) {
      if (n_ % 2 != 0) in.flip = -1;  // odd lengths are transformed forward, from the conjugates
      end(ends_.rotate_in, in, 1);
      reals = real_->backward_split(own, call.scratch + rows());
    } else {
      end(ends_.rotate_in, in, call.threads);
      T* const result = own + rows();
      real_->backward({own, result}, call.scratch + 2 * rows(), call.threads);
      reals = result;
    }
    end(ends_.spread, args(call, false, reals), call.threads);
  }

  void run_pairs(const TrigCall<T>& call) const {
    T* const own = call.scratch;
    end(ends_.pair_in, args(call, true, own), call.threads);
    const T* result = nullptr;
    if constexpr (InLanes) {
      result = fft_->run_split(own, call.scratch + rows());
    } else {
      result = own + rows();
      fft_->run({own, own + rows()}, call.scratch + 2 * rows(), call.threads);
    }
    auto out = args(call, false, result);
    out.scale *= 2;
    end(ends_.pair_out, out, call.threads);
  }

  void run_picked(const TrigCall<T>& call) const {
    T* const own = call.scratch;
    auto in = args(call, true, own);
    in.end = length_;
    end(ends_.pick_in, in, call.threads);
    auto out = args(call, false, forward(own, call));
    out.scale *= factor();
    out.end = n_;
    end(ends_.pick_out, out, call.threads);
  }

  void run_merge(const TrigCall<T>& call) const {
    T* const even = call.scratch;
    T* const odd = even + row_block();
    TrigCall<T> part = call;
    part.scale = 1;
    part.scratch = odd + row_block();
    part.source.stride = 2 * call.source.stride;
    // The samples at even places: 0, 2, … for dct1, which counts from 0; 1, 3, … for dst1.
    const std::int64_t first = tables_->flip > 0 ? 0 : call.source.stride;
    part.source.data = call.source.data + first;
    part.sink = {even, width_, nullptr};
    even_->run(part);
    part.source.data = call.source.data + (call.source.stride - first);
    part.sink = {odd, width_, nullptr};
    odd_->run(part);
    auto out = args(call, false, even);
    out.other = odd;
    out.pitch = width_;
    end(ends_.merge, out, call.threads);
  }

  const Kernels<T>& kernels_;
  const TrigKernels<T>& ends_;
  std::int64_t width_;
  std::int64_t n_;
  std::int64_t length_ = 0;
  TrigMethod method_ = TrigMethod::forward;
  std::shared_ptr<const TrigTables<T>> tables_;
  std::shared_ptr<const Complex> fft_;
  std::unique_ptr<const Real> real_;
  std::unique_ptr<const Trig> even_, odd_;
};

template <class T>
class TrigLanes final : public LaneWork<T> {
 public:
  TrigLanes(FftKind kind, std::int64_t n) : trig_(kind, n) {}
  [[nodiscard]] std::int64_t scratch() const override { return trig_.scratch(1); }
  void run(LaneSource<T> source, LaneSink<T> sink, AxisFactors<T> factors,
           T* scratch) const override {
    trig_.run({source, sink, factors.scale, scratch, 1});
  }
  [[nodiscard]] std::string describe() const override { return trig_.describe(); }

 private:
  Trig<T, true> trig_;
};

template <class T>
class TrigLine final : public LineWork<T> {
 public:
  TrigLine(FftKind kind, std::int64_t n) : trig_(kind, n) {}
  [[nodiscard]] std::int64_t scratch(int threads) const override { return trig_.scratch(threads); }
  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch, int threads) const override {
    trig_.run({{in, 1}, {out, 1}, factors.scale, scratch, threads});
  }
  [[nodiscard]] std::string describe() const override { return trig_.describe(); }

 private:
  Trig<T, false> trig_;
};

/// Cycles of the inner transforms by `real` and `complex`, and `ends` per element.
template <class Real, class Complex>
double trig_cost(FftKind kind, std::int64_t n, double ends) {
  const auto inner = trig_inner(kind, n);
  const double own = ends * static_cast<double>(n);
  if (inner.method == TrigMethod::merge) {
    const FftKind odd = kind == FftKind::dct1 ? FftKind::dct2 : FftKind::dst2;
    return own + trig_cost<Real, Complex>(kind, inner.length, ends) +
           trig_cost<Real, Complex>(odd, n - inner.length, ends);
  }
  return own + (inner.method == TrigMethod::pairs ? Complex::cost(inner.length)
                                                  : Real::cost(inner.length));
}

}  // namespace

template <class T>
std::shared_ptr<const LaneWork<T>> make_trig_lanes(FftKind kind, std::int64_t n) {
  return std::make_shared<const TrigLanes<T>>(kind, n);
}

template <class T>
double trig_lanes_cost(FftKind kind, std::int64_t n) {
  return trig_cost<RealLanes<T>, LaneFft<T>>(kind, n, 6.0);
}

template <class T>
std::shared_ptr<const LineWork<T>> make_trig_line(FftKind kind, std::int64_t n) {
  return std::make_shared<const TrigLine<T>>(kind, n);
}

template <class T>
double trig_line_cost(FftKind kind, std::int64_t n) {
  return trig_cost<RealLine<T>, LineFft<T>>(kind, n, 3.0);
}

template std::shared_ptr<const LaneWork<float>> make_trig_lanes(FftKind, std::int64_t);
template std::shared_ptr<const LaneWork<double>> make_trig_lanes(FftKind, std::int64_t);
template double trig_lanes_cost<float>(FftKind, std::int64_t);
template double trig_lanes_cost<double>(FftKind, std::int64_t);
template std::shared_ptr<const LineWork<float>> make_trig_line(FftKind, std::int64_t);
template std::shared_ptr<const LineWork<double>> make_trig_line(FftKind, std::int64_t);
template double trig_line_cost<float>(FftKind, std::int64_t);
template double trig_line_cost<double>(FftKind, std::int64_t);

}  // namespace mw::kernels::fft
