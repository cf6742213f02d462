// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/device.hpp>

namespace mw {

std::string name(Device device) {
  return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.id);
}

}  // namespace mw
