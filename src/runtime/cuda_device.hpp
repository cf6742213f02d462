// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// CUDA devices as the runtime sees them: the primary context (shared with CuPy and PyTorch), events
// and waits. Every call here reports a driver failure as an Error of kind vendor (or out_of_memory)
// naming the function and the driver's own text.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <mathwright/device.hpp>

#include "base/outcome.hpp"

namespace mw {

/// Number of usable CUDA devices; 0 without a driver. Never throws.
[[nodiscard]] int cuda_device_count() noexcept;

struct CudaDeviceInfo {
  std::string name;
  int capability = 0;  ///< 10 * major + minor
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  double bandwidth = 0;  ///< bytes per second, estimated from clocks and bus width (for estimates)
};
/// Errors: not_found if there is no such device, with what was looked for.
[[nodiscard]] const CudaDeviceInfo& cuda_device_info(int device_id);

/// Makes the device's primary context current for a scope. Costs one driver query (about 10 ns)
/// when it already is.
class CudaScope {
 public:
  explicit CudaScope(int device_id);
  ~CudaScope();
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;

 private:
  bool pushed_ = false;
};

/// Waits until all work queued so far is done. No-op for host devices (`device.is_cpu()`).
void synchronize(Device device, Stream stream);

/// Waits for everything queued on a CUDA device, whatever the stream.
void synchronize_device(int device_id);

/// True while what is queued on the stream goes into a graph; also of the legacy stream while
/// another stream is capturing, when it can be used for nothing. The device must be current.
[[nodiscard]] bool is_capturing(Stream stream);

/// A marker in a stream, without timing; reusable. Destroyed silently.
class CudaEvent {
 public:
  CudaEvent() = default;
  /// Created on first record.
  void record(int device_id, Stream stream);
  /// Makes `stream` wait for the last record; nothing if there was none.
  void make_wait(Stream stream) const;
  void wait() const;
  /// True if nothing is left to wait for: no record, or one that has been reached. False for a
  /// record that was captured. May be asked during a capture.
  [[nodiscard]] bool reached() const;
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), device_id_(other.device_id_) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(device_id_, other.device_id_);
    return *this;
  }

 private:
  void* handle_ = nullptr;
  int device_id_ = 0;
};

}  // namespace mw
