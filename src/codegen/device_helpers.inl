// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What instructions of the IR mean where C++ means something else or nothing: ir_scalar.hpp on the
// device. As text.
R"cuda(
template <class T> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<float> { static constexpr bool value = true; };
template <> struct IsFloat<double> { static constexpr bool value = true; };
template <class T> struct Unsigned { typedef unsigned Type; };  // in which T wraps around
template <> struct Unsigned<long long> { typedef unsigned long long Type; };
template <> struct Unsigned<unsigned long long> { typedef unsigned long long Type; };

template <class T> __device__ __forceinline__ T ir_add(T a, T b) {
  if constexpr (IsFloat<T>::value) return a + b;
  else return (T)(typename Unsigned<T>::Type(a) + typename Unsigned<T>::Type(b));
}
template <class T> __device__ __forceinline__ T ir_sub(T a, T b) {
  if constexpr (IsFloat<T>::value) return a - b;
  else return (T)(typename Unsigned<T>::Type(a) - typename Unsigned<T>::Type(b));
}
template <class T> __device__ __forceinline__ T ir_mul(T a, T b) {
  if constexpr (IsFloat<T>::value) return a * b;
  else return (T)(typename Unsigned<T>::Type(a) * typename Unsigned<T>::Type(b));
}
template <class T> __device__ __forceinline__ T ir_neg(T a) {
  if constexpr (IsFloat<T>::value) return -a;
  else return (T)(typename Unsigned<T>::Type(0) - typename Unsigned<T>::Type(a));
}
template <class T> __device__ __forceinline__ T ir_div(T a, T b) {
  if constexpr (IsFloat<T>::value) return a / b;
  else return b == 0 ? T(0) : T(-1) < T(0) && b == T(-1) ? ir_neg(a) : T(a / b);
}
__device__ __forceinline__ float ir_rem(float a, float b) { return fmodf(a, b); }
__device__ __forceinline__ double ir_rem(double a, double b) { return fmod(a, b); }
template <class T> __device__ __forceinline__ T ir_rem(T a, T b) {
  return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b);
}
__device__ __forceinline__ float ir_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double ir_fma(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
template <class T> __device__ __forceinline__ T ir_min(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T> __device__ __forceinline__ T ir_max(T a, T b) {
  return a > b || a != a ? a : b;
}
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ float ir_min(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
__device__ __forceinline__ float ir_max(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
#endif
__device__ __forceinline__ float ir_abs(float a) { return fabsf(a); }
__device__ __forceinline__ double ir_abs(double a) { return fabs(a); }
template <class T> __device__ __forceinline__ T ir_abs(T a) {
  return T(-1) < T(0) && a < T(0) ? ir_neg(a) : a;
}
__device__ __forceinline__ float ir_sqrt(float a) { return sqrtf(a); }
__device__ __forceinline__ double ir_sqrt(double a) { return sqrt(a); }
__device__ __forceinline__ float ir_floor(float a) { return floorf(a); }
__device__ __forceinline__ double ir_floor(double a) { return floor(a); }
__device__ __forceinline__ float ir_ceil(float a) { return ceilf(a); }
__device__ __forceinline__ double ir_ceil(double a) { return ceil(a); }
__device__ __forceinline__ float ir_trunc(float a) { return truncf(a); }
__device__ __forceinline__ double ir_trunc(double a) { return trunc(a); }
__device__ __forceinline__ float ir_rint(float a) { return rintf(a); }
__device__ __forceinline__ double ir_rint(double a) { return rint(a); }
__device__ __forceinline__ bool ir_not(bool a) { return !a; }
template <class T> __device__ __forceinline__ T ir_not(T a) { return (T)~a; }
template <class T> __device__ __forceinline__ T ir_shl(T a, T count) {
  const unsigned long long n = (unsigned long long)(long long)count;
  return n >= 8 * sizeof(T) ? T(0) : (T)(typename Unsigned<T>::Type(a) << n);
}
template <class T> __device__ __forceinline__ T ir_shr(T a, T count) {
  const unsigned long long n = (unsigned long long)(long long)count;
  return n < 8 * sizeof(T) ? (T)(a >> n) : T(-1) < T(0) && a < T(0) ? T(-1) : T(0);
}
// Saturates; NaN becomes 0. The float bounds: the smallest value, and the first one too large.
template <class To, class From>
__device__ __forceinline__ To ir_saturated(From x, From low, From end, To least, To most) {
  return x != x ? To(0) : x <= low ? least : x >= end ? most : (To)x;
}
__device__ __forceinline__ float ir_narrow(F16, float x) {
  F16 y;
  narrow(y, x);
  return widen(y);
}
__device__ __forceinline__ float ir_narrow(BF16, float x) {
  BF16 y;
  narrow(y, x);
  return widen(y);
}
)cuda"
