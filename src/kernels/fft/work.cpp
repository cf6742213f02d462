// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/work.hpp"

#include "kernels/fft/line_fft.hpp"
#include "kernels/fft/real.hpp"
#include "kernels/fft/trig.hpp"

namespace mw::kernels::fft {

namespace {

// Inverse = conj ∘ forward ∘ conj: a sign on the imaginary parts on the way in, out, or both.
template <class T>
T sign_of(AxisFactors<T> factors) {
  return factors.direction < 0 ? T{1} : T{-1};
}

template <class T>
class ComplexLanes final : public LaneWork<T> {
 public:
  explicit ComplexLanes(std::int64_t n) : fft_(LaneFft<T>::get(n)) {}
  [[nodiscard]] std::int64_t scratch() const override { return fft_->scratch(); }
  void run(LaneSource<T> source, LaneSink<T> sink, AxisFactors<T> factors,
           T* scratch) const override {
    source.sign = sign_of(factors);
    sink.re_scale = factors.scale;
    sink.im_scale = factors.scale * source.sign;
    fft_->run(source, sink, scratch);
  }
  [[nodiscard]] std::string describe() const override { return fft_->describe(); }

 private:
  std::shared_ptr<const LaneFft<T>> fft_;
};

template <class T>
class HalfComplexLanes final : public LaneWork<T> {
 public:
  HalfComplexLanes(FftKind kind, std::int64_t n) : forward_(kind == FftKind::r2c), real_(n) {}
  [[nodiscard]] std::int64_t scratch() const override { return real_.scratch(); }
  void run(LaneSource<T> source, LaneSink<T> sink, AxisFactors<T> factors,
           T* scratch) const override {
    sink.re_scale = sink.im_scale = factors.scale;
    if (forward_) {
      sink.im_scale *= sign_of(factors);
      return real_.forward(source, sink, scratch);
    }
    source.sign = -sign_of(factors);
    real_.backward(source, sink, scratch);
  }
  [[nodiscard]] std::string describe() const override { return real_.fft().describe(); }

 private:
  bool forward_;
  RealLanes<T> real_;
};

template <class T>
class ComplexLine final : public LineWork<T> {
 public:
  explicit ComplexLine(std::int64_t n) : fft_(LineFft<T>::get(n)) {}
  [[nodiscard]] std::int64_t scratch(int threads) const override { return fft_->scratch(threads); }
  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch, int threads) const override {
    const T sign = sign_of(factors);
    fft_->run({in, out, sign, factors.scale, factors.scale * sign}, scratch, threads);
  }
  void run_lines(const T* in, T* out, std::int64_t in_step, std::int64_t out_step,
                 std::int64_t count, AxisFactors<T> factors, T* scratch) const override {
    const T sign = sign_of(factors);
    fft_->run_lines({in, out, sign, factors.scale, factors.scale * sign}, in_step, out_step, count,
                    scratch);
  }
  [[nodiscard]] std::string describe() const override { return fft_->describe(); }

 private:
  std::shared_ptr<const LineFft<T>> fft_;
};

template <class T>
class HalfComplexLine final : public LineWork<T> {
 public:
  HalfComplexLine(FftKind kind, std::int64_t n) : forward_(kind == FftKind::r2c), real_(n) {}
  [[nodiscard]] std::int64_t scratch(int threads) const override { return real_.scratch(threads); }
  void run(const T* in, T* out, AxisFactors<T> factors, T* scratch, int threads) const override {
    const T sign = sign_of(factors);
    if (forward_) {
      return real_.forward({in, out, 1, factors.scale, factors.scale * sign}, scratch, threads);
    }
    real_.backward({in, out, -sign, factors.scale, factors.scale}, scratch, threads);
  }
  [[nodiscard]] std::string describe() const override { return real_.fft().describe(); }

 private:
  bool forward_;
  RealLine<T> real_;
};

}  // namespace

template <class T>
std::shared_ptr<const LaneWork<T>> LaneWork<T>::make(FftKind kind, std::int64_t n) {
  if (kind == FftKind::c2c) return std::make_shared<const ComplexLanes<T>>(n);
  if (is_trig(kind)) return make_trig_lanes<T>(kind, n);
  return std::make_shared<const HalfComplexLanes<T>>(kind, n);
}

template <class T>
double LaneWork<T>::cost(FftKind kind, std::int64_t n) {
  if (kind == FftKind::c2c) return LaneFft<T>::cost(n);
  return is_trig(kind) ? trig_lanes_cost<T>(kind, n) : RealLanes<T>::cost(n);
}

template <class T>
std::shared_ptr<const LineWork<T>> LineWork<T>::make(FftKind kind, std::int64_t n) {
  if (kind == FftKind::c2c) return std::make_shared<const ComplexLine<T>>(n);
  if (is_trig(kind)) return make_trig_line<T>(kind, n);
  return std::make_shared<const HalfComplexLine<T>>(kind, n);
}

template <class T>
double LineWork<T>::cost(FftKind kind, std::int64_t n) {
  if (kind == FftKind::c2c) return LineFft<T>::cost(n);
  return is_trig(kind) ? trig_line_cost<T>(kind, n) : RealLine<T>::cost(n);
}

template class LaneWork<float>;
template class LaneWork<double>;
template class LineWork<float>;
template class LineWork<double>;

}  // namespace mw::kernels::fft
