// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/catalog.hpp"

#include <array>

#include "dl/version.hpp"

namespace mw::dl {

namespace {

using Text = const char*;

constexpr std::array kBlasOverride{EnvVar::blas_library, EnvVar::nvmath_blas_library};
constexpr std::array kFftOverride{EnvVar::fft_library, EnvVar::nvmath_fft_library};

// The second name is the copy inside NumPy's own wheel: the same code and names, so a Python
// process without the scipy-openblas64 wheel still has an ILP64 BLAS.
constexpr std::array kScipyOpenblas{Soname{"libscipy_openblas64_.so"},
                                    Soname{"libscipy_openblas64_-*.so"}};
constexpr std::array<Text, 2> kScipyOpenblasWheels{"scipy_openblas64/lib", "numpy.libs"};

// Wheels of Intel put their libraries into <prefix>/lib, two folders above site-packages.
constexpr std::array<Text, 1> kPrefixLib{"../.."};
constexpr std::array kIomp{Soname{"libiomp5.so"}};
constexpr std::array<Text, 2> kIompFolders{"/opt/intel/oneapi/compiler/latest/lib",
                                           "/opt/intel/oneapi/compiler/latest/lib/intel64"};
constexpr std::array kMkl{Soname{"libmkl_rt.so.3"}, Soname{"libmkl_rt.so.2"},
                          Soname{"libmkl_rt.so.1"}, Soname{"libmkl_rt.so"}};
constexpr std::array<Text, 2> kMklFolders{"/opt/intel/oneapi/mkl/latest/lib",
                                          "/opt/intel/oneapi/mkl/latest/lib/intel64"};
constexpr std::array kMklNeeds{LibraryId::intel_openmp};

constexpr std::array kNvplBlas64{Soname{"libnvpl_blas_ilp64_gomp.so.0"},
                                 Soname{"libnvpl_blas_ilp64_seq.so.0"}};
constexpr std::array kNvplBlas{Soname{"libnvpl_blas_lp64_gomp.so.0"},
                               Soname{"libnvpl_blas_lp64_seq.so.0"}};
constexpr std::array<Text, 1> kNvplBlasBeside{"libnvpl_blas_core.so."};
constexpr std::array<Text, 1> kNvplWheels{"nvpl/lib"};
constexpr std::array kNvplFftw{Soname{"libnvpl_fftw.so.0"}};

constexpr std::array kOpenblas64{Soname{"libopenblas64.so.0"}, Soname{"libopenblas64_.so.0"},
                                 Soname{"libopenblas64_.so"}};
constexpr std::array kOpenblas{Soname{"libopenblas.so.0"}, Soname{"libopenblas.so"}};
constexpr std::array kSystemCblas{Soname{"libcblas.so.3"}, Soname{"libblas.so.3"}};

constexpr std::array kFftw3{Soname{"libfftw3.so.3"}};
constexpr std::array kFftw3Threads{Soname{"libfftw3_threads.so.3"}};
constexpr std::array kFftw3f{Soname{"libfftw3f.so.3"}};
constexpr std::array kFftw3fThreads{Soname{"libfftw3f_threads.so.3"}};

constexpr std::array kCuda{Soname{"libcuda.so.1"}};
constexpr std::array<Text, 1> kCudaFolders{"/usr/lib/wsl/lib"};
constexpr std::array<Text, 2> kToolkitFolders{"/usr/local/cuda/lib64", "/opt/cuda/lib64"};
constexpr std::array kNvrtc{Soname{"libnvrtc.so.13", 13}, Soname{"libnvrtc.so.12", 12}};
// NVRTC opens its builtins by soname; they lie beside it, but not always where the loader looks.
constexpr std::array<Text, 1> kNvrtcBeside{"libnvrtc-builtins.so."};
constexpr std::array<Text, 2> kNvrtcWheels{"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};
constexpr std::array kCublaslt{Soname{"libcublasLt.so.13", 13}, Soname{"libcublasLt.so.12", 12}};
constexpr std::array<Text, 2> kCublasltWheels{"nvidia/cu13/lib", "nvidia/cublas/lib"};
constexpr std::array kCufft{Soname{"libcufft.so.12", 13}, Soname{"libcufft.so.11", 12}};
constexpr std::array<Text, 2> kCufftWheels{"nvidia/cu13/lib", "nvidia/cufft/lib"};

constexpr Text kFftwHint =
    "install it with \"apt install libfftw3-double3 libfftw3-single3\" or \"conda install fftw\" "
    "(FFTW is under the GPL), or \"pip install mkl\", which has FFTW's interface too";

constexpr std::array<LibraryRow, kLibraryCount> kRows{{
    {.id = LibraryId::blas_override,
     .name = "the BLAS named by MATHWRIGHT_BLAS_LIBRARY",
     .overrides = kBlasOverride,
     .hint =
         "set MATHWRIGHT_BLAS_LIBRARY to the path or soname of a library with a CBLAS interface, "
         "or unset it",
     .version = nullptr},
    {.id = LibraryId::fft_override,
     .name = "the FFT library named by MATHWRIGHT_FFT_LIBRARY",
     .overrides = kFftOverride,
     .hint =
         "set MATHWRIGHT_FFT_LIBRARY to the path or soname of a library with FFTW3's interface, "
         "or unset it",
     .version = nullptr},
    {.id = LibraryId::scipy_openblas,
     .name = "OpenBLAS (scipy-openblas64)",
     .sonames = kScipyOpenblas,
     .wheels = kScipyOpenblasWheels,
     .hint = "install it with \"pip install scipy-openblas64\"",
     .version = scipy_openblas_version},
    {.id = LibraryId::intel_openmp,
     .name = "Intel OpenMP",
     .sonames = kIomp,
     .wheels = kPrefixLib,
     .folders = kIompFolders,
     .share_loaded = true,
     .hint = "install it with \"pip install intel-openmp\"",
     .version = nullptr},
    {.id = LibraryId::mkl_rt,
     .name = "oneMKL",
     .sonames = kMkl,
     .wheels = kPrefixLib,
     .folders = kMklFolders,
     .dependencies = kMklNeeds,
     .share_loaded = true,
     .hint = "install it with \"pip install mkl\" or \"apt install intel-mkl\"",
     .version = mkl_version},
    {.id = LibraryId::nvpl_blas_ilp64,
     .name = "NVPL BLAS (ILP64)",
     .sonames = kNvplBlas64,
     .wheels = kNvplWheels,
     .beside = kNvplBlasBeside,
     .hint = "install it with \"apt install nvpl-blas\" from NVIDIA's repository (Arm only)",
     .version = nvpl_blas_version},
    {.id = LibraryId::nvpl_blas_lp64,
     .name = "NVPL BLAS",
     .sonames = kNvplBlas,
     .wheels = kNvplWheels,
     .beside = kNvplBlasBeside,
     .hint = "install it with \"apt install nvpl-blas\" from NVIDIA's repository (Arm only)",
     .version = nvpl_blas_version},
    {.id = LibraryId::openblas64,
     .name = "OpenBLAS (ILP64)",
     .sonames = kOpenblas64,
     .hint = "install it with \"apt install libopenblas64-0\"",
     .version = openblas_version},
    {.id = LibraryId::openblas,
     .name = "OpenBLAS",
     .sonames = kOpenblas,
     .hint = "install it with \"apt install libopenblas0\" or \"conda install openblas\"",
     .version = openblas_version},
    {.id = LibraryId::system_cblas,
     .name = "the system's CBLAS",
     .sonames = kSystemCblas,
     .hint = "install one with \"apt install libblas3\"",
     .version = nullptr},
    {.id = LibraryId::nvpl_fftw,
     .name = "NVPL FFT",
     .sonames = kNvplFftw,
     .wheels = kNvplWheels,
     .hint = "install it with \"apt install nvpl-fft\" from NVIDIA's repository (Arm only)",
     .version = fftw_version},
    {.id = LibraryId::fftw3,
     .name = "FFTW3 (double)",
     .sonames = kFftw3,
     .hint = kFftwHint,
     .version = fftw_version},
    {.id = LibraryId::fftw3_threads,
     .name = "FFTW3 threads (double)",
     .sonames = kFftw3Threads,
     .hint = kFftwHint,
     .version = nullptr},
    {.id = LibraryId::fftw3f,
     .name = "FFTW3 (float)",
     .sonames = kFftw3f,
     .hint = kFftwHint,
     .version = fftwf_version},
    {.id = LibraryId::fftw3f_threads,
     .name = "FFTW3 threads (float)",
     .sonames = kFftw3fThreads,
     .hint = kFftwHint,
     .version = nullptr},
    {.id = LibraryId::cuda,
     .name = "the CUDA driver",
     .sonames = kCuda,
     .folders = kCudaFolders,
     .share_loaded = true,
     .hint = "install NVIDIA's driver; in a container, start it with the GPUs made visible",
     .version = cuda_driver_version},
    {.id = LibraryId::nvrtc,
     .name = "NVRTC",
     .sonames = kNvrtc,
     .wheels = kNvrtcWheels,
     .folders = kToolkitFolders,
     .beside = kNvrtcBeside,
     .share_loaded = true,
     .toolkit = true,
     .hint = "install it with \"pip install nvidia-cuda-nvrtc\" (CUDA 13), \"pip install "
             "nvidia-cuda-nvrtc-cu12\" (CUDA 12) or \"apt install cuda-nvrtc-13-0\"",
     .version = nvrtc_version},
    {.id = LibraryId::cublaslt,
     .name = "cuBLASLt",
     .sonames = kCublaslt,
     .wheels = kCublasltWheels,
     .folders = kToolkitFolders,
     .share_loaded = true,
     .toolkit = true,
     .hint = "install it with \"pip install nvidia-cublas\" (CUDA 13), \"pip install "
             "nvidia-cublas-cu12\" (CUDA 12) or \"apt install libcublas-13-0\"",
     .version = cublaslt_version},
    {.id = LibraryId::cufft,
     .name = "cuFFT",
     .sonames = kCufft,
     .wheels = kCufftWheels,
     .folders = kToolkitFolders,
     .share_loaded = true,
     .toolkit = true,
     .hint = "install it with \"pip install nvidia-cufft\" (CUDA 13), \"pip install "
             "nvidia-cufft-cu12\" (CUDA 12) or \"apt install libcufft-13-0\"",
     .version = cufft_version},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].id) != i) return false;
  return true;
}
static_assert(in_order(), "catalog_row() finds a row by its position");

}  // namespace

std::span<const LibraryRow> catalog() { return kRows; }

const LibraryRow& catalog_row(LibraryId id) { return kRows[static_cast<std::size_t>(id)]; }

}  // namespace mw::dl
