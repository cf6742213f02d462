// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.hpp"

#include "runtime/cuda_device.hpp"
#include "runtime/thread_pool.hpp"

namespace mw {

Placement place(const char* operation, Device operands, const Execution& execution) {
  require(execution.num_threads >= 0, ErrorKind::invalid_argument, operation,
          ": execution num_threads is ", execution.num_threads,
          "; a positive number is wanted, or none for every CPU this process may use");
  Device device = operands;
  if (execution.space == Execution::Space::cpu) device = Device::cpu();
  if (execution.space == Execution::Space::cuda && operands.is_cpu()) {
    require(execution.device_id >= 0, ErrorKind::invalid_argument, operation,
            ": execution device_id is ", execution.device_id, "; 0 or more is wanted");
    device = Device::cuda(execution.device_id);
  }
  if (device.is_cuda()) (void)cuda_device_info(device.id);  // says what is missing
  const int threads = execution.num_threads > 0 ? execution.num_threads : available_threads();
  return {.memory = operands, .context = {.device = device, .threads = threads}};
}

}  // namespace mw
