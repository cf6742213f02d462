// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Butterflies: the transform of R complex vectors in registers, X_k = Σ_j x_j exp(−2πi·jk/R), in
// place.
//
// Odd primes: with a_j = x_j + x_(R−j) and b_j = x_j − x_(R−j), j ≤ h = (R−1)/2,
//   u_k = x_0 + Σ_j cos(2πjk/R) a_j,  v_k = Σ_j sin(2πjk/R) b_j,  X_k = u_k − i·v_k, X_(R−k) = u_k
//   + i·v_k,
// which is 4h² fused multiply-adds: for small R nothing with fewer multiplications is faster.
// Powers of two: 8 = 2·4 and 16 = 4·4, with the roots inside as constants. 16 joins the lanes of
// the widest vectors; as a pass it spills so much that two passes of 4 are as fast (measured on
// AVX2).
//
// Included by kernels.inc.hpp inside its namespace.

template <int P>
struct OddRoots;  // cos and sin of 2πj/P, j = 1 … (P−1)/2
template <>
struct OddRoots<3> {
  static constexpr long double kCos[] = {-0.5L};
  static constexpr long double kSin[] = {0.866025403784438646764L};
};
template <>
struct OddRoots<5> {
  static constexpr long double kCos[] = {0.309016994374947424102L, -0.809016994374947424102L};
  static constexpr long double kSin[] = {0.951056516295153572116L, 0.587785252292473129169L};
};
template <>
struct OddRoots<7> {
  static constexpr long double kCos[] = {0.623489801858733530525L, -0.222520933956314404289L,
                                         -0.900968867902419126236L};
  static constexpr long double kSin[] = {0.781831482468029808708L, 0.974927912181823607018L,
                                         0.433883739117558120476L};
};
template <>
struct OddRoots<11> {
  static constexpr long double kCos[] = {0.841253532831181168862L, 0.415415013001886425529L,
                                         -0.142314838273285140444L, -0.654860733945285064057L,
                                         -0.959492973614497389890L};
  static constexpr long double kSin[] = {0.540640817455597582108L, 0.909631995354518371412L,
                                         0.989821441880932732376L, 0.755749574354258283774L,
                                         0.281732556841429697711L};
};
template <>
struct OddRoots<13> {
  static constexpr long double kCos[] = {0.885456025653209895900L,  0.568064746731155802512L,
                                         0.120536680255323053349L,  -0.354604887042535625970L,
                                         -0.748510748171101098635L, -0.970941817426052027157L};
  static constexpr long double kSin[] = {0.464723172043768545656L, 0.822983865893656394580L,
                                         0.992708874098053992801L, 0.935016242685414823440L,
                                         0.663122658240795202377L, 0.239315664287557767149L};
};

/// cos(2πt/P) and sin(2πt/P) for 0 < t < P.
template <class T, int P>
constexpr T odd_cos(int t) {
  return static_cast<T>(OddRoots<P>::kCos[(2 * t < P ? t : P - t) - 1]);
}
template <class T, int P>
constexpr T odd_sin(int t) {
  return static_cast<T>(2 * t < P ? OddRoots<P>::kSin[t - 1] : -OddRoots<P>::kSin[P - t - 1]);
}

template <class T, int P>
MW_INLINE void odd_butterfly(Cx<T>* x) {
  constexpr int kHalf = (P - 1) / 2;
  Cx<T> a[unsigned{kHalf}];
  Cx<T> b[unsigned{kHalf}];
  const Cx<T> x0 = x[0];
  MW_UNROLL
  for (int j = 0; j < kHalf; ++j) {
    a[j] = x[j + 1] + x[P - 1 - j];
    b[j] = x[j + 1] - x[P - 1 - j];
    x[0] = x[0] + a[j];
  }
  MW_UNROLL
  for (int k = 1; k <= kHalf; ++k) {
    Cx<T> u = x0;
    Cx<T> v = {odd_sin<T, P>(k) * b[0].re, odd_sin<T, P>(k) * b[0].im};
    u.re += odd_cos<T, P>(k) * a[0].re;
    u.im += odd_cos<T, P>(k) * a[0].im;
    MW_UNROLL
    for (int j = 2; j <= kHalf; ++j) {
      const int t = j * k % P;
      u.re += odd_cos<T, P>(t) * a[j - 1].re;
      u.im += odd_cos<T, P>(t) * a[j - 1].im;
      v.re += odd_sin<T, P>(t) * b[j - 1].re;
      v.im += odd_sin<T, P>(t) * b[j - 1].im;
    }
    x[k] = {u.re + v.im, u.im - v.re};
    x[P - k] = {u.re - v.im, u.im + v.re};
  }
}

