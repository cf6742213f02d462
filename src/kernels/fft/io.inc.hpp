// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Moving V lines of any layout into and out of the split layout, and products with tables.
//
// A complex number is one unit of 8 or 16 bytes: V units from V addresses form the two interleaved
// vectors that an adjacent load would give, and the same shuffles follow.
//
// Included by kernels.inc.hpp inside its namespace.

typedef double Pair __attribute__((vector_size(16)));

template <class T>
MW_INLINE double unit_at(const T* p) {
  double unit;
  __builtin_memcpy(&unit, p, sizeof unit);
  return unit;
}
MW_INLINE Pair pair_at(const double* p) {
  Pair pair;
  __builtin_memcpy(&pair, p, sizeof pair);
  return pair;
}

template <int... I>
MW_INLINE Vec<float> units(const float* base, const std::int64_t* offsets,
                           std::integer_sequence<int, I...>) {
  const Vec<double> v = {unit_at(base + offsets[I])...};
  Vec<float> bits;
  __builtin_memcpy(&bits, &v, sizeof v);
  return bits;
}
template <int... I>
MW_INLINE Vec<double> units(const double* base, const std::int64_t* offsets,
                            std::integer_sequence<int, I...>) {
  const Pair pairs[] = {pair_at(base + offsets[I])...};
  Vec<double> v;
  MW_UNROLL
  for (int i = 0; i < static_cast<int>(sizeof...(I)); ++i) {
    v[2 * i] = pairs[i][0];
    v[2 * i + 1] = pairs[i][1];
  }
  return v;
}
#if MW_FFT_BYTES == 32
MW_INLINE Vec<double> units(const double* base, const std::int64_t* offsets,
                            std::integer_sequence<int, 0, 1>) {
  return __builtin_shufflevector(pair_at(base + offsets[0]), pair_at(base + offsets[1]), 0, 1, 2,
                                 3);
}
#endif

/// The complex numbers at base + offsets[i].
template <class T>
MW_INLINE Cx<T> load_units(const T* base, const std::int64_t* offsets) {
  using Half = std::make_integer_sequence<int, kLanes<T> / 2>;
  return split<T>(units(base, offsets, Half{}), units(base, offsets + kLanes<T> / 2, Half{}),
                  Lanes<T>{});
}

template <int... I>
MW_INLINE void put_units(float* base, const std::int64_t* offsets, Vec<float> v,
                         std::integer_sequence<int, I...>) {
  Vec<double> bits;
  __builtin_memcpy(&bits, &v, sizeof v);
  const double unit[] = {bits[I]...};
  (__builtin_memcpy(base + offsets[I], unit + I, sizeof(double)), ...);
}
template <int... I>
MW_INLINE void put_units(double* base, const std::int64_t* offsets, Vec<double> v,
                         std::integer_sequence<int, I...>) {
  const Pair pair[] = {__builtin_shufflevector(v, v, 2 * I, 2 * I + 1)...};
  (__builtin_memcpy(base + offsets[I], pair + I, sizeof(Pair)), ...);
}

/// The first `count` of V complex numbers to base + offsets[i].
template <class T>
MW_INLINE void store_units(T* base, const std::int64_t* offsets, int count, Cx<T> x) {
  if (count == kLanes<T>) {
    using Half = std::make_integer_sequence<int, kLanes<T> / 2>;
    put_units(base, offsets, join<T>(x, Lanes<T>{}, std::integral_constant<int, 0>{}), Half{});
    put_units(base, offsets + kLanes<T> / 2,
              join<T>(x, Lanes<T>{}, std::integral_constant<int, 1>{}), Half{});
    return;
  }
  T items[unsigned{2 * kLanes<T>}];
  store_interleaved<T>(items, x);
  for (int i = 0; i < count; ++i) {
    __builtin_memcpy(base + offsets[i], items + 2 * i, 2 * sizeof(T));
  }
}

template <class T>
void gather(const LaneIo<T>& a) {
  const Vec<T> sign = broadcast(a.sign);
  const T* in = a.in;
  T* out = a.out;
  if (a.offsets == nullptr) {
    for (std::int64_t j = 0; j < a.n; ++j, in += a.stride, out += 2 * kLanes<T>) {
      const Cx<T> x = load_interleaved(in);
      store_split<T>(out, {x.re, x.im * sign});
    }
    return;
  }
  std::int64_t offsets[unsigned{kLanes<T>}];
  for (int i = 0; i < kLanes<T>; ++i) offsets[i] = a.offsets[i];
  for (std::int64_t j = 0; j < a.n; ++j, in += a.stride, out += 2 * kLanes<T>) {
    const Cx<T> x = load_units(in, offsets);
    store_split<T>(out, {x.re, x.im * sign});
  }
}

