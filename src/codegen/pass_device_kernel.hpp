// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of a pass on a device. Threads take vectors of the last axis; the threads of a team
// share what is reduced into one result. All reductions of one kernel are over the same axes.
//
// A partial result is written once for every chunk of the reduced axes and combined by a second
// kernel: no atomics, so results do not depend on the order in which threads run.
#pragma once

#include "codegen/pass_loops.hpp"

namespace mw::codegen {

inline constexpr int kWarp = 32;

struct DeviceForm {
  PassForm form;
  std::vector<bool> kept;   ///< per loop: not reduced over (all, without reductions)
  bool whole = false;       ///< the last axis is whole vectors
  bool short_index = true;  ///< counts of vectors fit 31 bits
  int team = 1;             ///< threads that share a kept item: 1 or kWarp
  bool accumulate = false;  ///< partial results go on from what is there
};

/// Integers: as PassLoops; then, with reductions: chunks, vectors (or, if the last axis is kept,
/// points) of the reduced axes in a chunk, kept points.
[[nodiscard]] Kernel device_pass_kernel(const DeviceForm& device, const Target& target);

/// Combines the chunks. Pointers and integers as PassFinish.
[[nodiscard]] Kernel device_finish_kernel(const PassFinish& finish, int team, const Target& target);

/// Fills the slots with what changes nothing. Integers: numbers in each.
[[nodiscard]] Kernel device_start_kernel(const std::vector<Reduction>& reductions,
                                         const Target& target);

}  // namespace mw::codegen
