// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Template `mma`: Tensor Cores fed straight from memory, without shared memory. As text.
//
// In the fragments of mma.sync the four lanes of a row hold k in turns. The order of the terms of a
// sum is free, so lane t takes the elements that one wide load gives it, and B's fragments are laid
// out to match; likewise the columns of B and D are dealt so that a lane's results lie together.
//
// Four lanes of 16 bytes are half a line. Where rows allow it, loads and stores are dealt otherwise
// and lanes exchange halves in pairs (MW_PAIR_A, MW_PAIR_C):
//   1: rows of whole lines; eight lanes take 128 bytes of a row; lanes g and g ^ 1 exchange
//   2: rows of 32 bytes; two lanes take a row; lanes t and t ^ 2 exchange
//
// A warp takes tiles of 16 rows, MW_TILES at once (loads in flight).
R"cuda(
constexpr int kGroup = MW_GROUP;  // elements of A that lie together in a lane
constexpr int kGroups = (kK + 4 * kGroup - 1) / (4 * kGroup);
constexpr int kMine = kGroups * kGroup;                  // elements of a row of A in a lane
constexpr int kPerStep = MW_MMA_K / 4;                   // of them in one mma
constexpr int kSteps = kMine / kPerStep;
constexpr int kRun = MW_RUN;                             // results of a row that lie together, ≥ 2
constexpr int kRuns = (kN + 4 * kRun - 1) / (4 * kRun);
constexpr int kTilesN = kRuns * kRun / 2;                // mma tiles of 8 columns
constexpr int kTiles = MW_TILES;

