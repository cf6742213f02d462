// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Host kernels: compiled by LLVM where it was built in and opens, run by the blocked interpreter
// otherwise.
#pragma once

#include <memory>
#include <string>

#include "base/function_ref.hpp"
#include "base/outcome.hpp"
#include "codegen/builder.hpp"

namespace mw::codegen {

class HostKernel {
 public:
  HostKernel() = default;
  HostKernel(const HostKernel&) = delete;
  HostKernel& operator=(const HostKernel&) = delete;
  virtual ~HostKernel();

  /// Runs the kernel on the calling thread. Any number of threads at once.
  virtual void run(void* const* pointers, const std::int64_t* integers,
                   const double* scalars) const = 0;
  /// Compiles now, if it is not yet, what the first run would.
  virtual void prepare() const {}
  /// "LLVM 19.1, znver3, compiled in 4.2 ms", "interpreter (…why)".
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual const Kernel& kernel() const = 0;
};

using HostKernelPtr = std::shared_ptr<const HostKernel>;

/// Which back end a kernel runs on; `best` is LLVM where it is to be had.
enum class HostBackend : std::uint8_t { best, llvm, interpreter };

/// What a kernel for this back end should be built for on this machine. Errors: not_found when
/// LLVM is asked for by name and absent, with the reason.
[[nodiscard]] Target host_target(HostBackend backend = HostBackend::best);

/// Builds and keeps; compiles when it is first run or prepared, so that what another implementation
/// is chosen over costs nothing. The same kernel is compiled once per process, and its object code
/// is kept on disk.
[[nodiscard]] HostKernelPtr host_kernel(FunctionRef<Kernel(const Target&)> build,
                                        HostBackend backend = HostBackend::best);

/// Whether LLVM is here, and if not why and how to get it.
[[nodiscard]] Outcome<std::string> llvm_version();

/// The kernel by the interpreter, whatever else there is.
[[nodiscard]] HostKernelPtr interpret(Kernel kernel, std::string why);

}  // namespace mw::codegen
