// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "plan/placement.hpp"
#include "runtime/cuda_device.hpp"

namespace mw {

/// The device whose streams matter: that of the work, else that of the operands.
[[nodiscard]] inline Device stream_device(const Placement& placement) {
  return placement.context.device.is_cuda() ? placement.context.device : placement.memory;
}

/// That device made current, if it is a CUDA device.
class DeviceScope {
 public:
  explicit DeviceScope(const Placement& placement) {
    if (const Device device = stream_device(placement); device.is_cuda()) scope_.emplace(device.id);
  }

 private:
  std::optional<CudaScope> scope_;
};

}  // namespace mw
