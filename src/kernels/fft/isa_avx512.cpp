// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#define MW_FFT_ISA avx512
#define MW_FFT_BYTES 64
#include "kernels/fft/kernels.inc.hpp"

namespace mw::kernels::fft {

const Isa& avx512_isa() {
  static constexpr Isa table = {"avx512", &avx512::float_kernels, &avx512::double_kernels};
  return table;
}

}  // namespace mw::kernels::fft
