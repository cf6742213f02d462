// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/isa.hpp"

namespace mw::kernels::fft {

namespace {

const Isa& choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return avx512_isa();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_isa();
#endif
  return baseline_isa();
}

}  // namespace

const Isa& isa() {
  static const Isa& chosen = choose();
  return chosen;
}

}  // namespace mw::kernels::fft
