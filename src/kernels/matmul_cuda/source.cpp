// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul_cuda/source.hpp"

#include "base/text.hpp"

namespace mw::matmul_cuda {

namespace {

constexpr const char* kTypes =
#include "kernels/matmul_cuda/types.inl"
    ;
constexpr const char* kCommon =
#include "kernels/matmul_cuda/common.inl"
    ;
constexpr const char* kLanes =
#include "kernels/matmul_cuda/lanes.inl"
    ;
constexpr const char* kTiles =
#include "kernels/matmul_cuda/tiles.inl"
    ;
constexpr const char* kMma =
#include "kernels/matmul_cuda/mma.inl"
    ;
constexpr const char* kBatched =
#include "kernels/matmul_cuda/batched.inl"
    ;
constexpr const char* kWarpgroups =
#include "kernels/matmul_cuda/warpgroups.inl"
    ;

const char* text_of(Template kind) {
  switch (kind) {
    case Template::lanes: return kLanes;
    case Template::tiles: return kTiles;
    case Template::mma: return kMma;
    case Template::batched: return kBatched;
    case Template::warpgroups: return kWarpgroups;
  }
  return "";
}

struct TypeRow {
  DType dtype;
  const char* name;
  const char* mma;  ///< the mma.sync of this operand with float32 sums
};
constexpr TypeRow kTypeRows[] = {
    {DType::float32, "float", "m16n8k8.row.col.f32.tf32.tf32.f32"},
    {DType::float64, "double", ""},
    {DType::float16, "F16", "m16n8k16.row.col.f32.f16.f16.f32"},
    {DType::bfloat16, "BF16", "m16n8k16.row.col.f32.bf16.bf16.f32"},
    {DType::complex64, "C64", ""},
    {DType::complex128, "C128", ""},
    {DType::bool_, "U8", ""},
    {DType::int8, "I8", ""},
    {DType::uint8, "U8", ""},
    {DType::int16, "short", ""},
    {DType::uint16, "U16", ""},
    {DType::int32, "int", ""},
    {DType::uint32, "unsigned", ""},
    {DType::int64, "Index", ""},
    {DType::uint64, "U64", ""},
};

const TypeRow* row_of(DType dtype) {
  for (const auto& row : kTypeRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

const char* types_text() { return kTypes; }

const char* type_name(DType dtype) {
  const TypeRow* row = row_of(dtype);
  return row != nullptr ? row->name : nullptr;
}

DType sum_dtype(DType operand) {
  return operand == DType::float16 || operand == DType::bfloat16 ? DType::float32 : operand;
}

std::string source(const Params& p, std::string_view epilog) {
  const Shape& s = p.shape;
  std::string out;
  const auto define = [&](const char* macro, std::int64_t value) {
    out += text("#define MW_", macro, " ", value, "\n");
  };
  define("N", s.n);
  define("K", s.k);
  define("M", s.m);
  define("HAS_C", s.has_c ? 1 : 0);
  define("VEC_A", s.vec_a);
  define("VEC_B", s.vec_b);
  define("VEC_C", s.vec_c);
  define("DENSE_A", s.dense_a ? 1 : 0);
  define("DENSE_C", s.dense_c ? 1 : 0);
  define("THREADS", p.threads);
  define("BLOCKS", p.blocks);
  define("ROWS", p.rows);
  define("COLUMNS", p.columns);
  define("LANES", p.lanes);
  define("LANES_ROW", p.lanes_row);
  define("LANES_COL", p.lanes_col);
  define("DEPTH", p.depth);
  define("STAGES", p.stages);
  define("MMA", p.mma);
  define("MMA_K", p.mma == 0 ? 0 : 256 / p.mma);  // 16 bits: 16, tf32: 8, float64: 4
  define("GROUP", p.group);
  define("RUN", p.run);
  define("TILES", p.tiles);
  define("PAIR_A", p.pair_a);
  define("PAIR_C", p.pair_c);
  define("B_SHARED", p.b_shared ? 1 : 0);
  define("A_BY_K", p.a_by_k ? 1 : 0);
  define("B_BY_K", p.b_by_k ? 1 : 0);
  if (p.mma != 0) out += text("#define MW_MMA_TEXT \"", row_of(s.operand)->mma, "\"\n");
  if (p.kind == Template::warpgroups) {
    // Large results pass the second-level cache by, which is A's and B's.
    out += "#define MW_STORE \"st.global.cs\"\n";
    out += text("#define MW_OPERAND_TEXT \"", s.operand == DType::float16 ? "f16" : "bf16", "\"\n");
  }
  out += kTypes;
  out += text("typedef ", type_name(s.operand), " Element;\ntypedef ", type_name(s.c),
              " ElementC;\ntypedef ", type_name(sum_dtype(s.operand)), " Acc;\n");
  if (p.narrow_results) out += "#define expf __expf\n";
  out += epilog;
  out += kCommon;
  out += text_of(p.kind);
  return out;
}

}  // namespace mw::matmul_cuda
