// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/axis.hpp"

#include "kernels/fft/lines.hpp"
#include "kernels/fft/step.hpp"

namespace mw::kernels::fft {

template <class T>
std::unique_ptr<const AxisStep<T>> AxisStep<T>::make(const AxisShape& shape, int threads) {
  const Lines lines(shape);
  if (line_step_cycles<T>(shape, lines) < lane_step_cycles<T>(shape, lines)) {
    return make_line_step<T>(shape, threads);
  }
  return make_lane_step<T>(shape, threads);
}

template class AxisStep<float>;
template class AxisStep<double>;

}  // namespace mw::kernels::fft
