// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Our declarations of the driver API's types: only what the rows of api.def use. Values and sizes
// are compared with cuda.h in tests where that header is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mw::cuda {

using Status = int;
using DeviceOrdinal = int;
using DevicePtr = unsigned long long;

// Streams and events are plain void*, as the public Stream holds them.
struct ContextObject;
struct MemPoolObject;
struct ModuleObject;
struct KernelObject;
struct GraphObject;
struct GraphExecObject;
struct ArrayObject;
using Context = ContextObject*;
using MemPool = MemPoolObject*;
using Module = ModuleObject*;
using Kernel = KernelObject*;
using Graph = GraphObject*;
using GraphExec = GraphExecObject*;
using Array = ArrayObject*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidValue = 1;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNotInitialized = 3;
inline constexpr Status kDeinitialized = 4;  ///< the process is ending
inline constexpr Status kNoDevice = 100;
inline constexpr Status kNotReady = 600;  ///< of the queries: no failure
/// Of a question about the legacy stream while another one is capturing.
inline constexpr Status kStreamCaptureImplicit = 906;

enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  warp_size = 10,
  max_registers_per_block = 12,
  clock_rate = 13,
  multiprocessor_count = 16,
  integrated = 18,
  memory_clock_rate = 36,
  global_memory_bus_width = 37,
  l2_cache_size = 38,
  max_threads_per_multiprocessor = 39,
  unified_addressing = 41,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_multiprocessor = 81,
  max_registers_per_multiprocessor = 82,
  managed_memory = 83,
  pageable_memory_access = 88,
  max_shared_memory_per_block_optin = 97,
  memory_pools_supported = 115,
};

enum class MemPoolAttribute : int {
  release_threshold = 4,     ///< uint64: bytes kept when the pool is trimmed at synchronisation
  reserved_mem_current = 5,  ///< uint64
  reserved_mem_high = 6,     ///< uint64
  used_mem_current = 7,      ///< uint64
  used_mem_high = 8,         ///< uint64
};

enum class PointerAttribute : int {
  context = 1,
  memory_type = 2,
  device_pointer = 3,
  host_pointer = 4,
  is_managed = 8,
  device_ordinal = 9,
  range_start = 11,
  range_size = 12,
};

enum class MemoryType : int { none = 0, host = 1, device = 2, array = 3, unified = 4 };

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  local_size_bytes = 3,
  num_registers = 4,
  max_dynamic_shared_size_bytes = 8,
  preferred_shared_memory_carveout = 9,
};

enum class JitOption : int {
  max_registers = 0,
  info_log_buffer = 3,
  info_log_buffer_size_bytes = 4,
  error_log_buffer = 5,
  error_log_buffer_size_bytes = 6,
};

enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kHostRegisterPortable = 1;

struct Memcpy2D {
  std::size_t source_x_bytes = 0, source_y = 0;
  MemoryType source_type{};
  const void* source_host = nullptr;
  DevicePtr source_device = 0;
  Array source_array = nullptr;
  std::size_t source_pitch = 0;

  std::size_t target_x_bytes = 0, target_y = 0;
  MemoryType target_type{};
  void* target_host = nullptr;
  DevicePtr target_device = 0;
  Array target_array = nullptr;
  std::size_t target_pitch = 0;

  std::size_t width_bytes = 0, height = 0;
};

struct Memcpy3D {
  std::size_t source_x_bytes = 0, source_y = 0, source_z = 0, source_lod = 0;
  MemoryType source_type{};
  const void* source_host = nullptr;
  DevicePtr source_device = 0;
  Array source_array = nullptr;
  void* reserved0 = nullptr;
  std::size_t source_pitch = 0, source_height = 0;

  std::size_t target_x_bytes = 0, target_y = 0, target_z = 0, target_lod = 0;
  MemoryType target_type{};
  void* target_host = nullptr;
  DevicePtr target_device = 0;
  Array target_array = nullptr;
  void* reserved1 = nullptr;
  std::size_t target_pitch = 0, target_height = 0;

  std::size_t width_bytes = 0, height = 0, depth = 0;
};

/// What a launch may carry besides its grid: cluster size, programmatic dependence and the like.
struct LaunchAttribute {
  enum class Id : int { cooperative = 2, cluster_dimension = 4, programmatic_serialization = 6 };
  Id id{};
  char padding[8 - sizeof(Id)]{};
  union alignas(8) Value {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
  } value{};
};

struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned dynamic_shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// An array as the tensor memory unit sees it; what is inside is the driver's.
struct alignas(128) TensorMap {
  std::uint64_t words[16];
};
enum class TensorMapType : int { float16 = 6, bfloat16 = 9 };
enum class TensorMapInterleave : int { none = 0 };
enum class TensorMapSwizzle : int { bytes_128 = 3 };
enum class TensorMapPromotion : int { bytes_256 = 3 };
enum class TensorMapFill : int { zero = 0 };

}  // namespace mw::cuda
