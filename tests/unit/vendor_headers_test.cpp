// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Our declarations of CUDA's functions, types and numbers against the vendor's headers, where those
// are installed. Signatures are compared at compile time, row by row of each api.def.
#include <cstddef>

#include <gtest/gtest.h>

#include "unit/vendor_signature.hpp"
#include "vendor/cublaslt/types.hpp"
#include "vendor/cuda/types.hpp"
#include "vendor/cufft/api.hpp"
#include "vendor/nvrtc/api.hpp"

#if __has_include(<cuda.h>) && __has_include(<cublasLt.h>) && __has_include(<cufftXt.h>) && \
    __has_include(<nvrtc.h>)
#include <cuda.h>
#if CUDA_VERSION >= 12080
#define MW_HAS_CUDA_HEADERS
#include <cublasLt.h>
#include <cufftXt.h>
#include <nvrtc.h>
#endif
#endif
using mw::vendor::Compatible;
using mw::vendor::number;

#ifdef MW_HAS_CUDA_HEADERS

#define MW_FUNCTION(result, name, arguments, since) \
  static_assert(Compatible<result arguments, decltype(::name)>::value, #name);
namespace mw::cuda {
#include "vendor/cuda/api.def"
}
namespace mw::nvrtc {
#include "vendor/nvrtc/api.def"
}
namespace mw::cublaslt {
#include "vendor/cublaslt/api.def"
}
namespace mw::cufft {
#include "vendor/cufft/api.def"
}
#undef MW_FUNCTION

#define MW_SAME(ours, theirs) static_assert(number(ours) == number(theirs), #theirs)

namespace mw::cuda {
using A = DeviceAttribute;
MW_SAME(A::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
MW_SAME(A::max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
MW_SAME(A::max_grid_dim_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
MW_SAME(A::max_grid_dim_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
MW_SAME(A::max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
MW_SAME(A::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
MW_SAME(A::max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
MW_SAME(A::clock_rate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
MW_SAME(A::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
MW_SAME(A::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
MW_SAME(A::memory_clock_rate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
MW_SAME(A::global_memory_bus_width, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
MW_SAME(A::l2_cache_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
MW_SAME(A::max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
MW_SAME(A::unified_addressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
MW_SAME(A::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
MW_SAME(A::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
MW_SAME(A::max_shared_memory_per_multiprocessor,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
MW_SAME(A::max_registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
MW_SAME(A::managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
MW_SAME(A::pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
MW_SAME(A::max_shared_memory_per_block_optin,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
MW_SAME(A::memory_pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);

MW_SAME(MemPoolAttribute::release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
MW_SAME(MemPoolAttribute::reserved_mem_current, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
MW_SAME(MemPoolAttribute::reserved_mem_high, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
MW_SAME(MemPoolAttribute::used_mem_current, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
MW_SAME(MemPoolAttribute::used_mem_high, CU_MEMPOOL_ATTR_USED_MEM_HIGH);

MW_SAME(PointerAttribute::context, CU_POINTER_ATTRIBUTE_CONTEXT);
MW_SAME(PointerAttribute::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
MW_SAME(PointerAttribute::device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
MW_SAME(PointerAttribute::host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER);
MW_SAME(PointerAttribute::is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
MW_SAME(PointerAttribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
MW_SAME(PointerAttribute::range_start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
MW_SAME(PointerAttribute::range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
MW_SAME(MemoryType::host, CU_MEMORYTYPE_HOST);
MW_SAME(MemoryType::device, CU_MEMORYTYPE_DEVICE);
MW_SAME(MemoryType::array, CU_MEMORYTYPE_ARRAY);
MW_SAME(MemoryType::unified, CU_MEMORYTYPE_UNIFIED);

MW_SAME(FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
MW_SAME(FunctionAttribute::shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
MW_SAME(FunctionAttribute::local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
MW_SAME(FunctionAttribute::num_registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
MW_SAME(FunctionAttribute::max_dynamic_shared_size_bytes,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
MW_SAME(FunctionAttribute::preferred_shared_memory_carveout,
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

MW_SAME(JitOption::max_registers, CU_JIT_MAX_REGISTERS);
MW_SAME(JitOption::info_log_buffer, CU_JIT_INFO_LOG_BUFFER);
MW_SAME(JitOption::info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
MW_SAME(JitOption::error_log_buffer, CU_JIT_ERROR_LOG_BUFFER);
MW_SAME(JitOption::error_log_buffer_size_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
MW_SAME(CaptureStatus::active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
MW_SAME(CaptureStatus::invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
MW_SAME(CaptureMode::thread_local_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
MW_SAME(CaptureMode::relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);

MW_SAME(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
MW_SAME(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
MW_SAME(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
MW_SAME(kDeinitialized, CUDA_ERROR_DEINITIALIZED);
MW_SAME(kNoDevice, CUDA_ERROR_NO_DEVICE);
MW_SAME(kNotReady, CUDA_ERROR_NOT_READY);
MW_SAME(kStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
MW_SAME(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
MW_SAME(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
MW_SAME(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
MW_SAME(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE);
MW_SAME(kHostRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE);

static_assert(sizeof(DevicePtr) == sizeof(CUdeviceptr));
static_assert(sizeof(Memcpy2D) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(Memcpy2D, target_x_bytes) == offsetof(CUDA_MEMCPY2D, dstXInBytes));
static_assert(offsetof(Memcpy2D, target_pitch) == offsetof(CUDA_MEMCPY2D, dstPitch));
static_assert(offsetof(Memcpy2D, width_bytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes));
static_assert(sizeof(Memcpy3D) == sizeof(CUDA_MEMCPY3D));
static_assert(offsetof(Memcpy3D, source_height) == offsetof(CUDA_MEMCPY3D, srcHeight));
static_assert(offsetof(Memcpy3D, target_x_bytes) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
static_assert(offsetof(Memcpy3D, target_height) == offsetof(CUDA_MEMCPY3D, dstHeight));
static_assert(offsetof(Memcpy3D, depth) == offsetof(CUDA_MEMCPY3D, Depth));
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) &&
              alignof(TensorMap) >= alignof(CUtensorMap));
MW_SAME(TensorMapType::float16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
MW_SAME(TensorMapType::bfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
MW_SAME(TensorMapInterleave::none, CU_TENSOR_MAP_INTERLEAVE_NONE);
MW_SAME(TensorMapSwizzle::bytes_128, CU_TENSOR_MAP_SWIZZLE_128B);
MW_SAME(TensorMapPromotion::bytes_256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
MW_SAME(TensorMapFill::zero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
MW_SAME(LaunchAttribute::Id::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
MW_SAME(LaunchAttribute::Id::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
MW_SAME(LaunchAttribute::Id::programmatic_serialization,
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
}  // namespace mw::cuda

namespace mw::cublaslt {
static_assert(sizeof(Algo) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(HeuristicResult, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(HeuristicResult, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(HeuristicResult, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
MW_SAME(kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
MW_SAME(DataType::r_32f, CUDA_R_32F);
MW_SAME(DataType::r_64f, CUDA_R_64F);
MW_SAME(DataType::r_16f, CUDA_R_16F);
MW_SAME(DataType::r_8i, CUDA_R_8I);
MW_SAME(DataType::c_32f, CUDA_C_32F);
MW_SAME(DataType::c_64f, CUDA_C_64F);
MW_SAME(DataType::c_16f, CUDA_C_16F);
MW_SAME(DataType::r_8u, CUDA_R_8U);
MW_SAME(DataType::r_32i, CUDA_R_32I);
MW_SAME(DataType::r_16bf, CUDA_R_16BF);
MW_SAME(DataType::c_16bf, CUDA_C_16BF);
MW_SAME(DataType::r_8f_e4m3, CUDA_R_8F_E4M3);
MW_SAME(DataType::r_8f_e5m2, CUDA_R_8F_E5M2);
MW_SAME(DataType::r_8f_ue8m0, CUDA_R_8F_UE8M0);
MW_SAME(DataType::r_4f_e2m1, CUDA_R_4F_E2M1);
MW_SAME(ComputeType::f16, CUBLAS_COMPUTE_16F);
MW_SAME(ComputeType::f16_pedantic, CUBLAS_COMPUTE_16F_PEDANTIC);
MW_SAME(ComputeType::f32, CUBLAS_COMPUTE_32F);
MW_SAME(ComputeType::f32_pedantic, CUBLAS_COMPUTE_32F_PEDANTIC);
MW_SAME(ComputeType::f64, CUBLAS_COMPUTE_64F);
MW_SAME(ComputeType::f64_pedantic, CUBLAS_COMPUTE_64F_PEDANTIC);
MW_SAME(ComputeType::i32, CUBLAS_COMPUTE_32I);
MW_SAME(ComputeType::i32_pedantic, CUBLAS_COMPUTE_32I_PEDANTIC);
MW_SAME(ComputeType::f32_fast_16f, CUBLAS_COMPUTE_32F_FAST_16F);
MW_SAME(ComputeType::f32_fast_16bf, CUBLAS_COMPUTE_32F_FAST_16BF);
MW_SAME(ComputeType::f32_fast_tf32, CUBLAS_COMPUTE_32F_FAST_TF32);
MW_SAME(Op::none, CUBLAS_OP_N);
MW_SAME(Op::transpose, CUBLAS_OP_T);
MW_SAME(Op::conjugate_transpose, CUBLAS_OP_C);
MW_SAME(Order::column, CUBLASLT_ORDER_COL);
MW_SAME(Order::row, CUBLASLT_ORDER_ROW);
MW_SAME(PointerMode::host, CUBLASLT_POINTER_MODE_HOST);
MW_SAME(PointerMode::device, CUBLASLT_POINTER_MODE_DEVICE);
MW_SAME(PointerMode::device_vector, CUBLASLT_POINTER_MODE_DEVICE_VECTOR);
using D = DescAttribute;
MW_SAME(D::compute_type, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
MW_SAME(D::scale_type, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
MW_SAME(D::pointer_mode, CUBLASLT_MATMUL_DESC_POINTER_MODE);
MW_SAME(D::trans_a, CUBLASLT_MATMUL_DESC_TRANSA);
MW_SAME(D::trans_b, CUBLASLT_MATMUL_DESC_TRANSB);
MW_SAME(D::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
MW_SAME(D::bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
MW_SAME(D::bias_batch_stride, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
MW_SAME(D::epilogue_aux_pointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
MW_SAME(D::epilogue_aux_ld, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
MW_SAME(D::epilogue_aux_batch_stride, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
MW_SAME(D::sm_count_target, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET);
MW_SAME(D::a_scale_pointer, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
MW_SAME(D::b_scale_pointer, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
MW_SAME(D::c_scale_pointer, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER);
MW_SAME(D::d_scale_pointer, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
MW_SAME(D::amax_d_pointer, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER);
MW_SAME(D::epilogue_aux_data_type, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE);
MW_SAME(D::epilogue_aux_scale_pointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER);
MW_SAME(D::epilogue_aux_amax_pointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER);
MW_SAME(D::fast_accum, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
MW_SAME(D::bias_data_type, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
MW_SAME(D::a_scale_mode, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
MW_SAME(D::b_scale_mode, CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
MW_SAME(D::c_scale_mode, CUBLASLT_MATMUL_DESC_C_SCALE_MODE);
MW_SAME(D::d_scale_mode, CUBLASLT_MATMUL_DESC_D_SCALE_MODE);
MW_SAME(D::epilogue_aux_scale_mode, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE);
MW_SAME(D::d_out_scale_pointer, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER);
MW_SAME(D::d_out_scale_mode, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE);
MW_SAME(ScaleMode::vec32_ue8m0, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
MW_SAME(ScaleMode::vec16_ue4m3, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3);
using L = LayoutAttribute;
MW_SAME(L::type, CUBLASLT_MATRIX_LAYOUT_TYPE);
MW_SAME(L::order, CUBLASLT_MATRIX_LAYOUT_ORDER);
MW_SAME(L::rows, CUBLASLT_MATRIX_LAYOUT_ROWS);
MW_SAME(L::cols, CUBLASLT_MATRIX_LAYOUT_COLS);
MW_SAME(L::ld, CUBLASLT_MATRIX_LAYOUT_LD);
MW_SAME(L::batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
MW_SAME(L::strided_batch_offset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
MW_SAME(L::plane_offset, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET);
using P = PreferenceAttribute;
MW_SAME(P::search_mode, CUBLASLT_MATMUL_PREF_SEARCH_MODE);
MW_SAME(P::max_workspace_bytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
MW_SAME(P::reduction_scheme_mask, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
MW_SAME(P::min_alignment_a_bytes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
MW_SAME(P::min_alignment_d_bytes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
MW_SAME(P::max_waves_count, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT);
MW_SAME(P::impl_mask, CUBLASLT_MATMUL_PREF_IMPL_MASK);
MW_SAME(AlgoConfig::id, CUBLASLT_ALGO_CONFIG_ID);
MW_SAME(AlgoConfig::tile_id, CUBLASLT_ALGO_CONFIG_TILE_ID);
MW_SAME(AlgoConfig::split_k_num, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
MW_SAME(AlgoConfig::reduction_scheme, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
MW_SAME(AlgoConfig::cta_swizzling, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING);
MW_SAME(AlgoConfig::custom_option, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION);
MW_SAME(AlgoConfig::stages_id, CUBLASLT_ALGO_CONFIG_STAGES_ID);
MW_SAME(AlgoConfig::inner_shape_id, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID);
MW_SAME(AlgoConfig::cluster_shape_id, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
MW_SAME(AlgoCap::split_k_support, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT);
MW_SAME(AlgoCap::numerical_impl_flags, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS);
MW_SAME(AlgoCap::min_alignment_d_bytes, CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES);
MW_SAME(Epilogue::none, CUBLASLT_EPILOGUE_DEFAULT);
MW_SAME(Epilogue::relu, CUBLASLT_EPILOGUE_RELU);
MW_SAME(Epilogue::bias, CUBLASLT_EPILOGUE_BIAS);
MW_SAME(Epilogue::relu_bias, CUBLASLT_EPILOGUE_RELU_BIAS);
MW_SAME(Epilogue::gelu, CUBLASLT_EPILOGUE_GELU);
MW_SAME(Epilogue::gelu_bias, CUBLASLT_EPILOGUE_GELU_BIAS);
MW_SAME(Epilogue::relu_aux, CUBLASLT_EPILOGUE_RELU_AUX);
MW_SAME(Epilogue::relu_aux_bias, CUBLASLT_EPILOGUE_RELU_AUX_BIAS);
MW_SAME(Epilogue::drelu, CUBLASLT_EPILOGUE_DRELU);
MW_SAME(Epilogue::drelu_bgrad, CUBLASLT_EPILOGUE_DRELU_BGRAD);
MW_SAME(Epilogue::gelu_aux, CUBLASLT_EPILOGUE_GELU_AUX);
MW_SAME(Epilogue::gelu_aux_bias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
MW_SAME(Epilogue::dgelu, CUBLASLT_EPILOGUE_DGELU);
MW_SAME(Epilogue::dgelu_bgrad, CUBLASLT_EPILOGUE_DGELU_BGRAD);
MW_SAME(Epilogue::bgrad_a, CUBLASLT_EPILOGUE_BGRADA);
MW_SAME(Epilogue::bgrad_b, CUBLASLT_EPILOGUE_BGRADB);
static_assert(kReductionAny == CUBLASLT_REDUCTION_SCHEME_MASK);
}  // namespace mw::cublaslt

namespace mw::cufft {
static_assert(kForward == CUFFT_FORWARD && kInverse == CUFFT_INVERSE);
MW_SAME(DataType::c_64f, CUDA_C_64F);
MW_SAME(DataType::c_16bf, CUDA_C_16BF);
MW_SAME(WorkAreaPolicy::performance, CUFFT_WORKAREA_PERFORMANCE);
MW_SAME(CallbackType::store_real_double, CUFFT_CB_ST_REAL_DOUBLE);
MW_SAME(Property::patient_jit, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT);
MW_SAME(Property::max_num_host_threads, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS);
}  // namespace mw::cufft

namespace mw::nvrtc {
MW_SAME(kCompilation, NVRTC_ERROR_COMPILATION);
}  // namespace mw::nvrtc

TEST(VendorHeaders, CudaDeclarationsMatchTheHeaders) { SUCCEED() << "checked at compile time"; }

#else

TEST(VendorHeaders, CudaDeclarationsMatchTheHeaders) {
  GTEST_SKIP()
      << "cuda.h, cublasLt.h, cufftXt.h and nvrtc.h of CUDA 12.8 or newer are not installed";
}

#endif  // MW_HAS_CUDA_HEADERS
