// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#define MW_FFT_ISA avx2
#define MW_FFT_BYTES 32
#include "kernels/fft/kernels.inc.hpp"

namespace mw::kernels::fft {

const Isa& avx2_isa() {
  static constexpr Isa table = {"avx2", &avx2::float_kernels, &avx2::double_kernels};
  return table;
}

}  // namespace mw::kernels::fft
