// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// AxisStep: the transforms along one axis of an array, over all lines and on several threads.
//
// A step works either by lanes (V lines at a time, any strides) or by line (one after another,
// contiguous ones directly, others through a contiguous copy), whichever costs less.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mathwright/dims.hpp>

#include "kernels/fft/fft.hpp"
#include "kernels/fft/work.hpp"

namespace mw::kernels::fft {

/// What one step does. Strides count reals.
struct AxisShape {
  FftKind kind;
  std::int64_t n;  // of the real side for r2c and c2r
  std::int64_t in_stride, out_stride;
  Dims batch, batch_in, batch_out;  // the other axes
};

template <class T>
class AxisStep {
 public:
  virtual ~AxisStep() = default;
  [[nodiscard]] static std::unique_ptr<const AxisStep> make(const AxisShape& shape, int threads);

  /// Reals, over all threads.
  [[nodiscard]] virtual std::int64_t scratch() const = 0;
  virtual void run(const T* in, T* out, AxisFactors<T> factors, T* scratch) const = 0;
  [[nodiscard]] virtual double seconds() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace mw::kernels::fft
