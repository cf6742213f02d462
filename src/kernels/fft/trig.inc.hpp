// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The ends of cosine and sine transforms (formulas in trig.hpp), written once for V lines in lanes
// and for one line: N is a vector or a scalar, `x` the user's line, and p, q are rows of our own.
// Each works on the steps begin ≤ j < end of its loop; the odd element out belongs to step 0.
//
// Included by kernels.inc.hpp inside its namespace.

/// (re + i·im)·scale·w, w the twiddle of step k.
template <class N>
struct Rotated {
  N re, im;
};
template <class T, class N>
MW_INLINE Rotated<N> rotated(const TrigArgs<T>& a, std::int64_t k, T scale, N re, N im) {
  const T c = scale * a.twiddle[2 * k];
  const T s = scale * a.twiddle[2 * k + 1];
  return {re * c - im * s, re * s + im * c};
}

/// The complex element k of our rows, so rotated.
template <class Side, class T>
MW_INLINE auto rotated_row(const TrigArgs<T>& a, std::int64_t k) {
  const T* const at = a.own + k * 2 * Side::kWidth;
  return rotated(a, k, a.scale, Side::load(at), Side::load(at + Side::kWidth));
}

/// And writing it.
template <class Side, class T, class N>
MW_INLINE void store_row(const TrigArgs<T>& a, std::int64_t k, N re, N im) {
  T* const at = a.own + k * 2 * Side::kWidth;
  Side::store(at, re);
  Side::store(at + Side::kWidth, im);
}

/// The user's V lines.
template <class T>
struct LaneSide {
  using Number = Vec<T>;
  static constexpr std::int64_t kWidth = kLanes<T>;
  const T* in;
  T* out;
  const std::int64_t* offsets;
  std::int64_t stride;
  int count;
  MW_INLINE Number get(std::int64_t i) const {
    return load_reals<T>(in + i * stride, offsets, Lanes<T>{});
  }
  MW_INLINE void put(std::int64_t i, Number x) const {
    store_reals<T>(out + i * stride, offsets, count, x);
  }
  MW_INLINE static Number load(const T* p) { return MW_FFT_ISA::load(p); }
  MW_INLINE static Number load_put(const T* p) {  // what put() left
    return to_lane_order<T>(MW_FFT_ISA::load(p), Lanes<T>{});
  }
  MW_INLINE static void store(T* p, Number x) { MW_FFT_ISA::store<T>(p, x); }
};

/// The user's one line; Step is the stride if it is 1 or −1, else 0.
template <class T, int Step>
struct LineSide {
  using Number = T;
  static constexpr std::int64_t kWidth = 1;
  const T* in;
  T* out;
  std::int64_t stride;
  MW_INLINE T get(std::int64_t i) const { return in[Step == 0 ? i * stride : i * Step]; }
  MW_INLINE void put(std::int64_t i, T x) const { out[Step == 0 ? i * stride : i * Step] = x; }
  MW_INLINE static T load(const T* p) { return *p; }
  MW_INLINE static T load_put(const T* p) { return *p; }
  MW_INLINE static void store(T* p, T x) { *p = x; }
};

/// v[j] = x[2j], v[n−1−j] = flip·x[2j+1].
struct Fold {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    const std::int64_t last = (a.n - 1) * a.pitch;
    for (std::int64_t j = a.begin; j < a.end; ++j) {
      Side::store(a.own + j * a.pitch, x.get(2 * j));
      Side::store(a.own + last - j * a.pitch, a.flip * x.get(2 * j + 1));
    }
    if (a.begin == 0 && a.n % 2 != 0) Side::store(a.own + a.n / 2 * a.pitch, x.get(a.n - 1));
    if (a.pitch == Side::kWidth) return;
    for (std::int64_t j = a.begin == 0 ? 0 : a.n; j < a.n;
         ++j) {  // complex rows: no imaginary part
      Side::store(a.own + j * a.pitch + Side::kWidth, typename Side::Number{});
    }
  }
};

/// y[2j] = v[j], y[2j+1] = flip·v[n−1−j]; in lanes the odd rows of an even number come negated.
struct Spread {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    const bool negated = Side::kWidth > 1 && a.n % 2 == 0;
    const std::int64_t last = (a.n - 1) * a.pitch;
    const T flipped = a.scale * a.flip;
    for (std::int64_t j = a.begin; j < a.end; ++j) {
      const bool odd = negated && j % 2 != 0;
      const bool back_odd = negated && j % 2 == 0;  // n − 1 − j
      x.put(2 * j, (odd ? -a.scale : a.scale) * Side::load(a.own + j * a.pitch));
      x.put(2 * j + 1, (back_odd ? -flipped : flipped) * Side::load(a.own + last - j * a.pitch));
    }
    if (a.begin == 0 && a.n % 2 != 0) {
      x.put(a.n - 1, a.scale * Side::load(a.own + a.n / 2 * a.pitch));
    }
  }
};

