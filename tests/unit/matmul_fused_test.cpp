// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Products with epilogs, scales and narrow dtypes: every host candidate against the reference.
//
// Operands are small multiples of 1/4, so that products and sums are exact and results that involve
// no transcendental function must agree to the bit.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "expr/number.hpp"
#include "ops/matmul/problem.hpp"
#include "plan/select.hpp"
#include "runtime/memory.hpp"
#include "unit/expr_random.hpp"

namespace mw {
namespace {

using expr::Number;

enum class Order { rows, columns, padded };

std::string name_of(Order order) {
  return order == Order::rows ? "rows" : order == Order::columns ? "columns" : "padded";
}

/// Bytes that a layout reaches.
std::size_t span_of(const OperandLayout& layout) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] == 0) return 0;
    last += (layout.shape[i] - 1) * layout.strides[i];
  }
  return static_cast<std::size_t>(last + 1) * itemsize(layout.dtype);
}

Dims strides_of(const Dims& shape, Order order) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (order == Order::rows || rank < 2) return contiguous_strides(shape);
  Dims turned;
  for (std::int64_t i = 0; i + 2 < rank; ++i) turned.push_back(i);
  if (order == Order::columns) {
    turned.push_back(rank - 1);
    turned.push_back(rank - 2);
    return dense_strides(shape, turned);
  }
  Dims larger = shape;
  larger.back() += 3;
  return contiguous_strides(larger);
}

/// Operands of a product, filled.
class Operand {
 public:
  Operand(DType dtype, const Dims& shape, Order order, std::mt19937& random)
      : layout_{.dtype = dtype, .shape = shape, .strides = strides_of(shape, order)},
        bytes_(span_of(layout_) + itemsize(dtype)) {
    std::uniform_int_distribution<int> values(-6, 6);
    for (std::size_t i = 0; i < bytes_.size() / itemsize(dtype); ++i) {
      const double value = values(random) / 4.0;
      const DTypeClass kind = dtype_class(dtype);
      const Number number = kind == DTypeClass::real ? Number::of_real(value)
                            : kind == DTypeClass::complex
                                ? Number::of_complex({value, values(random) / 4.0})
                                : Number::of_integer(values(random) & 127);
      expr::store(bytes_.data() + i * itemsize(dtype), expr::convert(number, dtype));
    }
  }
  [[nodiscard]] TensorRef view() {
    return {bytes_.data(), layout_.dtype, layout_.shape, layout_.strides};
  }

 private:
  OperandLayout layout_;
  std::vector<char> bytes_;
};

struct Outcomes {
  std::vector<std::vector<char>> results;  ///< auxiliary ones, then D
  std::string why;                         ///< a refusal
};

/// What one candidate makes of a request.
Outcomes run(const MatmulRequest& request, const char* candidate) {
  Outcomes outcomes;
  set_candidates({candidate});
  const ProblemOf<MatmulProblem> any(request.problem);
  const Context context{.device = {}, .threads = 2};
  PlanPtr plan;
  try {
    plan = select(any, {.memory = {}, .context = context}).plan;
  } catch (const Error& error) {
    outcomes.why = error.what();
    return outcomes;
  }
  const Operands& layouts = request.problem.operands;
  std::vector<void*> addresses;
  for (const auto& input : request.arguments.inputs) addresses.push_back(input.data);
  for (std::size_t i = addresses.size(); i < layouts.size(); ++i) {
    outcomes.results.emplace_back(span_of(layouts[i]) + 64, char{0x55});
    void* data = outcomes.results.back().data();
    addresses.push_back(data);
  }
  std::vector<char> workspace(plan->workspace_bytes() + 256);
  void* aligned = workspace.data();
  std::size_t room = workspace.size();
  std::align(256, plan->workspace_bytes(), aligned, room);
  plan->execute({.operands = addresses.data(),
                 .scalars = request.arguments.scalars.data(),
                 .workspace = aligned,
                 .stream = {}});
  return outcomes;
}

/// Units in the last place of the stored dtype by which results may differ.
bool close(const Number& seen, const Number& wanted, double units) {
  const auto near = [&](double left, double right) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) == std::isnan(right);
    if (left == right) return true;
    const double last =
        wanted.dtype == DType::float64 || wanted.dtype == DType::complex128  ? 0x1p-52
        : wanted.dtype == DType::float32 || wanted.dtype == DType::complex64 ? 0x1p-23
        : wanted.dtype == DType::float16                                     ? 0x1p-10
                                                                             : 0x1p-3;
    return std::abs(left - right) <= units * last * std::max(std::abs(right), 1.0);
  };
  if (dtype_class(wanted.dtype) == DTypeClass::real || is_complex(wanted.dtype)) {
    return near(seen.real, wanted.real) && near(seen.imag, wanted.imag);
  }
  return seen.integer == wanted.integer;
}

