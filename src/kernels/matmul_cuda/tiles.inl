// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Template `tiles`, for products bound by arithmetic outside the Tensor Cores: B in shared memory,
// every warp on its own with tiles of A that it copies ahead into shared memory. As text.
//
// A warp is MW_LANES_ROW × MW_LANES_COL threads; each computes MW_ROWS rows, MW_LANES_ROW apart, ×
// MW_COLUMNS columns (in runs of kRun, MW_LANES_COL runs apart). Tiles come in pieces of MW_DEPTH
// along k, MW_STAGES of them in flight. Rows of a piece are padded by 16 bytes: rows read together
// lie in different banks.
R"cuda(
constexpr int kLanesRow = MW_LANES_ROW;
constexpr int kLanesCol = MW_LANES_COL;
constexpr int kRows = MW_ROWS;
constexpr int kColumns = MW_COLUMNS;
constexpr int kRun = 16 / sizeof(Element);
constexpr int kRuns = kColumns / kRun;
constexpr int kTile = kLanesRow * kRows;
constexpr int kDepth = MW_DEPTH;
constexpr int kPieces = (kK + kDepth - 1) / kDepth;
constexpr int kPitch = kDepth + kRun;
constexpr int kWidth = kLanesCol * kColumns;  // N, padded
constexpr int kStages = MW_STAGES;
constexpr int kWarps = MW_THREADS / 32;
typedef Pack<Element, kRun> Run;

template <int kBytes>
__device__ __forceinline__ void copy_async(Element* to, const Element* from, bool wanted) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  const int bytes = wanted ? kBytes : 0;
  if (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(kBytes),
                 "r"(bytes));
  }
}

// One piece of a tile, by the whole warp. `from`: the piece's first element; `wide`: elements of A
// from there on.
__device__ __forceinline__ void fetch(Element* to, const Element* from, Index lda, int wide,
                                      int lane) {
  constexpr int kAcross = kDepth / MW_VEC_A;
  constexpr int kDown = 32 / kAcross;  // rows at once
  static_assert(32 % kAcross == 0 && kTile % kDown == 0, "a warp copies whole rows");
  const int k = lane % kAcross * MW_VEC_A;
  const bool wanted = kPieces * kDepth == kK || k < wide;
  to += lane / kAcross * kPitch + k;
  from += lane / kAcross * lda + (wanted ? k : 0);
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    copy_async<MW_VEC_A * int(sizeof(Element))>(to + i * kDown * kPitch, from + i * kDown * lda,
                                                wanted);
  }
}

__device__ __forceinline__ void fetch_b(const Args& args, Element* shared_b) {
  constexpr int kVec = MW_VEC_B;
#pragma unroll 8
  for (int i = threadIdx.x * kVec; i < kPieces * kDepth * kWidth; i += MW_THREADS * kVec) {
    const int k = i / kWidth;
    const int n = i % kWidth;
    Element values[kVec];
    load<kVec, kVec>(values, args.b + k * args.ldb + n * args.ldb1, k < kK ? kN - n : 0);
#pragma unroll
    for (int j = 0; j < kVec; ++j) shared_b[i + j] = values[j];
  }
}

// Adds a piece's products. Values for the next step are read while those of this one are
// multiplied. Neighbouring products share an operand, also where a row ends: fewer register reads.
__device__ __forceinline__ void multiply(Acc (&x)[kRows][kColumns], const Element* at_a,
                                         const Element* at_b) {
  const auto read_a = [&](Run& to, int i, int k) {
    to = *(const Run*)(at_a + i * kLanesRow * kPitch + k);
  };
  const auto read_b = [&](Run* to, int k) {
#pragma unroll
    for (int j = 0; j < kRuns; ++j) to[j] = *(const Run*)(at_b + k * kWidth + j * kLanesCol * kRun);
  };
  Run a[2][kRows];
  Run b[2][kRuns];
#pragma unroll
  for (int i = 0; i < kRows; ++i) read_a(a[0][i], i, 0);
  read_b(b[0], 0);
#pragma unroll 1
  for (int k0 = 0; k0 < kDepth; k0 += 2 * kRun) {
#pragma unroll
    for (int l = 0; l < 2 * kRun; ++l) {
      const int now = l / kRun;
      constexpr int kEach = (kRows + kRun - 1) / kRun;
#pragma unroll
      for (int i = l % kRun * kEach; i < (l % kRun + 1) * kEach && i < kRows; ++i)
        read_a(a[1 - now][i], i, (k0 + (now + 1) * kRun) % kDepth);
      read_b(b[(l + 1) % 2], (k0 + l + 1) % kDepth);
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int n0 = 0; n0 < kColumns; ++n0) {
          const int n = i % 2 ? kColumns - 1 - n0 : n0;
          x[i][n] = mac(x[i][n], a[now][i].v[l % kRun], b[l % 2][n / kRun].v[n % kRun]);
        }
    }
  }
}

