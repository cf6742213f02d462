// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Which template, with which numbers: small tables read off bench/cuda_skinny.py on one H200.
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "kernels/matmul_cuda/source.hpp"

namespace mw::matmul_cuda {

namespace {

constexpr std::int64_t kMostColumns = 128;
constexpr std::int64_t kMostK = 256;
constexpr std::int64_t kMostRows = std::int64_t{1} << 30;  // rows are counted in 32 bits
constexpr std::int64_t kMostGrid = (std::int64_t{1} << 31) - 1;

int power_above(std::int64_t x) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(x, 1))));
}
std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// Shared memory that a block may have.
std::int64_t most_shared(int capability) {
  if (capability >= 90) return 227 << 10;
  if (capability == 80 || capability == 87) return 163 << 10;
  return capability >= 86 ? 99 << 10 : 48 << 10;
}

int size_of(const Shape& shape) { return static_cast<int>(itemsize(shape.operand)); }

template <class... Pieces>
Refusal refuse(const Pieces&... pieces) {
  return {"", text(pieces...)};
}

/// The grid: blocks that stay and walk the rows, `waves` times as many as fit at once.
Outcome<Params> with_grid(Params p, std::int64_t rows_at_once, std::int64_t least_rows, int waves) {
  const Shape& s = p.shape;
  if (s.m < least_rows) return refuse("at least ", least_rows, " rows");
  const std::int64_t resident = std::int64_t{waves} * p.blocks * s.multiprocessors / s.count;
  p.per_count = std::min(parts(s.m, rows_at_once), std::max<std::int64_t>(resident, 1));
  p.grid = p.per_count * s.count;
  if (p.grid > kMostGrid) return refuse("at most ", kMostGrid, " blocks");
  return p;
}

// ---- lanes ------------------------------------------------------------------------------------
// B's part in a thread: k · columns numbers of some registers each. 64 leave room for two to four
// rows in flight.
constexpr std::int64_t kMostLanesRegisters = 64;

bool fits_lanes(const Shape& s) {
  constexpr std::int64_t kMostPart = 16;  // registers of a thread's part of a row of A
  const int columns = std::min(16 / size_of(s), power_above(s.n));
  const std::int64_t lanes = power_above(parts(s.n, columns));
  return s.k * columns * (size_of(s) / 4) <= kMostLanesRegisters && lanes <= 32 &&
         parts(s.k, lanes) * (size_of(s) / 4) <= kMostPart;
}

Outcome<Params> lanes(const Shape& s) {
  Params p{.kind = Template::lanes, .shape = s};
  p.columns = std::min(16 / size_of(s), power_above(s.n));
  p.lanes = power_above(parts(s.n, p.columns));
  p.shape.vec_b = std::min(s.vec_b, p.columns);
  p.shape.vec_c = std::min(s.vec_c, p.columns);
  const std::int64_t registers = s.k * p.columns * (size_of(s) / 4);
  p.threads = 128;
  p.rows = registers <= 32 ? 2 : 4;
  p.blocks = registers <= 32 ? 6 : 4;
  if (size_of(s) >= 8) {
    p.rows = registers <= 32 ? 4 : 2;
    p.blocks = 4;
  }
  const std::int64_t block = p.threads / p.lanes * p.rows;
  return with_grid(p, block, block, s.has_c || registers <= 32 ? 8 : 2);
}

// ---- tiles ------------------------------------------------------------------------------------
struct TilesRow {
  std::int64_t most_columns;
  int size;  ///< of an element, bytes
  int lanes_col, columns, rows, threads, blocks;
};
constexpr TilesRow kTilesRows[] = {
    {8, 4, 2, 4, 4, 256, 2},   {16, 4, 2, 8, 4, 256, 1},   {32, 4, 4, 8, 4, 256, 2},
    {64, 4, 8, 8, 8, 384, 1},  {128, 4, 16, 8, 8, 384, 1}, {8, 8, 2, 4, 4, 256, 2},
    {16, 8, 4, 4, 4, 256, 2},  {32, 8, 8, 4, 4, 256, 2},   {64, 8, 16, 4, 4, 256, 2},
    {16, 16, 8, 2, 4, 256, 1}, {32, 16, 16, 2, 4, 256, 1},
};

std::int64_t tiles_shared(const Params& p) {
  const Shape& s = p.shape;
  const std::int64_t b = parts(s.k, p.depth) * p.depth * p.lanes_col * p.columns;
  const std::int64_t a =
      std::int64_t{p.threads / 32} * p.stages * p.lanes_row * p.rows * (p.depth + 16 / size_of(s));
  return (a + b) * size_of(s);
}

