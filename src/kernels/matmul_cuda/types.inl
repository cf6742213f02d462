// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The dtypes of device code without any header: storage types, their arithmetic, accesses as wide
// as memory allows. As text. Products are fused into sums where the text says so only.
R"cuda(
#ifndef MW_STORE
#define MW_STORE "st.global"
#endif
typedef long long Index;
typedef signed char I8;
typedef unsigned char U8;
typedef unsigned short U16;
typedef unsigned long long U64;
struct alignas(2) F16 { unsigned short bits; };
struct alignas(2) BF16 { unsigned short bits; };
struct alignas(8) C64 { float x, y; };
struct alignas(16) C128 { double x, y; };

template <class T>
__device__ __forceinline__ T widen(T x) { return x; }
__device__ __forceinline__ float widen(BF16 x) { return __uint_as_float((unsigned)x.bits << 16); }
__device__ __forceinline__ float widen(F16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}

template <class T>
__device__ __forceinline__ void narrow(T& to, T x) { to = x; }
__device__ __forceinline__ void narrow(F16& to, float x) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}
__device__ __forceinline__ void narrow(BF16& to, float x) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}
// Two at once, the first in the lower half.
__device__ __forceinline__ unsigned narrow_pair(F16, float low, float high) {
  unsigned y;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}
__device__ __forceinline__ unsigned narrow_pair(BF16, float low, float high) {
  unsigned y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

// x + a·b
__device__ __forceinline__ float mac(float x, float a, float b) { return __fmaf_rn(a, b, x); }
__device__ __forceinline__ double mac(double x, double a, double b) { return __fma_rn(a, b, x); }
template <class C>
__device__ __forceinline__ C complex_mac(C x, C a, C b) {
  return C{mac(mac(x.x, a.x, b.x), -a.y, b.y), mac(mac(x.y, a.x, b.y), a.y, b.x)};
}
__device__ __forceinline__ C64 mac(C64 x, C64 a, C64 b) { return complex_mac(x, a, b); }
__device__ __forceinline__ C128 mac(C128 x, C128 a, C128 b) { return complex_mac(x, a, b); }
__device__ __forceinline__ float mul(float a, float b) { return a * b; }
__device__ __forceinline__ double mul(double a, double b) { return a * b; }
__device__ __forceinline__ C64 mul(C64 a, C64 b) { return complex_mac(C64{0, 0}, a, b); }
__device__ __forceinline__ C128 mul(C128 a, C128 b) { return complex_mac(C128{0, 0}, a, b); }
__device__ __forceinline__ bool is_zero(float x) { return x == 0; }
__device__ __forceinline__ bool is_zero(double x) { return x == 0; }
__device__ __forceinline__ bool is_zero(C64 x) { return x.x == 0 && x.y == 0; }
__device__ __forceinline__ bool is_zero(C128 x) { return x.x == 0 && x.y == 0; }

template <int kBytes> struct Word;
template <> struct Word<1> { typedef unsigned char Type; };
template <> struct Word<2> { typedef unsigned short Type; };
template <> struct Word<4> { typedef unsigned int Type; };
template <> struct Word<8> { typedef uint2 Type; };
template <> struct Word<16> { typedef uint4 Type; };
template <class E, int kCount> struct alignas(sizeof(E) * kCount) Pack { E v[kCount]; };

// Wide accesses are spelled out: the compiler would split them into elements, and branch around
// those that are not wanted. What is not read is zero.
__device__ __forceinline__ void read(unsigned char& v, const void* at, bool wanted) {
  v = wanted ? *(const unsigned char*)at : 0;
}
__device__ __forceinline__ void read(unsigned short& v, const void* at, bool wanted) {
  asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u16 %0, 0; @p ld.global.u16 %0, [%1]; }"
      : "=h"(v) : "l"(at), "r"((unsigned)wanted));
}
__device__ __forceinline__ void read(unsigned& v, const void* at, bool wanted) {
  asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global.u32 %0, [%1]; }"
      : "=r"(v) : "l"(at), "r"((unsigned)wanted));
}
__device__ __forceinline__ void read(uint2& v, const void* at, bool wanted) {
  asm("{ .reg .pred p; setp.ne.u32 p, %3, 0; mov.u32 %0, 0; mov.u32 %1, 0; "
      "@p ld.global.v2.u32 {%0,%1}, [%2]; }"
      : "=r"(v.x), "=r"(v.y) : "l"(at), "r"((unsigned)wanted));
}
__device__ __forceinline__ void read(uint4& v, const void* at, bool wanted) {
  asm("{ .reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; "
      "mov.u32 %3, 0; @p ld.global.v4.u32 {%0,%1,%2,%3}, [%4]; }"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at), "r"((unsigned)wanted));
}
__device__ __forceinline__ void write(void* at, unsigned char v, bool wanted) {
  if (wanted) *(unsigned char*)at = v;
}
__device__ __forceinline__ void write(void* at, unsigned short v, bool wanted) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p " MW_STORE ".u16 [%0], %1; }"
               ::"l"(at), "h"(v), "r"((unsigned)wanted) : "memory");
}
__device__ __forceinline__ void write(void* at, unsigned v, bool wanted) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p " MW_STORE ".u32 [%0], %1; }"
               ::"l"(at), "r"(v), "r"((unsigned)wanted) : "memory");
}
__device__ __forceinline__ void write(void* at, uint2 v, bool wanted) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p " MW_STORE ".v2.u32 [%0], {%1,%2}; }"
               ::"l"(at), "r"(v.x), "r"(v.y), "r"((unsigned)wanted) : "memory");
}
__device__ __forceinline__ void write(void* at, uint4 v, bool wanted) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p " MW_STORE ".v4.u32 [%0], {%1,%2,%3,%4}; }"
               ::"l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"((unsigned)wanted)
               : "memory");
}

