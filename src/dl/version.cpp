// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "dl/version.hpp"

#include <array>

#include "base/text.hpp"
#include "dl/library.hpp"

namespace mw::dl {

namespace {

std::string text_of(const Library& library, const char* function) {
  const auto call = library.function<const char*()>(function);
  const char* text = call ? call() : nullptr;
  return text ? text : "";
}

// FFTW's version is a variable, not a function.
std::string variable_text(const Library& library, const char* name) {
  const void* symbol = library.symbol(name);
  return symbol ? static_cast<const char*>(symbol) : "";
}

int driver_version(const Library& library) {
  const auto call = library.function<int(int*)>("cuDriverGetVersion");
  int version = 0;
  return call && call(&version) == 0 ? version : 0;
}

}  // namespace

std::string scipy_openblas_version(const Library& library) {
  return text_of(library, "scipy_openblas_get_config64_");
}

std::string openblas_version(const Library& library) {
  for (const char* name :
       {"openblas_get_config", "openblas_get_config64_", "openblas_get_config_64"})
    if (auto version = text_of(library, name); !version.empty()) return version;
  return "";
}

std::string mkl_version(const Library& library) {
  const auto call = library.function<void(char*, int)>("MKL_Get_Version_String");
  std::array<char, 256> out{};
  if (call) call(out.data(), static_cast<int>(out.size()) - 1);
  return out.data();
}

std::string nvpl_blas_version(const Library& library) {
  const auto call = library.function<int()>("nvpl_blas_get_version");
  if (!call) return "";
  const int version = call();  // major * 10000 + minor * 100 + patch
  return text(version / 10000, '.', version / 100 % 100, '.', version % 100);
}

std::string fftw_version(const Library& library) { return variable_text(library, "fftw_version"); }

std::string fftwf_version(const Library& library) {
  return variable_text(library, "fftwf_version");
}

std::string cuda_driver_version(const Library& library) {
  const int version = driver_version(library);
  return version > 0 ? text("CUDA ", version / 1000, '.', version % 1000 / 10) : "";
}

std::string nvrtc_version(const Library& library) {
  const auto call = library.function<int(int*, int*)>("nvrtcVersion");
  int major = 0, minor = 0;
  return call && call(&major, &minor) == 0 ? text(major, '.', minor) : "";
}

std::string cublaslt_version(const Library& library) {
  const auto call = library.function<std::size_t()>("cublasLtGetVersion");
  if (!call) return "";
  const std::size_t version = call();  // major * 10000 + minor * 100 + patch
  return text(version / 10000, '.', version / 100 % 100, '.', version % 100);
}

std::string cufft_version(const Library& library) {
  const auto call = library.function<int(int*)>("cufftGetVersion");
  int version = 0;  // major * 1000 + minor * 100 + patch
  if (!call || call(&version) != 0) return "";
  return text(version / 1000, '.', version / 100 % 10, '.', version % 100);
}

int driver_cuda_major() {
  static const int major = [] {
    const auto library = open(LibraryId::cuda);
    return library ? driver_version(*library.value()) / 1000 : 0;
  }();
  return major;
}

}  // namespace mw::dl
