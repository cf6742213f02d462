// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The definition of the product, apart from the library's own reference, and the bound of an
// element.
//
// A sum of k products, formed in any order in arithmetic of unit roundoff u, is within
// γ(k) · Σ|a||b| of the exact one, γ(k) = ku/(1 − ku); scaling by alpha and adding beta·c add two
// roundings (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). With ε =
// 2u:
//
//   |error| ≤ w · (k + 2) · ε · (|alpha| Σ|a||b| + |beta||c|) + ε' |d| + (k + 2) · smallest
//
// w is 1, or 4 for complex numbers (a complex product is within 2√2·u, its parts are sums of two);
// ε' is the storage's ε where it is narrower than the arithmetic; `smallest` is the least positive
// normal number, which flushing denormals to zero may cost in every operation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "conformance/matmul_case.hpp"

namespace mw::conformance {

namespace {

struct Precision {
  double arithmetic;  ///< ε of the sums
  double storage;     ///< ε of the result where it is wider than that of the sums, else 0
  double smallest;    ///< normal number of the narrower of the two
};

Precision precision_of(DType dtype) {
  constexpr double kSingle = std::numeric_limits<float>::epsilon();
  switch (real_dtype(dtype)) {
    case DType::float16: return {kSingle, 0x1p-10, 0x1p-14};
    case DType::bfloat16: return {kSingle, 0x1p-7, std::numeric_limits<float>::min()};
    case DType::float32: return {kSingle, 0, std::numeric_limits<float>::min()};
    default: return {std::numeric_limits<double>::epsilon(), 0, std::numeric_limits<double>::min()};
  }
}

/// Where the matrix of a product number starts in an operand's C order.
std::int64_t matrix_start(const Dims& batch, const Dims& operand, std::int64_t number) {
  const std::size_t own = operand.size() < 2 ? 0 : operand.size() - 2;
  std::int64_t start = 0;
  std::int64_t step = 1;
  for (std::size_t i = std::min<std::size_t>(operand.size(), 2); i-- > 0;) {
    step *= operand[operand.size() - 1 - i];
  }
  for (std::size_t axis = batch.size(); axis-- > 0;) {
    const std::int64_t position = number % batch[axis];
    number /= batch[axis];
    if (axis < batch.size() - own) continue;
    const std::int64_t extent = operand[axis - (batch.size() - own)];
    if (extent != 1) start += position * step;
    step *= extent;
  }
  return start;
}

using Wide = std::complex<long double>;

std::vector<Wide> elements(const Storage& storage, bool conjugate) {
  std::vector<Wide> all(static_cast<std::size_t>(storage.host().size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Wide value(storage.at(static_cast<std::int64_t>(i)));
    all[i] = conjugate ? std::conj(value) : value;
  }
  return all;
}

long double magnitude(const Wide& value) { return std::abs(value.real()) + std::abs(value.imag()); }

/// The product of two elements by the school formula, so that an infinity in a real operand stays
/// one.
Wide times(const Wide& x, const Wide& y, bool complex) {
  if (!complex) return x.real() * y.real();
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

}  // namespace

ProductShape product_shape(const Dims& a, const Dims& b) {
  require(!a.empty() && !b.empty(), ErrorKind::invalid_argument, "a and b want at least one axis");
  ProductShape shape;
  shape.k = a.back();
  if (a.size() > 1) shape.m = a[a.size() - 2];
  if (b.size() > 1) shape.n = b.back();
  require(shape.k == (b.size() > 1 ? b[b.size() - 2] : b[0]), ErrorKind::invalid_argument, "a ", a,
          " and b ", b, " do not fit");
  const std::size_t a_own = a.size() < 2 ? 0 : a.size() - 2;
  const std::size_t b_own = b.size() < 2 ? 0 : b.size() - 2;
  shape.batch = Dims(std::max(a_own, b_own), 1);
  const auto broadcast = [&](const Dims& operand, std::size_t own) {
    for (std::size_t i = 0; i < own; ++i) {
      std::int64_t& extent = shape.batch[shape.batch.size() - own + i];
      if (operand[i] != 1) extent = operand[i];
    }
  };
  broadcast(a, a_own);
  broadcast(b, b_own);
  shape.result = shape.batch;
  if (a.size() > 1) shape.result.push_back(shape.m);
  if (b.size() > 1) shape.result.push_back(shape.n);
  return shape;
}

Expected expected_product(const MatmulCase& given) {
  const TensorRef& a_view = given.a.host();
  const bool complex = is_complex(a_view.dtype);
  const ProductShape shape = product_shape(a_view.shape, given.b.host().shape);
  const Precision precision = precision_of(a_view.dtype);
  const auto a = elements(given.a, given.options.conjugate_a);
  const auto b = elements(given.b, given.options.conjugate_b);
  const bool adds = given.c && given.beta != 0.0;
  const auto c = adds ? elements(*given.c, false) : std::vector<Wide>();
  const Wide alpha(given.options.alpha);
  const Wide beta(given.beta);
  const auto operations = static_cast<double>(shape.k + 2) * (complex ? 4 : 1);

  Expected expected;
  std::int64_t batches = 1;
  for (const std::int64_t extent : shape.batch) batches *= extent;
  for (std::int64_t number = 0; number < batches; ++number) {
    const std::int64_t a_start = matrix_start(shape.batch, a_view.shape, number);
    const std::int64_t b_start = matrix_start(shape.batch, given.b.host().shape, number);
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < shape.n; ++j) {
        Wide sum = 0;
        long double size = 0;
        for (std::int64_t l = 0; l < shape.k && alpha != Wide(0); ++l) {
          const Wide& x = a[static_cast<std::size_t>(a_start + i * shape.k + l)];
          const Wide& y = b[static_cast<std::size_t>(b_start + l * shape.n + j)];
          sum += times(x, y, complex);
          size += magnitude(x) * magnitude(y);
        }
        if (alpha != Wide(0)) sum = times(alpha, sum, complex);
        size *= magnitude(alpha);
        if (adds) {
          const Wide& old = c[expected.values.size()];
          sum += times(beta, old, complex);
          size += magnitude(beta) * magnitude(old);
        }
        expected.values.emplace_back(sum);
        expected.bounds.push_back(operations * precision.arithmetic * static_cast<double>(size) +
                                  precision.storage * static_cast<double>(magnitude(sum)) +
                                  operations * precision.smallest);
      }
    }
  }
  return expected;
}

}  // namespace mw::conformance
