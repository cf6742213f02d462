// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Staging: a candidate that takes only unit strides must give what one that takes everything gives.
#include <complex>
#include <numeric>

#include "unit/plan_toy.hpp"

namespace mw::toy {
namespace {

using Complex = std::complex<double>;

struct Case {
  const char* name;
  Dims shape;
  Dims x_strides;
  Dims y_strides;
  bool conjugate = false;
  std::size_t shift = 0;  ///< bytes by which x is misaligned
};

void PrintTo(const Case& given, std::ostream* os) { *os << given.name; }

const Case kCases[] = {
    {"contiguous", {2, 3, 4}, {12, 4, 1}, {12, 4, 1}},
    {"permuted", {2, 3, 4}, {1, 2, 6}, {4, 8, 1}},
    {"padded", {2, 3, 4}, {40, 12, 2}, {64, 20, 5}},
    {"negative", {2, 3, 4}, {-12, 4, -1}, {12, -4, -1}},
    {"repeated outer axis", {2, 3, 4}, {0, 4, 1}, {12, 4, 1}},
    {"repeated inner axis", {2, 3, 4}, {3, 1, 0}, {12, 4, 1}},
    {"repeated everywhere", {2, 3, 4}, {0, 0, 0}, {1, 2, 6}},
    {"overlapping windows", {3, 4}, {1, 1}, {4, 1}},
    {"odd strides of single elements", {1, 3, 1}, {77, 1, -5}, {-9, 1, 1000}},
    {"conjugated", {2, 3}, {3, 1}, {3, 1}, true},
    {"conjugated, repeated and permuted", {2, 3, 4}, {1, 0, 2}, {1, 2, 6}, true},
    {"misaligned", {2, 3}, {3, 1}, {3, 1}, false, 1},
    {"misaligned, negative and conjugated", {2, 3}, {-3, -1}, {1, 2}, true, 4},
    {"empty", {2, 0, 4}, {5, 5, 5}, {1, 1, 1}},
    {"a single element", {}, {}, {}},
    {"rank ten",
     {2, 1, 2, 1, 2, 1, 2, 1, 2, 3},
     {1, 9, 2, 9, 4, 9, 8, 9, 16, 32},
     {48, 9, 24, 9, 12, 9, 6, 9, 3, 1}},
};

class PlanStaging : public ToyTest,
                    public testing::WithParamInterface<std::tuple<Case, Behaviour::Layouts>> {
 protected:
  void SetUp() override { ToyTest::SetUp(); }
};
INSTANTIATE_TEST_SUITE_P(Layouts, PlanStaging,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values(Behaviour::Layouts::dense,
                                                          Behaviour::Layouts::c_order,
                                                          Behaviour::Layouts::reversed)));

/// Memory for a layout, filled with different numbers, and the view whose lowest element is its
/// first.
struct Memory {
  Memory(const Dims& shape, const Dims& strides, std::size_t shift)
      : bytes(static_cast<std::size_t>(range(shape, strides).second - range(shape, strides).first +
                                       1) *
                  sizeof(Complex) +
              shift) {
    for (std::size_t i = 0; i + sizeof(double) <= bytes.size() - shift; i += sizeof(double)) {
      const double value = 1.0 + static_cast<double>(i) / 8;
      std::memcpy(bytes.data() + shift + i, &value, sizeof value);
    }
    const auto low = range(shape, strides).first;
    view = TensorRef(bytes.data() + shift - low * static_cast<std::int64_t>(sizeof(Complex)),
                     DType::complex128, shape, strides);
  }
  static std::pair<std::int64_t, std::int64_t> range(const Dims& shape, const Dims& strides) {
    return offset_range(shape, strides);
  }

  std::vector<char> bytes;
  TensorRef view;
};

TEST_P(PlanStaging, GivesWhatTheUnstagedCandidateGives) {
  const auto& [given, wanted] = GetParam();
  Memory x(given.shape, given.x_strides, given.shift);
  x.view.conjugate = given.conjugate;
  Memory z(given.shape, contiguous_strides(given.shape), 0);
  Memory y(given.shape, given.y_strides, 0);
  Memory expected = y;
  expected.view.data = expected.bytes.data() + (static_cast<char*>(y.view.data) - y.bytes.data());
  const auto before = x.bytes;

  const Request plain = make(x.view, z.view, expected.view, ScalarValue(2, 1));
  set_candidates({"first"});
  execute_once(ProblemOf<Problem>(plain.problem), plain.arguments, {}, nullptr, {});
  behaviour(1).layouts = wanted;
  behaviour(1).workspace = 1000;
  set_candidates({"second"});
  const Request staged = make(x.view, z.view, y.view, ScalarValue(2, 1));
  execute_once(ProblemOf<Problem>(staged.problem), staged.arguments, {}, nullptr, {});

  EXPECT_EQ(executed(1), 1);
  EXPECT_EQ(y.bytes, expected.bytes) << "gaps of the result must stay as they were, too";
  EXPECT_EQ(x.bytes, before);
}

class PlanStagingInPlace : public ToyTest {};

TEST_F(PlanStagingInPlace, AStagedResultMayBeTheInPlaceInput) {
  std::vector<double> x{1, 2, 3, 4};
  std::vector<double> z{10, 20, 30, 40};
  const TensorRef reversed(z.data() + 3, DType::float64, {4}, {-1});
  for (std::size_t i : {1U, 2U}) behaviour(i).refusal = "no";
  behaviour(0).layouts = Behaviour::Layouts::dense;
  const Request request = make({x.data(), {4}}, reversed, reversed);

  execute_once(ProblemOf<Problem>(request.problem), request.arguments, {}, nullptr, {});

  EXPECT_EQ(z, (std::vector<double>{18, 26, 34, 42}));
}

}  // namespace
}  // namespace mw::toy
