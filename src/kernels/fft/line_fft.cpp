// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/line_fft.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernels/fft/factor.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::kernels::fft {

namespace {

constexpr double kCrossCycles = 7.0;    // per vector: the step across the lanes
constexpr double kTurnCycles = 6.0;     // per vector: twiddles and turn, in cache
constexpr double kLineCycles = 30.0;    // per line: calls
constexpr double kBlockCycles = 150.0;  // per block of V columns or rows

/// The kernel that does n = n1·V in registers; null if there is none.
template <class T>
auto tiny_kernel(std::int64_t n1, const Kernels<T>& kernels) -> void (*)(const TinyArgs<T>&) {
  for (const std::int64_t tiles : {1, 2, 4}) {
    if (n1 == tiles * kernels.lanes) return kernels.tiny[tiles / 2];
  }
  return nullptr;
}

/// Cycles of n = n1·V: in registers if there is a kernel for that, else through LaneFft.
template <class T>
double cross_cycles(std::int64_t n1, const Kernels<T>& kernels) {
  const auto vectors = static_cast<double>(n1);
  if (tiny_kernel(n1, kernels) != nullptr) {
    return vectors * (pass_cycles(static_cast<int>(n1)) + kCrossCycles);
  }
  return LaneFft<T>::cost(n1) + 40 + kLineCycles + kCrossCycles * vectors;
}

/// item_of() of the kernels: which of V adjacent items a lane holds.
template <class T>
std::int64_t item_of(std::int64_t lane, std::int64_t lanes) {
  const std::int64_t sub = 16 / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t half = sub / 2;
  const std::int64_t e = lane % sub;
  const std::int64_t low = lane / sub * half;
  return e < half ? low + e : lanes / 2 + low + e - half;
}

}  // namespace

template <class T>
std::shared_ptr<const LineFft<T>> LineFft<T>::get(std::int64_t n) {
  static SharedByKey<std::int64_t, LineFft> cache;
  return cache.get(n, [n] { return std::make_shared<const LineFft>(n); });
}

template <class T>
typename LineFft<T>::Choice LineFft<T>::choose(std::int64_t n) {
  const std::int64_t V = kernels<T>().lanes;
  const auto vectors = [V](std::int64_t lines) {
    const std::int64_t whole = (lines + V - 1) / V;
    return static_cast<double>(whole);
  };
  Choice best = {Method::one_lane,
                 kLineCycles + LaneFft<T>::cost(n) + 2 * LaneFft<T>::gather_cost(n), n};
  if (n % V == 0 && n >= V * V) {
    const std::int64_t n1 = n / V;
    const double cycles = cross_cycles(n1, kernels<T>());
    if (cycles < best.cycles) best = {Method::cross, cycles, n1};
  }
  choose_narrow(n, best);
  const auto primes = prime_factors(n);
  if (primes.empty()) return best;
  if (primes.back() <= kLargestRadix) {
    for (auto n1 : divisors_of(n)) {
      const std::int64_t n2 = n / n1;
      if (n1 == 1 || n2 == 1) continue;
      // The columns, the turned blocks and the rows each go through the cache that holds the line.
      const double turn = kTurnCycles * cache_factor(4.0 * static_cast<double>(n) * sizeof(T)) *
                          cache_factor(4.0 * static_cast<double>(n) * sizeof(T));
      const double cycles = vectors(n2) * (LaneFft<T>::cost(n1) + kBlockCycles) +
                            vectors(n1) * (LaneFft<T>::cost(n2) + kBlockCycles) +
                            vectors(n2) * static_cast<double>(n1) * turn;
      if (cycles < best.cycles) best = {Method::four_step, cycles, n1};
    }
  } else {
    for (auto m : smooth_lengths(2 * n - 1, std::min(V * V, n))) {
      const double cycles = 2 * choose(m).cycles + 12.0 * vectors(m);
      if (cycles < best.cycles) best = {Method::bluestein, cycles, m};
    }
  }
  return best;
}

/// Lines shorter than V² cannot fill the widest vectors; the narrower ones may be full.
template <class T>
void LineFft<T>::choose_narrow(std::int64_t n, Choice& best) {
  const std::int64_t widest = kernels<T>().lanes;
  for (const Isa* set : isas()) {
    const Kernels<T>* const narrow = &kernels<T>(*set);
    const std::int64_t V = narrow->lanes;
    if (V == widest || n >= widest * widest) continue;
    const auto ends = static_cast<double>((2 + V) * n);
    const double alone = kLineCycles + LaneFft<T>::cost(n) + 2 * ends;
    if (alone < best.cycles) best = {Method::one_lane, alone, n, narrow};
    if (n % V != 0 || n < V * V) continue;
    const std::int64_t n1 = n / V;
    const double cycles = cross_cycles(n1, *narrow);
    if (cycles < best.cycles) best = {Method::cross, cycles, n1, narrow};
  }
}

