// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Template `batched`, for many small products: MW_GROUP threads a product, its A and B through
// shared memory, each thread MW_ROWS rows × MW_COLUMNS columns of it. As text.
R"cuda(
constexpr int kM = MW_M;
constexpr int kGroup = MW_GROUP;
constexpr int kProducts = MW_THREADS / kGroup;
constexpr int kRows = MW_ROWS;
constexpr int kColumns = MW_COLUMNS;
constexpr int kLanesCol = (kN + kColumns - 1) / kColumns;
constexpr int kLanesRow = (kM + kRows - 1) / kRows;
constexpr int kRun = 16 / sizeof(Element);
constexpr int kDepth = (kK + kRun - 1) / kRun * kRun;
constexpr int kPitchA = kDepth + kRun;
constexpr int kPitchB = kLanesCol * kColumns;
constexpr int kEach = kM * kPitchA + kDepth * kPitchB;  // elements of a product

template <int kBytes>
__device__ __forceinline__ void copy_async(Element* to, const Element* from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if constexpr (kBytes == 2) {
    *to = *from;
  } else if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(kBytes));
  }
}

// A matrix of kHigh × kWide elements, and zeros around it up to kTall × kBroad.
template <int kHigh, int kWide, int kTall, int kBroad, int kPitch, int kVec>
__device__ __forceinline__ void fetch(Element* to, const Element* from, Index ld, Index ld1,
                                      int lane) {
  constexpr int kAcross = kWide / kVec;
#pragma unroll
  for (int at0 = 0; at0 < kHigh * kAcross; at0 += kGroup) {
    const int at = at0 + lane;
    if (kHigh * kAcross % kGroup == 0 || at < kHigh * kAcross) {
      const int r = at / kAcross;
      const int j = at % kAcross * kVec;
      copy_async<kVec * int(sizeof(Element))>(to + r * kPitch + j, from + r * ld + j * ld1);
    }
  }
  if (kTall * kBroad > kHigh * kWide) {
    for (int at = lane; at < kTall * kBroad; at += kGroup) {
      const int r = at / kBroad;
      const int j = at % kBroad;
      if (r >= kHigh || j >= kWide) to[r * kPitch + j] = Element();
    }
  }
}

extern "C" __global__ void __launch_bounds__(MW_THREADS, MW_BLOCKS) mw_kernel(const Args args) {
  __shared__ uint4 shared[(kProducts * kEach * sizeof(Element) + 15) / 16];
  const int lane = threadIdx.x % kGroup;
  const int mine = threadIdx.x / kGroup;
  Element* const shared_a = (Element*)shared + mine * kEach;
  Element* const shared_b = shared_a + kM * kPitchA;
  const int row0 = lane / kLanesCol;
  const int col = lane % kLanesCol * kColumns;
  const int valid = kLanesCol * kColumns == kN ? kColumns : min(kColumns, kN - col);

  for (Index first = (Index)blockIdx.x * kProducts; first < args.count;
       first += (Index)gridDim.x * kProducts) {
    const Index batch = first + mine;
    const bool present = batch < args.count;
    const bool active = present && row0 < kLanesRow;
    if (present) {
      fetch<kM, kK, kM, kDepth, kPitchA, MW_VEC_A>(shared_a, args.a + batch * args.batch_a,
                                                   args.lda, 1, lane);
      fetch<kK, kN, kDepth, kPitchB, kPitchB, MW_VEC_B>(
          shared_b, args.b + batch * args.batch_b, args.ldb, args.ldb1, lane);
    }
    asm volatile("cp.async.commit_group;");
    EpilogColumns columns[kColumns];
    ElementC c[kRows][kColumns];
    if (active) {
      epilog_columns<kColumns>(args.epilog, columns, batch, col, valid);
      if (MW_HAS_C) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          const Index row = batch * args.batch_c + min(row0 + i * kLanesRow, kM - 1) * args.ldc;
          load<kColumns, MW_VEC_C>(c[i], args.c + row + col, valid_c(args, valid));
        }
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (kGroup <= 32) __syncwarp(); else __syncthreads();
    if (active) {
      Acc x[kRows][kColumns];
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kColumns; ++j) x[i][j] = Acc();
#pragma unroll
      for (int k0 = 0; k0 < kDepth; k0 += kRun) {
        Pack<Element, kRun> a[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
          a[i] = *(const Pack<Element, kRun>*)(shared_a + k0 +
                                               min(row0 + i * kLanesRow, kM - 1) * kPitchA);
#pragma unroll
        for (int k = 0; k < kRun; ++k) {
          const Pack<Element, kColumns> b =
              *(const Pack<Element, kColumns>*)(shared_b + (k0 + k) * kPitchB + col);
#pragma unroll
          for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kColumns; ++j)
              x[i][j] = mac(x[i][j], widen(a[i].v[k]), widen(b.v[j]));
        }
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const Place at{row0, i * kLanesRow, col, 0};
        scale<kColumns>(args, x[i], c[i]);
        if (at.row + at.down < kM)
          epilog<kColumns>(args.epilog, columns, x[i], batch, at, valid);
      }
    }
    if (kGroup <= 32) __syncwarp(); else __syncthreads();
  }
}
)cuda"
