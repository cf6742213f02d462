// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Recipes of "many" passes, checked by running them: an interpreter of the interface's addressing
// formula stands in for the library, destroys the input of c2r passes, and lets imaginary parts
// that cannot be spoil their result, as the libraries do.
#include "ops/fft/many.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>

#include "base/layout.hpp"
#include "ops/fft/candidates.hpp"
#include "runtime/copy.hpp"

namespace mw {
namespace {

using Number = std::complex<double>;

constexpr Rates kRates{.bandwidth = 1e12, .flops = 1e13, .call = 3e-6};
constexpr ManyRules kRules{.most_axes = 3, .pairs_of_reals = true, .unit_real_stride = false};

/// One call of the library: n transforms' axes at base addresses, by the definition.
class Interpreter {
 public:
  Interpreter(const ManyPass& pass, int direction) : pass_(pass), direction_(direction) {}

  void run(double* in, double* out) const {
    for (std::int64_t call = 0; call < pass_.calls(); ++call) {
      const auto [from, to] = start_of(pass_.loops, call);
      for (std::int64_t b = 0; b < pass_.batch; ++b) {
        transform(in, from + b * pass_.in.distance, out, to + b * pass_.out.distance);
      }
    }
  }

 private:
  [[nodiscard]] static std::int64_t place(const ManySide& side, const Dims& x) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) at = (i > 0 ? at * side.embed[i] : 0) + x[i];
    return at * side.stride;
  }
  [[nodiscard]] Dims extents(bool halved) const {
    Dims shape = pass_.lengths;
    if (halved) shape.back() = shape.back() / 2 + 1;
    return shape;
  }
  [[nodiscard]] static Dims index_of(std::int64_t i, const Dims& shape) {
    Dims index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      index[axis] = i % shape[axis];
      i /= shape[axis];
    }
    return index;
  }
  [[nodiscard]] static std::int64_t count(const Dims& shape) {
    std::int64_t n = 1;
    for (const auto extent : shape) n *= extent;
    return n;
  }
  [[nodiscard]] static Number load(const double* data, bool real, std::int64_t at) {
    return real ? Number(data[at]) : Number(data[2 * at], data[2 * at + 1]);
  }

  void transform(double* in, std::int64_t from, double* out, std::int64_t to) const {
    const bool r2c = pass_.type == FFTType::r2c;
    const bool c2r = pass_.type == FFTType::c2r;
    const Dims in_shape = extents(c2r);
    const Dims out_shape = extents(r2c);
    std::vector<Number> x;
    double spoilt = 0;
    for (std::int64_t i = 0; i < count(in_shape); ++i) {
      const std::int64_t at = from + place(pass_.in, index_of(i, in_shape));
      x.push_back(load(in, r2c, at));
      const std::int64_t last = index_of(i, in_shape).back();
      if (last == 0 || 2 * last == pass_.lengths.back()) spoilt += std::abs(x.back().imag());
      if (c2r) in[2 * at] = in[2 * at + 1] = std::nan("");
    }
    for (std::int64_t k = 0; k < count(out_shape); ++k) {
      const Dims wanted = index_of(k, out_shape);
      Number sum = 0;
      for (std::int64_t j = 0; j < count(in_shape); ++j) {
        const Dims at = index_of(j, in_shape);
        double turn = 0;
        for (std::size_t a = 0; a < at.size(); ++a) {
          turn += static_cast<double>(at[a] * wanted[a] % pass_.lengths[a]) /
                  static_cast<double>(pass_.lengths[a]);
        }
        const bool twice = c2r && at.back() != 0 && 2 * at.back() != pass_.lengths.back();
        sum += x[static_cast<std::size_t>(j)] * (twice ? 2.0 : 1.0) *
               std::polar(1.0, direction_ * 2 * std::numbers::pi * turn);
      }
      const std::int64_t at = to + place(pass_.out, wanted);
      if (c2r) {
        out[at] = sum.real() + spoilt;
      } else {
        out[2 * at] = sum.real();
        out[2 * at + 1] = sum.imag();
      }
    }
  }

  const ManyPass& pass_;
  int direction_;
};

struct Example {
  FFTType type;
  Dims shape;
  Dims strides;
  Dims axes;
  ResultLayout layout = ResultLayout::natural;
};

void PrintTo(const Example& given, std::ostream* os) {
  *os << text(name(given.type), " ", given.shape, " / ", given.strides, " / ", given.axes,
              given.layout == ResultLayout::natural ? "" : " optimized");
}

