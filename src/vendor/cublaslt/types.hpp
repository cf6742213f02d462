// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Our declarations of cuBLASLt's types: only what the rows of api.def and its callers use. Values
// and sizes are compared with cublasLt.h in tests where that header is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mw::cublaslt {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 15;

struct ContextObject;
struct MatmulDescObject;
struct LayoutObject;
struct PreferenceObject;
using Context = ContextObject*;
using MatmulDesc = MatmulDescObject*;
using Layout = LayoutObject*;
using Preference = PreferenceObject*;

/// An algorithm with its configuration. Plain bytes: may be stored, and used again with the same
/// library version on the same kind of device.
struct Algo {
  std::uint64_t data[8];
};

struct HeuristicResult {
  Algo algo;
  std::size_t workspace_bytes;
  Status state;  ///< of this entry; use it only if kSuccess
  float waves;   ///< full waves of blocks: 1 is a device just filled
  int reserved[4];
};

/// cudaDataType_t.
enum class DataType : int {
  r_32f = 0,
  r_64f = 1,
  r_16f = 2,
  r_8i = 3,
  c_32f = 4,
  c_64f = 5,
  c_16f = 6,
  r_8u = 8,
  r_32i = 10,
  r_16bf = 14,
  c_16bf = 15,
  r_8f_e4m3 = 28,
  r_8f_e5m2 = 29,
  r_8f_ue8m0 = 30,
  r_4f_e2m1 = 33,
};

/// cublasComputeType_t.
enum class ComputeType : int {
  f16 = 64,
  f16_pedantic = 65,
  f32 = 68,
  f32_pedantic = 69,
  f64 = 70,
  f64_pedantic = 71,
  i32 = 72,
  i32_pedantic = 73,
  f32_fast_16f = 74,
  f32_fast_16bf = 75,
  f32_fast_tf32 = 77,
  f32_emulated_16bfx9 = 78,
};

enum class Op : int { none = 0, transpose = 1, conjugate_transpose = 2 };
enum class Order : int { column = 0, row = 1 };
enum class PointerMode : int {
  host = 0,
  device = 1,
  device_vector = 2,
  alpha_device_vector_beta_zero = 3,
  alpha_device_vector_beta_host = 4,
};

/// The comment is the type of the value to pass.
enum class DescAttribute : int {
  compute_type = 0,                 // int32
  scale_type = 1,                   // int32
  pointer_mode = 2,                 // int32
  trans_a = 3,                      // int32
  trans_b = 4,                      // int32
  epilogue = 7,                     // uint32
  bias_pointer = 8,                 // void*
  bias_batch_stride = 10,           // int64
  epilogue_aux_pointer = 11,        // void*
  epilogue_aux_ld = 12,             // int64
  epilogue_aux_batch_stride = 13,   // int64
  sm_count_target = 15,             // int32
  a_scale_pointer = 17,             // const void*
  b_scale_pointer = 18,             // const void*
  c_scale_pointer = 19,             // const void*
  d_scale_pointer = 20,             // const void*
  amax_d_pointer = 21,              // void*
  epilogue_aux_data_type = 22,      // int32
  epilogue_aux_scale_pointer = 23,  // const void*
  epilogue_aux_amax_pointer = 24,   // void*
  fast_accum = 25,                  // int8
  bias_data_type = 26,              // int32
  a_scale_mode = 31,                // int32, from CUDA 12.8
  b_scale_mode = 32,                // int32, from CUDA 12.8
  c_scale_mode = 33,                // int32, from CUDA 12.8
  d_scale_mode = 34,                // int32, from CUDA 12.8
  epilogue_aux_scale_mode = 35,     // int32, from CUDA 12.8
  d_out_scale_pointer = 36,         // void*, from CUDA 12.8
  d_out_scale_mode = 37,            // int32, from CUDA 12.8
};

/// How the numbers behind a scale pointer are laid out.
enum class ScaleMode : int {
  scalar_32f = 0,
  vec16_ue4m3 = 1,
  vec32_ue8m0 = 2,
  outer_vec_32f = 3,
  vec128_32f = 4,
};

enum class LayoutAttribute : int {
  type = 0,                  // uint32
  order = 1,                 // int32
  rows = 2,                  // uint64
  cols = 3,                  // uint64
  ld = 4,                    // int64
  batch_count = 5,           // int32
  strided_batch_offset = 6,  // int64, in elements
  plane_offset = 7,          // int64
};

enum class PreferenceAttribute : int {
  search_mode = 0,            // uint32
  max_workspace_bytes = 1,    // uint64
  reduction_scheme_mask = 3,  // uint32
  min_alignment_a_bytes = 5,  // uint32
  min_alignment_b_bytes = 6,  // uint32
  min_alignment_c_bytes = 7,  // uint32
  min_alignment_d_bytes = 8,  // uint32
  max_waves_count = 9,        // float
  impl_mask = 12,             // uint64
};

enum class AlgoConfig : int {
  id = 0,                // int32
  tile_id = 1,           // uint32
  split_k_num = 2,       // int32
  reduction_scheme = 3,  // uint32
  cta_swizzling = 4,     // uint32
  custom_option = 5,     // uint32
  stages_id = 6,         // uint32
  inner_shape_id = 7,    // uint16
  cluster_shape_id = 8,  // uint16
};

/// The comment is the type of the value.
enum class AlgoCap : int {
  split_k_support = 0,                   // int32
  reduction_scheme_mask = 1,             // uint32
  cta_swizzling_support = 2,             // uint32
  strided_batch_support = 3,             // int32
  out_of_place_result_support = 4,       // int32
  uplo_support = 5,                      // int32
  tile_ids = 6,                          // array of uint32
  custom_option_max = 7,                 // int32
  custom_memory_order = 10,              // int32
  pointer_mode_mask = 11,                // uint32
  epilogue_mask = 12,                    // uint32
  stages_ids = 13,                       // array of uint32
  ld_negative = 14,                      // int32
  numerical_impl_flags = 15,             // uint64
  min_alignment_a_bytes = 16,            // uint32
  min_alignment_b_bytes = 17,            // uint32
  min_alignment_c_bytes = 18,            // uint32
  min_alignment_d_bytes = 19,            // uint32
  pointer_array_batch_support = 21,      // int32, from CUDA 12.9
  floating_point_emulation_support = 22  // int32, from CUDA 13
};

/// cublasLtEpilogue_t; bits: relu 2, bias 4, relu gradient 8, bias gradient 16, gelu 32, gelu
/// gradient 64, auxiliary 128, bias gradients of A 256 and of B 512.
enum class Epilogue : std::uint32_t {
  none = 1,
  relu = 2,
  bias = 4,
  relu_bias = 6,
  gelu = 32,
  gelu_bias = 36,
  relu_aux = 130,
  relu_aux_bias = 134,
  drelu = 136,
  drelu_bgrad = 152,
  gelu_aux = 160,
  gelu_aux_bias = 164,
  dgelu = 192,
  dgelu_bgrad = 208,
  bgrad_a = 256,
  bgrad_b = 512,
};

/// Bits of PreferenceAttribute::reduction_scheme_mask. kReductionNone makes results reproducible:
/// no sum is split over blocks.
inline constexpr std::uint32_t kReductionNone = 0;
inline constexpr std::uint32_t kReductionAny = 7;

}  // namespace mw::cublaslt
