// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A pass: a function applied at every point of an iteration space. Its tensors are read, its
// outputs written, its reductions reduced. It is the fused elementwise kernel, and the epilog of a
// product that lies in a buffer.
//
// Extents and strides are arguments of the compiled code, so one compilation serves every shape of
// the same rank, dtypes and stride classes (0, 1, other) of the innermost axis.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include <mathwright/device.hpp>
#include <mathwright/dims.hpp>

#include "codegen/host.hpp"
#include "expr/function.hpp"

namespace mw::codegen {

/// One array as the iteration space sees it.
struct PassArray {
  DType dtype = DType::float32;
  Dims strides;                 ///< in elements, one per axis of the space; 0 repeats
  std::uint8_t alignment = 16;  ///< of the address of (0, …, 0), in bytes

  auto fields() const {
    return std::tuple{field("dtype", dtype), field("strides", strides),
                      field("alignment", alignment)};
  }
};

/// The arrays stand in the function's order: elements, tensors, outputs. A reduced output has
/// stride 0 along the axes it was reduced over. Indices are those of `shape`, axes from the end.
struct PassProblem {
  std::shared_ptr<const expr::Function> function;
  Dims shape;
  std::vector<PassArray> arrays;
};

struct PassCall {
  void* const* arrays = nullptr;                  ///< addresses of (0, …, 0)
  const std::complex<double>* scalars = nullptr;  ///< in the function's order
  void* workspace = nullptr;                      ///< workspace_bytes(), in the space of execution
  Stream stream;                                  ///< device only
};

/// A box of the space.
struct PassPart {
  Dims first, extent;
};

/// Immutable; may run on many threads and streams at once, each with its own workspace.
class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass();

  /// Compiles now, if it is not yet, what the first run would.
  virtual void prepare() const {}

  /// The whole space, on all threads (host) or queued on the stream (device).
  virtual void run(const PassCall& call) const = 0;

  /// The same in pieces, for a product that comes in panels: start(), then run_part() for boxes
  /// that cover the space once, in any order, then finish(), which combines the reductions. On the
  /// host a part runs on the calling thread, and `worker` (below the `threads` the pass was made
  /// for) must differ between threads that run at once. `call.arrays` are the addresses of (0, …,
  /// 0) of the whole space always: an element array that holds one panel only is passed moved back
  /// by it.
  virtual void start(const PassCall& call) const = 0;
  virtual void run_part(const PassCall& call, const PassPart& part, int worker) const = 0;
  virtual void finish(const PassCall& call) const = 0;

  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  /// Back end, lanes, how the space is walked: one line.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// The code of the main kernel, for people: C, or CUDA C++.
  [[nodiscard]] virtual std::string source() const = 0;
  /// Operations per point, for estimates: transcendental functions count 10.
  [[nodiscard]] virtual double flops_per_point() const = 0;
};

using PassPtr = std::shared_ptr<const Pass>;

[[nodiscard]] PassPtr make_host_pass(const PassProblem& problem, int threads,
                                     HostBackend backend = HostBackend::best);
/// Compiled by NVRTC for the device at once. Errors: not_found without NVRTC; compile.
[[nodiscard]] PassPtr make_device_pass(const PassProblem& problem, int device_id);

}  // namespace mw::codegen
