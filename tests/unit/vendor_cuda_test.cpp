// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA libraries as far as they answer without a device: tables fill, versions are told,
// statuses become errors that explain themselves, and NVRTC compiles.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vendor/cublaslt/api.hpp"
#include "vendor/cuda/api.hpp"
#include "vendor/cufft/api.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {
namespace {

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::invalid_state, "nothing was thrown");
}

bool contains(const Error& error, const char* text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

// ---- without any library: a table of stand-ins
// ---------------------------------------------------------

class FakeDriver : public testing::Test {
 protected:
  void SetUp() override {
    table_.cuMemAlloc_v2.bind([](cuda::DevicePtr*, std::size_t) { return cuda::kOutOfMemory; });
    table_.cuEventDestroy_v2.bind([](void*) { return destroyed++, cuda::kSuccess; });
    table_.cuGetErrorName.bind([](cuda::Status, const char** name) {
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      return cuda::kSuccess;
    });
    cuda::replace_api(&table_);
    destroyed = 0;
  }
  void TearDown() override { cuda::replace_api(nullptr); }

  cuda::Api table_;
  static inline int destroyed = 0;
};

TEST_F(FakeDriver, AFailedCallNamesFunctionStatusAndRemedy) {
  cuda::DevicePtr memory = 0;

  const Error error = error_of([&] { cuda::call(cuda::api().cuMemAlloc_v2, &memory, 1024u); });

  EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  EXPECT_TRUE(contains(error, "cuMemAlloc_v2")) << error.what();
  EXPECT_TRUE(contains(error, "CUDA_ERROR_OUT_OF_MEMORY (2)")) << error.what();
  EXPECT_TRUE(contains(error, "Free device memory")) << error.what();
}

TEST_F(FakeDriver, AFunctionTheDriverLacksIsNamed) {
  const Error error = error_of([] { cuda::call(cuda::api().cuCtxSynchronize); });

  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_TRUE(contains(error, "cuCtxSynchronize")) << error.what();
}

TEST_F(FakeDriver, AnOwnerDestroysOnceAndMovesItsHandle) {
  int object = 0;
  {
    cuda::EventOwner first(&object);
    cuda::EventOwner second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), &object);
    second = cuda::EventOwner(&object);
    EXPECT_EQ(destroyed, 1);
    second = cuda::EventOwner();
    EXPECT_EQ(destroyed, 2);
    first.reset(&object);
    EXPECT_EQ(first.release(), &object);
  }

  EXPECT_EQ(destroyed, 2);
}

TEST(CufftStatus, EveryNumberHasItsName) {
  cufft::Api table;
  cufft::replace_api(&table);

  const Error size = error_of([] { cufft::check(8, "cufftXtMakePlanMany"); });
  const Error unknown = error_of([] { cufft::check(99, "cufftXtExec"); });
  cufft::replace_api(nullptr);

  EXPECT_EQ(size.kind(), ErrorKind::unsupported);
  EXPECT_TRUE(contains(size, "cufftXtMakePlanMany returned CUFFT_INVALID_SIZE (8)")) << size.what();
  EXPECT_EQ(unknown.kind(), ErrorKind::vendor);
  EXPECT_TRUE(contains(unknown, "99")) << unknown.what();
}

// ---- with the libraries, where they are
// ----------------------------------------------------------------

TEST(Nvrtc, CompilesAKernelAndTellsItsLoweredName) {
  const auto loaded = nvrtc::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  const nvrtc::Api& api = *loaded.value();
  int count = 0;
  nvrtc::call(api.nvrtcGetNumSupportedArchs, &count);
  std::vector<int> archs(static_cast<std::size_t>(count));
  nvrtc::call(api.nvrtcGetSupportedArchs, archs.data());
  const std::string arch = "-arch=sm_" + std::to_string(archs.front());
  const char* source =
      "template <class T> __global__ void scale(T* x, T a) { x[threadIdx.x] *= a; }";

  nvrtc::ProgramOwner program;
  nvrtc::call(api.nvrtcCreateProgram, program.receive(), source, "scale.cu", 0, nullptr, nullptr);
  nvrtc::call(api.nvrtcAddNameExpression, program.get(), "scale<float>");
  const char* options[] = {arch.c_str()};
  nvrtc::call(api.nvrtcCompileProgram, program.get(), 1, options);
  std::size_t bytes = 0;
  nvrtc::call(api.nvrtcGetCUBINSize, program.get(), &bytes);
  std::string cubin(bytes, '\0');
  nvrtc::call(api.nvrtcGetCUBIN, program.get(), cubin.data());
  const char* lowered = nullptr;
  nvrtc::call(api.nvrtcGetLoweredName, program.get(), "scale<float>", &lowered);

  EXPECT_EQ(cubin.substr(1, 3), "ELF");
  EXPECT_NE(std::string(lowered).find("scale"), std::string::npos);
}

