// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Real transforms of even length n = 2m through a complex transform of length m.
//
// Forward: z[j] = x[2j] + i·x[2j+1], Z its transform, w = exp(−2πi/n). With e = Z[k] + conj Z[m−k],
// o = Z[k] − conj Z[m−k] and t = −i·w^k·o:    X[k] = (e + t)/2,   X[m−k] = conj(e − t)/2.
// Backward: e = X[k] + conj X[m−k], o = X[k] − conj X[m−k], t = i·conj(w^k)·o:
//   Z[k] = e + t,   Z[m−k] = conj(e − t),   and z is the unscaled inverse transform of Z.
// k and m−k are read before either is written, so `line_half_forward` may work in place.
//
// Included by kernels.inc.hpp inside its namespace.

/// The numbers of a pair; N is a scalar or a vector.
#define MW_FFT_HALF(N, forward, a, b, c, s)                     \
  const N e_re = (a).re + (b).re;                               \
  const N e_im = (a).im - (b).im;                               \
  const N o_re = (a).re - (b).re;                               \
  const N o_im = (a).im + (b).im;                               \
  const N r_re = (c)*o_re + ((forward) ? -(s)*o_im : (s)*o_im); \
  const N r_im = (c)*o_im + ((forward) ? (s)*o_re : -(s)*o_re); \
  const N t_re = (forward) ? r_im : -r_im;                      \
  const N t_im = (forward) ? -r_re : r_re;                      \
  (a) = {e_re + t_re, e_im + t_im};                             \
  (b) = {e_re - t_re, t_im - e_im}

template <class T>
struct Scalar {
  T re, im;
};

template <class T, bool Forward>
MW_INLINE void half_pair(Cx<T>& a, Cx<T>& b, Cx<T> w) {
  MW_FFT_HALF(Vec<T>, Forward, a, b, w.re, w.im);
}
template <class T, bool Forward>
MW_INLINE void half_pair(Scalar<T>& a, Scalar<T>& b, Scalar<T> w) {
  MW_FFT_HALF(T, Forward, a, b, w.re, w.im);
}
#undef MW_FFT_HALF

/// Split → split: m elements to m + 1.
template <class T>
void lane_half_forward(const HalfArgs<T>& a) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  const Cx<T> z = load_split(a.in);
  const Vec<T> two = broadcast(T{2});
  store_split<T>(a.out, {two * (z.re + z.im), Vec<T>{}});
  store_split<T>(a.out + a.m * kElement, {two * (z.re - z.im), Vec<T>{}});
  for (std::int64_t k = 1; 2 * k <= a.m; ++k) {
    Cx<T> x = load_split(a.in + k * kElement);
    Cx<T> y = load_split(a.in + (a.m - k) * kElement);
    half_pair<T, true>(x, y, broadcast_pair(a.twiddle + 2 * k));
    store_split(a.out + (a.m - k) * kElement, y);
    store_split(a.out + k * kElement, x);
  }
}

/// Split → split: m + 1 elements to the conjugates of m, ready for a forward transform.
template <class T>
void lane_half_backward(const HalfArgs<T>& a) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  const Vec<T> first = load(a.in);
  const Vec<T> last = load(a.in + a.m * kElement);
  for (std::int64_t k = 1; 2 * k <= a.m; ++k) {
    Cx<T> x = load_split(a.in + k * kElement);
    Cx<T> y = load_split(a.in + (a.m - k) * kElement);
    half_pair<T, false>(x, y, broadcast_pair(a.twiddle + 2 * k));
    store_split<T>(a.out + (a.m - k) * kElement, {y.re, -y.im});
    store_split<T>(a.out + k * kElement, {x.re, -x.im});
  }
  store_split<T>(a.out, {first + last, last - first});
}

template <class T>
void lane_mirror(T* data, std::int64_t n) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  store(data + kLanes<T>, Vec<T>{});
  for (std::int64_t k = 1; 2 * k < n; ++k) {
    const Cx<T> x = load_split(data + k * kElement);
    store_split<T>(data + (n - k) * kElement, {x.re, -x.im});
  }
}

/// Rows k … k+V−1 and m−k … m−k−V+1 while they do not meet, then pair by pair.
template <class T, bool Forward>
MW_INLINE void line_half(const HalfArgs<T>& a) {
  constexpr int V = kLanes<T>;
  const Vec<T> sign = broadcast(a.sign);
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  std::int64_t k = 1;
  for (; 2 * (k + V) <= a.m + 1; k += V) {
    const std::int64_t back = a.m - k - V + 1;
    Cx<T> x = load_interleaved(a.in + 2 * k);
    Cx<T> y = load_interleaved(a.in + 2 * back);
    y = {reverse<T>(y.re, Lanes<T>{}), reverse<T>(y.im, Lanes<T>{})};
    x.im *= sign;
    y.im *= sign;
    half_pair<T, Forward>(x, y, load_interleaved(a.twiddle + 2 * k));
    y = {reverse<T>(y.re, Lanes<T>{}), reverse<T>(y.im, Lanes<T>{})};
    store_interleaved<T>(a.out + 2 * k, {x.re * re_scale, x.im * im_scale});
    store_interleaved<T>(a.out + 2 * back, {y.re * re_scale, y.im * im_scale});
  }
  for (; 2 * k <= a.m; ++k) {
    const std::int64_t back = a.m - k;
    Scalar<T> x = {a.in[2 * k], a.in[2 * k + 1] * a.sign};
    Scalar<T> y = {a.in[2 * back], a.in[2 * back + 1] * a.sign};
    half_pair<T, Forward>(x, y, Scalar<T>{a.twiddle[2 * k], a.twiddle[2 * k + 1]});
    a.out[2 * back] = y.re * a.re_scale;
    a.out[2 * back + 1] = y.im * a.im_scale;
    a.out[2 * k] = x.re * a.re_scale;
    a.out[2 * k + 1] = x.im * a.im_scale;
  }
}

template <class T>
void line_half_forward(const HalfArgs<T>& a) {
  const T re = a.in[0];
  const T im = a.in[1];
  a.out[2 * a.m] = 2 * (re - im) * a.re_scale;
  a.out[2 * a.m + 1] = 0;
  line_half<T, true>(a);
  a.out[0] = 2 * (re + im) * a.re_scale;
  a.out[1] = 0;
}

template <class T>
void line_half_backward(const HalfArgs<T>& a) {
  const T first = a.in[0];
  const T last = a.in[2 * a.m];
  line_half<T, false>(a);
  a.out[0] = (first + last) * a.re_scale;
  a.out[1] = (first - last) * a.im_scale;
}
