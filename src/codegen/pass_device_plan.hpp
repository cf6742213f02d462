// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A pass on a device as a sequence of sweeps over the space: one for every set of axes that is
// reduced over, the first of which also writes the outputs that are not reduced.
#pragma once

#include "codegen/pass_device_kernel.hpp"

namespace mw::codegen {

struct DeviceSweep {
  PassProblem problem;              ///< with the sweep's outputs only
  std::vector<std::size_t> arrays;  ///< of the whole problem, one for each of this one
  PassLoops loops;                  ///< axes merged
  int lanes = 1;
  int team = 1;
  int finish_team = 1;
  std::int64_t kept = 1;    ///< partial results in a chunk
  std::int64_t chunks = 1;  ///< of the reduced axes
  bool short_index = true;
  std::vector<PassFinish> finishes;  ///< one a reduction
};

/// Which of a sweep's kernels.
struct DeviceVariant {
  bool merged = true;
  bool aligned = false;
  bool whole = false;
  bool accumulate = false;
};

[[nodiscard]] std::vector<DeviceSweep> plan_sweeps(const PassProblem& problem, int multiprocessors);

/// The kernel of a variant; `loops` are the sweep's, or those of its problem unmerged.
[[nodiscard]] Kernel sweep_kernel(const DeviceSweep& sweep, const PassLoops& loops,
                                  const DeviceVariant& variant);
[[nodiscard]] Target device_target(int lanes);

/// Whether contiguous arrays may be moved 16 bytes at once in this box of the walk.
[[nodiscard]] bool is_aligned(const DeviceSweep& sweep, const PassLoops& loops, const WalkBox& box);

/// Vectors (points, if the last axis is kept) that one item of a box reduces, all chunks together.
[[nodiscard]] std::int64_t reduced_steps(const DeviceSweep& sweep, const PassLoops& loops,
                                         const WalkBox& box);

}  // namespace mw::codegen
