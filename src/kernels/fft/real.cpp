// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/real.hpp"

#include <algorithm>

namespace mw::kernels::fft {

namespace {

/// Length of the complex transform behind a real one.
std::int64_t complex_length(std::int64_t n) { return n % 2 == 0 ? n / 2 : n; }

/// exp(−2πi·k/n) for k ≤ n/4, shared.
template <class T>
std::shared_ptr<const Table<T>> half_table(std::int64_t n) {
  if (n % 2 != 0) return nullptr;
  static SharedByKey<std::int64_t, Table<T>> cache;
  return cache.get(n, [n] {
    auto table = std::make_shared<Table<T>>(2 * (n / 4 + 1));
    const Roots roots(n);
    for (std::int64_t k = 0; k <= n / 4; ++k) roots.put(k, table->data() + 2 * k);
    return table;
  });
}

}  // namespace

template <class T>
RealLanes<T>::RealLanes(std::int64_t n)
    : kernels_(kernels<T>()),
      n_(n),
      fft_(LaneFft<T>::get(complex_length(n))),
      half_(half_table<T>(n)) {}

template <class T>
double RealLanes<T>::cost(std::int64_t n) {
  return LaneFft<T>::cost(complex_length(n)) + 14.0 * static_cast<double>(complex_length(n));
}

/// Two buffers of n/2 + 1 (or n) elements and what the transform needs.
template <class T>
std::int64_t RealLanes<T>::scratch() const {
  return 2 * buffer() + fft_->scratch();
}

template <class T>
const T* RealLanes<T>::forward_split(const T* reals, T* scratch) const {
  T* const spectrum = scratch + buffer();
  const T* const result = fft_->run_split(reals, scratch + 2 * buffer());
  if (!half_) return result;
  kernels_.lane_half_forward({result, spectrum, half_->data(), n_ / 2, 1, 1, 1});
  return spectrum;
}

template <class T>
const T* RealLanes<T>::backward_split(T* spectrum, T* scratch) const {
  const T* packed = spectrum;
  if (half_) {
    packed = scratch + buffer();
    kernels_.lane_half_backward({spectrum, scratch + buffer(), half_->data(), n_ / 2, 1, 1, 1});
  } else {
    kernels_.lane_mirror(spectrum, n_);
  }
  return fft_->run_split(packed, scratch + 2 * buffer());
}

template <class T>
void RealLanes<T>::forward(const LaneSource<T>& source, const LaneSink<T>& sink, T* scratch) const {
  if (half_ && source.stride == 1 && source.offsets != nullptr) {  // pairs lie there as pairs
    kernels_.gather({source.data, scratch, source.offsets, 2, n_ / 2, kernels_.lanes, 1, 1, 1});
  } else {
    kernels_.gather_real({source.data, scratch, source.offsets, source.stride, n_, 0, 1, 1, 1});
  }
  kernels_.scatter({forward_split(scratch, scratch), sink.data, sink.offsets, sink.stride,
                    n_ / 2 + 1, std::min(sink.count, kernels_.lanes), 1, sink.re_scale * factor(),
                    sink.im_scale * factor()});
}

template <class T>
void RealLanes<T>::backward(const LaneSource<T>& source, const LaneSink<T>& sink,
                            T* scratch) const {
  // Odd n: the forward transform of the conjugates is the conjugate of what is wanted, and that is
  // real.
  const T sign = half_ ? source.sign : -source.sign;
  kernels_.gather({source.data, scratch, source.offsets, source.stride, n_ / 2 + 1, kernels_.lanes,
                   sign, 1, 1});
  const T* const result = backward_split(scratch, scratch);
  const int count = std::min(sink.count, kernels_.lanes);
  if (half_ && sink.stride == 1 && sink.offsets != nullptr) {
    return kernels_.scatter(
        {result, sink.data, sink.offsets, 2, n_ / 2, count, 1, sink.re_scale, -sink.re_scale});
  }
  kernels_.scatter_real(
      {result, sink.data, sink.offsets, sink.stride, n_, count, 1, sink.re_scale, -sink.re_scale});
}

template <class T>
RealLine<T>::RealLine(std::int64_t n)
    : kernels_(kernels<T>()),
      n_(n),
      fft_(LineFft<T>::get(complex_length(n))),
      half_(half_table<T>(n)) {}

template <class T>
double RealLine<T>::cost(std::int64_t n) {
  const auto elements = static_cast<double>(complex_length(n));
  return 90 + LineFft<T>::cost(complex_length(n)) +  // 90: calls, and the ends of the pass
         (n % 2 == 0 ? 12.0 / kernels<T>().lanes : 4.0) * elements;
}

/// One buffer of complex numbers; for odd n a second for the whole spectrum.
template <class T>
std::int64_t RealLine<T>::scratch(int threads) const {
  const std::int64_t buffer = (2 * fft_->size() + 63) / 64 * 64;
  return (half_ ? 1 : 2) * buffer + fft_->scratch(threads);
}

template <class T>
void RealLine<T>::forward(const LineArgs<T>& line, T* scratch, int threads) const {
  const std::int64_t buffer = (2 * fft_->size() + 63) / 64 * 64;
  if (half_) {
    fft_->run({line.in, line.out}, scratch + buffer, threads);
    kernels_.line_half_forward({line.out, line.out, half_->data(), n_ / 2, 1,
                                line.re_scale * T{0.5}, line.im_scale * T{0.5}});
    return;
  }
  for (std::int64_t j = 0; j < n_; ++j) {
    scratch[2 * j] = line.in[j];
    scratch[2 * j + 1] = 0;
  }
  T* const spectrum = scratch + buffer;
  fft_->run({scratch, spectrum, 1, line.re_scale, line.im_scale}, scratch + 2 * buffer, threads);
  std::copy_n(spectrum, 2 * (n_ / 2 + 1), line.out);
}

template <class T>
void RealLine<T>::backward(const LineArgs<T>& line, T* scratch, int threads) const {
  const std::int64_t buffer = (2 * fft_->size() + 63) / 64 * 64;
  if (half_) {
    // Z, whose inverse transform is conj ∘ forward ∘ conj.
    kernels_.line_half_backward({line.in, scratch, half_->data(), n_ / 2, line.sign, 1, 1});
    fft_->run({scratch, line.out, -1, line.re_scale, -line.re_scale}, scratch + buffer, threads);
    return;
  }
  scratch[0] = line.in[0];
  scratch[1] = 0;
  for (std::int64_t k = 1; 2 * k < n_; ++k) {  // the conjugates of the whole spectrum
    scratch[2 * k] = scratch[2 * (n_ - k)] = line.in[2 * k];
    scratch[2 * (n_ - k) + 1] = line.in[2 * k + 1] * line.sign;
    scratch[2 * k + 1] = -scratch[2 * (n_ - k) + 1];
  }
  T* const result = scratch + buffer;
  fft_->run({scratch, result, 1, line.re_scale, line.re_scale}, scratch + 2 * buffer, threads);
  for (std::int64_t j = 0; j < n_; ++j) line.out[j] = result[2 * j];
}

template class RealLanes<float>;
template class RealLanes<double>;
template class RealLine<float>;
template class RealLine<double>;

}  // namespace mw::kernels::fft