template <class T>
double LineFft<T>::cost(std::int64_t n) {
  return choose(n).cycles;
}

template <class T>
LineFft<T>::LineFft(std::int64_t n) : LineFft(n, choose(n)) {}

template <class T>
LineFft<T>::LineFft(std::int64_t n, const Choice& choice)
    : kernels_(*choice.kernels),
      n_(n),
      method_(choice.method),
      n1_(choice.part),
      n2_(n / choice.part) {
  switch (method_) {
    case Method::one_lane: lane1_ = LaneFft<T>::get(n, kernels_); break;
    case Method::cross: build_cross(); break;
    case Method::four_step: build_four_step(); break;
    case Method::bluestein:
      chirp_ = Chirp<T>::get(n, choice.part);
      inner_ = get(choice.part);
      break;
  }
}

template <class T>
void LineFft<T>::build_cross() {
  const std::int64_t V = kernels_.lanes;
  tiny_ = tiny_kernel(n1_, kernels_);
  lane1_ = LaneFft<T>::get(n1_, kernels_);
  twiddles_ = Table<T>(n1_ * 2 * V);
  const Roots roots(n_);
  for (std::int64_t k = 0; k < n1_; ++k) {
    for (std::int64_t lane = 0; lane < V; ++lane) {
      roots.put(k * item_of<T>(lane, V), twiddles_.data() + k * 2 * V + lane, V);
    }
  }
}

/// Twiddles w_n^(j2·k1) for V columns j2 as a product of two short tables: √n1 instead of n1
/// entries per column, at one more rounding.
template <class T>
void LineFft<T>::build_four_step() {
  const std::int64_t V = kernels_.lanes;
  lane1_ = LaneFft<T>::get(n1_);
  lane2_ = LaneFft<T>::get(n2_);
  while ((std::int64_t{1} << (2 * shift_)) < n1_) ++shift_;
  const std::int64_t fine = std::int64_t{1} << shift_;
  coarse_ = (n1_ + fine - 1) >> shift_;
  twiddles_ = Table<T>(blocks(n2_) * (coarse_ + fine) * 2 * V);
  const Roots roots(n_);
  T* at = twiddles_.data();
  for (std::int64_t block = 0; block < blocks(n2_); ++block) {
    for (std::int64_t i = 0; i < coarse_ + fine; ++i, at += 2 * V) {
      const std::int64_t k1 = i < coarse_ ? i << shift_ : i - coarse_;
      for (std::int64_t lane = 0; lane < V; ++lane) {
        const std::int64_t j2 = std::min(block * V + item_of<T>(lane, V), n2_ - 1);
        roots.put(k1 * j2 % n_, at + lane, V);
      }
    }
  }
}

/// Reals of one block of rows between the steps; the odd padding keeps blocks off each other's
/// cache sets when n2 is a power of two.
template <class T>
std::int64_t LineFft<T>::turned_block() const {
  return (n2_ + 5) * 2 * kernels_.lanes;
}

template <class T>
std::int64_t LineFft<T>::scratch(int threads) const {
  switch (method_) {
    case Method::one_lane:
    case Method::cross: return lane1_->scratch();
    case Method::four_step:
      return blocks(n1_) * turned_block() +
             threads * std::max(lane1_->scratch(), lane2_->scratch());
    case Method::bluestein: return 4 * chirp_->m + inner_->scratch(threads);
  }
  return 0;
}

template <class T>
void LineFft<T>::run(const LineArgs<T>& line, T* scratch, int threads) const {
  switch (method_) {
    case Method::one_lane: return run_one_lane(line, scratch);
    case Method::cross: {
      if (tiny_ != nullptr) {
        return tiny_({line.in, line.out, twiddles_.data(), 0, 0, 1, line.sign, line.re_scale,
                      line.im_scale});
      }
      const T* const lanes =
          lane1_->run({line.in, 2 * kernels_.lanes, nullptr, line.sign}, scratch);
      return kernels_.cross({lanes, line.out, twiddles_.data(), n1_, line.re_scale, line.im_scale});
    }
    case Method::four_step: return run_four_step(line, scratch, threads);
    case Method::bluestein: return run_bluestein(line, scratch, threads);
  }
}

template <class T>
void LineFft<T>::run_lines(LineArgs<T> line, std::int64_t in_step, std::int64_t out_step,
                           std::int64_t count, T* scratch) const {
  if (tiny_ != nullptr) {
    return tiny_({line.in, line.out, twiddles_.data(), in_step, out_step, count, line.sign,
                  line.re_scale, line.im_scale});
  }
  for (std::int64_t i = 0; i < count; ++i, line.in += in_step, line.out += out_step) {
    run(line, scratch, 1);
  }
}

