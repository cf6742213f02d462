// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The specification of the product with an epilog, and of mixed and narrow dtypes: plain loops, one
// point after another.
//
// x = alpha · Σ_l op(A)[i,l] · op(B)[l,j] + beta · C[i,j], summed in long double and rounded to
// expr::computing_dtype(a); then the epilog at (…, i, j). Sums over points are kept in float64
// (integers in int64).
#include <cmath>
#include <cstring>

#include "expr/evaluate.hpp"
#include "ops/matmul/implementations.hpp"

namespace mw::matmul_impl {

namespace {

using expr::Node;
using expr::Number;
using expr::Op;
using Wide = std::complex<long double>;

Wide wide(const Number& value, bool conjugate = false) {
  const DTypeClass kind = dtype_class(value.dtype);
  if (kind == DTypeClass::real || kind == DTypeClass::complex) {
    return {value.real, conjugate ? -value.imag : value.imag};
  }
  return static_cast<long double>(value.integer);
}

Number rounded(Wide value, DType dtype) {
  const auto re = static_cast<double>(value.real());
  return is_complex(dtype)
             ? expr::convert(Number::of_complex({re, static_cast<double>(value.imag())}), dtype)
             : expr::convert(Number::of_real(re), dtype);
}

/// Address of an element: batch indices, then the last two.
struct Place {
  const MatmulProblem& problem;
  void* const* operands;

  [[nodiscard]] char* at(std::size_t operand, const Dims& batch, std::int64_t i,
                         std::int64_t j) const {
    const OperandLayout& layout = problem.operands[operand];
    const auto [row, column] = steps(layout);
    std::int64_t offset = i * row + j * column;
    for (std::size_t axis = 0; axis < batch.size(); ++axis) {
      offset += batch[axis] * layout.strides[axis];
    }
    return static_cast<char*>(operands[operand]) +
           offset * static_cast<std::int64_t>(itemsize(layout.dtype));
  }
  [[nodiscard]] Number load(std::size_t operand, const Dims& batch, std::int64_t i,
                            std::int64_t j) const {
    return expr::load(at(operand, batch, i, j), problem.operands[operand].dtype);
  }
  void store(std::size_t operand, const Dims& batch, std::int64_t i, std::int64_t j,
             const Number& value) const {
    expr::store(at(operand, batch, i, j), expr::convert(value, problem.operands[operand].dtype));
  }
};

/// Combines one more point into a reduction; `position` counts the reduced points in C order.
struct Accumulated {
  Number value;
  std::int64_t position = 0;
  bool started = false;
};

DType sum_dtype(DType dtype) {
  switch (dtype_class(dtype)) {
    case DTypeClass::real: return DType::float64;
    case DTypeClass::complex: return DType::complex128;
    default: return dtype == DType::uint64 ? dtype : DType::int64;
  }
}

bool is_nan(const Number& value) { return std::isnan(value.real) || std::isnan(value.imag); }

void combine(Accumulated& into, Op op, const Number& value, std::int64_t position) {
  if (op == Op::sum || op == Op::prod) {
    const Number term = expr::convert(value, sum_dtype(value.dtype));
    const Node node{.op = op == Op::sum ? Op::add : Op::multiply, .dtype = term.dtype};
    const Number pair[] = {into.value, term};
    into.value = into.started ? expr::apply(node, pair) : term;
  } else {
    const bool larger = op == Op::max || op == Op::argmax;
    const Node node{.op = larger ? Op::greater : Op::less, .dtype = DType::bool_};
    const Number pair[] = {value, into.value};
    const bool beats = !into.started || (!is_nan(into.value) &&
                                         (is_nan(value) || expr::apply(node, pair).integer != 0));
    if (beats) into = {value, position, true};
  }
  into.started = true;
}

class FusedReferencePlan final : public Plan {
 public:
  explicit FusedReferencePlan(const MatmulProblem& problem)
      : problem_(problem),
        function_(problem.epilog ? problem.epilog
                                 : expr::identity_function(expr::computing_dtype(problem.a().dtype),
                                                           problem.d().dtype)) {}

