// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA tables on a real device: memory, a compiled kernel, a product, a transform, a captured
// graph.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vendor/cublaslt/api.hpp"
#include "vendor/cuda/api.hpp"
#include "vendor/cufft/api.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    const auto driver = cuda::load();
    if (!driver) GTEST_SKIP() << driver.refusal().reason;
    cuda_ = driver.value();
    cuda::call(cuda_->cuDevicePrimaryCtxRetain, &context_, 0);
    cuda::call(cuda_->cuCtxPushCurrent_v2, context_);
    cuda::call(cuda_->cuStreamCreate, stream_.receive(), cuda::kStreamNonBlocking);
  }
  void TearDown() override {
    if (cuda_ == nullptr) return;
    for (const cuda::DevicePtr memory : blocks_)
      cuda::call(cuda_->cuMemFreeAsync, memory, stream_.get());
    cuda::call(cuda_->cuStreamSynchronize, stream_.get());
    stream_.reset();
    cuda::call(cuda_->cuCtxPopCurrent_v2, &context_);
    cuda::call(cuda_->cuDevicePrimaryCtxRelease_v2, 0);
  }

  template <class T>
  cuda::DevicePtr upload(const std::vector<T>& host) {
    cuda::DevicePtr memory = 0;
    const std::size_t bytes = host.size() * sizeof(T);
    cuda::call(cuda_->cuMemAllocAsync, &memory, bytes, stream_.get());
    blocks_.push_back(memory);
    cuda::call(cuda_->cuMemcpyHtoDAsync_v2, memory, host.data(), bytes, stream_.get());
    return memory;
  }
  template <class T>
  std::vector<T> download(cuda::DevicePtr memory, std::size_t count) {
    std::vector<T> host(count);
    cuda::call(cuda_->cuMemcpyDtoHAsync_v2, host.data(), memory, count * sizeof(T), stream_.get());
    cuda::call(cuda_->cuStreamSynchronize, stream_.get());
    return host;
  }
  static void* pointer(cuda::DevicePtr memory) { return reinterpret_cast<void*>(memory); }

  // Compiled for the device at hand.
  cuda::ModuleOwner compile(const nvrtc::Api& api, const char* source) {
    int major = 0, minor = 0;
    cuda::call(cuda_->cuDeviceGetAttribute, &major, cuda::DeviceAttribute::compute_capability_major,
               0);
    cuda::call(cuda_->cuDeviceGetAttribute, &minor, cuda::DeviceAttribute::compute_capability_minor,
               0);
    const std::string arch = "-arch=sm_" + std::to_string(10 * major + minor);
    const char* options[] = {arch.c_str()};
    nvrtc::ProgramOwner program;
    nvrtc::call(api.nvrtcCreateProgram, program.receive(), source, "test.cu", 0, nullptr, nullptr);
    nvrtc::call(api.nvrtcCompileProgram, program.get(), 1, options);
    std::size_t bytes = 0;
    nvrtc::call(api.nvrtcGetCUBINSize, program.get(), &bytes);
    std::vector<char> cubin(bytes);
    nvrtc::call(api.nvrtcGetCUBIN, program.get(), cubin.data());
    cuda::ModuleOwner module;
    cuda::call(cuda_->cuModuleLoadData, module.receive(), cubin.data());
    return module;
  }

  const cuda::Api* cuda_ = nullptr;
  cuda::Context context_ = nullptr;
  cuda::StreamOwner stream_;
  std::vector<cuda::DevicePtr> blocks_;
};

TEST_F(OnDevice, MemoryComesBackAndTellsItsType) {
  const std::vector<int> host{1, 2, 3, 4};
  const cuda::DevicePtr memory = upload(host);
  cuda::MemoryType type{};
  int ordinal = -1;

  cuda::call(cuda_->cuPointerGetAttribute, &type, cuda::PointerAttribute::memory_type, memory);
  cuda::call(cuda_->cuPointerGetAttribute, &ordinal, cuda::PointerAttribute::device_ordinal,
             memory);
  cuda::call(cuda_->cuMemsetD32Async, memory, 7u, 2u, stream_.get());

  EXPECT_EQ(type, cuda::MemoryType::device);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(download<int>(memory, 4), (std::vector<int>{7, 7, 3, 4}));
}

TEST_F(OnDevice, TheDefaultPoolTellsItsUse) {
  cuda::MemPool pool = nullptr;
  std::uint64_t threshold = 1 << 20, used = 0;
  (void)upload(std::vector<char>(4096));

  cuda::call(cuda_->cuDeviceGetDefaultMemPool, &pool, 0);
  cuda::call(cuda_->cuMemPoolSetAttribute, pool, cuda::MemPoolAttribute::release_threshold,
             &threshold);
  cuda::call(cuda_->cuMemPoolGetAttribute, pool, cuda::MemPoolAttribute::used_mem_current, &used);

  EXPECT_GE(used, 4096u);
}

