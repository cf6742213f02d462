// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#define MW_FFT_ISA baseline
#define MW_FFT_BYTES 16
#include "kernels/fft/kernels.inc.hpp"

namespace mw::kernels::fft {

const Isa& baseline_isa() {
  static constexpr Isa table = {"baseline", &baseline::float_kernels, &baseline::double_kernels};
  return table;
}

}  // namespace mw::kernels::fft