#if MW_MMA == 64
typedef double Frag;
constexpr int kFragsA = 2, kFragsB = 1;
__device__ __forceinline__ void mma(double* x, const double* a, const double* b) {
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
      "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
}
#else
typedef unsigned Frag;
constexpr int kFragsA = 4, kFragsB = 2;
__device__ __forceinline__ void mma(float* x, const unsigned* a, const unsigned* b) {
  asm("mma.sync.aligned." MW_MMA_TEXT " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

// Narrow elements stay in pairs as memory has them: a register each.
template <class E, int kBytes = sizeof(E)> struct RawOf {
  typedef E Type;
  static constexpr int kPer = 1;
  static __device__ __forceinline__ E element(const E* raw, int i) { return raw[i]; }
  template <int kCount, int kVec>
  static __device__ __forceinline__ void get(E* to, const E* from, int valid) {
    load<kCount, kVec>(to, from, valid);
  }
};
template <class E>
__device__ __forceinline__ unsigned pair(E low, E high) {
  return (unsigned)low.bits | (unsigned)high.bits << 16;
}
template <class E> struct RawOf<E, 2> {
  typedef unsigned Type;
  static constexpr int kPer = 2;
  static __device__ __forceinline__ E element(const unsigned* raw, int i) {
    return E{(unsigned short)(raw[i / 2] >> i % 2 * 16)};
  }
  template <int kCount, int kVec>
  static __device__ __forceinline__ void get(unsigned* to, const E* from, int valid) {
    if (kVec > 1) {
      load<kCount / 2, (kVec + 1) / 2>(to, (const unsigned*)from, valid / 2);
    } else {
#pragma unroll
      for (int j = 0; j < kCount / 2; ++j) {
        const E low = 2 * j < valid ? from[2 * j] : E();
        const E high = 2 * j + 1 < valid ? from[2 * j + 1] : E();
        to[j] = pair(low, high);
      }
    }
  }
};
typedef RawOf<Element> FormA;
typedef RawOf<ElementC> FormC;
typedef typename FormA::Type Raw;
typedef typename FormC::Type RawC;
constexpr int kPer = FormA::kPer;
constexpr int kPerC = FormC::kPer;
#if MW_MMA == 32
__device__ __forceinline__ unsigned tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}
#endif

// A fragment of A of two rows (g and g + 8), from a lane's elements of each.
__device__ __forceinline__ void fragment_a(Frag* f, const Raw* low, const Raw* high) {
#if MW_MMA == 16
  f[0] = low[0]; f[1] = high[0]; f[2] = low[1]; f[3] = high[1];
#elif MW_MMA == 32
  f[0] = tf32(low[0]); f[1] = tf32(high[0]); f[2] = tf32(low[1]); f[3] = tf32(high[1]);
#else
  f[0] = low[0]; f[1] = high[0];
#endif
}
__device__ __forceinline__ void fragment_b(Frag* f, const Element* column) {
#if MW_MMA == 16
  f[0] = pair(column[0], column[1]); f[1] = pair(column[2], column[3]);
#elif MW_MMA == 32
  f[0] = tf32(column[0]); f[1] = tf32(column[1]);
#else
  f[0] = column[0];
#endif
}

// Row in memory of row g + 8h of an mma tile; rows that lanes share are neighbours.
__device__ __forceinline__ int row_of(int g, int h) {
  return MW_PAIR_A == 2 || MW_PAIR_C == 2 ? 2 * g + h : g + 8 * h;
}
// Which quarter of a group of four runs lane t has.
__device__ __forceinline__ int quarter(int pair, int t) {
  return pair == 2 ? t % 2 * 2 + t / 2 : t;
}
// Column in memory of slot `slot` (0 … 7) of mma tile `tile`: lane t has slots 2t and 2t + 1, and
// its run in memory is filled tile by tile.
__device__ __forceinline__ int column_of(int tile, int slot) {
  return tile / (kRun / 2) * (4 * kRun) + quarter(MW_PAIR_C, slot / 2) * kRun +
         tile % (kRun / 2) * 2 + slot % 2;
}

// The upper of a pair of lanes gives x for the other's y.
template <int kMask, class V>
__device__ __forceinline__ void exchange(V& x, V& y, bool upper) {
  const V got = __shfl_xor_sync(0xffffffffu, upper ? x : y, kMask);
  if (upper) x = got; else y = got;
}

// A lane's part of 16 rows of A and C, as loaded.
struct Tile {
  Raw a[2][kMine / kPer];
#if MW_HAS_C
  RawC c[2 * kRuns * kRun / kPerC];
#endif
};

__device__ __forceinline__ void fetch_a(Tile& to, const Element* a, Index lda, int g, int t) {
#if MW_PAIR_A == 2
  Raw both[2 * kMine / kPer];
  FormA::get<2 * kGroup, 2 * kGroup>(both, a + (2 * g + t / 2) * lda + t % 2 * 2 * kGroup,
                                     2 * kGroup);
#pragma unroll
  for (int i = 0; i < kMine / kPer; ++i) {
    to.a[0][i] = both[i];
    to.a[1][i] = both[kMine / kPer + i];
  }
#else
  // What differs between lanes, then constants.
  const int k0 = (MW_PAIR_A == 1 ? g % 2 * 4 + t : t) * kGroup;
  a += row_of(MW_PAIR_A == 1 ? g / 2 * 2 : g, 0) * lda + k0;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      const int down = row_of(MW_PAIR_A == 1 ? i % 2 : 0, h);
      const int k = (MW_PAIR_A == 1 ? i / 2 * 8 : i * 4) * kGroup;
      FormA::get<kGroup, MW_VEC_A>(to.a[h] + i * kGroup / kPer, a + (down * lda + k),
                                   kGroups * 4 * kGroup == kK ? kGroup : kK - k0 - k);
    }
  }
#endif
}

// The elements of rows g and g + 8, from what was loaded.
__device__ __forceinline__ void deal_a(Raw (&a)[2][kMine / kPer], int g, int t) {
#if MW_PAIR_A == 2
#pragma unroll
  for (int i = 0; i < kMine / kPer; ++i) exchange<2>(a[0][i], a[1][i], t / 2);
#elif MW_PAIR_A == 1
  constexpr int kPart = kGroup / kPer;
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int i = 0; i < kMine / kPer; ++i)
      if (i / kPart % 2 == 0) exchange<4>(a[h][i], a[h][i + kPart], g % 2);
#endif
}