TEST_F(OnDevice, ABoxIsCopiedOutOfALargerOne) {
  std::vector<int> host(4 * 5 * 6);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i);
  std::vector<int> box(2 * 3 * 2);
  const cuda::Memcpy3D copy{.source_x_bytes = sizeof(int),
                            .source_y = 2,
                            .source_z = 1,
                            .source_type = cuda::MemoryType::device,
                            .source_device = upload(host),
                            .source_pitch = 6 * sizeof(int),
                            .source_height = 5,
                            .target_type = cuda::MemoryType::host,
                            .target_host = box.data(),
                            .target_pitch = 2 * sizeof(int),
                            .target_height = 3,
                            .width_bytes = 2 * sizeof(int),
                            .height = 3,
                            .depth = 2};

  cuda::call(cuda_->cuMemcpy3DAsync_v2, &copy, stream_.get());
  cuda::call(cuda_->cuStreamSynchronize, stream_.get());

  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 2; ++x)
        EXPECT_EQ(box[(z * 3 + y) * 2 + x], host[((z + 1) * 5 + y + 2) * 6 + x + 1]);
}

TEST_F(OnDevice, ACompiledKernelRunsBothWaysOfLaunching) {
  const auto nvrtc = nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.refusal().reason;
  const cuda::ModuleOwner module =
      compile(*nvrtc.value(),
              "extern \"C\" __global__ void add(float* x, float a) { x[threadIdx.x] += a; }");
  cuda::Kernel kernel = nullptr;
  cuda::call(cuda_->cuModuleGetFunction, &kernel, module.get(), "add");
  cuda::DevicePtr memory = upload(std::vector<float>{1, 2, 3, 4});
  float a = 10;
  void* arguments[] = {&memory, &a};
  const cuda::LaunchConfig config{.block_x = 4, .stream = stream_.get()};

  cuda::call(cuda_->cuLaunchKernel, kernel, 1u, 1u, 1u, 4u, 1u, 1u, 0u, stream_.get(), arguments,
             nullptr);
  cuda::call(cuda_->cuLaunchKernelEx, &config, kernel, arguments, nullptr);
  int blocks = 0;
  cuda::call(cuda_->cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, kernel, 4, 0u);

  EXPECT_EQ(download<float>(memory, 4), (std::vector<float>{21, 22, 23, 24}));
  EXPECT_GT(blocks, 0);
}

TEST_F(OnDevice, CublasltMultipliesWithBiasAndRelu) {
  const auto loaded = cublaslt::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  const cublaslt::Api& lt = *loaded.value();
  // Column order, whole numbers: exact in f32. D = relu(A B + bias), bias along the rows of D.
  const int m = 16, n = 8, k = 4;
  std::vector<float> a(m * k), b(k * n), bias(m), wanted(m * n);
  for (int i = 0; i < m * k; ++i) a[std::size_t(i)] = float(i % 7 - 3);
  for (int i = 0; i < k * n; ++i) b[std::size_t(i)] = float(i % 5 - 2);
  for (int i = 0; i < m; ++i) bias[std::size_t(i)] = float(i - 8);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = bias[std::size_t(i)];
      for (int p = 0; p < k; ++p) sum += a[std::size_t(i + p * m)] * b[std::size_t(p + j * k)];
      wanted[std::size_t(i + j * m)] = sum > 0 ? sum : 0;
    }
  const auto da = upload(a), db = upload(b), dbias = upload(bias);
  const auto dd = upload(std::vector<float>(wanted.size()));
  cublaslt::ContextOwner context;
  cublaslt::DescOwner desc;
  cublaslt::LayoutOwner la, lb, ld;
  cublaslt::PreferenceOwner preference;
  cublaslt::call(lt.cublasLtCreate, context.receive());
  cublaslt::call(lt.cublasLtMatmulDescCreate, desc.receive(), cublaslt::ComputeType::f32,
                 cublaslt::DataType::r_32f);
  cublaslt::set(desc.get(), cublaslt::DescAttribute::epilogue, cublaslt::Epilogue::relu_bias);
  cublaslt::set(desc.get(), cublaslt::DescAttribute::bias_pointer, pointer(dbias));
  cublaslt::call(lt.cublasLtMatrixLayoutCreate, la.receive(), cublaslt::DataType::r_32f, 16u, 4u,
                 16);
  cublaslt::call(lt.cublasLtMatrixLayoutCreate, lb.receive(), cublaslt::DataType::r_32f, 4u, 8u, 4);
  cublaslt::call(lt.cublasLtMatrixLayoutCreate, ld.receive(), cublaslt::DataType::r_32f, 16u, 8u,
                 16);
  cublaslt::call(lt.cublasLtMatmulPreferenceCreate, preference.receive());
  cublaslt::HeuristicResult best{};
  int count = 0;
  const float one = 1, zero = 0;

  cublaslt::call(lt.cublasLtMatmulAlgoGetHeuristic, context.get(), desc.get(), la.get(), lb.get(),
                 ld.get(), ld.get(), preference.get(), 1, &best, &count);
  ASSERT_EQ(count, 1);
  cublaslt::call(lt.cublasLtMatmul, context.get(), desc.get(), &one, pointer(da), la.get(),
                 pointer(db), lb.get(), &zero, pointer(dd), ld.get(), pointer(dd), ld.get(),
                 &best.algo, nullptr, 0u, stream_.get());

  EXPECT_EQ(best.state, cublaslt::kSuccess);
  EXPECT_EQ(download<float>(dd, wanted.size()), wanted);
}

