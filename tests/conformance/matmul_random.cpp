// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Random products of random layouts, written as the case lines that rerun them.
#include <algorithm>
#include <numeric>
#include <random>

#include "base/text.hpp"
#include "conformance/matmul_case.hpp"

namespace mw::conformance {

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    // Not std::uniform_int_distribution, whose numbers differ from library to library.
    const auto span = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::int64_t>(engine_() % span);
  }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }
  template <class T>
  const T& choose(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(from.size()) - 1))];
  }
  template <class Container>
  void shuffle(Container& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1],
                items[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

std::string joined(const Dims& numbers, char separator) {
  std::string out;
  for (const std::int64_t number : numbers) {
    if (!out.empty()) out += separator;
    out += std::to_string(number);
  }
  return out;
}

/// Axes in a random order with gaps, some turned round; for inputs (`may_share`) also repeated axes
/// and overlapping windows.
Dims random_strides(Dice& dice, const Dims& shape, bool may_share) {
  Dims order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (dice.one_in(2)) dice.shuffle(order);
  const bool gaps = dice.one_in(3);
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    if (gaps) step += dice.pick(0, 3);
    strides[axis] = dice.one_in(6) ? -step : step;
    step *= std::max<std::int64_t>(shape[axis], 1);
    if (shape[axis] == 1 && dice.one_in(3)) strides[axis] = dice.pick(-50, 50);
    if (may_share && dice.one_in(8)) strides[axis] = dice.pick(0, 2);
  }
  return strides;
}

Dims random_operand(Dice& dice, const Dims& batch, std::int64_t rows, std::int64_t columns) {
  Dims shape;
  const auto dropped =
      static_cast<std::size_t>(dice.pick(0, static_cast<std::int64_t>(batch.size())));
  for (std::size_t i = dice.one_in(2) ? 0 : dropped; i < batch.size(); ++i) {
    shape.push_back(dice.one_in(4) ? 1 : batch[i]);
  }
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

std::string scalar(Dice& dice, bool complex) {
  const std::string real =
      dice.choose(std::vector<std::string>{"1", "0", "-1", "0.5", "1.25", "-2"});
  return complex && dice.one_in(2) ? real + ",0.75" : real;
}

std::string random_case(Dice& dice) {
  const std::string dtype =
      dice.choose(std::vector<std::string>{"float32", "float64", "complex64", "complex128"});
  const bool complex = dtype[0] == 'c';
  const std::vector<std::int64_t> extents{1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 40, 67};
  const auto extent = [&] { return dice.one_in(40) ? 0 : dice.choose(extents); };
  Dims batch(static_cast<std::size_t>(std::max<std::int64_t>(0, dice.pick(-2, 3))));
  for (auto& b : batch) b = dice.one_in(30) ? 0 : dice.pick(1, 5);
  const std::int64_t k = extent();
  Dims a = random_operand(dice, batch, extent(), k);
  Dims b = random_operand(dice, batch, k, extent());
  if (dice.one_in(10)) a = {k};
  if (dice.one_in(10)) b = {k};
  const Dims result = product_shape(a, b).result;

  std::string line = text(dtype, " a=", joined(a, 'x'), " b=", joined(b, 'x'),
                          " a_strides=", joined(random_strides(dice, a, true), ','),
                          " b_strides=", joined(random_strides(dice, b, true), ','),
                          " alpha=", scalar(dice, complex));
  const bool has_c = dice.one_in(2);
  const bool in_place = has_c && dice.one_in(3);
  const bool zero = has_c && dice.one_in(4);
  if (has_c) line += text(" beta=", zero ? "0" : scalar(dice, complex));
  if (has_c && !in_place && !result.empty()) {
    line += text(" c_strides=", joined(random_strides(dice, result, true), ','));
  }
  if (in_place) line += " in_place";
  if ((in_place || dice.one_in(2)) && !result.empty()) {
    line += text(" d_strides=", joined(random_strides(dice, result, false), ','));
  }
  if (zero) line += " nan";
  if (dice.one_in(6)) line += text(" shift=", dice.pick(0, 9), ",", dice.pick(0, 9), ",0,0");
  if (complex && dice.one_in(3)) line += " conj_a";
  if (complex && dice.one_in(3)) line += " conj_b";
  return line;
}

}  // namespace

std::vector<std::string> random_matmul_cases(std::int64_t count, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < count; ++i) lines.push_back(random_case(dice));
  return lines;
}

}  // namespace mw::conformance
