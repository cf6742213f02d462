// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/rates.hpp"

#include <algorithm>

#include "runtime/cuda_device.hpp"

namespace mw {

namespace {

// Vector width (bytes) times two fused multiply-adds per cycle at 3 GHz; a host core draws about
// 10 GB/s alone, and a socket saturates near eight of them.
Rates host_rates(int threads, DType real) {
#if defined(__x86_64__)
  const double vector_bytes = __builtin_cpu_supports("avx512f") ? 64
                              : __builtin_cpu_supports("avx2")  ? 32
                                                                : 16;
#else
  const double vector_bytes = 16;
#endif
  constexpr double kCycles = 3e9;
  const double lanes = vector_bytes / static_cast<double>(std::max<std::size_t>(itemsize(real), 4));
  return {.bandwidth = 10e9 * std::min(threads, 8),
          .flops = 4 * lanes * kCycles * threads,
          .call = 0.1e-6};
}

// Fused multiply-adds per multiprocessor and cycle outside the matrix units: 128 in float32 on
// every recent part, half of that in float64 on data-centre parts; the matrix units give f16
// sixteen times.
Rates cuda_rates(int device_id, DType real) {
  const CudaDeviceInfo& info = cuda_device_info(device_id);
  constexpr double kCycles = 1.7e9;
  const double float32 = 2.0 * 128 * info.multiprocessors * kCycles;
  const std::size_t size = itemsize(real);
  return {.bandwidth = info.bandwidth,
          .flops = size == 8   ? float32
                   : size == 2 ? 12 * float32
                               : float32,
          .call = 3e-6};
}

}  // namespace

Rates rates(Device device, int threads, DType dtype) {
  const DType real = real_dtype(dtype);
  return device.is_cpu() ? host_rates(threads, real) : cuda_rates(device.id, real);
}

}  // namespace mw