TEST_F(OnDevice, CufftTransformsAnImpulseAlsoInsideACapturedGraph) {
  const auto loaded = cufft::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  const cufft::Api& fft = *loaded.value();
  using C = std::complex<float>;
  std::vector<C> x(2 * 8), wanted(x.size());
  x[1] = 1;       // X[k] = exp(-2 pi i k / 8)
  x[8] = {0, 2};  // X[k] = 2i
  for (std::size_t k = 0; k < 8; ++k) {
    wanted[k] = std::polar(1.0f, -2 * 3.14159265f * float(k) / 8);
    wanted[8 + k] = {0, 2};
  }
  const auto in = upload(x), out = upload(std::vector<C>(x.size()));
  cufft::PlanOwner plan;
  cufft::call(fft.cufftCreate, plan.receive());
  cufft::call(fft.cufftSetAutoAllocation, plan.get(), 0);
  long long n[] = {8};
  std::size_t workspace = 0;
  cufft::call(fft.cufftXtMakePlanMany, plan.get(), 1, n, n, 1, 8, cufft::DataType::c_32f, n, 1, 8,
              cufft::DataType::c_32f, 2, &workspace, cufft::DataType::c_32f);
  const auto work = upload(std::vector<char>(workspace + 1));
  cufft::call(fft.cufftSetWorkArea, plan.get(), pointer(work));
  cufft::call(fft.cufftSetStream, plan.get(), stream_.get());
  cuda::GraphOwner graph;
  cuda::GraphExecOwner exec;

  cuda::call(cuda_->cuStreamSynchronize, stream_.get());
  cuda::call(cuda_->cuStreamBeginCapture_v2, stream_.get(), cuda::CaptureMode::thread_local_);
  cufft::call(fft.cufftXtExec, plan.get(), pointer(in), pointer(out), cufft::kForward);
  cuda::call(cuda_->cuStreamEndCapture, stream_.get(), graph.receive());
  cuda::call(cuda_->cuGraphInstantiateWithFlags, exec.receive(), graph.get(), 0u);
  cuda::call(cuda_->cuGraphLaunch, exec.get(), stream_.get());

  const auto y = download<C>(out, x.size());
  for (std::size_t i = 0; i < y.size(); ++i)  // values of size 1 or 2, three butterfly levels
    EXPECT_LE(std::abs(y[i] - wanted[i]), 10 * 4 * 2 * std::numeric_limits<float>::epsilon());
}

TEST_F(OnDevice, EventsOrderStreamsAndTime) {
  cuda::EventOwner start, end;
  cuda::StreamOwner other;
  float milliseconds = -1;
  cuda::call(cuda_->cuEventCreate, start.receive(), 0u);
  cuda::call(cuda_->cuEventCreate, end.receive(), 0u);
  cuda::call(cuda_->cuStreamCreate, other.receive(), cuda::kStreamNonBlocking);

  cuda::call(cuda_->cuEventRecord, start.get(), stream_.get());
  cuda::call(cuda_->cuStreamWaitEvent, other.get(), start.get(), 0u);
  cuda::call(cuda_->cuEventRecord, end.get(), other.get());
  cuda::call(cuda_->cuEventSynchronize, end.get());
  cuda::call(cuda_->cuEventElapsedTime, &milliseconds, start.get(), end.get());

  EXPECT_EQ(cuda_->cuStreamQuery(other.get()), cuda::kSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(OnDevice, TooMuchMemoryIsAnErrorOfItsOwnKind) {
  cuda::DevicePtr memory = 0;

  try {
    cuda::call(cuda_->cuMemAlloc_v2, &memory, std::size_t{1} << 50);
    FAIL() << "a petabyte was allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory) << error.what();
  }
}

}  // namespace
}  // namespace mw
