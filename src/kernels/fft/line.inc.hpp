// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Joining the lanes of one line: the step in which lanes stop being independent. Both kernels work
// on tiles of V × V complex numbers that are turned in registers.
//
// Included by kernels.inc.hpp inside its namespace.

template <class T>
void cross(const CrossArgs<T>& a) {
  constexpr int V = kLanes<T>;
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  for (std::int64_t k = 0; k < a.n1; k += V) {
    // The last tile reaches back over finished ones rather than past the end.
    const std::int64_t first = k + V <= a.n1 ? k : a.n1 - V;
    Cx<T> x[unsigned{V}];
    MW_UNROLL
    for (int i = 0; i < V; ++i) {
      const std::int64_t at = (first + item_of<T>(i)) * 2 * V;
      x[i] = load_split(a.in + at) * load_split(a.twiddle + at);
    }
    turn_tile<T>(x);
    butterfly<T, V>(x);
    MW_UNROLL
    for (int i = 0; i < V; ++i) {
      store_interleaved<T>(a.out + 2 * (first + i * a.n1),
                           {x[i].re * re_scale, x[i].im * im_scale});
    }
  }
}

template <class T, int R>
void tiny(const TinyArgs<T>& a) {
  constexpr int V = kLanes<T>;
  const Vec<T> sign = broadcast(a.sign);
  const Vec<T> re_scale = broadcast(a.re_scale);
  const Vec<T> im_scale = broadcast(a.im_scale);
  const T* in = a.in;
  T* out = a.out;
  for (std::int64_t line = 0; line < a.lines; ++line, in += a.in_step, out += a.out_step) {
    Cx<T> x[unsigned{R}];
    MW_UNROLL
    for (int j = 0; j < R; ++j) {
      x[j] = load_interleaved(in + 2 * V * j);
      x[j].im *= sign;
    }
    butterfly<T, R>(x);
    MW_UNROLL
    for (int tile = 0; tile < R; tile += V) {
      Cx<T> y[unsigned{V}];
      MW_UNROLL
      for (int i = 0; i < V; ++i) {
        const int k = tile + item_of<T>(i);
        y[i] = x[k] * load_split(a.twiddle + k * 2 * V);
      }
      turn_tile<T>(y);
      butterfly<T, V>(y);
      MW_UNROLL
      for (int i = 0; i < V; ++i) {
        store_interleaved<T>(out + 2 * (tile + i * R), {y[i].re * re_scale, y[i].im * im_scale});
      }
    }
  }
}

template <class T, int Tiles>
constexpr auto tiny_for() -> void (*)(const TinyArgs<T>&) {
  if constexpr (Tiles * kLanes<T> <= 8) {
    return tiny<T, Tiles * kLanes<T>>;
  } else {
    return nullptr;
  }
}

template <class T>
void turn(const TurnArgs<T>& a) {
  constexpr int V = kLanes<T>;
  const std::int64_t mask = (std::int64_t{1} << a.shift) - 1;
  T* block = a.out + a.first * 2 * V;
  for (std::int64_t k = 0; k < a.n1; k += V, block += a.block_stride) {
    Cx<T> x[unsigned{V}];
    MW_UNROLL
    for (int i = 0; i < V; ++i) {
      // Lanes beyond n1 repeat the last element; nobody reads them.
      const std::int64_t wanted = k + item_of<T>(i);
      const std::int64_t k1 = wanted < a.n1 ? wanted : a.n1 - 1;
      const Cx<T> w =
          load_split(a.coarse + (k1 >> a.shift) * 2 * V) * load_split(a.fine + (k1 & mask) * 2 * V);
      x[i] = load_split(a.in + k1 * 2 * V) * w;
    }
    turn_tile<T>(x);
    if (a.count == V) {
      MW_UNROLL
      for (int i = 0; i < V; ++i) store_split(block + i * 2 * V, x[i]);
    } else {
      for (int i = 0; i < a.count; ++i) store_split(block + i * 2 * V, x[i]);
    }
  }
}
