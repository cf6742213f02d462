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

const Isa* const (&isas())[kWidths] {
#if defined(__x86_64__)
  static const bool avx2 = &isa() != &baseline_isa();
  static const Isa* const all[kWidths] = {&isa(), avx2 ? &avx2_isa() : &baseline_isa(),
                                          &baseline_isa()};
#else
  static const Isa* const all[kWidths] = {&isa(), &isa(), &isa()};
#endif
  return all;
}

}  // namespace mw::kernels::fft