// kCount elements in accesses of kVec; elements from `valid` on (a multiple of kVec) are zero.
template <int kCount, int kVec, class E>
__device__ __forceinline__ void load(E* to, const E* from, int valid) {
#pragma unroll
  for (int j = 0; j < kCount; j += kVec) {
    union { typename Word<int(sizeof(E)) * kVec>::Type word; E v[kVec]; } u;
    read(u.word, from + j, j < valid);
#pragma unroll
    for (int i = 0; i < kVec; ++i) to[j + i] = u.v[i];
  }
}
template <int kCount, int kVec, class E>
__device__ __forceinline__ void store(E* to, const E* from, int valid) {
  typedef typename Word<int(sizeof(E)) * kVec>::Type W;
#pragma unroll
  for (int j = 0; j < kCount; j += kVec) {
    union { W word; E v[kVec]; } u;
#pragma unroll
    for (int i = 0; i < kVec; ++i) u.v[i] = from[j + i];
    write(to + j, u.word, j < valid);
  }
}

// Converted to what memory holds, and stored.
template <int kCount, int kVec, class E, class V> struct Put {
  static __device__ __forceinline__ void apply(E* to, const V* x, int valid) {
    E y[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) narrow(y[j], x[j]);
    store<kCount, kVec>(to, y, valid);
  }
};
template <int kCount, int kVec, class E> struct PutPairs {
  static __device__ __forceinline__ void apply(E* to, const float* x, int valid) {
    unsigned y[kCount / 2];
#pragma unroll
    for (int j = 0; j < kCount / 2; ++j) y[j] = narrow_pair(E(), x[2 * j], x[2 * j + 1]);
    store<kCount / 2, kVec / 2>((unsigned*)to, y, valid / 2);
  }
};
template <int kCount, class E> struct PutPairs<kCount, 1, E> {
  static __device__ __forceinline__ void apply(E* to, const float* x, int valid) {
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      if (j < valid) narrow(to[j], x[j]);
    }
  }
};
template <int kCount, int kVec>
struct Put<kCount, kVec, F16, float> : PutPairs<kCount, kVec, F16> {};
template <int kCount, int kVec>
struct Put<kCount, kVec, BF16, float> : PutPairs<kCount, kVec, BF16> {};
template <int kCount, int kVec, class E, class V>
__device__ __forceinline__ void put(E* to, const V* x, int valid) {
  Put<kCount, kVec, E, V>::apply(to, x, valid);
}

// Where a run of results lies: first what differs between threads, then what differs between the
// runs of a thread and is known to the compiler. Addresses are sums in this order, so that a thread
// keeps one and reaches the others by constants.
struct Place {
  int row;
  int down;
  int col;
  int right;
  __device__ __forceinline__ Index offset(Index ld) const {
    return (Index)row * ld + col + (down * ld + right);
  }
};
)cuda"