Outcome<Params> tiles(const Shape& s) {
  if (size_of(s) < 4) return refuse("16-bit types need Tensor Cores");
  const auto* row = std::ranges::find_if(
      kTilesRows, [&](const TilesRow& r) { return r.size == size_of(s) && s.n <= r.most_columns; });
  if (row == std::end(kTilesRows)) return refuse("n = ", s.n, ": too many columns");
  Params p{.kind = Template::tiles, .shape = s};
  p.lanes_col = row->lanes_col;
  p.lanes_row = 32 / row->lanes_col;
  p.columns = row->columns;
  p.rows = row->rows;
  p.threads = row->threads;
  p.blocks = row->blocks;
  p.stages = row->most_columns > 32 ? 3 : 2;
  const int run = 16 / size_of(s);
  p.depth = std::clamp(power_above(s.k), 2 * run, 128 / size_of(s));
  p.shape.vec_b = std::min(s.vec_b, run);
  p.shape.vec_c = std::min(s.vec_c, run);
  constexpr std::int64_t kReserved = 1 << 10;  // the driver's, per block
  const std::int64_t most = most_shared(s.capability);
  while (p.threads > 64 && tiles_shared(p) > most) p.threads /= 2;
  if (tiles_shared(p) > most) return refuse("n·k = ", s.n * s.k, ": B exceeds shared memory");
  while (p.blocks > 1 && p.blocks * (tiles_shared(p) + kReserved) > most + kReserved) --p.blocks;
  p.shared_bytes = static_cast<unsigned>(tiles_shared(p));
  const std::int64_t tile = std::int64_t{p.lanes_row} * p.rows;
  return with_grid(p, p.threads / 32 * tile, tile, 1);
}

// ---- mma --------------------------------------------------------------------------------------
/// By the registers that all of B's fragments would take.
struct MmaRow {
  int mma;
  int most_registers;
  int with_c;  ///< 0, 1, or 2: either
  int tiles;
  bool b_shared;
  int threads, blocks, waves;
};
constexpr MmaRow kMmaRows[] = {
    {16, 8, 2, 2, false, 256, 4, 2},  {16, 16, 2, 2, false, 128, 5, 1},
    {16, 64, 1, 1, false, 128, 3, 1}, {16, 64, 0, 1, true, 256, 2, 1},
    {16, 256, 2, 1, true, 128, 3, 1}, {16, 1024, 2, 1, true, 128, 2, 1},
    {32, 16, 2, 2, false, 128, 4, 1}, {32, 512, 2, 1, true, 256, 1, 1},
    {64, 8, 2, 2, false, 128, 4, 1},  {64, 64, 2, 1, false, 128, 2, 1},
    {64, 512, 2, 1, true, 256, 1, 1},
};

/// Elements side by side in a lane: as wide as an access, as long as four lanes stay in the row.
int group_of(std::int64_t row, int vec, int least) {
  while (vec > least && 4 * vec > row) vec /= 2;
  return std::max(vec, least);
}

/// How lanes exchange (mma.inl): whole groups of 16 bytes, or two lanes for a row of 32 bytes.
int pairing(std::int64_t row, int group, int vec, int size) {
  if (group * size == 16 && vec == group && row % (8 * group) == 0) return 1;
  return group * size == 8 && vec >= 2 * group && row == 4 * group ? 2 : 0;
}

bool fits_mma(const Shape& s) {
  if (s.operand == DType::float64) return s.capability >= 90 && s.n <= 64 && s.k <= 128;
  if (s.operand == DType::float32) return s.tf32 && s.capability >= 80;
  return size_of(s) == 2 && s.capability >= 80;
}

Outcome<Params> mma(const Shape& s) {
  Params p{.kind = Template::mma, .shape = s};
  p.mma = s.operand == DType::float64 ? 64 : s.operand == DType::float32 ? 32 : 16;
  const int per_lane = 64 / p.mma;  // k of one mma in a lane
  const int size_c = static_cast<int>(itemsize(s.c));
  p.group = group_of(s.k, s.vec_a, per_lane);
  p.run = group_of(s.n, s.has_c ? s.vec_c : 16 / size_c, 2);
  p.pair_a = pairing(s.k, p.group, s.vec_a, size_of(s));
  p.pair_c = pairing(s.n, p.run, s.has_c ? s.vec_c : 16 / size_c, size_c);
  p.shape.vec_a = std::min(s.vec_a, p.pair_a == 2 ? 2 * p.group : p.group);
  p.shape.vec_c = std::min(s.vec_c, p.pair_c == 2 ? 2 * p.run : p.run);
  const std::int64_t steps = parts(s.k, 4 * p.group) * p.group / per_lane;
  const std::int64_t tiles_n = parts(s.n, 4 * p.run) * p.run / 2;
  const std::int64_t registers = steps * tiles_n * 2;
  const auto* row = std::ranges::find_if(kMmaRows, [&](const MmaRow& r) {
    return r.mma == p.mma && registers <= r.most_registers &&
           (r.with_c == 2 || r.with_c == static_cast<int>(s.has_c));
  });
  if (row == std::end(kMmaRows)) return refuse("n·k = ", s.n * s.k, ": B is too large");
  p.tiles = row->tiles;
  p.b_shared = row->b_shared;
  p.threads = row->threads;
  p.blocks = row->blocks;
  p.shared_bytes = static_cast<unsigned>(registers * 32 * 4);
  if (p.shared_bytes > most_shared(s.capability)) return refuse("B exceeds shared memory");
  const std::int64_t warp = 16 * p.tiles;
  return with_grid(p, p.threads / 32 * warp, warp, row->waves);
}

}  // namespace