/// A problem and memory for its operands.
class Arena {
 public:
  explicit Arena(const Example& example) {
    const DType dtype = example.type == FFTType::r2c ? DType::float64 : DType::complex128;
    const auto [low, high] = offset_range(example.shape, example.strides);
    input_.resize(2 * static_cast<std::size_t>(high - low + 1));
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (auto& value : input_) value = uniform(random);
    const std::int64_t scalars = is_complex(dtype) ? 2 : 1;
    const TensorRef view(input_.data() - low * scalars, dtype, example.shape, example.strides);
    FFTOptions options{.axes = example.axes, .type = example.type};
    options.result_layout = example.layout;
    request_ = make_fft(view, options, planned_directions(example.type, std::nullopt));
    request_.problem.operands[0].alignment = 16;
  }

  [[nodiscard]] FFTProblem& problem() { return request_.problem; }
  [[nodiscard]] int direction() const { return request_.problem.type == FFTType::c2r ? 1 : -1; }

  /// The result's elements in C order, by the reference.
  [[nodiscard]] std::vector<double> wanted() {
    auto result = room(problem().result());
    const ScalarValue scalars[] = {static_cast<double>(direction()), 1.0};
    void* operands[] = {request_.arguments.inputs[0].data, result.data()};
    const Answer answer = try_reference_fft(problem(), {});
    std::get<PlanPtr>(answer)->execute({operands, scalars, nullptr, {}});
    return in_c_order(problem().result(), result.data());
  }

  /// The same by the recipe; the layouts it asked for are filled and emptied as staging would.
  [[nodiscard]] std::vector<double> by_recipe(std::string& asked) {
    const Operands given = problem().operands;
    FFTProblem relaid = problem();
    auto recipe = make_many_recipe(relaid, kRules, kRates);
    if (const auto* relayout = std::get_if<Relayout>(&recipe)) {
      for (const auto& entry : relayout->entries) {
        relaid.operands[entry.operand] = entry.layout;
        asked += entry.operand == 0 ? "input " : "result ";
      }
      recipe = make_many_recipe(relaid, kRules, kRates);
    }
    if (!std::holds_alternative<ManyRecipe>(recipe)) {
      ADD_FAILURE() << "no recipe, having asked for another layout of: " << asked;
      return {};
    }
    auto staged = room(relaid.operands[0]);
    double* input = origin(relaid.operands[0], staged);
    copy(view_of(given[0], request_.arguments.inputs[0].data, Device::cpu()),
         view_of(relaid.operands[0], input, Device::cpu()));
    const auto before = staged;
    auto result = room(relaid.operands[1]);
    run(std::get<ManyRecipe>(recipe), relaid, input, result.data());
    for (std::size_t i = 0; i < staged.size(); ++i) {
      EXPECT_TRUE(before[i] == staged[i] || std::isnan(before[i])) << "the input was written";
    }
    return in_c_order(relaid.operands[1], result.data());
  }

 private:
  static std::vector<double> room(const OperandLayout& layout) {
    return std::vector<double>(dense_bytes(layout) / sizeof(double) + 2, std::nan(""));
  }
  /// Element (0, …, 0) in such a room.
  static double* origin(const OperandLayout& layout, std::vector<double>& memory) {
    const auto low = offset_range(layout.shape, layout.strides).first;
    return memory.data() - low * (is_complex(layout.dtype) ? 2 : 1);
  }
  static std::vector<double> in_c_order(OperandLayout layout, void* data) {
    OperandLayout plain = layout;
    plain.strides = contiguous_strides(layout.shape);
    std::vector<double> values(dense_bytes(plain) / sizeof(double));
    copy(view_of(layout, data, Device::cpu()), view_of(plain, values.data(), Device::cpu()));
    return values;
  }
  static void zero(const ManyRecipe& recipe, double* copied) {
    for (const ManyReals& reals : recipe.zeroed) {
      fill_zero(view_of(reals.layout, copied + reals.offset, Device::cpu()));
    }
  }
  void run(const ManyRecipe& recipe, const FFTProblem& problem, double* input, double* result) {
    std::vector<double> workspace;
    if (recipe.copy) {
      workspace = room(*recipe.copy);
      copy(view_of(problem.input(), input, Device::cpu()),
           view_of(*recipe.copy, workspace.data(), Device::cpu()));
    }
    double* places[] = {input, workspace.data(), result};
    for (const ManyPass& pass : recipe.passes) {
      if (&pass == &recipe.passes.back()) zero(recipe, workspace.data());
      Interpreter(pass, direction())
          .run(places[static_cast<int>(pass.from)], places[static_cast<int>(pass.to)]);
    }
  }

