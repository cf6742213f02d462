// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The native FFT by itself: time per execution of a plan, and the rate by the usual count of
// 5 N log2 n flops (half for real transforms), N elements in transforms of n.
//
//   kernels_fft_bench [threads] [substring of the case names]
//
// The best of several runs, buffers warm; time is wall-clock.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <mathwright/tensor.hpp>

#include "kernels/fft/fft.hpp"

namespace {

using mw::Dims;
using mw::DType;
using mw::kernels::Fft;
using mw::kernels::FftKind;

struct Case {
  const char* name;
  FftKind kind;
  Dims shape;
  Dims axes;
};

const Case kCases[] = {
    {"1d 2^4", FftKind::c2c, {16}, {0}},
    {"1d 2^6", FftKind::c2c, {64}, {0}},
    {"1d 2^8", FftKind::c2c, {256}, {0}},
    {"1d 2^10", FftKind::c2c, {1024}, {0}},
    {"1d 2^12", FftKind::c2c, {4096}, {0}},
    {"1d 2^14", FftKind::c2c, {1 << 14}, {0}},
    {"1d 2^16", FftKind::c2c, {1 << 16}, {0}},
    {"1d 2^18", FftKind::c2c, {1 << 18}, {0}},
    {"1d 2^20", FftKind::c2c, {1 << 20}, {0}},
    {"1d 1000", FftKind::c2c, {1000}, {0}},
    {"1d 1001 = 7·11·13", FftKind::c2c, {1001}, {0}},
    {"1d 3^7", FftKind::c2c, {2187}, {0}},
    {"1d 3^4·5^3", FftKind::c2c, {10125}, {0}},
    {"1d prime 1009", FftKind::c2c, {1009}, {0}},
    {"1d prime 10007", FftKind::c2c, {10007}, {0}},
    {"rows of 15", FftKind::c2c, {4096, 15}, {1}},
    {"rows of 64", FftKind::c2c, {4096, 64}, {1}},
    {"rows of 1024", FftKind::c2c, {256, 1024}, {1}},
    {"columns of 256", FftKind::c2c, {256, 256}, {0}},
    {"columns of 1024", FftKind::c2c, {1024, 1024}, {0}},
    {"2d 256²", FftKind::c2c, {256, 256}, {0, 1}},
    {"2d 1000²", FftKind::c2c, {1000, 1000}, {0, 1}},
    {"2d 1024²", FftKind::c2c, {1024, 1024}, {0, 1}},
    {"3d 128³", FftKind::c2c, {128, 128, 128}, {0, 1, 2}},
    {"real 1d 2^10", FftKind::r2c, {1024}, {0}},
    {"real 1d 2^16", FftKind::r2c, {1 << 16}, {0}},
    {"real rows of 1024", FftKind::r2c, {256, 1024}, {1}},
    {"real 2d 1024²", FftKind::r2c, {1024, 1024}, {0, 1}},
    {"real back 1d 2^16", FftKind::c2r, {1 << 16}, {0}},
    {"real back 2d 1024²", FftKind::c2r, {1024, 1024}, {0, 1}},
    {"dct1 1d 1025", FftKind::dct1, {1025}, {0}},
    {"dct2 1d 2^10", FftKind::dct2, {1024}, {0}},
    {"dct2 1d 2^16", FftKind::dct2, {1 << 16}, {0}},
    {"dct4 1d 2^16", FftKind::dct4, {1 << 16}, {0}},
    {"dct2 2d 1024²", FftKind::dct2, {1024, 1024}, {0, 1}},
    {"dst3 columns 1024", FftKind::dst3, {1024, 1024}, {0}},
};

/// Zero-filled memory aligned as workspaces must be.
struct Block {
  explicit Block(std::size_t bytes)
      : data(::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64})) {
    std::fill_n(static_cast<char*>(data), bytes, char{0});
  }
  ~Block() { ::operator delete (data, std::align_val_t{64}); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void* data;
};

double seconds(const Fft& fft, const void* in, void* out, void* workspace) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](int count) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) fft.execute(in, out, -1, 1.0, workspace);
    return std::chrono::duration<double>(Clock::now() - start).count() / count;
  };
  timed(1);
  const int count = std::clamp(static_cast<int>(2e-3 / std::max(timed(1), 1e-8)), 1, 100000);
  double best = timed(count);
  for (int i = 0; i < 8; ++i) best = std::min(best, timed(count));
  return best;
}

void run(const Case& c, DType precision, int threads) {
  const std::size_t last = static_cast<std::size_t>(c.axes.back());
  Dims half = c.shape;
  half[last] = half[last] / 2 + 1;
  const auto fft = Fft::make(
      {c.kind, precision, c.shape, mw::contiguous_strides(c.kind == FftKind::c2r ? half : c.shape),
       mw::contiguous_strides(c.kind == FftKind::r2c ? half : c.shape), c.axes},
      threads);
  std::int64_t elements = 1;
  for (auto extent : c.shape) elements *= extent;
  double n = 1;
  for (auto axis : c.axes) n *= static_cast<double>(c.shape[static_cast<std::size_t>(axis)]);
  const std::size_t bytes = 4 * mw::itemsize(precision) * static_cast<std::size_t>(elements);
  const Block in(bytes);
  const Block out(bytes);
  const Block workspace(fft->workspace_bytes());

  const double time = seconds(*fft, in.data, out.data, workspace.data);
  const double flops =
      (c.kind == FftKind::c2c ? 5.0 : 2.5) * static_cast<double>(elements) * std::log2(n);
  std::printf("%-20s %-8s %14.0f %8.2f %14.0f\n", c.name, std::string(name(precision)).c_str(),
              time * 1e9, flops / time * 1e-9, fft->estimate() * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string wanted = argc > 2 ? argv[2] : "";
  std::printf("%d thread(s)\n%-20s %-8s %14s %8s %14s\n", threads, "case", "parts", "ns", "Gflop/s",
              "estimated ns");
  for (const auto& c : kCases) {
    if (std::string(c.name).find(wanted) == std::string::npos) continue;
    for (auto precision : {DType::float64, DType::float32}) run(c, precision, threads);
  }
  return 0;
}
