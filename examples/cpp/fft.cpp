// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A transform there and back, and the columns of a matrix without a transposition.
#include <cmath>
#include <complex>
#include <iostream>
#include <vector>

#include <mathwright/mathwright.hpp>

int main() {
  using Complex = std::complex<double>;
  try {
    // A wave that fits five times into the line has all its power in entry 5.
    constexpr int n = 64;
    std::vector<Complex> x(n);
    for (int j = 0; j < n; ++j)
      x[static_cast<std::size_t>(j)] = std::polar(1.0, 2 * M_PI * 5 * j / n);
    const mw::Tensor y = mw::fft({x.data(), {n}});
    std::cout << "|y[5]| = " << std::abs(y.span<Complex>()[5]) << ", 64 is right\n";

    // Nothing is scaled: forward and inverse together multiply by n.
    const mw::Tensor back = mw::ifft(y);
    const double error = std::abs(back.span<Complex>()[7] / double(n) - x[7]);
    std::cout << "there and back: error " << error << '\n';

    // Axis 0 of a 1000×8 matrix: eight transforms of its columns, planned once.
    std::vector<std::complex<float>> matrix(1000 * 8, 1.0F);
    mw::FFT columns({matrix.data(), {1000, 8}}, {.axes = {0}});
    columns.plan(mw::FFTDirection::forward);
    const mw::Tensor spectrum = columns.execute();
    std::cout << columns.explain();
    const bool right = std::abs(spectrum.span<std::complex<float>>()[0] - 1000.0F) < 1e-2F;
    return error < 1e-14 && right ? 0 : 1;
  } catch (const mw::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