// Results as stored (and C as loaded): kOuts runs of kOut columns in a lane.
constexpr int kOut = MW_PAIR_C == 2 ? 2 * kRun : kRun;
constexpr int kOuts = 2 * kRuns * kRun / kOut;
__device__ __forceinline__ Place out_place(int o, int g, int t) {
  if (MW_PAIR_C == 2) return {2 * g + t / 2, 0, t % 2 * kOut, 0};
  const int i = o % kRuns;
  const int h = o / kRuns * row_of(0, 1);
  if (MW_PAIR_C == 1) {
    return {row_of(g / 2 * 2, 0), h + i % 2 * row_of(1, 0), (g % 2 * 4 + t) * kRun, i / 2 * 8 * kRun};
  }
  return {row_of(g, 0), h, t * kRun, i * 4 * kRun};
}
// Runs o and o + 1 of pair 1 have the same columns.
constexpr int kColumnSets = MW_PAIR_C == 2 ? 1 : MW_PAIR_C == 1 ? kRuns / 2 : kRuns;
__device__ __forceinline__ int column_set(int o) {
  return MW_PAIR_C == 2 ? 0 : MW_PAIR_C == 1 ? o % kRuns / 2 : o % kRuns;
}
__device__ __forceinline__ int out_valid(const Place& at) {
  return kRuns * 4 * kRun == kN ? kOut : kN - at.col - at.right;
}
__device__ __forceinline__ void fetch_c(const Args& args, Tile& to, const ElementC* c,
                                        Index ldc, int g, int t) {
#if MW_HAS_C
#pragma unroll
  for (int o = 0; o < kOuts; ++o) {
    const Place at = out_place(o, g, t);
    FormC::get<kOut, MW_VEC_C>(to.c + o * kOut / kPerC, c + at.offset(ldc), valid_c(args, out_valid(at)));
  }
#endif
}

// Sums of rows g and g + 8 to where they will be stored.
__device__ __forceinline__ void deal_sums(Acc (*x)[4], int g, int t) {
#if MW_PAIR_C == 2
#pragma unroll
  for (int j = 0; j < kTilesN; ++j) {
    exchange<2>(x[j][0], x[j][2], t / 2);
    exchange<2>(x[j][1], x[j][3], t / 2);
  }
#elif MW_PAIR_C == 1
#pragma unroll
  for (int j = 0; j < kTilesN; ++j)
    if (j / (kRun / 2) % 2 == 0)
#pragma unroll
      for (int q = 0; q < 4; ++q) exchange<4>(x[j][q], x[j + kRun / 2][q], g % 2);
#endif
}

