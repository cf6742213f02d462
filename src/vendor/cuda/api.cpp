// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/cuda/api.hpp"

#include <array>
#include <string>

#include "base/text.hpp"
#include "vendor/status.hpp"

namespace mw::cuda {

namespace {

constexpr std::string_view kLibrary = "CUDA driver";

constexpr std::array kRows{
    vendor::StatusRow{kInvalidValue, "CUDA_ERROR_INVALID_VALUE", ErrorKind::vendor, ""},
    vendor::StatusRow{
        kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", ErrorKind::out_of_memory,
        "Free device memory (other packages' pools included) or use smaller operands"},
    vendor::StatusRow{
        kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", ErrorKind::vendor,
        "A process made by fork cannot use the CUDA of its parent: start it with spawn"},
    vendor::StatusRow{kNoDevice, "CUDA_ERROR_NO_DEVICE", ErrorKind::not_found,
                      "Check that CUDA_VISIBLE_DEVICES does not hide the devices"},
    vendor::StatusRow{101, "CUDA_ERROR_INVALID_DEVICE", ErrorKind::invalid_argument, ""},
    vendor::StatusRow{200, "CUDA_ERROR_INVALID_IMAGE", ErrorKind::compile, ""},
    vendor::StatusRow{201, "CUDA_ERROR_INVALID_CONTEXT", ErrorKind::vendor,
                      "Make the device's primary context current first"},
    vendor::StatusRow{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", ErrorKind::compile,
                      "The kernel was compiled for another architecture"},
    vendor::StatusRow{218, "CUDA_ERROR_INVALID_PTX", ErrorKind::compile, ""},
    vendor::StatusRow{
        222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", ErrorKind::compile,
        "NVRTC is newer than the driver: update the driver, or install an older NVRTC"},
    vendor::StatusRow{700, "CUDA_ERROR_ILLEGAL_ADDRESS", ErrorKind::vendor,
                      "The context is lost: the process must be restarted"},
    vendor::StatusRow{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", ErrorKind::vendor, ""},
};

std::optional<Refusal> initialise(Api& api, const dl::Library& library) {
  const Status status = api.cuInit(0);
  if (status == kSuccess) return std::nullopt;
  const char* name = nullptr;
  if (api.cuGetErrorName(status, &name) != kSuccess || name == nullptr) name = "an unknown status";
  return Refusal{std::string(kLibrary),
                 text(library.path(), " was opened, but cuInit returned ", name, " (", status,
                      "): there is no device it can use")};
}

dl::LazyTable<Api>& table() {
  static auto& table = *new dl::LazyTable<Api>(dl::LibraryId::cuda, initialise);
  return table;
}

vendor::Failure failure(Status status, const char* function) {
  const char* name = nullptr;
  const char* explanation = nullptr;
  if (const auto loaded = load()) {
    const Api& api = *loaded.value();
    if (!api.cuGetErrorName || api.cuGetErrorName(status, &name) != kSuccess) name = nullptr;
    if (!api.cuGetErrorString || api.cuGetErrorString(status, &explanation) != kSuccess)
      explanation = nullptr;
  }
  return {.library = kLibrary,
          .function = function,
          .status = status,
          .name = name != nullptr ? name : "",
          .text = explanation != nullptr ? explanation : ""};
}

template <class F, class T>
void destroy(const F& function, T value) noexcept {
  check_quietly(function(value), F::name());
}

}  // namespace

Outcome<const Api*> load() { return table().load(); }

const Api& api() { return table().get(); }

void replace_api(const Api* replacement) { table().replace(replacement); }

void check(Status status, const char* function) {
  if (status != kSuccess) vendor::fail_status(failure(status, function), kRows);
}

void check_quietly(Status status, const char* function) noexcept {
  if (status != kSuccess && status != kDeinitialized) vendor::log_status(failure(status, function));
}

// A handle exists only if the table does, so these never search.
void destroy_stream(void* stream) noexcept { destroy(api().cuStreamDestroy_v2, stream); }
void destroy_event(void* event) noexcept { destroy(api().cuEventDestroy_v2, event); }
void unload_module(Module module) noexcept { destroy(api().cuModuleUnload, module); }
void destroy_graph(Graph graph) noexcept { destroy(api().cuGraphDestroy, graph); }
void destroy_graph_exec(GraphExec exec) noexcept { destroy(api().cuGraphExecDestroy, exec); }

}  // namespace mw::cuda
