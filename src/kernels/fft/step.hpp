// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The two kinds of steps.
#pragma once

#include <memory>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/lines.hpp"

namespace mw::kernels::fft {

/// V lines at a time.
template <class T>
[[nodiscard]] std::unique_ptr<const AxisStep<T>> make_lane_step(const AxisShape& shape,
                                                                int threads);
template <class T>
[[nodiscard]] double lane_step_cycles(const AxisShape& shape, const Lines& lines);

/// One line after another.
template <class T>
[[nodiscard]] std::unique_ptr<const AxisStep<T>> make_line_step(const AxisShape& shape,
                                                                int threads);
template <class T>
[[nodiscard]] double line_step_cycles(const AxisShape& shape, const Lines& lines);

}  // namespace mw::kernels::fft
