// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// ColdTimer: the seconds a piece of work takes when nothing it needs is in the caches.
//
// Before each piece the caches are filled with something else: on the host a block larger than the
// last-level cache is read by all threads, on a device one of twice the L2 (whose halves serve each
// other). The device reads it too, rather than write it: lines that were written would go back to
// memory during the piece and slow it down.
#pragma once

#include <memory>

#include <mathwright/device.hpp>

#include "base/function_ref.hpp"

namespace mw {

class ColdTimer {
 public:
  /// Times work on this device; on a CUDA device it is work queued on the stream, between two
  /// events. `threads`: of host work. Takes memory of the size of the caches while it lives.
  ColdTimer(Device device, Stream stream, int threads);
  ~ColdTimer();
  ColdTimer(const ColdTimer&) = delete;
  ColdTimer& operator=(const ColdTimer&) = delete;

  /// Seconds of one call. `work` queues or does it; what `prepare` does is over, or queued before,
  /// and not counted. Errors: those of the two; vendor.
  double seconds(FunctionRef<void()> prepare, FunctionRef<void()> work);

 private:
  class Caches;
  class HostCaches;
  class DeviceCaches;
  std::unique_ptr<Caches> caches_;
};

}  // namespace mw
