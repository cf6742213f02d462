// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/matmul_case.hpp"

#include <limits>

#include "base/text.hpp"

namespace mw::conformance {

namespace {

std::complex<double> parse_scalar(const std::string& text) {
  const auto parts = split(text);
  require(!parts.empty(), ErrorKind::invalid_argument, "a scalar is empty");
  return {std::stod(parts[0]), parts.size() > 1 ? std::stod(parts[1]) : 0};
}

}  // namespace

MatmulCase MatmulCase::make(const Case& line) {
  line.check_known(
      {"a", "b", "a_strides", "b_strides", "c_strides", "d_strides", "alpha", "beta", "shift",
       "epilog"},
      {"conj_a", "conj_b", "in_place", "nan", "inf", "denormal", "ones", "fp_flags", "cuda"}, 1);
  const auto flag = [&](std::string_view name) { return line.flag(name, 1); };
  const DType dtype = line.dtype(0);
  const Dims a_shape = line.dims("a").value_or(Dims{});
  const Dims b_shape = line.dims("b").value_or(Dims{});
  const Dims result = product_shape(a_shape, b_shape).result;
  const Dims shift = line.dims("shift").value_or(Dims(4));
  require(shift.size() == 4, ErrorKind::invalid_argument, "shift wants four numbers");
  const auto storage = [&](const Dims& shape, const char* key, std::size_t which) {
    return Storage(dtype, shape, strides_of(line.value(key), shape), shift[which]);
  };

  MatmulCase made;
  made.a = storage(a_shape, "a_strides", 0);
  made.b = storage(b_shape, "b_strides", 1);
  const bool exact = line.value("epilog").has_value();
  const auto numbers = [&](Storage& filled, std::uint64_t seed, double scale) {
    exact ? fill_exactly(filled, seed, scale) : fill(filled, seed, scale);
  };
  const double tiny = exact ? denormal_scale(dtype) : 4 * std::numeric_limits<float>::denorm_min();
  numbers(made.a, 1, flag("denormal") ? tiny : 1);
  numbers(made.b, 2, 1);
  if (flag("ones")) {
    fill_with(made.a, 1);
    fill_with(made.b, 1);
  }
  made.options.alpha = parse_scalar(line.value("alpha").value_or("1"));
  made.options.conjugate_a = flag("conj_a");
  made.options.conjugate_b = flag("conj_b");
  made.in_place = flag("in_place");
  if (const auto beta = line.value("beta")) {
    made.beta = parse_scalar(*beta);
    made.options.beta = made.beta;
    made.c = storage(result, made.in_place ? "d_strides" : "c_strides", 2);
    numbers(*made.c, 3, 1);
  }
  require(!made.in_place || made.c, ErrorKind::invalid_argument, "in_place wants beta");
  if (!made.in_place && (line.value("d_strides") || shift[3] != 0)) {
    made.out = storage(result, "d_strides", 3);
  }
  if (flag("nan")) {
    for (auto* poisoned : {&made.c, &made.out}) {
      if (*poisoned) fill_with(**poisoned, std::numeric_limits<double>::quiet_NaN());
    }
  }
  made.has_infinity = flag("inf");
  if (made.has_infinity && made.a.host().size() > 0) {
    made.a.set(made.a.host().size() / 2, std::numeric_limits<double>::infinity());
  }
  made.fp_flags = flag("fp_flags");
  return made;
}

Unwritten MatmulCase::inputs() {
  Unwritten watched;
  watched.watch(a);
  watched.watch(b);
  if (c && !in_place) watched.watch(*c);
  return watched;
}

}  // namespace mw::conformance
