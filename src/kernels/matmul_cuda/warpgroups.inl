// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Template `warpgroups`, for products bound by the Tensor Cores of capability 9.0: 16-bit operands,
// float32 sums, n and k known at run time only. As text.
//
// A block makes 128 rows × MW_COLUMNS columns of D at a time. Its first warpgroup (four warps)
// fetches: tiles of A and B, 64 deep, by the tensor memory unit into MW_STAGES buffers. The other
// two multiply, each 64 rows; wgmma reads both tiles where they lie. Two blocks, a cluster, take
// neighbouring rows and the same columns: each fetches one half of B for both. A cluster walks the
// pairs of tiles of D; fetching runs ahead into the next pair during the epilog of this one.
//
// Tiles lie in shared memory as the unit writes them in its 128-byte swizzle: 64 elements that are
// neighbours in memory make a line of 128 bytes, 8 lines a swizzled block of 1 KiB. Where those
// elements are k, lines are rows of A or columns of B; where they are rows or columns, lines are k,
// and a tile comes in slabs of 64 rows or columns. Bytes over 4.2 TB/s and flops over the peak meet
// at k ≈ 500, above which this is bound by arithmetic.
R"cuda(
constexpr int kRows = 128;    // of a block
constexpr int kColumns = MW_COLUMNS;
constexpr int kDepth = 64;
constexpr int kStages = MW_STAGES;
constexpr int kLine = 128;    // bytes: 64 elements
constexpr int kBytesA = kRows * kLine;
constexpr int kBytesB = kColumns * kLine;
constexpr int kStageBytes = kBytesA + kBytesB;
constexpr int kSums = kColumns / 2;  // of a thread: 64 rows · kColumns over 128 threads
constexpr int kSlab = 64 * kLine;    // bytes of 64 rows or columns, either way
constexpr int kGroup = 8;            // pairs of row tiles that are walked together

struct alignas(128) TensorMap { U64 words[16]; };
struct Given {
  TensorMap map_a, map_b;  // the fastest axis first: k or rows (columns), the other, products
  Index n, k;
  Index products_a, products_b;  // 0 if all products share the operand, else 1
  Args args;
};

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return (unsigned)__cvta_generic_to_shared(at);
}

// ---- barriers: `full` counts bytes of a stage that have come, `empty` warpgroups done with it
__device__ __forceinline__ void barrier_init(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int block) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
      "mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(barrier),
      "r"(block) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, int phase) {
  asm volatile(
      "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done,"
      " [%0], %1; @!done bra again; }" ::"r"(barrier), "r"(phase) : "memory");
}
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

__device__ __forceinline__ void fetch(unsigned to, const TensorMap& map, unsigned barrier, int x,
                                      int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// To the same place of both blocks, counted by the barrier there.
__device__ __forceinline__ void fetch_for_both(unsigned to, const TensorMap& map, unsigned barrier,
                                               int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to), "l"(&map), "r"(barrier),
      "r"(x), "r"(y), "r"(z), "h"((unsigned short)3) : "memory");
}

// What wgmma is told of a tile: its address, bytes from one slab to the next, from one swizzled
// block to the next, all in 16 bytes; 128-byte swizzle. (PTX ISA, matrix descriptor.)
__device__ __forceinline__ U64 matrix(unsigned at) {
  return (U64)(at >> 4 & 0x3fff) | (U64)(kSlab >> 4) << 16 | (U64)(1024 >> 4) << 32 | (U64)1 << 62;
}
// From one step of 16 along k to the next: within a line, or 16 lines on.
constexpr U64 kStepA = MW_A_BY_K ? 32 >> 4 : 16 * kLine >> 4;
constexpr U64 kStepB = MW_B_BY_K ? 32 >> 4 : 16 * kLine >> 4;

