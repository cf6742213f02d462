// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/trig.hpp"

#include <cmath>
#include <numbers>

namespace mw {

namespace {

/// Which elements of a line, as bits.
constexpr unsigned kNoEnd = 0, kFirstEnd = 1, kLastEnd = 2, kBothEnds = 3;

/// y[k] = Σ_j c_j x[j] wave(π·(sj·j + oj)(sk·k + ok)/(period·n + more)), c_j = 1 for the elements
/// `once`, else 2.
struct TrigRow {
  unsigned sj, oj, sk, ok;
  int period, more;
  unsigned once, weighted_in, weighted_out;
  int points;  ///< FFTNorm counts 2(n + points)
};

const TrigRow& trig_row(FFTType type) {
  static constexpr TrigRow kRows[] = {
      {1, 0, 1, 0, 1, -1, kBothEnds, kBothEnds, kBothEnds, -1},  // dct1
      {2, 1, 1, 0, 2, 0, kNoEnd, kNoEnd, kFirstEnd, 0},          // dct2
      {1, 0, 2, 1, 2, 0, kFirstEnd, kFirstEnd, kNoEnd, 0},       // dct3
      {2, 1, 2, 1, 4, 0, kNoEnd, kNoEnd, kNoEnd, 0},             // dct4
      {1, 1, 1, 1, 1, 1, kNoEnd, kNoEnd, kNoEnd, 1},             // dst1
      {2, 1, 1, 1, 2, 0, kNoEnd, kNoEnd, kLastEnd, 0},           // dst2
      {1, 1, 2, 1, 2, 0, kLastEnd, kLastEnd, kNoEnd, 0},         // dst3
      {2, 1, 2, 1, 4, 0, kNoEnd, kNoEnd, kNoEnd, 0},             // dst4
  };
  return kRows[static_cast<std::size_t>(type) - static_cast<std::size_t>(FFTType::dct1)];
}

}  // namespace

double counted_points(const FFTProblem& problem) {
  if (!is_trig(problem.type)) return problem.points();
  double points = 1;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    points *= 2 * static_cast<double>(problem.length(i) + trig_row(problem.type).points);
  }
  return points;
}

std::vector<FFTWeight> weights_of(FFTType type, bool input, std::int64_t n) {
  if (!is_trig(type)) return {};
  const TrigRow& row = trig_row(type);
  const unsigned ends = input ? row.weighted_in : row.weighted_out;
  const double factor = input ? std::numbers::sqrt2 : 1 / std::numbers::sqrt2;
  std::vector<FFTWeight> weights;
  if ((ends & kFirstEnd) != 0) weights.push_back({0, factor});
  if ((ends & kLastEnd) != 0) weights.push_back({n - 1, factor});
  return weights;
}

bool checked_orthogonal(const FFTProblem& problem, const FFTOptions& options) {
  const FFTType type = problem.type;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    require(type != FFTType::dct1 || problem.length(i) > 1, ErrorKind::invalid_argument,
            FFTProblem::kOperation, ": dct1 transform of 1 point along axis ", problem.axes[i],
            "; at least 2 are wanted");
  }
  if (!options.orthogonalize) return false;
  require(is_trig(type), ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": orthogonalize with a ", name(type),
          " transform; it is for dct and dst transforms. Leave it away.");
  return (trig_row(type).weighted_in | trig_row(type).weighted_out) != kNoEnd;
}

TrigKernel::TrigKernel(FFTType type, std::int64_t n)
    : type_(type), n_(static_cast<std::size_t>(n)) {
  const TrigRow& row = trig_row(type);
  const std::int64_t half = row.period * n + row.more;
  for (std::int64_t i = 0; i < 2 * half; ++i) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(i) /
                              static_cast<long double>(half);
    wave_.push_back(2 * (type >= FFTType::dst1 ? std::sin(angle) : std::cos(angle)));
  }
}

long double TrigKernel::operator()(std::size_t j, std::size_t k) const {
  const TrigRow& row = trig_row(type_);
  const long double value = wave_[(row.sj * j + row.oj) * (row.sk * k + row.ok) % wave_.size()];
  const bool once =
      ((row.once & kFirstEnd) != 0 && j == 0) || ((row.once & kLastEnd) != 0 && j + 1 == n_);
  return once ? value / 2 : value;
}

}  // namespace mw