extern "C" __global__ void __launch_bounds__(MW_THREADS, MW_BLOCKS) mw_kernel(const Args given) {
  Index batch;
  int block;
  const Args args = of_product(given, batch, block);
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  Element* const shared_b = (Element*)shared;
  Element* const shared_a =
      shared_b + kPieces * kDepth * kWidth + warp * (kStages * kTile * kPitch);
  // Bit 0 of a lane is a column's, bit 1 a row's: then 16-byte loads of A are alike in lanes that
  // differ in bit 0, those of B in bit 1, and shared memory serves half a warp at once.
  const int lane_col = (lane & 1) | (lane >> 2) % (kLanesCol / 2) * 2;
  const int lane_row = (lane >> 1 & 1) | (lane >> 2) / (kLanesCol / 2) * 2;

  // Rows from `base` on. The last tile is moved back to be whole; rows before its base are its
  // neighbour's, read and not written.
  const Index lda = pitch_a(args.lda);
  const Index ldc = pitch_c(args.ldc);
  const int m = (int)args.m;
  const int step = (int)args.count * kWarps * kTile;
  int base = (warp * (int)args.count + block) * kTile;
  int ahead = base;
  int ahead_piece = 0;
  const auto fetch_next = [&](int stage) {
    if (ahead < m) {
      const int start = min(ahead, m - kTile);
      fetch(shared_a + stage * (kTile * kPitch), args.a + start * lda + ahead_piece * kDepth, lda,
            kK - ahead_piece * kDepth, lane);
    }
    asm volatile("cp.async.commit_group;");
    if (++ahead_piece == kPieces) {
      ahead_piece = 0;
      ahead += step;
    }
  };
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) fetch_next(s);
  EpilogColumns columns[kRuns][kRun];
#pragma unroll
  for (int j = 0; j < kRuns; ++j) {
    const int col = (j * kLanesCol + lane_col) * kRun;
    epilog_columns<kRun>(args.epilog, columns[j], batch, col, kN - col);
  }
  fetch_b(args, shared_b);
  __syncthreads();

  int stage = 0;
#pragma unroll 1
  for (; base < m; base += step) {
    const int start = min(base, m - kTile);
    Acc x[kRows][kColumns];
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int n = 0; n < kColumns; ++n) x[i][n] = Acc();
#pragma unroll 1
    for (int piece = 0; piece < kPieces; ++piece) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncwarp();
      fetch_next(stage == 0 ? kStages - 1 : stage - 1);
      multiply(x, shared_a + stage * (kTile * kPitch) + lane_row * kPitch,
               shared_b + piece * kDepth * kWidth + lane_col * kRun);
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    const auto place = [&](int i, int j) {
      return Place{start + lane_row, i * kLanesRow, lane_col * kRun, j * kLanesCol * kRun};
    };
    ElementC c[kRows][kRuns][kRun];
    if (MW_HAS_C) {
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kRuns; ++j) {
          const Place at = place(i, j);
          load<kRun, MW_VEC_C>(
              c[i][j], args.c + at.offset(ldc),
              valid_c(args, kWidth == kN ? kRun : kN - at.col - at.right));
        }
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kRuns; ++j) {
        const Place at = place(i, j);
        scale<kRun>(args, x[i] + j * kRun, c[i][j]);
        if (at.row + at.down >= base)
          epilog<kRun>(args.epilog, columns[j], x[i] + j * kRun, batch, at,
                       kWidth == kN ? kRun : kN - at.col - at.right);
      }
  }
}
)cuda"