template <class T>
void LineFft<T>::run_one_lane(const LineArgs<T>& line, T* scratch) const {
  static constexpr std::int64_t kSame[kMaxLanes] = {};
  lane1_->run({line.in, 2, kSame, line.sign}, {line.out, 2, kSame, 1, line.re_scale, line.im_scale},
              scratch);
}

template <class T>
void LineFft<T>::run_four_step(const LineArgs<T>& line, T* scratch, int threads) const {
  T* const turned = scratch;
  T* const rest = scratch + blocks(n1_) * turned_block();
  const std::int64_t each = std::max(lane1_->scratch(), lane2_->scratch());
  if (threads == 1) {
    for (std::int64_t block = 0; block < blocks(n2_); ++block) {
      run_columns(line, block, turned, rest);
    }
    for (std::int64_t block = 0; block < blocks(n1_); ++block) run_rows(line, block, turned, rest);
    return;
  }
  parallel_for(blocks(n2_), 1, threads, [&](std::int64_t begin, std::int64_t end, int worker) {
    for (auto block = begin; block < end; ++block) {
      run_columns(line, block, turned, rest + worker * each);
    }
  });
  parallel_for(blocks(n1_), 1, threads, [&](std::int64_t begin, std::int64_t end, int worker) {
    for (auto block = begin; block < end; ++block) {
      run_rows(line, block, turned, rest + worker * each);
    }
  });
}

/// V transforms of length n1 over x[j2], x[j2 + n2], …, twiddled and turned.
template <class T>
void LineFft<T>::run_columns(const LineArgs<T>& line, std::int64_t block, T* turned,
                             T* scratch) const {
  const std::int64_t V = kernels_.lanes;
  const std::int64_t first = block * V;
  const int count = static_cast<int>(std::min(V, n2_ - first));
  std::int64_t offsets[kMaxLanes];
  for (std::int64_t i = 0; i < V; ++i) offsets[i] = 2 * std::min<std::int64_t>(i, count - 1);
  const T* const lanes = lane1_->run(
      {line.in + 2 * first, 2 * n2_, count == V ? nullptr : offsets, line.sign}, scratch);
  const std::int64_t fine = std::int64_t{1} << shift_;
  const T* const twiddles = twiddles_.data() + block * (coarse_ + fine) * 2 * V;
  kernels_.turn({.in = lanes,
                 .out = turned,
                 .coarse = twiddles,
                 .fine = twiddles + coarse_ * 2 * V,
                 .shift = shift_,
                 .n1 = n1_,
                 .first = first,
                 .block_stride = turned_block(),
                 .count = count});
}

/// V transforms of length n2; X[k1 + n1·k2] for V adjacent k1.
template <class T>
void LineFft<T>::run_rows(const LineArgs<T>& line, std::int64_t block, const T* turned,
                          T* scratch) const {
  const std::int64_t V = kernels_.lanes;
  const std::int64_t first = block * V;
  const int count = static_cast<int>(std::min(V, n1_ - first));
  std::int64_t offsets[kMaxLanes];
  for (std::int64_t i = 0; i < V; ++i) offsets[i] = 2 * std::min<std::int64_t>(i, count - 1);
  lane2_->run_split(turned + block * turned_block(),
                    {line.out + 2 * first, 2 * n1_, count == V ? nullptr : offsets, count,
                     line.re_scale, line.im_scale},
                    scratch);
}

template <class T>
void LineFft<T>::run_bluestein(const LineArgs<T>& line, T* scratch, int threads) const {
  const std::int64_t m = chirp_->m;
  T* const product = scratch;
  T* const spectrum = scratch + 2 * m;
  T* const rest = scratch + 4 * m;
  // a_j = x_j b_j
  kernels_.line_multiply({line.in, product, chirp_->chirp.data(), n_, m, line.sign, 1, 1});
  inner_->run({product, spectrum}, rest, threads);
  // conj(A_k H_k)
  kernels_.line_multiply({spectrum, product, chirp_->spectrum.data(), m, m, 1, 1, -1});
  inner_->run({product, spectrum}, rest, threads);
  // X_k = b_k conj(·)
  kernels_.line_multiply(
      {spectrum, line.out, chirp_->chirp.data(), n_, n_, -1, line.re_scale, line.im_scale});
}

template <class T>
std::string LineFft<T>::describe() const {
  switch (method_) {
    case Method::one_lane: return lane1_->describe();
    case Method::cross: return text(lane1_->describe(), "×", kernels_.lanes, " across lanes");
    case Method::four_step:
      return text("(", lane1_->describe(), ")×(", lane2_->describe(), ") in four steps");
    case Method::bluestein: return text("Bluestein over ", chirp_->m, " = ", inner_->describe());
  }
  return {};
}

template class LineFft<float>;
template class LineFft<double>;

}  // namespace mw::kernels::fft