#define MW_FOUR(i) "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3])
#define MW_SIXTEEN(i) MW_FOUR(i), MW_FOUR(i + 4), MW_FOUR(i + 8), MW_FOUR(i + 12)
#define MW_SIXTYFOUR MW_SIXTEEN(0), MW_SIXTEEN(16), MW_SIXTEEN(32), MW_SIXTEEN(48)
// x (+)= a · b for 64 rows, kColumns columns, 16 along k. `add`: 0 starts the sums.
__device__ __forceinline__ void multiply(float (&x)[kSums], U64 a, U64 b, int add) {
#if MW_COLUMNS == 256
  asm volatile(
      "{ .reg .pred sum; setp.ne.b32 sum, %130, 0;"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." MW_OPERAND_TEXT "." MW_OPERAND_TEXT " {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"
      "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"
      "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"
      "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"
      "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
      "}, %128, %129, sum, 1, 1, %131, %132; }"
      : MW_SIXTYFOUR, MW_SIXTEEN(64), MW_SIXTEEN(80), MW_SIXTEEN(96), MW_SIXTEEN(112)
      : "l"(a), "l"(b), "r"(add), "n"(1 - MW_A_BY_K), "n"(1 - MW_B_BY_K));
#else
  asm volatile(
      "{ .reg .pred sum; setp.ne.b32 sum, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32." MW_OPERAND_TEXT "." MW_OPERAND_TEXT " {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
      "}, %64, %65, sum, 1, 1, %67, %68; }"
      : MW_SIXTYFOUR
      : "l"(a), "l"(b), "r"(add), "n"(1 - MW_A_BY_K), "n"(1 - MW_B_BY_K));
#endif
}
// Until all but the last kPending commits are done.
template <int kPending>
__device__ __forceinline__ void wait_for_sums() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// The tiles of D that a cluster makes one after the other, in groups of kGroup pairs of row tiles
// so that what runs at the same time shares rows and columns in the second-level cache.
struct Walk {
  int down, across;  // pairs of row tiles, column tiles
  __device__ __forceinline__ Walk(const Given& given) {
    down = ((int)given.args.m + 2 * kRows - 1) / (2 * kRows);
    across = ((int)given.n + kColumns - 1) / kColumns;
  }
  __device__ __forceinline__ Index count(const Given& given) const {
    return (Index)down * across * given.args.count;
  }
  // First row of the block, first column, product.
  __device__ __forceinline__ void at(Index tile, int block, int& row, int& col, int& batch) const {
    batch = (int)(tile / (down * across));
    const int inside = (int)(tile % (down * across));
    const int first = inside / (kGroup * across) * kGroup;
    const int high = min(kGroup, down - first);
    const int rest = inside % (kGroup * across);
    row = ((first + rest % high) * 2 + block) * kRows;
    col = rest / high * kColumns;
  }
};

// One thread fetches everything.
__device__ __forceinline__ void fetch_all(const Given& given, unsigned shared, unsigned full,
                                          unsigned empty, int block) {
  const Walk walk(given);
  const int pieces = (int)((given.k + kDepth - 1) / kDepth);
  int stage = 0;
  int phase = 1;  // the first round finds empty buffers
  for (Index tile = blockIdx.x / 2; tile < walk.count(given); tile += gridDim.x / 2) {
    int row, col, batch;
    walk.at(tile, block, row, col, batch);
    const int product_a = given.products_a ? batch : 0;
    const int product_b = given.products_b ? batch : 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const int k = piece * kDepth;
      const unsigned a = shared + stage * kStageBytes;
      const unsigned b = a + kBytesA + block * (kBytesB / 2);
      const unsigned here = full + 8 * stage;
      const int half = col + block * (kColumns / 2);
      barrier_wait(empty + 8 * stage, phase);
      barrier_expect(here, kStageBytes);
#if MW_A_BY_K
      fetch(a, given.map_a, here, k, row, product_a);
#else
      fetch(a, given.map_a, here, row, k, product_a);
      fetch(a + kSlab, given.map_a, here, row + 64, k, product_a);
#endif
#if MW_B_BY_K
      fetch_for_both(b, given.map_b, here, k, half, product_b);
#else
#pragma unroll
      for (int j = 0; j < kColumns / 128; ++j)
        fetch_for_both(b + j * kSlab, given.map_b, here, half + j * 64, k, product_b);
#endif
      if (++stage == kStages) {
        stage = 0;
        phase ^= 1;
      }
    }
  }
}

// Lanes 2i and 2i + 1 have two neighbouring columns each of two eights, `low` and `high`; afterwards
// the even one has four of the first, the odd one four of the second. Runs of four fill sectors of
// 32 bytes with half the exchanges that runs of eight take.
__device__ __forceinline__ void deal(Acc (&y)[4], const float* low, const float* high, bool odd) {
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const Acc got = __shfl_xor_sync(0xffffffffu, odd ? low[q] : high[q], 1);
    y[q] = odd ? got : low[q];
    y[q + 2] = odd ? high[q] : got;
  }
}

// The thread's elements of D: rows 8 apart, runs of four columns 16 apart.
struct Lot {
  int row, col;  // the first of them
  Index batch;
  int m, n;
  __device__ __forceinline__ Place place(int run, int half) const {
    return Place{row, half * 8, col, run * 16};
  }
  __device__ __forceinline__ int valid(int run, int half) const {
    return row + half * 8 < m ? n - col - run * 16 : 0;
  }
};

