// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// CUDA C++ text, compiled by NVRTC for one device and loaded into its primary context.
//
//   const cuda::Kernel kernel = device_kernel(device_id, {.source = text, .name = "scale"});
//   launch(kernel, {.blocks = n, .threads = 256}, stream, pointer, count);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mathwright/device.hpp>

#include "base/outcome.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

struct DeviceProgram {
  std::string source;                ///< defines `extern "C" __global__` functions
  std::string name;                  ///< the one wanted
  std::vector<std::string> options;  ///< for NVRTC, beyond architecture and language
  /// Uses instructions that no later architecture has ("sm_90a").
  bool this_architecture_only = false;
};

/// Machine code for a compute capability (10 · major + minor) where this NVRTC knows it, else PTX
/// of the newest architecture below it, which the driver compiles. Takes 0.1–1 s; needs no device.
/// Errors: not_found without NVRTC; compile with NVRTC's log.
[[nodiscard]] std::string compile_device_program(const DeviceProgram& program, int capability);

/// The same as intermediate code (LTO-IR) of `__device__` functions, for a library that links them
/// into kernels of its own.
[[nodiscard]] std::string compile_device_functions(const DeviceProgram& program, int capability);

/// The kernel, compiled and loaded on first need and kept for the process. Errors: as above,
/// vendor.
[[nodiscard]] cuda::Kernel device_kernel(int device_id, const DeviceProgram& program);

struct LaunchShape {
  std::int64_t blocks = 1;
  unsigned threads = 1;
  unsigned shared_bytes = 0;
};

/// Queues a kernel; the device's context is current. Arguments are passed by value.
template <class... Args>
void launch(cuda::Kernel kernel, const LaunchShape& shape, Stream stream, Args... args) {
  void* pointers[] = {static_cast<void*>(&args)...};
  cuda::call(cuda::api().cuLaunchKernel, kernel, static_cast<unsigned>(shape.blocks), 1U, 1U,
             shape.threads, 1U, 1U, shape.shared_bytes, stream.handle, pointers, nullptr);
}

}  // namespace mw
