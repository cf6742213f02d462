// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Template `lanes`, for small k: MW_LANES neighbouring threads share a row. Each loads a part of
// the row of A, which all get by shuffles, and has MW_COLUMNS columns, whose part of B it keeps in
// registers. Loads and stores are whole runs of a warp. As text.
//
// MW_ROWS rows a thread at once: as many loads in flight.
R"cuda(
constexpr int kLanes = MW_LANES;
constexpr int kColumns = MW_COLUMNS;
constexpr int kRows = MW_ROWS;
constexpr int kStep = MW_THREADS / kLanes;  // rows of a block at once
constexpr int kPart = (kK + kLanes * MW_VEC_A - 1) / (kLanes * MW_VEC_A) * MW_VEC_A;

__device__ __forceinline__ float of_lane(float x, int lane) {
  return __shfl_sync(0xffffffffu, x, lane, kLanes);
}
__device__ __forceinline__ double of_lane(double x, int lane) {
  return __shfl_sync(0xffffffffu, x, lane, kLanes);
}
template <class C>
__device__ __forceinline__ C of_lane(C x, int lane) {
  return C{of_lane(x.x, lane), of_lane(x.y, lane)};
}

extern "C" __global__ void __launch_bounds__(MW_THREADS, MW_BLOCKS) mw_kernel(const Args given) {
  Index batch;
  int block;
  const Args args = of_product(given, batch, block);
  const int lane = threadIdx.x % kLanes;
  const int slot = threadIdx.x / kLanes;
  const int col = lane * kColumns;
  const int valid = kLanes * kColumns == kN ? kColumns : min(kColumns, kN - col);

  // Rows from `base` on. The last block is moved back to be whole; rows before its base are its
  // neighbour's, read and not written.
  constexpr int kBlock = kStep * kRows;
  const int m = (int)args.m;
  const int step = (int)args.count * kBlock;
  int base = block * kBlock;
  Element a[kRows][kPart];
  ElementC c[kRows][kColumns];
  const int valid_of_c = valid_c(args, valid);
  const Index lda = pitch_a(args.lda);
  const Index ldc = pitch_c(args.ldc);
  const auto fetch_a = [&](int i, int start) {
    const Element* row = args.a + (start + slot) * lda + i * kStep * lda;
    load<kPart, MW_VEC_A>(a[i], row + lane * kPart,
                          kPart * kLanes == kK ? kPart : kK - lane * kPart);
  };
  const auto fetch_c = [&](int i, int start) {
    const ElementC* row = args.c + (start + slot) * ldc + i * kStep * ldc;
    if (MW_HAS_C) load<kColumns, MW_VEC_C>(c[i], row + col, valid_of_c);
  };
  int start = min(base, m - kBlock);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    fetch_a(i, start);
    fetch_c(i, start);
  }

  EpilogColumns columns[kColumns];
  epilog_columns<kColumns>(args.epilog, columns, batch, col, valid);
  Acc b[kK][kColumns];
#pragma unroll
  for (int k = 0; k < kK; ++k) {
    Element row[kColumns];
#if MW_VEC_B > 1
    load<kColumns, MW_VEC_B>(row, args.b + k * args.ldb + col, valid);
#else
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      row[j] = j < valid ? args.b[k * args.ldb + (col + j) * args.ldb1] : Element();
    }
#endif
#pragma unroll
    for (int j = 0; j < kColumns; ++j) b[k][j] = widen(row[j]);
  }

#pragma unroll 1
  for (; base < m; base += step) {
    const int next = min(base + step, m - kBlock);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      Acc x[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) x[j] = Acc();
#pragma unroll
      for (int k = 0; k < kK; ++k) {
        const Acc ak = of_lane(widen(a[i][k % kPart]), k / kPart);
#pragma unroll
        for (int j = 0; j < kColumns; ++j) x[j] = mac(x[j], ak, b[k][j]);
      }
      // The registers are free: the next rows on their way.
      fetch_a(i, next);
      scale<kColumns>(args, x, c[i]);
      fetch_c(i, next);
      const Place at{start + slot, i * kStep, col, 0};
      if (at.row + at.down >= base) epilog<kColumns>(args.epilog, columns, x, batch, at, valid);
    }
    start = next;
  }
}
)cuda"
