// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/bluestein.hpp"

#include <utility>

#include "kernels/fft/line_fft.hpp"

namespace mw::kernels::fft {

namespace {

template <class T>
std::shared_ptr<const Chirp<T>> make_chirp(std::int64_t n, std::int64_t m) {
  auto result = std::make_shared<Chirp<T>>();
  result->n = n;
  result->m = m;
  result->chirp = Table<T>(2 * n);
  result->spectrum = Table<T>(2 * m);
  const Roots roots(2 * n);
  Table<double> h(2 * m);
  std::int64_t square = 0;  // j² mod 2n
  for (std::int64_t j = 0; j < n; ++j) {
    const auto b = roots(square);
    result->chirp.data()[2 * j] = static_cast<T>(b.real());
    result->chirp.data()[2 * j + 1] = static_cast<T>(b.imag());
    for (const auto at : {j, (m - j) % m}) {
      h.data()[2 * at] = static_cast<double>(b.real());
      h.data()[2 * at + 1] = static_cast<double>(-b.imag());
    }
    square += 2 * j + 1;
    if (square >= 2 * n) square -= 2 * n;
  }
  const auto fft = LineFft<double>::get(m);
  Table<double> spectrum(2 * m);
  Table<double> scratch(fft->scratch(1));
  const double scale = 1.0 / static_cast<double>(m);
  fft->run({.in = h.data(), .out = spectrum.data(), .re_scale = scale, .im_scale = scale},
           scratch.data(), 1);
  for (std::int64_t i = 0; i < 2 * m; ++i) {
    result->spectrum.data()[i] = static_cast<T>(spectrum.data()[i]);
  }
  return result;
}

}  // namespace

template <class T>
std::shared_ptr<const Chirp<T>> Chirp<T>::get(std::int64_t n, std::int64_t m) {
  static SharedByKey<std::pair<std::int64_t, std::int64_t>, Chirp> cache;
  return cache.get({n, m}, [&] { return make_chirp<T>(n, m); });
}

template struct Chirp<float>;
template struct Chirp<double>;

}  // namespace mw::kernels::fft
