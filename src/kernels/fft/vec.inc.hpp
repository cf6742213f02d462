// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Vectors of V lanes, complex vectors, and the order of lanes.
//
// (re, im) pairs are split and joined by shuffles that stay within 16-byte sublanes, because
// crossing them costs twice on AVX. So lane ℓ of a loaded vector does not hold item ℓ but
// item_of(ℓ):
//
//   AVX2 double: r0 i0 r1 i1 | r2 i2 r3 i3  →  r0 r2 | r1 r3,  i0 i2 | i1 i3
//
// Loads, stores and transpositions agree on this order, and nothing else looks at it.
//
// Included by kernels.inc.hpp inside its namespace.

template <class T>
struct Simd;
template <>
struct Simd<float> {
  typedef float Vec __attribute__((vector_size(MW_FFT_BYTES)));
};
template <>
struct Simd<double> {
  typedef double Vec __attribute__((vector_size(MW_FFT_BYTES)));
};

template <class T>
using Vec = typename Simd<T>::Vec;
template <class T>
constexpr int kLanes = MW_FFT_BYTES / static_cast<int>(sizeof(T));
template <class T>
using Lanes = std::make_integer_sequence<int, kLanes<T>>;

template <class T>
struct Cx {
  Vec<T> re, im;
};

/// Items per 16-byte sublane.
template <class T>
constexpr int kSub = 16 / static_cast<int>(sizeof(T));

template <class T>
constexpr int item_of(int lane) {
  const int half = kSub<T> / 2;
  const int group = lane / kSub<T>;
  const int e = lane % kSub<T>;
  return e < half ? group * half + e : kLanes<T> / 2 + group * half + e - half;
}

template <class T>
constexpr int lane_of(int item) {
  int lane = 0;
  while (item_of<T>(lane) != item) ++lane;
  return lane;
}

template <class T>
MW_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
MW_INLINE void store(T* p, Vec<T> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

template <class T, int... I>
MW_INLINE Vec<T> fill(T x, std::integer_sequence<int, I...>) {
  return Vec<T>{(static_cast<void>(I), x)...};
}

/// x in every lane.
template <class T>
MW_INLINE Vec<T> broadcast(T x) {
  return fill<T>(x, Lanes<T>{});
}

template <class T>
MW_INLINE Cx<T> operator+(Cx<T> a, Cx<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
MW_INLINE Cx<T> operator-(Cx<T> a, Cx<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
MW_INLINE Cx<T> operator*(Cx<T> a, Cx<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// −i·a
template <class T>
MW_INLINE Cx<T> minus_i(Cx<T> a) {
  return {a.im, -a.re};
}

/// One element of the split layout.
template <class T>
MW_INLINE Cx<T> load_split(const T* p) {
  return {load(p), load(p + kLanes<T>)};
}
template <class T>
MW_INLINE void store_split(T* p, Cx<T> x) {
  store(p, x.re);
  store(p + kLanes<T>, x.im);
}
/// One complex number in every lane.
template <class T>
MW_INLINE Cx<T> broadcast_pair(const T* p) {
  return {broadcast(p[0]), broadcast(p[1])};
}

template <class T>
constexpr int part_index(int lane, int part) {  // of re (0) or im (1) in two interleaved vectors
  const int half = kSub<T> / 2;
  const int group = lane / kSub<T>;
  const int e = lane % kSub<T>;
  return e < half ? group * kSub<T> + 2 * e + part
                  : kLanes<T> + group * kSub<T> + 2 * (e - half) + part;
}
template <class T>
constexpr int join_index(int place,
                         int upper) {  // in (re, im) of the reals of one interleaved vector
  const int group = place / kSub<T>;
  const int e = place % kSub<T>;
  return group * kSub<T> + e / 2 + upper * (kSub<T> / 2) + (e % 2) * kLanes<T>;
}

template <class T, int... I>
MW_INLINE Cx<T> split(Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
  return {__builtin_shufflevector(a, b, part_index<T>(I, 0)...),
          __builtin_shufflevector(a, b, part_index<T>(I, 1)...)};
}
template <class T, int... I>
MW_INLINE Vec<T> join(Cx<T> x, std::integer_sequence<int, I...>, std::integral_constant<int, 0>) {
  return __builtin_shufflevector(x.re, x.im, join_index<T>(I, 0)...);
}
template <class T, int... I>
MW_INLINE Vec<T> join(Cx<T> x, std::integer_sequence<int, I...>, std::integral_constant<int, 1>) {
  return __builtin_shufflevector(x.re, x.im, join_index<T>(I, 1)...);
}

/// V adjacent complex numbers.
template <class T>
MW_INLINE Cx<T> load_interleaved(const T* p) {
  return split<T>(load(p), load(p + kLanes<T>), Lanes<T>{});
}
template <class T>
MW_INLINE void store_interleaved(T* p, Cx<T> x) {
  store<T>(p, join<T>(x, Lanes<T>{}, std::integral_constant<int, 0>{}));
  store<T>(p + kLanes<T>, join<T>(x, Lanes<T>{}, std::integral_constant<int, 1>{}));
}

template <class T, int... I>
MW_INLINE Vec<T> to_lane_order(Vec<T> v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, item_of<T>(I)...);
}
template <class T, int... I>
MW_INLINE Vec<T> to_item_order(Vec<T> v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, lane_of<T>(I)...);
}
template <class T, int... I>
MW_INLINE Vec<T> reverse(Vec<T> v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (kLanes<T> - 1 - I)...);
}

// --- transposition of V vectors: within sublanes by unpacking, then of the sublanes
// ---------------

template <class T>
constexpr int unpack_index(int place, int high) {
  const int group = place / kSub<T>;
  const int e = place % kSub<T>;
  return group * kSub<T> + e / 2 + high * (kSub<T> / 2) + (e % 2) * kLanes<T>;
}
template <class T, int High, int... I>
MW_INLINE Vec<T> unpack(Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, unpack_index<T>(I, High)...);
}
/// Exchanges sublane bit `Step`: the result has, for each pair of sublanes g, g + Step, the lower
/// (or upper) ones of a and of b.
template <class T>
constexpr int exchange_index(int place, int step, int upper) {
  const int group = place / kSub<T>;
  const int e = place % kSub<T>;
  const int low = group & ~step;
  const bool from_b = (group & step) != 0;
  return (low + (upper ? step : 0)) * kSub<T> + e + (from_b ? kLanes<T> : 0);
}
template <class T, int Step, int Upper, int... I>
MW_INLINE Vec<T> exchange(Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, exchange_index<T>(I, Step, Upper)...);
}