void expect_same(const MatmulRequest& request, const Outcomes& seen, const Outcomes& wanted,
                 double units) {
  const std::size_t first = request.arguments.inputs.size();
  for (std::size_t r = 0; r < wanted.results.size(); ++r) {
    const OperandLayout& layout = request.problem.operands[first + r];
    const std::size_t size = itemsize(layout.dtype);
    std::int64_t count = 1;
    for (const std::int64_t extent : layout.shape) count *= extent;
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::int64_t rest = flat, offset = 0;
      for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
        offset += rest % layout.shape[axis] * layout.strides[axis];
        rest /= layout.shape[axis];
      }
      const auto at = static_cast<std::size_t>(offset) * size;
      const Number left = expr::load(seen.results[r].data() + at, layout.dtype);
      const Number right = expr::load(wanted.results[r].data() + at, layout.dtype);
      if (close(left, right, units)) continue;
      ADD_FAILURE() << request.problem.operand_name(first + r) << " at " << flat << ": "
                    << left.real << " (" << left.integer << ") instead of " << right.real << " ("
                    << right.integer << ")";
      return;
    }
  }
}

constexpr const char* kCandidates[] = {"panels", "skinny", "direct", "scipy-openblas"};

/// All host candidates that take it; returns how many.
int compare(const MatmulRequest& request, double units) {
  const Outcomes wanted = run(request, "reference");
  EXPECT_EQ(wanted.why, "");
  int taken = 0;
  for (const char* candidate : kCandidates) {
    SCOPED_TRACE(candidate);
    const Outcomes seen = run(request, candidate);
    if (!seen.why.empty()) continue;
    ++taken;
    expect_same(request, seen, wanted, units);
  }
  return taken;
}

struct FusedCase {
  DType dtype = DType::float32;
  Dims batch;
  Order order = Order::rows;
  bool with_c = false;
  Dims mnk = {37, 9, 5};
};

std::ostream& operator<<(std::ostream& out, const FusedCase& c) { return out << text(c.dtype); }

std::string show(const testing::TestParamInfo<FusedCase>& info) {
  const FusedCase& c = info.param;
  std::string name = text(c.dtype, "_", name_of(c.order), c.with_c ? "_c" : "", "_m", c.mnk[0],
                          "_n", c.mnk[1], "_k", c.mnk[2]);
  for (const std::int64_t extent : c.batch) name += text("_b", extent);
  return name;
}

class MatmulFused : public testing::TestWithParam<FusedCase> {
 protected:
  void TearDown() override { set_candidates({}); }

  std::mt19937 random_{17};
  std::vector<std::unique_ptr<Operand>> kept_;

  TensorRef operand(DType dtype, Dims tail, Order order) {
    Dims shape = GetParam().batch;
    for (const std::int64_t extent : tail) shape.push_back(extent);
    kept_.push_back(std::make_unique<Operand>(dtype, shape, order, random_));
    return kept_.back()->view();
  }

  MatmulRequest request(const MatmulExtras& extras, std::optional<DType> c_dtype = std::nullopt) {
    const auto& [dtype, batch, order, with_c, mnk] = GetParam();
    const std::int64_t m = mnk[0], n = mnk[1], k = mnk[2];
    MatmulOperands operands{.a = operand(dtype, {m, k}, order), .b = operand(dtype, {k, n}, order)};
    MatmulOptions options{.alpha = 0.5};
    if (with_c) {
      operands.c = operand(c_dtype.value_or(dtype), {m, n}, order);
      options.beta = -2;
    }
    return make_matmul(operands, options, extras);
  }

  EpilogRequest named(const NamedEpilogRow& row) {
    const auto& [dtype, batch, order, with_c, mnk] = GetParam();
    EpilogRequest epilog{.named = row.value};
    if (row.bias) {
      kept_.push_back(std::make_unique<Operand>(dtype, Dims{mnk[0]}, Order::rows, random_));
      epilog.tensors.push_back(kept_.back()->view());
    }
    if (!row.aux_in) return epilog;
    const bool mask = std::string_view(row.aux_in) == "relu_aux";
    epilog.tensors.push_back(operand(mask ? DType::uint8 : dtype,
                                     {mask ? mask_rows(mnk[0]) : aux_rows(mnk[0]), mnk[1]},
                                     Order::columns));
    return epilog;
  }
};

TEST_P(MatmulFused, NamedEpilogsAgreeWithTheReference) {
  const bool complex = is_complex(GetParam().dtype);
  int taken = 0;
  for (const NamedEpilogRow& row : named_epilogs()) {
    if (complex && row.value != NamedEpilog::bias) continue;
    SCOPED_TRACE(row.name);
    const bool exact = std::string_view(row.name).find("GELU") == std::string_view::npos;

    taken += compare(request({.epilog = named(row)}), exact ? 0 : 64);
  }
  EXPECT_GT(taken, 0) << "nobody but the reference took any";
}