template <class T>
void scatter(const LaneIo<T>& a) {
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  const T* in = a.in;
  T* out = a.out;
  if (a.offsets == nullptr) {
    for (std::int64_t j = 0; j < a.n; ++j, in += 2 * kLanes<T>, out += a.stride) {
      const Cx<T> x = load_split(in);
      store_interleaved<T>(out, {x.re * re_scale, x.im * im_scale});
    }
    return;
  }
  std::int64_t offsets[unsigned{kLanes<T>}];
  for (int i = 0; i < kLanes<T>; ++i) offsets[i] = a.offsets[i];
  for (std::int64_t j = 0; j < a.n; ++j, in += 2 * kLanes<T>, out += a.stride) {
    const Cx<T> x = load_split(in);
    store_units<T>(out, offsets, a.count, {x.re * re_scale, x.im * im_scale});
  }
}

// --- real lines ----------------------------------------------------------------------------------

template <class T, int... I>
MW_INLINE Vec<T> load_reals(const T* base, const std::int64_t* offsets,
                            std::integer_sequence<int, I...>) {
  if (offsets == nullptr) return to_lane_order<T>(load(base), Lanes<T>{});
  return Vec<T>{base[offsets[item_of<T>(I)]]...};
}

template <class T>
MW_INLINE void store_reals(T* base, const std::int64_t* offsets, int count, Vec<T> x) {
  const Vec<T> items = to_item_order<T>(x, Lanes<T>{});
  if (offsets == nullptr) return store(base, items);
  T item[unsigned{kLanes<T>}];
  store(item, items);
  for (int i = 0; i < count; ++i) base[offsets[i]] = item[i];
}

template <class T>
void gather_real(const LaneIo<T>& a) {
  const T* in = a.in;
  T* out = a.out;
  const bool paired = a.n % 2 == 0;
  const std::int64_t count = paired ? a.n / 2 : a.n;
  const std::int64_t step = paired ? 2 * a.stride : a.stride;
  for (std::int64_t j = 0; j < count; ++j, in += step, out += 2 * kLanes<T>) {
    Cx<T> x = {load_reals<T>(in, a.offsets, Lanes<T>{}), Vec<T>{}};
    if (paired) x.im = load_reals<T>(in + a.stride, a.offsets, Lanes<T>{});
    store_split(out, x);
  }
}

template <class T>
void scatter_real(const LaneIo<T>& a) {
  const T* in = a.in;
  T* out = a.out;
  const bool paired = a.n % 2 == 0;
  const std::int64_t count = paired ? a.n / 2 : a.n;
  const std::int64_t step = paired ? 2 * a.stride : a.stride;
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  for (std::int64_t j = 0; j < count; ++j, in += 2 * kLanes<T>, out += step) {
    const Cx<T> x = load_split(in);
    store_reals<T>(out, a.offsets, a.count, x.re * re_scale);
    if (paired) store_reals<T>(out + a.stride, a.offsets, a.count, x.im * im_scale);
  }
}

// --- products with a table (Bluestein)
// -------------------------------------------------------------

template <class T>
void lane_multiply(const MultiplyArgs<T>& a) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  const Vec<T> sign = broadcast(a.sign);
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  for (std::int64_t j = 0; j < a.n; ++j) {
    const Cx<T> x = load_split(a.in + j * kElement);
    const Cx<T> y = Cx<T>{x.re, x.im * sign} * broadcast_pair(a.table + 2 * j);
    store_split<T>(a.out + j * kElement, {y.re * re_scale, y.im * im_scale});
  }
  for (std::int64_t j = a.n; j < a.total; ++j) store_split(a.out + j * kElement, Cx<T>{});
}

template <class T>
void line_multiply(const MultiplyArgs<T>& a) {
  const Vec<T> sign = broadcast(a.sign);
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  std::int64_t j = 0;
  for (; j + kLanes<T> <= a.n; j += kLanes<T>) {
    const Cx<T> x = load_interleaved(a.in + 2 * j);
    const Cx<T> y = Cx<T>{x.re, x.im * sign} * load_interleaved(a.table + 2 * j);
    store_interleaved<T>(a.out + 2 * j, {y.re * re_scale, y.im * im_scale});
  }
  for (; j < a.n; ++j) {
    const T re = a.in[2 * j];
    const T im = a.in[2 * j + 1] * a.sign;
    const T c = a.table[2 * j];
    const T s = a.table[2 * j + 1];
    a.out[2 * j] = (re * c - im * s) * a.re_scale;
    a.out[2 * j + 1] = (re * s + im * c) * a.im_scale;
  }
  for (; j < a.total; ++j) a.out[2 * j] = a.out[2 * j + 1] = 0;
}