// What a run of columns brings: tensors without rows, and C of both halves.
struct Brought {
  EpilogColumns columns[4];
  ElementC c[2][4];
  __device__ __forceinline__ void fetch(const Args& args, const Lot& lot, int run) {
    const int col = lot.col + run * 16;
    epilog_columns<4>(args.epilog, columns, lot.batch, col, lot.n - col);
    if (!MW_HAS_C) return;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      load<4, MW_VEC_C>(
          c[half],
          args.c + lot.batch * args.batch_c + lot.place(run, half).offset(args.ldc),
          valid_c(args, lot.valid(run, half)));
  }
};

// alpha · sums + beta · C and the epilog, what a run brings being on its way for some runs.
__device__ __forceinline__ void finish(const Given& given, const float (&x)[kSums], int row,
                                       int col, Index batch) {
  constexpr int kRuns = kColumns / 16;
  constexpr int kAhead = 4;
  const Args& args = given.args;
  const int t = threadIdx.x % 4;
  const Lot lot{row + (int)threadIdx.x / 32 % 4 * 16 + (int)threadIdx.x % 32 / 4,
                col + t % 2 * 8 + t / 2 * 4, batch, (int)args.m, (int)given.n};
  Brought brought[kAhead];
#pragma unroll
  for (int j = 0; j < kAhead - 1; ++j) brought[j].fetch(args, lot, j);
#pragma unroll
  for (int j = 0; j < kRuns; ++j) {
    const Brought& now = brought[j % kAhead];
    if (j + kAhead - 1 < kRuns)
      brought[(j + kAhead - 1) % kAhead].fetch(args, lot, j + kAhead - 1);
    Acc y[2][4];
#pragma unroll
    for (int half = 0; half < 2; ++half)
      deal(y[half], x + j * 8 + half * 2, x + j * 8 + 4 + half * 2, t % 2);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      scale<4>(args, y[half], now.c[half]);
      epilog<4>(args.epilog, now.columns, y[half], batch, lot.place(j, half),
                lot.valid(j, half));
    }
  }
}

__device__ __forceinline__ void multiply_all(const Given& given, unsigned shared, unsigned full,
                                             unsigned empty, int block) {
  const Walk walk(given);
  const int pieces = (int)((given.k + kDepth - 1) / kDepth);
  const int group = threadIdx.x / 128 - 1;
  const bool speaks = threadIdx.x % 128 < 2;  // one thread for each block of the cluster
  const auto release = [&](int stage) {
    if (speaks) barrier_arrive(empty + 8 * stage, threadIdx.x % 128);
  };
  int stage = 0;
  int phase = 0;
  for (Index tile = blockIdx.x / 2; tile < walk.count(given); tile += gridDim.x / 2) {
    float x[kSums];
    int before = 0;
#pragma unroll 1  // unrolled, wgmma would wait for each other
    for (int piece = 0; piece < pieces; ++piece) {
      barrier_wait(full + 8 * stage, phase);
      const unsigned at = shared + stage * kStageBytes;
      const U64 a = matrix(at + group * kSlab);
      const U64 b = matrix(at + kBytesA);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int step = 0; step < kDepth / 16; ++step)
        multiply(x, a + step * kStepA, b + step * kStepB, piece != 0 || step != 0);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (piece != 0) {
        wait_for_sums<1>();
        release(before);
      }
      before = stage;
      if (++stage == kStages) {
        stage = 0;
        phase ^= 1;
      }
    }
    wait_for_sums<0>();
    release(before);
    int row, col, batch;
    walk.at(tile, block, row, col, batch);
    finish(given, x, row + group * 64, col, batch);
  }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
    mw_kernel(const __grid_constant__ Given given) {
  extern __shared__ char dynamic[];
  __shared__ alignas(8) U64 barriers[2 * kStages];
  const unsigned shared = (shared_address(dynamic) + 1023) / 1024 * 1024;
  const unsigned full = shared_address(barriers);
  const unsigned empty = full + 8 * kStages;
  const int block = blockIdx.x % 2;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, 4);  // two warpgroups of two blocks
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  // Registers move from the fetching warpgroup to those that hold sums.
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) fetch_all(given, shared, full, empty, block);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    multiply_all(given, shared, full, empty, block);
  }
  // A block's barriers and buffers stay until the other has arrived at them for the last time.
  cluster_sync();
}
)cuda"
