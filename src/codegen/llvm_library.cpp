// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm_library.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "base/disk_cache.hpp"
#include "base/env.hpp"
#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"

namespace mw::codegen {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libmathwright_llvm.so";
constexpr const char* kWho = "llvm";
constexpr const char* kRemedy =
    "\nRemedy: install LLVM 16 or later (apt install llvm-19-dev) and build Mathwright again, or "
    "set "
    "MATHWRIGHT_LLVM_LIBRARY to a libmathwright_llvm.so of the same build. Until then generated "
    "host "
    "code is interpreted.";

// One lock for all of LLVM: code generation is short and rare, and a fork then never happens in the
// middle of it, so that the child can compile too.
std::mutex& llvm_mutex() {
  static auto& mutex = *new std::mutex;
  static const int at_fork = pthread_atfork(
      [] { llvm_mutex().lock(); }, [] { llvm_mutex().unlock(); }, [] { llvm_mutex().unlock(); });
  static_cast<void>(at_fork);
  return mutex;
}

// ---- finding the library ----------------------------------------------------------------------

struct Opened {
  const LlvmApi* api = nullptr;
  std::string path;
  std::string build;  // tells one build of the library from another
  double seconds = 0;
};

/// The file that this code is in: the shared library, the Python extension, or the program.
fs::path this_file() {
  Dl_info where{};
  if (dladdr(reinterpret_cast<const void*>(&this_file), &where) == 0 || where.dli_fname == nullptr)
    return {};
  std::error_code error;
  const fs::path self = fs::canonical(where.dli_fname, error);
  // The program's own name is as the shell wrote it.
  return error ? fs::canonical("/proc/self/exe", error) : self;
}

std::vector<std::string> places() {
  if (const auto wanted = env(EnvVar::llvm_library)) return {*wanted};
  const fs::path folder = this_file().parent_path();
  // Beside libmathwright.so and _core; for a program with the static library, in the prefix it is
  // installed in, or the build folder.
  return {folder / kFile, folder.parent_path() / "lib" / kFile, folder.parent_path() / kFile,
          kFile};
}

std::string build_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path;
  return text(status.st_size, " ", status.st_mtim.tv_sec, " ", status.st_mtim.tv_nsec);
}

/// The library at one place, or why not.
Outcome<Opened> open_at(const std::string& place) {
  const Stopwatch watch;
  std::error_code error;
  if (place.find('/') != std::string::npos && !fs::exists(place, error))
    return Refusal{kWho, "not there"};
  // Never closed: code and threads may be inside.
  void* handle = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return Refusal{kWho, why != nullptr ? why : "does not open"};
  }
  auto* entry = reinterpret_cast<LlvmEntry*>(dlsym(handle, kLlvmEntry));
  if (entry == nullptr) return Refusal{kWho, "is another library: it has no mathwright_llvm"};
  std::string why = "comes from another build of Mathwright";
  const LlvmApi* api = entry(llvm_abi(), why);
  if (api == nullptr) return Refusal{kWho, why};
  Dl_info where{};
  const bool known = dladdr(reinterpret_cast<const void*>(entry), &where) != 0;
  std::string path = known && where.dli_fname != nullptr ? where.dli_fname : place;
  std::string build = build_of(path);
  return Opened{api, std::move(path), std::move(build), watch.seconds()};
}

Outcome<Opened> open_library() {
  std::string looked;
  for (const std::string& place : places()) {
    auto opened = open_at(place);
    if (opened) return opened;
    looked += text("\n  ", place, ": ", opened.refusal().reason);
  }
  return Refusal{
      kWho, text("libmathwright_llvm, which compiles host code, was not found. Looked at:", looked,
                 kRemedy)};
}

const Outcome<Opened>& library() {
  static const auto& opened = *new Outcome<Opened>([] {
    const std::lock_guard lock(llvm_mutex());
    return open_library();
  }());
  // Outside the initialisation: a sink may be Python's, which takes a lock of its own.
  static std::atomic<bool> logged{false};
  if (!logged.exchange(true)) {
    log(LogLevel::debug, [] {
      return opened ? text("llvm: ", opened.value().path, ", LLVM ", opened.value().api->version,
                           " for ", opened.value().api->cpu, ", opened in ",
                           human_seconds(opened.value().seconds))
                    : text("llvm: ", opened.refusal().reason);
    });
  }
  return opened;
}

// ---- kernels ----------------------------------------------------------------------------------