  void execute(const Call& call) const override {
    Run run(*this, call);
    Dims batch(problem_.batch_rank(), 0);
    run.clear_masks();
    do {
      if (problem_.batch() == 0) break;
      for (std::int64_t i = 0; i < problem_.m(); ++i) {
        for (std::int64_t j = 0; j < problem_.n(); ++j) run.point(batch, i, j);
      }
      run.operand_sums(batch);
    } while (next(batch));
    run.finish();
  }

  double estimate() const override {
    constexpr double kFlopsPerSecond = 2e7;
    constexpr double kPoint = 1e-6;
    const double points = static_cast<double>(problem_.batch()) *
                          static_cast<double>(problem_.m()) * static_cast<double>(problem_.n());
    return 1e-6 + problem_.work().flops / kFlopsPerSecond + points * kPoint;
  }
  std::string describe() const override {
    return "plain loops, one point after another, sums in long double, 1 thread";
  }

 private:
  [[nodiscard]] bool next(Dims& batch) const {
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      if (++batch[axis] < problem_.d().shape[axis]) return true;
      batch[axis] = 0;
    }
    return false;
  }

  class Run {
   public:
    Run(const FusedReferencePlan& plan, const Call& call)
        : problem_(plan.problem_),
          function_(*plan.function_),
          call_(call),
          place_{problem_, call.operands},
          sums_(function_.outputs.size()) {
      for (std::size_t o = 0; o < sums_.size(); ++o) {
        if (reduction(o)) sums_[o].resize(slots(output_operand(o)));
      }
    }

    void point(const Dims& batch, std::int64_t i, std::int64_t j) {
      const Number element[] = {product(batch, i, j)};
      std::vector<Number> tensors, scalars;
      for (std::size_t t = 0; t < function_.tensors.size(); ++t) {
        tensors.push_back(tensor(t, batch, i, j));
      }
      for (std::size_t s = 0; s < function_.scalars.size(); ++s) {
        scalars.push_back(expr::convert(Number::of_complex(call_.scalars[2 + s]),
                                        expr::computing_dtype(function_.scalars[s].dtype)));
      }
      Dims index = batch;
      index.push_back(i);
      index.push_back(j);
      const auto values = expr::evaluate(function_, {.elements = element,
                                                     .tensors = tensors,
                                                     .scalars = scalars,
                                                     .index = {index.data(), index.size()}});
      for (std::size_t o = 0; o < values.size(); ++o) output(o, values[o], index, batch, i, j);
    }

    /// The sums of BGRADA and BGRADB: of op(A) and op(B) over k.
    void operand_sums(const Dims& batch) {
      const auto summed = problem_.summed_operand();
      if (!summed) return;
      const bool of_a = *summed == 0;
      for (std::int64_t line = 0; line < (of_a ? problem_.m() : problem_.n()); ++line) {
        Wide sum = 0;
        for (std::int64_t l = 0; l < problem_.k(); ++l) {
          sum += of_a ? wide(place_.load(0, batch, line, l), problem_.a().conjugate)
                      : wide(place_.load(1, batch, l, line), problem_.b().conjugate);
        }
        const std::size_t aux = problem_.first_aux();
        place_.store(aux, batch, of_a ? line : 0, of_a ? 0 : line,
                     rounded(sum, problem_.operands[aux].dtype));
      }
    }

    void clear_masks() {
      for (std::size_t o = problem_.first_aux(); o < problem_.d_index(); ++o) {
        if (!is_mask(o)) continue;
        const OperandLayout& layout = problem_.operands[o];
        std::memset(call_.operands[o], 0,
                    static_cast<std::size_t>(
                        TensorRef(nullptr, layout.dtype, layout.shape, layout.strides).size()));
      }
    }

    void finish() {
      for (std::size_t o = 0; o < sums_.size(); ++o) {
        const OperandLayout& layout = problem_.operands[output_operand(o)];
        const Op op = node(o).op;
        const bool position = op == Op::argmax || op == Op::argmin;
        for (std::size_t slot = 0; slot < sums_[o].size(); ++slot) {
          const Accumulated& sum = sums_[o][slot];
          Number value = position ? Number::of_integer(sum.position) : sum.value;
          if (!sum.started) value = Number::of_integer(op == Op::prod ? 1 : 0);
          expr::store(
              static_cast<char*>(call_.operands[output_operand(o)]) + slot * itemsize(layout.dtype),
              expr::convert(value, layout.dtype));
        }
      }
    }