template <class T>
MW_INLINE void butterfly4(Cx<T>& x0, Cx<T>& x1, Cx<T>& x2, Cx<T>& x3) {
  const Cx<T> s0 = x0 + x2;
  const Cx<T> d0 = x0 - x2;
  const Cx<T> s1 = x1 + x3;
  const Cx<T> d1 = x1 - x3;
  x0 = s0 + s1;
  x1 = {d0.re + d1.im, d0.im - d1.re};
  x2 = s0 - s1;
  x3 = {d0.re - d1.im, d0.im + d1.re};
}

template <class T>
MW_INLINE void butterfly8(Cx<T>* x) {
  constexpr T kHalfRoot = static_cast<T>(0.707106781186547524401L);
  butterfly4(x[0], x[2], x[4], x[6]);  // E_0, E_1, E_2, E_3
  butterfly4(x[1], x[3], x[5], x[7]);  // O_0, O_1, O_2, O_3
  const Cx<T> e1 = x[2];
  const Cx<T> e2 = x[4];
  const Cx<T> e3 = x[6];
  const Cx<T> o0 = x[1];
  const Cx<T> o1 = {x[3].re + x[3].im, x[3].im - x[3].re};     // √2 w O_1
  const Cx<T> o2 = minus_i(x[5]);                              // w² O_2
  const Cx<T> o3 = {x[7].im - x[7].re, -(x[7].re + x[7].im)};  // √2 w³ O_3
  const Cx<T> e0 = x[0];
  x[0] = e0 + o0;
  x[4] = e0 - o0;
  x[1] = {e1.re + kHalfRoot * o1.re, e1.im + kHalfRoot * o1.im};
  x[5] = {e1.re - kHalfRoot * o1.re, e1.im - kHalfRoot * o1.im};
  x[2] = e2 + o2;
  x[6] = e2 - o2;
  x[3] = {e3.re + kHalfRoot * o3.re, e3.im + kHalfRoot * o3.im};
  x[7] = {e3.re - kHalfRoot * o3.re, e3.im - kHalfRoot * o3.im};
}

/// x · (c − i·s)
template <class T>
MW_INLINE Cx<T> rotate(Cx<T> x, T c, T s) {
  return {c * x.re + s * x.im, c * x.im - s * x.re};
}

template <class T>
MW_INLINE void butterfly16(Cx<T>* x) {
  constexpr T kCos1 = static_cast<T>(0.923879532511286756128L);  // cos(π/8)
  constexpr T kSin1 = static_cast<T>(0.382683432365089771728L);  // sin(π/8)
  constexpr T kHalfRoot = static_cast<T>(0.707106781186547524401L);
  MW_UNROLL
  for (int b = 0; b < 4; ++b) butterfly4(x[b], x[4 + b], x[8 + b], x[12 + b]);
  // Element (k1, b) is at 4·k1 + b and gets w^(b·k1).
  x[5] = rotate(x[5], kCos1, kSin1);
  x[6] = rotate(x[6], kHalfRoot, kHalfRoot);
  x[7] = rotate(x[7], kSin1, kCos1);
  x[9] = rotate(x[9], kHalfRoot, kHalfRoot);
  x[10] = minus_i(x[10]);
  x[11] = rotate(x[11], -kHalfRoot, kHalfRoot);
  x[13] = rotate(x[13], kSin1, kCos1);
  x[14] = rotate(x[14], -kHalfRoot, kHalfRoot);
  x[15] = rotate(x[15], -kCos1, -kSin1);
  MW_UNROLL
  for (int k1 = 0; k1 < 4; ++k1) {
    butterfly4(x[4 * k1], x[4 * k1 + 1], x[4 * k1 + 2], x[4 * k1 + 3]);
  }
  // X[k1 + 4·k2] is at 4·k1 + k2.
  MW_UNROLL
  for (int k1 = 0; k1 < 4; ++k1) {
    MW_UNROLL
    for (int k2 = k1 + 1; k2 < 4; ++k2) {
      const Cx<T> t = x[4 * k1 + k2];
      x[4 * k1 + k2] = x[4 * k2 + k1];
      x[4 * k2 + k1] = t;
    }
  }
}

template <class T, int R>
MW_INLINE void butterfly(Cx<T>* x) {
  if constexpr (R == 2) {
    const Cx<T> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  } else if constexpr (R == 4) {
    butterfly4(x[0], x[1], x[2], x[3]);
  } else if constexpr (R == 8) {
    butterfly8(x);
  } else if constexpr (R == 16) {
    butterfly16(x);
  } else {
    odd_butterfly<T, R>(x);
  }
}