class LlvmKernel final : public HostKernel {
 public:
  LlvmKernel(const Opened& library, Kernel kernel)
      : library_(library), kernel_(std::move(kernel)) {}
  ~LlvmKernel() override {
    if (code_ == nullptr) return;
    const std::lock_guard lock(llvm_mutex());
    library_.api->free(code_);
  }

  void run(void* const* pointers, const std::int64_t* integers,
           const double* scalars) const override {
    LlvmFunction* function = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      prepare();
      function = function_.load(std::memory_order_acquire);
    }
    function(pointers, integers, scalars);
  }
  /// Errors: compile.
  void prepare() const override;
  [[nodiscard]] std::string describe() const override {
    if (function_.load(std::memory_order_acquire) != nullptr) return description_;
    return text("LLVM ", library_.api->version, ", not compiled");
  }
  [[nodiscard]] const Kernel& kernel() const override { return kernel_; }

 private:
  /// Under the lock. What was done, for describe() and the log.
  [[nodiscard]] std::string compile() const;
  [[nodiscard]] LlvmFunction* load(const std::string& object, std::string& error) const {
    return library_.api->load(kernel_, object, code_, error);
  }

  const Opened& library_;
  Kernel kernel_;
  mutable std::atomic<LlvmFunction*> function_ = nullptr;  ///< the rest is there if this is
  mutable void* code_ = nullptr;
  mutable std::string description_;
};

std::string cache_key(const Opened& library, const Kernel& kernel) {
  Key key;
  key.add(std::string_view(library.api->version));
  key.add(std::string_view(library.api->cpu));
  key.add(std::string_view(library.api->features));
  key.add(library.build);
  key.add(kernel);
  return std::string(key.bytes());
}

std::string times_text(const LlvmTimes& times) {
  return text("emitted in ", human_seconds(times.emit), ", optimised in ",
              human_seconds(times.optimise), ", generated in ", human_seconds(times.generate));
}

std::string LlvmKernel::compile() const {
  const Stopwatch watch;
  const std::string key = cache_key(library_, kernel_);
  const std::string head = text("LLVM ", library_.api->version, ", ", library_.api->cpu, ", ",
                                kernel_.lanes, " lanes, ");
  std::string object, error;
  if (const auto known = disk_cache_load("object", key)) {
    if (LlvmFunction* function = load(*known, error)) {
      description_ = text(head, "from the disk cache in ", human_seconds(watch.seconds()));
      function_.store(function, std::memory_order_release);
      return description_;
    }
  }
  LlvmTimes times;
  const auto failed = [&] {
    fail(ErrorKind::compile, "host kernel ", kernel_.name, ": LLVM ", library_.api->version,
         " did not compile it: ", error, ". This is a defect of Mathwright; please report it.");
  };
  if (!library_.api->compile(kernel_, object, times, error)) failed();
  LlvmFunction* function = load(object, error);
  if (function == nullptr) failed();
  disk_cache_store("object", key, object);
  description_ =
      text(head, "compiled in ", human_seconds(watch.seconds()), " (", times_text(times), ")");
  function_.store(function, std::memory_order_release);
  return description_;
}

void LlvmKernel::prepare() const {
  std::string done;
  {
    const std::lock_guard lock(llvm_mutex());
    if (function_.load(std::memory_order_relaxed) != nullptr) return;
    done = compile();
  }
  log(LogLevel::debug, [&] { return text("llvm: kernel ", kernel_.name, ": ", done); });
}

}  // namespace

Outcome<const LlvmApi*> llvm_library() {
  const auto& opened = library();
  if (!opened) return opened.refusal();
  return opened.value().api;
}

Outcome<Target> llvm_target() {
  const auto api = llvm_library();
  if (!api) return api.refusal();
  return Target{.lanes = api.value()->lanes, .registers = api.value()->registers};
}

Outcome<HostKernelPtr> compile_with_llvm(const Kernel& kernel) {
  const auto& opened = library();
  if (!opened) return opened.refusal();
  return HostKernelPtr(std::make_shared<LlvmKernel>(opened.value(), kernel));
}

Outcome<std::string> llvm_text(const Kernel& kernel, LlvmText which) {
  const auto api = llvm_library();
  if (!api) return api.refusal();
  std::string out, error;
  const std::lock_guard lock(llvm_mutex());
  if (!api.value()->text(kernel, which, out, error))
    fail(ErrorKind::compile, "host kernel ", kernel.name, ": ", error);
  return out;
}

Outcome<std::string> llvm_description() {
  const auto& opened = library();
  if (!opened) return opened.refusal();
  return text(opened.value().api->version, " for ", opened.value().api->cpu, ", ",
              opened.value().path);
}

}  // namespace mw::codegen
