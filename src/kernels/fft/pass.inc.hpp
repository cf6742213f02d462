// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Stockham passes. A transform of length n = R·m·s keeps s finished sub-indices q fastest; a pass
// takes R from the unfinished length R·m:
//
//   y[q + s(Rp + k)] = w_(Rm)^(pk) Σ_j x[q + s(p + mj)] w_R^(jk),   0 ≤ p < m, 0 ≤ q < s
//
// s starts at 1 and m ends at 1, and the result is in order: no bit reversal. Each "number" is a
// vector of V independent transforms, so twiddles are scalars and every access is a whole vector.
// The first pass may read the user's interleaved numbers and the last may write them. Cost per
// pass: n loads and n stores of complex vectors.
//
// Included by kernels.inc.hpp inside its namespace.

enum class Form { split, interleaved };

template <class T, int R, Form From, Form To, bool Twiddle>
MW_INLINE void pass_rows(const PassArgs<T>& a, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  const std::int64_t in_step = From == Form::split ? kElement : a.in_stride;
  const std::int64_t out_step = To == Form::split ? kElement : a.out_stride;
  const std::int64_t in_leg = a.s * a.m * in_step;
  const std::int64_t out_leg = a.s * out_step;
  const Vec<T> sign = broadcast(a.sign);
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  for (std::int64_t p = begin; p < end; ++p) {
    const T* const w = a.twiddle + p * 2 * (R - 1);
    const T* in = a.in + p * a.s * in_step;
    T* out = a.out + p * R * a.s * out_step;
    for (std::int64_t q = 0; q < a.s; ++q, in += in_step, out += out_step) {
      Cx<T> x[unsigned{R}];
      MW_UNROLL
      for (int j = 0; j < R; ++j) {
        if constexpr (From == Form::split) {
          x[j] = load_split(in + j * in_leg);
        } else {
          x[j] = load_interleaved(in + j * in_leg);
          __builtin_prefetch(in + j * in_leg + a.ahead);
          x[j].im *= sign;
        }
      }
      butterfly<T, R>(x);
      MW_UNROLL
      for (int k = 0; k < R; ++k) {
        if (Twiddle && k > 0) x[k] = x[k] * broadcast_pair(w + 2 * (k - 1));
        if constexpr (To == Form::split) {
          store_split(out + k * out_leg, x[k]);
        } else {
          store_interleaved<T>(out + k * out_leg, {x[k].re * re_scale, x[k].im * im_scale});
          __builtin_prefetch(out + k * out_leg + a.ahead, 1);
        }
      }
    }
  }
}

template <class T, int R>
void pass_first(const PassArgs<T>& a) {
  pass_rows<T, R, Form::interleaved, Form::split, true>(a, 0, a.m);
}
template <class T, int R>
void pass_only(const PassArgs<T>& a) {
  pass_rows<T, R, Form::interleaved, Form::split, false>(a, 0, a.m);
}
template <class T, int R>
void pass_last(const PassArgs<T>& a) {
  pass_rows<T, R, Form::split, Form::split, false>(a, 0, 1);
}
template <class T, int R>
void pass_middle(const PassArgs<T>& a) {
  pass_last<T, R>(a);  // p = 0, where the twiddles are 1
  pass_rows<T, R, Form::split, Form::split, true>(a, 1, a.m);
}
template <class T, int R>
void pass_final(const PassArgs<T>& a) {
  pass_rows<T, R, Form::split, Form::interleaved, false>(a, 0, 1);
}

/// Any odd prime R, by the formulas of odd_butterfly with its cosines and sines in memory. The sums
/// a_j and differences b_j take the places of x_j and x_(R−j) in the scratch row. Cost: (R−1)²
/// fused multiply-adds per R outputs.
template <class T>
void pass_odd(const PassArgs<T>& a) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  constexpr int kMost = 128;
  const std::int64_t radix = a.radix;
  const std::int64_t half = (radix - 1) / 2;
  Cx<T> ab[kMost];
  for (std::int64_t p = 0; p < a.m; ++p) {
    const T* const w = a.twiddle + p * 2 * (radix - 1);
    for (std::int64_t q = 0; q < a.s; ++q) {
      const T* const in = a.in + (q + a.s * p) * kElement;
      T* const out = a.out + (q + a.s * radix * p) * kElement;
      const std::int64_t leg = a.s * a.m * kElement;
      const Cx<T> x0 = load_split(in);
      Cx<T> sum = x0;
      for (std::int64_t j = 1; j <= half; ++j) {
        const Cx<T> x = load_split(in + j * leg);
        const Cx<T> y = load_split(in + (radix - j) * leg);
        ab[2 * j] = x + y;
        ab[2 * j + 1] = x - y;
        sum = sum + ab[2 * j];
      }
      store_split(out, sum);
      for (std::int64_t k = 1; k <= half; ++k) {
        Cx<T> u = x0;
        Cx<T> v = {};
        std::int64_t t = 0;
        for (std::int64_t j = 1; j <= half; ++j) {
          t += k;
          if (t >= radix) t -= radix;
          const Vec<T> c = broadcast(a.roots[2 * t]);
          const Vec<T> s = broadcast(a.roots[2 * t + 1]);
          u.re += c * ab[2 * j].re;
          u.im += c * ab[2 * j].im;
          v.re += s * ab[2 * j + 1].re;
          v.im += s * ab[2 * j + 1].im;
        }
        const Cx<T> low = {u.re + v.im, u.im - v.re};
        const Cx<T> high = {u.re - v.im, u.im + v.re};
        store_split(out + k * a.s * kElement, low * broadcast_pair(w + 2 * (k - 1)));
        store_split(out + (radix - k) * a.s * kElement,
                    high * broadcast_pair(w + 2 * (radix - k - 1)));
      }
    }
  }
}