extern "C" __global__ void __launch_bounds__(MW_THREADS, MW_BLOCKS) mw_kernel(const Args given) {
  Index batch;
  int block;
  const Args args = of_product(given, batch, block);
  const int lane = threadIdx.x % 32;
  const int g = lane / 4;
  const int t = lane % 4;
  // Rows from `base` on. The last warp is moved back to be whole; rows before its base are its
  // neighbour's, read and not written.
  constexpr int kWarp = 16 * kTiles;
  const int m = (int)args.m;
  const int step = (int)args.count * (MW_THREADS / 32) * kWarp;
  int base = (block * (MW_THREADS / 32) + threadIdx.x / 32) * kWarp;
  const Index lda = pitch_a(args.lda);
  const Index ldc = pitch_c(args.ldc);
  int start = min(base, m - kWarp);
  Tile now[kTiles];
#pragma unroll
  for (int u = 0; u < kTiles; ++u) {
    fetch_a(now[u], args.a + start * lda + u * 16 * lda, lda, g, t);
    fetch_c(args, now[u], args.c + start * ldc + u * 16 * ldc, ldc, g, t);
  }
  EpilogColumns columns[kColumnSets][kOut];
#pragma unroll
  for (int o = 0; o < kRuns * kRun / kOut + (MW_PAIR_C == 2); ++o) {
    const Place at = out_place(o, g, t);
    epilog_columns<kOut>(args.epilog, columns[column_set(o)], batch, at.col + at.right,
                         out_valid(at));
  }

  // B's fragments: lane (g, t) has column slot g of every mma tile and the k of its loads of A. The
  // warps make them together, in shared memory; from there they go to registers if they fit.
  extern __shared__ uint4 shared[];
  Frag* const shared_b = (Frag*)shared;
  constexpr int kFragments = kSteps * kTilesN;
  constexpr int kWarps = MW_THREADS / 32;
#pragma unroll
  for (int i = 0; i < (kFragments + kWarps - 1) / kWarps; ++i) {
    const int at = i * kWarps + threadIdx.x / 32;
    if (kFragments % kWarps != 0 && at >= kFragments) break;
    const int s = at / kTilesN;
    const int j = at % kTilesN;
    const int n = column_of(j, g);
    Element column[kPerStep];
#pragma unroll
    for (int q = 0; q < kPerStep; ++q) {
      const int mine = s * kPerStep + q;
      const int k =
          mine / kGroup * (4 * kGroup) + quarter(MW_PAIR_A, t) * kGroup + mine % kGroup;
      column[q] = Element();
      if (k < kK && n < kN) column[q] = args.b[k * args.ldb + n * args.ldb1];
    }
    fragment_b(shared_b + (at * 32 + lane) * kFragsB, column);
  }
  __syncthreads();
  const auto shared_fragment = [&](Frag* to, int at) {
    const Pack<Frag, kFragsB> b =
        *(const Pack<Frag, kFragsB>*)(shared_b + (at * 32 + lane) * kFragsB);
#pragma unroll
    for (int i = 0; i < kFragsB; ++i) to[i] = b.v[i];
  };
#if !MW_B_SHARED
  Frag fragments_b[kSteps * kTilesN][kFragsB];
#pragma unroll
  for (int at = 0; at < kSteps * kTilesN; ++at) shared_fragment(fragments_b[at], at);
#endif

#pragma unroll 1
  for (; base < m; base += step) {
    const int next = min(base + step, m - kWarp);
#pragma unroll
    for (int u = 0; u < kTiles; ++u) {
      Raw dealt[2][kMine / kPer];
#pragma unroll
      for (int i = 0; i < kMine / kPer; ++i) {
        dealt[0][i] = now[u].a[0][i];
        dealt[1][i] = now[u].a[1][i];
      }
      deal_a(dealt, g, t);
      Acc x[kTilesN][4];
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) x[j][0] = x[j][1] = x[j][2] = x[j][3] = Acc();
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        Frag a[kFragsA];
        fragment_a(a, dealt[0] + s * kPerStep / kPer, dealt[1] + s * kPerStep / kPer);
#pragma unroll
        for (int j = 0; j < kTilesN; ++j) {
#if MW_B_SHARED
          Frag b[kFragsB];
          shared_fragment(b, s * kTilesN + j);
          mma(x[j], a, b);
#else
          mma(x[j], a, fragments_b[s * kTilesN + j]);
#endif
        }
      }
      // The registers are free: the next rows on their way.
      fetch_a(now[u], args.a + next * lda + u * 16 * lda, lda, g, t);
      deal_sums(x, g, t);
      Acc y[kOuts][kOut];
#pragma unroll
      for (int o = 0; o < kOuts; ++o) {
        ElementC c[kOut];
#pragma unroll
        for (int q = 0; q < kOut; ++q) {
#if MW_PAIR_C == 2
          y[o][q] = x[q % kRun / 2][q / kRun * 2 + q % 2];
#else
          y[o][q] = x[o % kRuns * (kRun / 2) + q / 2][o / kRuns * 2 + q % 2];
#endif
#if MW_HAS_C
          c[q] = FormC::element(now[u].c, o * kOut + q);
#endif
        }
        scale<kOut>(args, y[o], c);
      }
      fetch_c(args, now[u], args.c + next * ldc + u * 16 * ldc, ldc, g, t);
#pragma unroll
      for (int o = 0; o < kOuts; ++o) {
        Place at = out_place(o, g, t);
        at.row += start;
        at.down += u * 16;
        if (at.row + at.down >= base)
          epilog<kOut>(args.epilog, columns[column_set(o)], y[o], batch, at, out_valid(at));
      }
    }
    start = next;
  }
}
)cuda"