  std::vector<double> input_;
  FFTRequest request_;
};

class ManyRecipeTest : public testing::TestWithParam<Example> {};

TEST_P(ManyRecipeTest, GivesTheTransform) {
  Arena arena(GetParam());
  const auto wanted = arena.wanted();

  std::string asked;
  const auto seen = arena.by_recipe(asked);

  ASSERT_EQ(seen.size(), wanted.size());
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    error += (seen[i] - wanted[i]) * (seen[i] - wanted[i]);
    size += wanted[i] * wanted[i];
  }
  // A sum of n products by the definition, its angles rounded: ε·√n, and a few for the passes.
  const double bound = 4 * 2.2e-16 * std::sqrt(arena.problem().points());
  EXPECT_LE(std::sqrt(error / size), bound) << "asked for another layout of: " << asked;
}

const Example kExamples[] = {
    {FFTType::c2c, {12}, {1}, {0}},
    {FFTType::c2c, {1}, {1}, {0}},
    {FFTType::c2c, {1, 1}, {7, 9}, {0, 1}},
    {FFTType::c2c, {3, 4, 5}, {20, 5, 1}, {0, 1, 2}},
    {FFTType::c2c, {3, 4, 5}, {20, 5, 1}, {0, 1}},
    {FFTType::c2c, {3, 4, 5}, {20, 5, 1}, {0, 2}},
    {FFTType::c2c, {3, 4, 5}, {20, 5, 1}, {1}},
    {FFTType::c2c, {3, 4, 5}, {1, 3, 12}, {0, 1, 2}},
    {FFTType::c2c, {3, 4, 5}, {1, 3, 12}, {0, 1, 2}, ResultLayout::optimized},
    {FFTType::c2c, {3, 4, 5}, {1, 3, 12}, {2}},
    {FFTType::c2c, {3, 4, 5}, {40, -5, 1}, {1, 2}},
    {FFTType::c2c, {3, 4, 5}, {-20, 5, 1}, {1, 2}},
    {FFTType::c2c, {3, 4, 5}, {0, 5, 1}, {1, 2}},
    {FFTType::c2c, {3, 4}, {1, 0}, {1}},
    {FFTType::c2c, {3, 4, 5}, {29, 7, 1}, {0, 1, 2}},
    {FFTType::c2c, {3, 4, 5}, {3, 2, 1}, {0, 1, 2}},
    {FFTType::c2c, {40, 3, 30}, {90, 30, 1}, {1}},
    {FFTType::c2c, {2, 3, 4, 5}, {60, 20, 5, 1}, {0, 1, 2, 3}},
    {FFTType::c2c, {2, 3, 2, 3, 2}, {36, 12, 6, 2, 1}, {4, 2, 0, 1}},
    {FFTType::c2c, {2, 1, 3, 1, 2, 1, 3}, {18, 18, 6, 6, 3, 3, 1}, {0, 1, 2, 3, 4, 5, 6}},
    {FFTType::r2c, {3, 4, 5}, {20, 5, 1}, {0, 1, 2}},
    {FFTType::r2c, {3, 4, 6}, {24, 6, 1}, {2, 0}},
    {FFTType::r2c, {3, 4, 6}, {24, 6, 1}, {2, 1}},
    {FFTType::r2c, {3, 4, 6}, {1, 3, 12}, {2}},
    {FFTType::r2c, {5, 7}, {7, 1}, {1}},
    {FFTType::r2c, {5, 8}, {0, 1}, {1}},
    {FFTType::r2c, {1}, {3}, {0}},
    {FFTType::r2c, {4, 1}, {1, 1}, {0, 1}},
    {FFTType::r2c, {3, 5, 7}, {35, 7, 1}, {1}},
    {FFTType::r2c, {2, 3, 4, 5}, {60, 20, 5, 1}, {1, 0, 2, 3}},
    {FFTType::c2r, {3, 4, 5}, {20, 5, 1}, {0, 1, 2}},
    {FFTType::c2r, {3, 4, 5}, {20, 5, 1}, {2, 0}},
    {FFTType::c2r, {3, 4, 5}, {1, 3, 12}, {2}},
    {FFTType::c2r, {3, 5}, {5, -1}, {1}},
    {FFTType::c2r, {3, 5}, {0, 1}, {0, 1}},
    {FFTType::c2r, {3, 4, 5}, {20, 5, 1}, {1}},
    {FFTType::c2r, {2, 3, 4, 5}, {60, 20, 5, 1}, {1, 0, 2, 3}},
};