template <class T>
MW_INLINE void transpose_sublanes(Vec<T>* r) {  // kSub × kSub tiles of kSub rows
  using L = Lanes<T>;
  if constexpr (kSub<T> == 2) {
    const Vec<T> a = unpack<T, 0>(r[0], r[1], L{});
    r[1] = unpack<T, 1>(r[0], r[1], L{});
    r[0] = a;
  } else {
    const Vec<T> t0 = unpack<T, 0>(r[0], r[2], L{});
    const Vec<T> t1 = unpack<T, 1>(r[0], r[2], L{});
    const Vec<T> t2 = unpack<T, 0>(r[1], r[3], L{});
    const Vec<T> t3 = unpack<T, 1>(r[1], r[3], L{});
    r[0] = unpack<T, 0>(t0, t2, L{});
    r[1] = unpack<T, 1>(t0, t2, L{});
    r[2] = unpack<T, 0>(t1, t3, L{});
    r[3] = unpack<T, 1>(t1, t3, L{});
  }
}

template <class T, int Step>
MW_INLINE void exchange_rows(Vec<T>* r) {
  if constexpr (Step < kLanes<T> / kSub<T>) {
    constexpr int kRows = Step * kSub<T>;
    MW_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) {
      if ((i & kRows) == 0) {
        const Vec<T> low = exchange<T, Step, 0>(r[i], r[i + kRows], Lanes<T>{});
        r[i + kRows] = exchange<T, Step, 1>(r[i], r[i + kRows], Lanes<T>{});
        r[i] = low;
      }
    }
    exchange_rows<T, 2 * Step>(r);
  }
}

/// r[i] lane j ↔ r[j] lane i.
template <class T>
MW_INLINE void transpose(Vec<T>* r) {
  MW_UNROLL
  for (int i = 0; i < kLanes<T>; i += kSub<T>) transpose_sublanes<T>(r + i);
  exchange_rows<T, 1>(r);
}

/// Turns a tile: x[ℓ] is the row of item item_of(ℓ); afterwards x[i] is the column of item i, whose
/// lane ℓ is row item_of(ℓ).
template <class T>
MW_INLINE void turn_tile(Cx<T>* x) {
  Vec<T> re[unsigned{kLanes<T>}];
  Vec<T> im[unsigned{kLanes<T>}];
  MW_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) {
    re[i] = x[i].re;
    im[i] = x[i].im;
  }
  transpose<T>(re);
  transpose<T>(im);
  MW_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) x[item_of<T>(i)] = {re[i], im[i]};
}