TEST_P(MatmulFused, ScalesAgreeWithTheReference) {
  if (is_complex(GetParam().dtype)) GTEST_SKIP() << "scales are for real operands";
  float memory[] = {0.5F, 4.F};
  const TensorRef half(memory, {1}), four(memory + 1, {1});
  for (const bool in_memory : {false, true}) {
    SCOPED_TRACE(in_memory);
    MatmulExtras extras{.result_type = DType::float8_e4m3fn};
    Quantisation& scales = extras.quantisation.emplace();
    scales.a.emplace(Scale{.number = 0.5, .tensor = {}});
    scales.b.emplace(Scale{.number = 4, .tensor = {}});
    scales.c = scales.a;
    scales.d = scales.a;
    if (in_memory) {
      scales.a->tensor = scales.c->tensor = half;
      scales.b->tensor = scales.d->tensor = four;
    }
    scales.result_amax = true;
    for (const NamedEpilogRow& row : named_epilogs()) {
      if (row.value != NamedEpilog::relu_aux_bias && row.value != NamedEpilog::drelu) continue;
      SCOPED_TRACE(row.name);
      extras.epilog = named(row);

      const MatmulRequest made = request(extras);

      EXPECT_TRUE(made.problem.quantised);
      EXPECT_EQ(made.problem.has_c, GetParam().with_c && !in_memory);
      compare(made, 0);
    }
  }
}

TEST_P(MatmulFused, RandomFunctionsAgreeWithTheReference) {
  const DType element = expr::computing_dtype(GetParam().dtype);
  expr::RandomExpressions expressions(23);
  int compared = 0;
  std::string refused;
  for (int i = 0; i < 20000 && compared < 12; ++i) {
    expr::Function f = expressions.function(4);
    const bool usable =
        f.elements.size() == 1 && f.elements[0].dtype == element &&
        std::ranges::none_of(
            f.nodes,
            [](const expr::Node& node) {
              // What is exact on every path: no transcendental function, no overflow of a
              // conversion.
              return (node.op >= expr::Op::rsqrt && node.op <= expr::Op::sigmoid) ||
                     (node.op >= expr::Op::gelu && node.op <= expr::Op::silu) ||
                     node.op == expr::Op::power || node.op == expr::Op::cast ||
                     node.op == expr::Op::divide || is_complex(node.dtype);
            }) &&
        std::ranges::none_of(f.outputs, [&](const expr::Output& output) {
          return is_complex(output.dtype) != is_complex(element) && output.name == "result";
        });
    if (!usable) continue;
    SCOPED_TRACE(i);
    f.outputs[f.outputs[0].name == "result" ? 0 : 1].dtype = GetParam().dtype;
    EpilogRequest epilog{.function = std::make_shared<const expr::Function>(f)};
    for (const auto& tensor : f.tensors) {
      kept_.push_back(
          std::make_unique<Operand>(tensor.dtype, Dims{GetParam().mnk[1]}, Order::rows, random_));
      epilog.tensors.push_back(kept_.back()->view());
    }
    for (std::size_t s = 0; s < f.scalars.size(); ++s) epilog.scalars.emplace_back(1.5);
    try {
      compare(request({.epilog = epilog}), 0);
      ++compared;
    } catch (const Error& error) {
      refused = error.what();  // dtypes that a result may not have
    }
  }
  if (!is_complex(element)) {
    EXPECT_GT(compared, 0) << refused;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MatmulFused,
    testing::Values(FusedCase{DType::float32, {}, Order::rows, true},
                    FusedCase{DType::float32, {}, Order::columns, false},
                    FusedCase{DType::float32, {3}, Order::rows, true},
                    FusedCase{DType::float32, {2, 2}, Order::padded, false},
                    FusedCase{DType::float64, {}, Order::padded, true},
                    FusedCase{DType::float64, {4}, Order::columns, true},
                    FusedCase{DType::float16, {}, Order::rows, true},
                    FusedCase{DType::bfloat16, {2}, Order::columns, false},
                    FusedCase{DType::float8_e4m3fn, {}, Order::rows, false},
                    FusedCase{DType::complex64, {2}, Order::rows, true},
                    FusedCase{DType::complex128, {}, Order::columns, true},
                    FusedCase{DType::float32, {}, Order::rows, true, {1, 1, 1}},
                    FusedCase{DType::float32, {}, Order::rows, false, {0, 3, 2}},
                    FusedCase{DType::float32, {}, Order::columns, true, {5, 4, 0}},
                    FusedCase{DType::float32, {}, Order::rows, false, {700, 130, 40}},
                    FusedCase{DType::float32, {0}, Order::rows, true}),
    show);

}  // namespace
}  // namespace mw