   private:
    [[nodiscard]] const Node& node(std::size_t o) const {
      return function_.nodes[static_cast<std::size_t>(function_.outputs[o].node)];
    }
    [[nodiscard]] bool reduction(std::size_t o) const { return expr::is_reduction(node(o).op); }
    [[nodiscard]] std::size_t output_operand(std::size_t o) const {
      return problem_.operands.size() - function_.outputs.size() + o;
    }
    /// A mask of bits stands where the function has a bool.
    [[nodiscard]] bool is_mask(std::size_t operand) const {
      return problem_.named != NamedEpilog::custom &&
             problem_.operands[operand].dtype == DType::uint8 &&
             std::string_view(problem_.operand_name(operand)) == "relu_aux";
    }
    /// Elements of a reduced output, which is dense.
    [[nodiscard]] std::size_t slots(std::size_t operand) const {
      std::int64_t count = 1;
      const OperandLayout& layout = problem_.operands[operand];
      for (std::size_t i = 0; i < layout.shape.size(); ++i) {
        if (layout.strides[i] != 0) count *= layout.shape[i];
      }
      return static_cast<std::size_t>(count);
    }

    [[nodiscard]] Number product(const Dims& batch, std::int64_t i, std::int64_t j) const {
      Wide value = 0;
      if (call_.scalars[0] != ScalarValue(0)) {
        for (std::int64_t l = 0; l < problem_.k(); ++l) {
          value += wide(place_.load(0, batch, i, l), problem_.a().conjugate) *
                   wide(place_.load(1, batch, l, j), problem_.b().conjugate);
        }
        value *= Wide(call_.scalars[0]);
      }
      if (problem_.has_c && call_.scalars[1] != ScalarValue(0)) {
        value += Wide(call_.scalars[1]) * wide(place_.load(2, batch, i, j));
      }
      return rounded(value, expr::computing_dtype(problem_.a().dtype));
    }

    [[nodiscard]] Number tensor(std::size_t t, const Dims& batch, std::int64_t i,
                                std::int64_t j) const {
      const std::size_t operand = problem_.first_tensor() + t;
      if (is_mask(operand)) {
        const auto byte = static_cast<unsigned char>(*place_.at(operand, batch, i / 8, j));
        return Number::of_integer(byte >> (i % 8) & 1, DType::bool_);
      }
      const Number value = place_.load(operand, batch, i, j);
      return expr::convert(value, expr::computing_dtype(value.dtype));
    }

    void output(std::size_t o, const Number& value, const Dims& index, const Dims& batch,
                std::int64_t i, std::int64_t j) {
      const std::size_t operand = output_operand(o);
      if (reduction(o)) {
        combine(sums_[o][slot_of(operand, index)], node(o).op, value, position_of(o, index));
      } else if (is_mask(operand)) {
        if (value.integer != 0) {
          *place_.at(operand, batch, i / 8, j) |= static_cast<char>(1U << (i % 8));
        }
      } else {
        place_.store(operand, batch, i, j, value);
      }
    }

    [[nodiscard]] std::size_t slot_of(std::size_t operand, const Dims& index) const {
      std::int64_t slot = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        slot += index[axis] * problem_.operands[operand].strides[axis];
      }
      return static_cast<std::size_t>(slot);
    }

    [[nodiscard]] std::int64_t position_of(std::size_t o, const Dims& index) const {
      const std::int64_t mask = node(o).integer;
      std::int64_t position = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        if (mask == expr::kAllAxes || (mask >> (index.size() - 1 - axis) & 1) != 0) {
          position = position * problem_.d().shape[axis] + index[axis];
        }
      }
      return position;
    }

    const MatmulProblem& problem_;
    const expr::Function& function_;
    const Call& call_;
    Place place_;
    std::vector<std::vector<Accumulated>> sums_;
  };

  MatmulProblem problem_;
  expr::FunctionPtr function_;
};

}  // namespace

Answer try_fused_reference(const MatmulProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  return std::make_shared<FusedReferencePlan>(problem);
}

}  // namespace mw::matmul_impl
