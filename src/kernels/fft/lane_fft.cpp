// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/lane_fft.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "kernels/fft/factor.hpp"

namespace mw::kernels::fft {

namespace {

/// Cycles of the passes, or of two transforms of length m when that is what length n takes.
struct Choice {
  double cycles = std::numeric_limits<double>::infinity();
  std::int64_t m = 0;  // 0: passes
};

template <class T>
double pass_cost(const std::vector<int>& radices, std::int64_t n) {
  double cycles = 0;
  for (auto radix : radices) cycles += pass_cycles(radix);
  const double bytes = 4.0 * static_cast<double>(n) * kernels<T>().lanes * sizeof(T);
  return cycles * cache_factor(bytes) * static_cast<double>(n) +
         40.0 * static_cast<double>(radices.size());
}

template <class T>
Choice choose(std::int64_t n) {
  Choice best;
  const auto primes = prime_factors(n);
  const std::int64_t largest = primes.empty() ? 1 : primes.back();
  if (largest <= kLargestRadix) best.cycles = pass_cost<T>(radices_of(n), n);
  if (largest <= 13) return best;
  for (auto m : smooth_lengths(2 * n - 1, 1)) {
    const double cycles = 2 * pass_cost<T>(radices_of(m), m) + 10.0 * static_cast<double>(m);
    if (cycles < best.cycles) best = {cycles, m};
  }
  return best;
}

int slot_of(int radix) {
  const auto* const at = std::find(std::begin(kRadices), std::end(kRadices), radix);
  return at == std::end(kRadices) ? -1 : static_cast<int>(at - std::begin(kRadices));
}

}  // namespace

template <class T>
std::shared_ptr<const LaneFft<T>> LaneFft<T>::get(std::int64_t n, const Kernels<T>& kernels) {
  static SharedByKey<std::pair<int, std::int64_t>, LaneFft> cache;
  return cache.get({kernels.lanes, n}, [&] { return std::make_shared<const LaneFft>(n, kernels); });
}

template <class T>
double LaneFft<T>::cost(std::int64_t n) {
  return choose<T>(n).cycles + 2.0 * static_cast<double>(n);
}

template <class T>
double LaneFft<T>::gather_cost(std::int64_t n) {
  return (2.0 + kernels<T>().lanes) * static_cast<double>(n);
}

template <class T>
LaneFft<T>::LaneFft(std::int64_t n, const Kernels<T>& kernels) : kernels_(kernels), n_(n) {
  const auto choice = choose<T>(n);
  if (choice.m == 0) {
    build_passes(radices_of(n));
    scratch_ = 2 * buffer();
  } else {
    chirp_ = Chirp<T>::get(n, choice.m);
    inner_ = get(choice.m, kernels);
    // The gathered lines, the padded product, and the inner transform's scratch.
    scratch_ = buffer() + choice.m * 2 * kernels_.lanes + inner_->scratch();
  }
}

template <class T>
void LaneFft<T>::build_passes(const std::vector<int>& radices) {
  std::int64_t reals = 0;
  std::int64_t m = n_;
  for (auto radix : radices) {
    m /= radix;
    reals += 2 * (radix - 1) * m + (slot_of(radix) < 0 ? 2 * radix : 0);
  }
  twiddles_ = Table<T>(std::max<std::int64_t>(reals, 1));
  T* at = twiddles_.data();
  std::int64_t s = 1;
  m = n_;
  const Roots roots(std::max<std::int64_t>(n_, 1));
  for (auto radix : radices) {
    m /= radix;
    Pass pass = {slot_of(radix), radix, m, s, at, nullptr};
    // w_(Rm)^(pk) = w_n^(pks), since n = Rms.
    for (std::int64_t p = 0; p < m; ++p) {
      for (std::int64_t k = 1; k < radix; ++k, at += 2) roots.put(p * k * s, at);
    }
    if (pass.slot < 0) {
      pass.roots = at;
      for (std::int64_t t = 0; t < radix; ++t, at += 2) {
        roots.put(t * (n_ / radix), at);
        at[1] = -at[1];
      }
    }
    passes_.push_back(pass);
    s *= radix;
  }
}

template <class T>
PassArgs<T> LaneFft<T>::args(const Pass& pass, const T* in, T* out) const {
  return {.in = in,
          .out = out,
          .twiddle = pass.twiddle,
          .roots = pass.roots,
          .radix = pass.radix,
          .m = pass.m,
          .s = pass.s,
          .in_stride = 0,
          .out_stride = 0,
          .ahead = 2 * kernels_.lanes,
          .sign = 1,
          .re_scale = 1,
          .im_scale = 1};
}

/// Split passes [begin, end), to and fro between the halves of the scratch.
template <class T>
const T* LaneFft<T>::passes(const T* current, std::size_t begin, std::size_t end,
                            T* scratch) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Pass& pass = passes_[i];
    T* const next = current == scratch ? scratch + buffer() : scratch;
    const auto kernel = pass.slot < 0 ? kernels_.odd
                        : pass.m == 1 ? kernels_.last[pass.slot]
                                      : kernels_.middle[pass.slot];
    kernel(args(pass, current, next));
    current = next;
  }
  return current;
}

