// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Copies: between any two layouts of one shape, in one space or across two.
#pragma once

#include <cstddef>

#include <mathwright/tensor.hpp>

#include "base/outcome.hpp"

namespace mw {

/// target[i] = source[i] for every index i; conjugated if exactly one of the two is marked
/// conjugate. Shapes and dtypes are equal (checked). Layouts are free: any strides in the source,
/// any one-to-one strides in the target. The two must not overlap unless they are the same view.
///
///   host → host      done on return; `threads` threads, blocked transposes in cache
///   device → device  queued on `stream` (same device only)
///   host → device    queued; non-dense or page-able sources go through pinned staging. The source
///   may
///                    be reused on return
///   device → host    done on return
///
/// Cost: reads and writes each element once (twice when staged).
/// Errors: invalid_argument (shapes, dtypes, two devices); vendor; out_of_memory; not_found when a
/// strided device copy needs NVRTC and there is none.
void copy(const TensorRef& source, const TensorRef& target, Stream stream = {}, int threads = 0);

/// Sets every byte of a one-to-one view's elements to zero.
void fill_zero(const TensorRef& target, Stream stream = {});

/// Whether copy() could do this one (a strided device copy needs NVRTC).
[[nodiscard]] Outcome<bool> can_copy(const TensorRef& source, const TensorRef& target);

}  // namespace mw