Outcome<Params> choose(const Shape& s) {
  if (s.n > kMostColumns || s.k > kMostK) {
    return refuse("n ≤ ", kMostColumns, " and k ≤ ", kMostK, " only");
  }
  if (s.m > kMostRows) return refuse("at most ", kMostRows, " rows");
  if (fits_mma(s)) return mma(s);
  if (size_of(s) >= 4 && fits_lanes(s)) return lanes(s);
  return tiles(s);
}

Outcome<Params> choose_batched(const Shape& s) {
  constexpr std::int64_t kMost = 64;
  if (s.m > kMost || s.n > kMost || s.k > kMost) return refuse("m, n, k ≤ ", kMost, " only");
  Params p{.kind = Template::batched, .shape = s};
  const int size = size_of(s);
  p.columns = std::min(16 / size, power_above(s.n));
  const std::int64_t lanes_col = parts(s.n, p.columns);
  const int most_rows = std::min(8, 32 / p.columns);  // 32 results of a thread
  for (p.rows = 1; p.rows < most_rows && lanes_col * parts(s.m, p.rows) > 32;) p.rows *= 2;
  p.group = power_above(lanes_col * parts(s.m, p.rows));
  if (p.group > 256) return refuse("products of at most 256 threads");
  p.threads = std::max(64, p.group);
  const int results = p.rows * p.columns;
  p.blocks = std::max((results <= 8 ? 16 : results <= 32 ? 8 : 4) * 64 / p.threads, 1);
  p.shape.vec_b = std::min(s.vec_b, p.columns);
  p.shape.vec_c = std::min(s.vec_c, p.columns);
  const int run = 16 / size;
  const std::int64_t depth = parts(s.k, run) * run;
  const std::int64_t each = s.m * (depth + run) + depth * lanes_col * p.columns;
  const std::int64_t products = p.threads / p.group;
  constexpr std::int64_t kMostStatic = 48 << 10;
  if (products * each * size > kMostStatic) return refuse("products exceed shared memory");
  p.per_count = s.count;
  p.grid = std::min(parts(s.count, products), kMostGrid);
  return p;
}

Outcome<Params> choose_warpgroups(const Shape& s, bool a_by_k, bool b_by_k) {
  if (s.capability != 90) return refuse("capability 9.0 only: it has the instructions");
  if (size_of(s) != 2) return refuse("16-bit operands only");
  if (s.multiprocessors < 2) return refuse("at least two multiprocessors");
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1024;
  if (s.m > kMost || s.n > kMost || s.k > kMost) return refuse("extents of 31 bits only");
  Params p{.kind = Template::warpgroups, .shape = s};
  p.a_by_k = a_by_k;
  p.b_by_k = b_by_k;
  p.threads = 384;
  // Wide tiles read least; narrow ones where wide ones would leave multiprocessors idle.
  const std::int64_t pairs = parts(s.m, 2 * kWarpgroupRows) * s.count;
  const std::int64_t clusters = s.multiprocessors / 2;
  p.columns = s.n > 128 && pairs * parts(s.n, 256) >= clusters ? 256 : 128;
  const std::int64_t stage = (kWarpgroupRows + p.columns) * kWarpgroupDepth * size_of(s);
  p.stages = p.columns == 256 ? 4 : 6;
  p.shared_bytes = static_cast<unsigned>(p.stages * stage + 1024);  // tiles begin at 1 KiB
  const std::int64_t tiles = pairs * parts(s.n, p.columns);
  p.grid = 2 * std::min(tiles, clusters);
  p.per_count = s.count;
  // One text for all shapes.
  p.shape.m = p.shape.n = p.shape.k = 0;
  p.shape.vec_a = p.shape.vec_b = 1;
  p.shape.vec_c = std::min(s.vec_c, 4);
  p.shape.dense_a = p.shape.dense_c = false;
  return p;
}

}  // namespace mw::matmul_cuda