TEST(Nvrtc, AWrongProgramIsACompileError) {
  const auto loaded = nvrtc::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  const nvrtc::Api& api = *loaded.value();
  nvrtc::ProgramOwner program;
  nvrtc::call(api.nvrtcCreateProgram, program.receive(), "not C++", "wrong.cu", 0, nullptr,
              nullptr);

  const Error error =
      error_of([&] { nvrtc::call(api.nvrtcCompileProgram, program.get(), 0, nullptr); });
  std::size_t bytes = 0;
  nvrtc::call(api.nvrtcGetProgramLogSize, program.get(), &bytes);

  EXPECT_EQ(error.kind(), ErrorKind::compile);
  EXPECT_TRUE(contains(error, "NVRTC_ERROR_COMPILATION (6)")) << error.what();
  EXPECT_GT(bytes, 1u) << "the log explains";
}

TEST(Cublaslt, DescribesAProductWithoutADevice) {
  const auto loaded = cublaslt::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  const cublaslt::Api& api = *loaded.value();
  cublaslt::DescOwner desc;
  cublaslt::LayoutOwner layout;
  cublaslt::PreferenceOwner preference;

  cublaslt::call(api.cublasLtMatmulDescCreate, desc.receive(), cublaslt::ComputeType::f32,
                 cublaslt::DataType::r_32f);
  cublaslt::set(desc.get(), cublaslt::DescAttribute::trans_a, cublaslt::Op::transpose);
  cublaslt::set(desc.get(), cublaslt::DescAttribute::epilogue, cublaslt::Epilogue::relu_bias);
  cublaslt::call(api.cublasLtMatrixLayoutCreate, layout.receive(), cublaslt::DataType::r_16f, 64u,
                 32u, 64);
  cublaslt::set(layout.get(), cublaslt::LayoutAttribute::batch_count, std::int32_t{3});
  cublaslt::set(layout.get(), cublaslt::LayoutAttribute::order, cublaslt::Order::row);
  cublaslt::call(api.cublasLtMatmulPreferenceCreate, preference.receive());
  cublaslt::set(preference.get(), cublaslt::PreferenceAttribute::max_workspace_bytes,
                std::uint64_t{1} << 20);
  cublaslt::Epilogue epilogue{};
  std::size_t written = 0;
  cublaslt::call(api.cublasLtMatmulDescGetAttribute, desc.get(), cublaslt::DescAttribute::epilogue,
                 &epilogue, sizeof epilogue, &written);

  EXPECT_EQ(epilogue, cublaslt::Epilogue::relu_bias);
  EXPECT_EQ(written, sizeof epilogue);
  const Error wrong_size = error_of([&] {
    cublaslt::set(layout.get(), cublaslt::LayoutAttribute::batch_count, std::int64_t{3});
  });
  EXPECT_TRUE(contains(wrong_size, "CUBLAS_STATUS_INVALID_VALUE (7)")) << wrong_size.what();
}

TEST(Cufft, TellsItsVersion) {
  const auto loaded = cufft::load();
  if (!loaded) GTEST_SKIP() << loaded.refusal().reason;
  int version = 0;

  cufft::call(loaded.value()->cufftGetVersion, &version);

  EXPECT_GE(version, 11000);
}

TEST(CudaDriver, IsThereOrSaysWhereItWasLookedFor) {
  const auto loaded = cuda::load();

  if (loaded) {
    int count = 0;
    cuda::call(loaded.value()->cuDeviceGetCount, &count);
    EXPECT_GT(count, 0);
  } else {
    EXPECT_FALSE(loaded.refusal().reason.empty());
    const Error error = error_of([] { (void)cuda::api(); });
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_EQ(error.what(), loaded.refusal().reason);
  }
}

}  // namespace
}  // namespace mw
