// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What all templates share: arguments, C. As text, after the types Element (of A and B), ElementC
// and Acc (of the arithmetic) and the epilog, which is
//   EpilogArgs, EpilogColumns: what it is given; what it keeps of a column
//   epilog_columns<kCount>(args, columns, batch, col, valid): fills in a run of columns
//   epilog<kCount>(args, columns, x, batch, place, valid): takes a run of sums, stores the results
R"cuda(
constexpr int kN = MW_N;
constexpr int kK = MW_K;

// A leading dimension that equals the row's length is known to the compiler.
__device__ __forceinline__ Index pitch_a(Index lda) { return MW_DENSE_A ? kK : lda; }
__device__ __forceinline__ Index pitch_c(Index ldc) { return MW_DENSE_C ? kN : ldc; }

struct Args {
  const Element* a;
  const Element* b;
  const ElementC* c;
  Index m;
  Index lda;
  Index ldb;   // from one row of B to the next
  Index ldb1;  // from one column of B to the next
  Index ldc;
  Index batch_a;  // from one product to the next
  Index batch_b;
  Index batch_c;
  Index count;  // of products (batched); blocks per product (the others)
  Acc alpha;
  Acc beta;
  EpilogArgs epilog;
};

// The arguments of this block's product; `batch` the product's number, `block` the block's in it.
__device__ __forceinline__ Args of_product(Args args, Index& batch, int& block) {
  batch = blockIdx.x / (unsigned)args.count;
  block = blockIdx.x % (unsigned)args.count;
  args.a += batch * args.batch_a;
  args.b += batch * args.batch_b;
  args.c += batch * args.batch_c;
  return args;
}

// C is not read if beta is 0; zeros stand for it.
__device__ __forceinline__ int valid_c(const Args& args, int valid) {
  return is_zero(args.beta) ? 0 : valid;
}

// x = alpha · x + beta · c
template <int kCount>
__device__ __forceinline__ void scale(const Args& args, Acc* x, const ElementC* c) {
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    x[j] = mul(args.alpha, x[j]);
    if (MW_HAS_C) x[j] = mac(x[j], args.beta, widen(c[j]));
  }
}
)cuda"