/// The first pass, reading the user's lines.
template <class T>
void LaneFft<T>::run_head(const LaneSource<T>& source, T* scratch) const {
  const Pass& pass = passes_.front();
  auto first = args(pass, source.data, scratch);
  first.in_stride = source.stride;
  first.sign = source.sign;
  (pass.m == 1 ? kernels_.only : kernels_.first)[pass.slot](first);
}

/// The last pass, writing the user's lines.
template <class T>
void LaneFft<T>::run_tail(const T* current, const LaneSink<T>& sink) const {
  const Pass& pass = passes_.back();
  auto final = args(pass, current, sink.data);
  final.out_stride = sink.stride;
  final.re_scale = sink.re_scale;
  final.im_scale = sink.im_scale;
  kernels_.final[pass.slot](final);
}

template <class T>
void LaneFft<T>::scatter(const T* current, const LaneSink<T>& sink) const {
  kernels_.scatter({.in = current,
                    .out = sink.data,
                    .offsets = sink.offsets,
                    .stride = sink.stride,
                    .n = n_,
                    .count = std::min(sink.count, kernels_.lanes),
                    .sign = 1,
                    .re_scale = sink.re_scale,
                    .im_scale = sink.im_scale});
}

template <class T>
void LaneFft<T>::gather(const LaneSource<T>& source, T* scratch) const {
  kernels_.gather({.in = source.data,
                   .out = scratch,
                   .offsets = source.offsets,
                   .stride = source.stride,
                   .n = n_,
                   .count = kernels_.lanes,
                   .sign = source.sign,
                   .re_scale = 1,
                   .im_scale = 1});
}

template <class T>
const T* LaneFft<T>::run(const LaneSource<T>& source, T* scratch) const {
  if (fused_head(source)) {
    run_head(source, scratch);
    return passes(scratch, 1, passes_.size(), scratch);
  }
  gather(source, scratch);
  return run_split(scratch, scratch);
}

template <class T>
const T* LaneFft<T>::run_split(const T* in, T* scratch) const {
  return chirp_ ? convolve(in, scratch) : passes(in, 0, passes_.size(), scratch);
}

template <class T>
void LaneFft<T>::run(const LaneSource<T>& source, const LaneSink<T>& sink, T* scratch) const {
  if (!fused_head(source)) {
    gather(source, scratch);
    return run_split(scratch, sink, scratch);
  }
  const std::size_t count = passes_.size();
  if (count < 2 || !fused_tail(sink)) return scatter(run(source, scratch), sink);
  run_head(source, scratch);
  run_tail(passes(scratch, 1, count - 1, scratch), sink);
}

template <class T>
void LaneFft<T>::run_split(const T* in, const LaneSink<T>& sink, T* scratch) const {
  if (!fused_tail(sink)) return scatter(run_split(in, scratch), sink);
  run_tail(passes(in, 0, passes_.size() - 1, scratch), sink);
}

/// Bluestein on lanes. The result takes the place of the gathered lines at the start of the
/// scratch.
template <class T>
const T* LaneFft<T>::convolve(const T* in, T* scratch) const {
  const std::int64_t m = chirp_->m;
  T* const product = scratch + buffer();
  T* const rest = product + m * 2 * kernels_.lanes;
  // a_j = x_j b_j
  kernels_.lane_multiply({in, product, chirp_->chirp.data(), n_, m, 1, 1, 1});
  const T* const spectrum = inner_->run_split(product, rest);
  // conj(A_k H_k)
  kernels_.lane_multiply({spectrum, product, chirp_->spectrum.data(), m, m, 1, 1, -1});
  const T* const sums = inner_->run_split(product, rest);
  // X_k = b_k conj(·)
  kernels_.lane_multiply({sums, scratch, chirp_->chirp.data(), n_, n_, -1, 1, 1});
  return scratch;
}

template <class T>
std::string LaneFft<T>::describe() const {
  if (chirp_) return text("Bluestein over ", chirp_->m, " = ", inner_->describe());
  std::string product;
  for (const auto& pass : passes_) product += text(product.empty() ? "" : "·", pass.radix);
  return product.empty() ? "1" : product;
}

template class LaneFft<float>;
template class LaneFft<double>;

}  // namespace mw::kernels::fft
