// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What each library says about its own version. An empty text means that it says nothing.
#pragma once

#include <string>

namespace mw::dl {

class Library;

[[nodiscard]] std::string scipy_openblas_version(const Library& library);
[[nodiscard]] std::string openblas_version(const Library& library);
[[nodiscard]] std::string mkl_version(const Library& library);
[[nodiscard]] std::string nvpl_blas_version(const Library& library);
[[nodiscard]] std::string fftw_version(const Library& library);
[[nodiscard]] std::string fftwf_version(const Library& library);
[[nodiscard]] std::string cuda_driver_version(const Library& library);
[[nodiscard]] std::string nvrtc_version(const Library& library);
[[nodiscard]] std::string cublaslt_version(const Library& library);
[[nodiscard]] std::string cufft_version(const Library& library);

/// The newest CUDA release the driver of this machine runs, for example 13; 0 without a driver.
/// Asked once.
[[nodiscard]] int driver_cuda_major();

}  // namespace mw::dl
