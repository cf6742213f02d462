// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What a device can do per second, roughly: the two ceilings of the roofline. They rank candidates
// and give explain() its floor; they are estimates from the hardware's description, not
// measurements.
#pragma once

#include <mathwright/dtype.hpp>

#include "plan/plan.hpp"

namespace mw {

struct Rates {
  double bandwidth = 0;  ///< bytes per second, reads plus writes
  double flops = 0;      ///< floating-point operations per second in the dtype's arithmetic
  double call = 0;       ///< seconds to start one piece of work
};

[[nodiscard]] Rates rates(Device device, int threads, DType dtype);

/// The roofline floor of some work, in seconds.
[[nodiscard]] inline double floor_seconds(const Work& work, const Rates& rate) {
  return std::max(work.bytes / rate.bandwidth, work.flops / rate.flops);
}

}  // namespace mw
