// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The vendor libraries this project can use, as data: how each is called, where it may lie, what
// else it needs, how to get it. Supporting another one is a row here and a folder in vendor/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/env.hpp"

namespace mw::dl {

class Library;

enum class LibraryId : std::uint8_t {
  blas_override,   // the file MATHWRIGHT_BLAS_LIBRARY names
  fft_override,    // the file MATHWRIGHT_FFT_LIBRARY names
  scipy_openblas,  // ILP64 OpenBLAS with prefixed names, from a wheel
  intel_openmp,    // the threads of MKL
  mkl_rt,          // BLAS and FFTW's interface in one
  nvpl_blas_ilp64,
  nvpl_blas_lp64,
  openblas64,
  openblas,
  system_cblas,  // whatever the system's alternatives provide
  nvpl_fftw,
  fftw3,
  fftw3_threads,
  fftw3f,
  fftw3f_threads,
  cuda,  // the driver
  nvrtc,
  cublaslt,
  cufft,
};
inline constexpr std::size_t kLibraryCount = static_cast<std::size_t>(LibraryId::cufft) + 1;

/// A file name to look for. One '*' may stand for any characters; such a name is looked for in
/// folders only, since the system's loader takes no patterns.
struct Soname {
  const char* name;
  int cuda_major = 0;  ///< the CUDA release it belongs to; skipped when the driver is older. 0: any
};

struct LibraryRow {
  LibraryId id{};
  const char* name = nullptr;              ///< as messages call it
  std::span<const Soname> sonames{};       ///< best first
  std::span<const char* const> wheels{};   ///< folders relative to a site-packages folder
  std::span<const char* const> folders{};  ///< well-known absolute folders, looked at last
  std::span<const EnvVar>
      overrides{};  ///< variables naming a file that is used instead, first wins
  /// Files opened first when they lie in the folder of the library, by the beginning of their
  /// names: the library finds them by soname afterwards, wherever they are.
  std::span<const char* const> beside{};
  std::span<const LibraryId>
      dependencies{};  ///< opened first when found; their absence is no failure
  /// A copy some other package has already loaded is used before any other: two copies in one
  /// process would not share their state (contexts, thread pools, sub-libraries found by soname).
  bool share_loaded = false;
  bool toolkit = false;        ///< part of a CUDA toolkit: CUDA_PATH and CUDA_HOME count
  const char* hint = nullptr;  ///< how to get it
  /// Version text of an opened library; null where it has none to give.
  std::string (*version)(const Library&) = nullptr;
};

/// All rows, in the order of LibraryId.
[[nodiscard]] std::span<const LibraryRow> catalog();
[[nodiscard]] const LibraryRow& catalog_row(LibraryId id);

}  // namespace mw::dl
