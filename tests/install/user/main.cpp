// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Both operations through the public header alone; exit status 0 says that the results are right.
#include <complex>
#include <iostream>
#include <vector>

#include <mathwright/mathwright.hpp>

namespace {

// (1 2; 3 4) · (5 6; 7 8) = (19 22; 43 50): small integers, exact in any order of summation.
bool product_is_right() {
  std::vector<double> a{1, 2, 3, 4};
  std::vector<double> b{5, 6, 7, 8};

  const mw::Tensor d = mw::matmul({.a = {a.data(), {2, 2}}, .b = {b.data(), {2, 2}}});

  const auto got = d.span<double>();
  return got[0] == 19 && got[1] == 22 && got[2] == 43 && got[3] == 50;
}

// The spectrum of a unit impulse at 0 is 1 everywhere, without rounding.
bool spectrum_is_right() {
  std::vector<std::complex<float>> x(8);
  x[0] = 1;

  const mw::Tensor y = mw::fft({x.data(), {8}});

  for (const auto value : y.span<std::complex<float>>()) {
    if (value != std::complex<float>(1)) return false;
  }
  return true;
}

}  // namespace

int main() {
  try {
    const bool product = product_is_right();
    const bool spectrum = spectrum_is_right();
    std::cout << "mathwright " << MW_VERSION << ": product " << (product ? "right" : "wrong")
              << ", spectrum " << (spectrum ? "right" : "wrong") << '\n';
    return product && spectrum ? 0 : 1;
  } catch (const mw::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
