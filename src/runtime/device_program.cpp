// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_program.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "base/disk_cache.hpp"
#include "base/fields.hpp"
#include "base/stopwatch.hpp"
#include "dl/deferred_log.hpp"
#include "runtime/cuda_device.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {

namespace {

// The architecture to compile for, and whether its machine code runs on the device as it is.
struct Target {
  int arch = 0;
  bool machine_code = true;
};

Target target_for(const nvrtc::Api& api, int capability) {
  int count = 0;
  nvrtc::call(api.nvrtcGetNumSupportedArchs, &count);
  std::vector<int> archs(static_cast<std::size_t>(count));
  nvrtc::call(api.nvrtcGetSupportedArchs, archs.data());
  Target best;
  for (const int arch : archs) {
    if (arch <= capability) best.arch = std::max(best.arch, arch);
  }
  require(best.arch > 0, ErrorKind::unsupported, "NVRTC: no architecture at or below ", capability,
          " is supported by this release. Install one that still knows this device.");
  best.machine_code = best.arch == capability;
  return best;
}

std::string compilation_log(const nvrtc::Api& api, nvrtc::Program program) {
  std::size_t bytes = 0;
  if (api.nvrtcGetProgramLogSize(program, &bytes) != nvrtc::kSuccess || bytes == 0) return {};
  std::string log(bytes, '\0');
  if (api.nvrtcGetProgramLog(program, log.data()) != nvrtc::kSuccess) return {};
  log.resize(bytes - 1);
  return log;
}

/// All that the image depends on.
std::string cache_key(const nvrtc::Api& api, const DeviceProgram& program,
                      const std::vector<std::string>& options) {
  int major = 0, minor = 0;
  nvrtc::call(api.nvrtcVersion, &major, &minor);
  Key key;
  key.add(major);
  key.add(minor);
  key.add(program.name);
  key.add(program.source);
  key.add(options);
  return std::string(key.bytes());
}

enum class Form : std::uint8_t { machine_code, ptx, link_time };

std::string compile(const nvrtc::Api& api, const DeviceProgram& program, Form form,
                    const std::vector<std::string>& options) {
  std::vector<const char*> pointers;
  pointers.reserve(options.size());
  for (const auto& option : options) pointers.push_back(option.c_str());

  nvrtc::ProgramOwner owner;
  nvrtc::call(api.nvrtcCreateProgram, owner.receive(), program.source.c_str(), program.name.c_str(),
              0, nullptr, nullptr);
  const auto status =
      api.nvrtcCompileProgram(owner.get(), static_cast<int>(pointers.size()), pointers.data());
  require(status != nvrtc::kCompilation, ErrorKind::compile, "device program ", program.name,
          " did not compile:\n", compilation_log(api, owner.get()));
  nvrtc::check(status, "nvrtcCompileProgram");

  std::string image;
  const auto fetch = [&](const auto& size, const auto& get) {
    std::size_t bytes = 0;
    nvrtc::call(size, owner.get(), &bytes);
    image.resize(bytes);
    nvrtc::call(get, owner.get(), image.data());
  };
  switch (form) {
    case Form::machine_code: fetch(api.nvrtcGetCUBINSize, api.nvrtcGetCUBIN); break;
    case Form::ptx: fetch(api.nvrtcGetPTXSize, api.nvrtcGetPTX); break;
    case Form::link_time: fetch(api.nvrtcGetLTOIRSize, api.nvrtcGetLTOIR); break;
  }
  return image;
}

/// From the disk cache, or compiled and put there.
std::string compile_once(const nvrtc::Api& api, const DeviceProgram& program, Form form,
                         std::vector<std::string> options) {
  options.push_back("--std=c++17");
  const char* kind = form == Form::link_time ? "ltoir" : "cubin";
  const std::string key = cache_key(api, program, options);
  if (auto known = disk_cache_load(kind, key)) {
    dl::defer_log(LogLevel::debug,
                  [&] { return text("device program ", program.name, ": from the disk cache"); });
    return *std::move(known);
  }
  const Stopwatch watch;
  std::string image = compile(api, program, form, options);
  dl::defer_log(LogLevel::debug, [&] {
    return text("device program ", program.name, ": compiled by NVRTC in ",
                human_seconds(watch.seconds()));
  });
  disk_cache_store(kind, key, image);
  return image;
}

}  // namespace

std::string compile_device_program(const DeviceProgram& program, int capability) {
  const nvrtc::Api& api = nvrtc::api();
  const Target target = target_for(api, capability);
  std::vector<std::string> options = program.options;
  options.push_back(text("--gpu-architecture=", target.machine_code ? "sm_" : "compute_",
                         target.arch, program.this_architecture_only ? "a" : ""));
  return compile_once(api, program, target.machine_code ? Form::machine_code : Form::ptx,
                      std::move(options));
}

std::string compile_device_functions(const DeviceProgram& program, int capability) {
  const nvrtc::Api& api = nvrtc::api();
  std::vector<std::string> options = program.options;
  options.push_back(text("--gpu-architecture=compute_", target_for(api, capability).arch));
  options.push_back("--dlink-time-opt");
  options.push_back("--relocatable-device-code=true");
  return compile_once(api, program, Form::link_time, std::move(options));
}

cuda::Kernel device_kernel(int device_id, const DeviceProgram& program) {
  // Modules are never unloaded: plans hold their kernels, and the context ends with the process.
  static std::mutex& mutex = *new std::mutex;
  static auto& kernels = *new std::unordered_map<Key, cuda::Kernel, KeyHash>;
  const cuda::Api& api = cuda::api();
  Key key;
  key.add(reinterpret_cast<std::uintptr_t>(&api));
  key.add(device_id);
  key.add(program.name);
  key.add(program.source);
  key.add(program.options);
  key.add(program.this_architecture_only);
  const dl::DeferredLog logs;         // a sink may be Python's: never under the lock
  const std::lock_guard lock(mutex);  // two threads that need the same kernel compile it once
  if (const auto known = kernels.find(key); known != kernels.end()) return known->second;

  const std::string image = compile_device_program(program, cuda_device_info(device_id).capability);
  const CudaScope scope(device_id);
  cuda::ModuleOwner module;
  cuda::call(api.cuModuleLoadData, module.receive(), image.data());
  cuda::Kernel kernel = nullptr;
  cuda::call(api.cuModuleGetFunction, &kernel, module.get(), program.name.c_str());
  kernels.emplace(std::move(key), kernel);
  static_cast<void>(module.release());
  dl::defer_log(LogLevel::debug, [&] {
    return text("device program ", program.name, ": ", image.size(),
                " bytes of code for cuda:", device_id);
  });
  return kernel;
}

}  // namespace mw
