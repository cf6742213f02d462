// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/device.hpp>

namespace mw {

std::ostream& operator<<(std::ostream& os, Device device) {
  if (device.is_cpu()) return os << "cpu";
  return os << "cuda:" << device.id;
}

}  // namespace mw
