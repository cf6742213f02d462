// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/cufft/api.hpp"

#include <array>

#include "vendor/status.hpp"

namespace mw::cufft {

namespace {

constexpr std::string_view kLibrary = "cuFFT";

// The library has no function that names a status. Numbers that newer releases dropped stay listed,
// since older ones still return them.
constexpr std::array kRows{
    vendor::StatusRow{1, "CUFFT_INVALID_PLAN", ErrorKind::vendor, ""},
    vendor::StatusRow{2, "CUFFT_ALLOC_FAILED", ErrorKind::out_of_memory,
                      "Free device memory (other packages' pools included)"},
    vendor::StatusRow{3, "CUFFT_INVALID_TYPE", ErrorKind::unsupported, ""},
    vendor::StatusRow{4, "CUFFT_INVALID_VALUE", ErrorKind::vendor, ""},
    vendor::StatusRow{
        5, "CUFFT_INTERNAL_ERROR", ErrorKind::vendor,
        "A device out of memory and a driver too old for this release are common causes"},
    vendor::StatusRow{6, "CUFFT_EXEC_FAILED", ErrorKind::vendor, ""},
    vendor::StatusRow{7, "CUFFT_SETUP_FAILED", ErrorKind::vendor, ""},
    vendor::StatusRow{8, "CUFFT_INVALID_SIZE", ErrorKind::unsupported,
                      "The library does not take this size, stride or batch"},
    vendor::StatusRow{9, "CUFFT_UNALIGNED_DATA", ErrorKind::vendor, ""},
    vendor::StatusRow{10, "CUFFT_INCOMPLETE_PARAMETER_LIST", ErrorKind::vendor, ""},
    vendor::StatusRow{11, "CUFFT_INVALID_DEVICE", ErrorKind::vendor,
                      "A plan runs on the device it was made on"},
    vendor::StatusRow{12, "CUFFT_PARSE_ERROR", ErrorKind::vendor, ""},
    vendor::StatusRow{13, "CUFFT_NO_WORKSPACE", ErrorKind::vendor, ""},
    vendor::StatusRow{14, "CUFFT_NOT_IMPLEMENTED", ErrorKind::unsupported, ""},
    vendor::StatusRow{15, "CUFFT_LICENSE_ERROR", ErrorKind::vendor, ""},
    vendor::StatusRow{16, "CUFFT_NOT_SUPPORTED", ErrorKind::unsupported, ""},
    vendor::StatusRow{17, "CUFFT_MISSING_DEPENDENCY", ErrorKind::not_found,
                      "Callbacks need nvJitLink of the same CUDA release"},
    vendor::StatusRow{18, "CUFFT_NVRTC_FAILURE", ErrorKind::compile, ""},
    vendor::StatusRow{19, "CUFFT_NVJITLINK_FAILURE", ErrorKind::compile, ""},
    vendor::StatusRow{20, "CUFFT_NVSHMEM_FAILURE", ErrorKind::vendor, ""},
};

dl::LazyTable<Api>& table() {
  static auto& table = *new dl::LazyTable<Api>(dl::LibraryId::cufft);
  return table;
}

vendor::Failure failure(Status status, const char* function) {
  const vendor::StatusRow* row = vendor::find_status(kRows, status);
  return {.library = kLibrary,
          .function = function,
          .status = status,
          .name = row != nullptr ? row->name : "",
          .text = ""};
}

}  // namespace

Outcome<const Api*> load() { return table().load(); }

const Api& api() { return table().get(); }

void replace_api(const Api* replacement) { table().replace(replacement); }

void check(Status status, const char* function) {
  if (status != kSuccess) vendor::fail_status(failure(status, function), kRows);
}

void destroy_plan(Plan plan) noexcept {
  if (const Status status = api().cufftDestroy(plan); status != kSuccess)
    vendor::log_status(failure(status, "cufftDestroy"));
}

}  // namespace mw::cufft