INSTANTIATE_TEST_SUITE_P(Layouts, ManyRecipeTest, testing::ValuesIn(kExamples));

TEST(ManyPassTest, ABatchOfRowsIsOneCall) {
  Arena arena({FFTType::c2c, {100, 64}, {64, 1}, {1}});

  const auto recipe = std::get<ManyRecipe>(make_many_recipe(arena.problem(), kRules, kRates));

  ASSERT_EQ(recipe.passes.size(), 1U);
  EXPECT_FALSE(recipe.copy);
  EXPECT_EQ(recipe.passes[0].calls(), 1);
  EXPECT_EQ(recipe.passes[0].batch, 100);
  EXPECT_EQ(recipe.passes[0].in.distance, 64);
  EXPECT_EQ(recipe.passes[0].in.stride, 1);
}

TEST(ManyPassTest, ABatchOfColumnsIsOneCall) {
  Arena arena({FFTType::c2c, {64, 100}, {100, 1}, {0}});

  const auto recipe = std::get<ManyRecipe>(make_many_recipe(arena.problem(), kRules, kRates));

  ASSERT_EQ(recipe.passes.size(), 1U);
  EXPECT_EQ(recipe.passes[0].batch, 100);
  EXPECT_EQ(recipe.passes[0].in.stride, 100);
  EXPECT_EQ(recipe.passes[0].in.distance, 1);
}

TEST(ManyPassTest, PaddedRowsNest) {
  Arena arena({FFTType::c2c, {8, 6, 4}, {60, 5, 1}, {0, 1, 2}});

  const auto recipe = std::get<ManyRecipe>(make_many_recipe(arena.problem(), kRules, kRates));

  ASSERT_EQ(recipe.passes.size(), 1U);
  EXPECT_EQ(recipe.passes[0].in.embed, Dims({8, 12, 5}));
  EXPECT_EQ(recipe.passes[0].out.embed, Dims({8, 6, 4}));
}

TEST(ManyPassTest, C2RCopiesItsInputFirst) {
  Arena arena({FFTType::c2r, {8, 5}, {5, 1}, {0, 1}});

  const auto recipe = std::get<ManyRecipe>(make_many_recipe(arena.problem(), kRules, kRates));

  ASSERT_TRUE(recipe.copy);
  EXPECT_EQ(recipe.passes[0].from, ManyPlace::copy);
}

TEST(ManyPassTest, AnOperandOffItsPairsIsCopied) {
  Arena arena({FFTType::r2c, {8}, {1}, {0}});
  arena.problem().operands[0].alignment = 8;  // one real past a pair

  const auto answer = make_many_recipe(arena.problem(), kRules, kRates);

  const auto* relayout = std::get_if<Relayout>(&answer);
  ASSERT_NE(relayout, nullptr);
  ASSERT_EQ(relayout->entries.size(), 1U);
  EXPECT_EQ(relayout->entries[0].operand, 0U);
}

TEST(ManyPassTest, UnitRealStrideIsGivenWhereItIsWanted) {
  ManyRules half = kRules;
  half.unit_real_stride = true;
  Arena arena({FFTType::r2c, {4, 64}, {128, 2}, {1}});

  const auto answer = make_many_recipe(arena.problem(), half, kRates);

  const auto* relayout = std::get_if<Relayout>(&answer);
  ASSERT_NE(relayout, nullptr);
  EXPECT_EQ(relayout->entries[0].layout.strides, Dims({64, 1}));
}

TEST(ManyPassTest, ManyLoopsAreWorseThanACopy) {
  Arena arena({FFTType::c2c, {200, 16, 200}, {3200, 200, 1}, {1}});

  const auto answer = make_many_recipe(arena.problem(), kRules, kRates);

  EXPECT_TRUE(std::holds_alternative<Relayout>(answer));
}

TEST(ManyPassTest, AFewLoopsAreBetterThanACopy) {
  Arena arena({FFTType::c2c, {2, 16, 10000}, {160000, 10000, 1}, {1}});

  const auto answer = make_many_recipe(arena.problem(), kRules, kRates);

  ASSERT_TRUE(std::holds_alternative<ManyRecipe>(answer));
  EXPECT_EQ(std::get<ManyRecipe>(answer).passes[0].calls(), 2);
}

}  // namespace
}  // namespace mw
