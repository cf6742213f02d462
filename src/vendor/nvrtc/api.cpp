// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/nvrtc/api.hpp"

#include <array>

#include "vendor/status.hpp"

namespace mw::nvrtc {

namespace {

constexpr std::string_view kLibrary = "NVRTC";

constexpr std::array kRows{
    vendor::StatusRow{1, "NVRTC_ERROR_OUT_OF_MEMORY", ErrorKind::out_of_memory, ""},
    vendor::StatusRow{2, "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", ErrorKind::compile, ""},
    vendor::StatusRow{3, "NVRTC_ERROR_INVALID_INPUT", ErrorKind::compile, ""},
    vendor::StatusRow{4, "NVRTC_ERROR_INVALID_PROGRAM", ErrorKind::compile, ""},
    vendor::StatusRow{5, "NVRTC_ERROR_INVALID_OPTION", ErrorKind::compile,
                      "This release may not know the architecture asked for: install a newer one"},
    vendor::StatusRow{kCompilation, "NVRTC_ERROR_COMPILATION", ErrorKind::compile, ""},
    vendor::StatusRow{7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", ErrorKind::compile,
                      "libnvrtc-builtins of the same release must lie beside libnvrtc"},
};

dl::LazyTable<Api>& table() {
  static auto& table = *new dl::LazyTable<Api>(dl::LibraryId::nvrtc);
  return table;
}

vendor::Failure failure(Status status, const char* function) {
  const vendor::StatusRow* row = vendor::find_status(kRows, status);
  const char* name = api().nvrtcGetErrorString ? api().nvrtcGetErrorString(status) : nullptr;
  return {.library = kLibrary,
          .function = function,
          .status = status,
          .name = name != nullptr  ? name
                  : row != nullptr ? row->name
                                   : "",
          .text = ""};
}

}  // namespace

Outcome<const Api*> load() { return table().load(); }

const Api& api() { return table().get(); }

void replace_api(const Api* replacement) { table().replace(replacement); }

void check(Status status, const char* function) {
  if (status != kSuccess) vendor::fail_status(failure(status, function), kRows);
}

void destroy_program(Program program) noexcept {
  const Status status = api().nvrtcDestroyProgram(&program);
  if (status != kSuccess) vendor::log_status(failure(status, "nvrtcDestroyProgram"));
}

}  // namespace mw::nvrtc
