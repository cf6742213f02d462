// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/cublaslt/api.hpp"

#include <array>

#include "vendor/status.hpp"

namespace mw::cublaslt {

namespace {

constexpr std::string_view kLibrary = "cuBLASLt";

constexpr std::array kRows{
    vendor::StatusRow{1, "CUBLAS_STATUS_NOT_INITIALIZED", ErrorKind::vendor,
                      "The device may be out of memory, or the driver too old for this release"},
    vendor::StatusRow{3, "CUBLAS_STATUS_ALLOC_FAILED", ErrorKind::out_of_memory,
                      "Free device memory (other packages' pools included)"},
    vendor::StatusRow{7, "CUBLAS_STATUS_INVALID_VALUE", ErrorKind::vendor, ""},
    vendor::StatusRow{8, "CUBLAS_STATUS_ARCH_MISMATCH", ErrorKind::unsupported,
                      "This device lacks what the operation needs"},
    vendor::StatusRow{11, "CUBLAS_STATUS_MAPPING_ERROR", ErrorKind::vendor, ""},
    vendor::StatusRow{13, "CUBLAS_STATUS_EXECUTION_FAILED", ErrorKind::vendor, ""},
    vendor::StatusRow{14, "CUBLAS_STATUS_INTERNAL_ERROR", ErrorKind::vendor, ""},
    vendor::StatusRow{kNotSupported, "CUBLAS_STATUS_NOT_SUPPORTED", ErrorKind::unsupported, ""},
    vendor::StatusRow{16, "CUBLAS_STATUS_LICENSE_ERROR", ErrorKind::vendor, ""},
};

dl::LazyTable<Api>& table() {
  static auto& table = *new dl::LazyTable<Api>(dl::LibraryId::cublaslt);
  return table;
}

vendor::Failure failure(Status status, const char* function) {
  const vendor::StatusRow* row = vendor::find_status(kRows, status);
  const char* explanation =
      api().cublasLtGetStatusString ? api().cublasLtGetStatusString(status) : nullptr;
  return {.library = kLibrary,
          .function = function,
          .status = status,
          .name = row != nullptr ? row->name : "",
          .text = explanation != nullptr ? explanation : ""};
}

template <class F, class T>
void destroy(const F& function, T value) noexcept {
  if (const Status status = function(value); status != kSuccess)
    vendor::log_status(failure(status, F::name()));
}

}  // namespace

Outcome<const Api*> load() { return table().load(); }

const Api& api() { return table().get(); }

void replace_api(const Api* replacement) { table().replace(replacement); }

void check(Status status, const char* function) {
  if (status != kSuccess) vendor::fail_status(failure(status, function), kRows);
}

void destroy_context(Context context) noexcept { destroy(api().cublasLtDestroy, context); }
void destroy_desc(MatmulDesc desc) noexcept { destroy(api().cublasLtMatmulDescDestroy, desc); }
void destroy_layout(Layout layout) noexcept { destroy(api().cublasLtMatrixLayoutDestroy, layout); }
void destroy_preference(Preference preference) noexcept {
  destroy(api().cublasLtMatmulPreferenceDestroy, preference);
}

}  // namespace mw::cublaslt