/// With z = V[k]·w_k: y[k] = Re z, y[n−k] = −Im z.
struct RotateOut {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    for (std::int64_t k = a.begin + 1; k <= a.end; ++k) {
      const auto z = rotated_row<Side>(a, k);
      x.put(a.n - k, -z.im);
      x.put(k, z.re);  // after n − k: for k = n/2 both are one
    }
    if (a.begin == 0) x.put(0, a.scale * Side::load(a.own));
  }
};

/// V[k] = (x[k] − i·x[n−k])·conj(w_k), or its conjugate if flip is −1.
struct RotateIn {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    for (std::int64_t k = a.begin + 1; k <= a.end; ++k) {
      const auto z = rotated(a, k, T{1}, x.get(k), x.get(a.n - k));
      store_row<Side>(a, k, z.re, (-a.flip) * z.im);
    }
    if (a.begin == 0) store_row<Side>(a, 0, x.get(0), typename Side::Number{});
  }
};

/// z[j] = (x[2j] + i·x[n−1−2j])·w_j, 2j < n even.
struct PairIn {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    for (std::int64_t j = a.begin; j < a.end; ++j) {
      const auto z = rotated(a, j, T{1}, x.get(2 * j), x.get(a.n - 1 - 2 * j));
      store_row<Side>(a, j, z.re, z.im);
    }
  }
};

/// With z = Z[k]·w_k: y[2k] = Re z, y[n−1−2k] = −flip·Im z.
struct PairOut {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    for (std::int64_t k = a.begin; k < a.end; ++k) {
      const auto z = rotated_row<Side>(a, k);
      x.put(2 * k, z.re);
      x.put(a.n - 1 - 2 * k, (-a.flip) * z.im);
    }
  }
};

/// v[j] = weight_j · x[index_j].
struct PickIn {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    for (std::int64_t j = a.begin; j < a.end; ++j) {
      Side::store(a.own + j * a.pitch, a.twiddle[j] * x.get(a.index[j]));
      if (a.pitch != Side::kWidth) {
        Side::store(a.own + j * a.pitch + Side::kWidth, typename Side::Number{});
      }
    }
  }
};

/// y[k] = a_k · Re F[index_k] + b_k · Im F[index_k].
struct PickOut {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    constexpr std::int64_t kElement = 2 * Side::kWidth;
    for (std::int64_t k = a.begin; k < a.end; ++k) {
      const T* const at = a.own + a.index[k] * kElement;
      x.put(k, (a.scale * a.twiddle[2 * k]) * Side::load(at) +
                   (a.scale * a.twiddle[2 * k + 1]) * Side::load(at + Side::kWidth));
    }
  }
};

/// y[k] = E[k] + O[k], y[n−1−k] = flip·(E[k] − O[k]); the one in the middle is E's, or O's for −1.
struct Merge {
  template <class T, class Side>
  MW_INLINE static void run(const TrigArgs<T>& a, Side x) {
    using N = typename Side::Number;
    for (std::int64_t k = a.begin; k < a.end; ++k) {
      const N e = a.scale * Side::load_put(a.own + k * Side::kWidth);
      const N o = a.scale * Side::load_put(a.other + k * Side::kWidth);
      x.put(k, e + o);
      x.put(a.n - 1 - k, a.flip * (e - o));
    }
    const std::int64_t middle = a.n / 2 * Side::kWidth;
    if (a.begin == 0) {
      x.put(a.n / 2, a.scale * Side::load_put((a.flip > 0 ? a.own : a.other) + middle));
    }
  }
};

struct LaneEnds {
  template <class T, class End>
  static void run(const TrigArgs<T>& a) {
    End::run(a, LaneSide<T>{a.in, a.out, a.offsets, a.stride, a.count});
  }
};

struct LineEnds {
  template <class T, class End>
  static void run(const TrigArgs<T>& a) {
    if (a.stride == 1) return End::run(a, LineSide<T, 1>{a.in, a.out, 1});
    if (a.stride == -1) return End::run(a, LineSide<T, -1>{a.in, a.out, -1});
    End::run(a, LineSide<T, 0>{a.in, a.out, a.stride});
  }
};

template <class T, class Ends>
constexpr TrigKernels<T> trig_kernels() {
  return {
      .fold = Ends::template run<T, Fold>,
      .spread = Ends::template run<T, Spread>,
      .rotate_in = Ends::template run<T, RotateIn>,
      .rotate_out = Ends::template run<T, RotateOut>,
      .pair_in = Ends::template run<T, PairIn>,
      .pair_out = Ends::template run<T, PairOut>,
      .pick_in = Ends::template run<T, PickIn>,
      .pick_out = Ends::template run<T, PickOut>,
      .merge = Ends::template run<T, Merge>,
  };
}
