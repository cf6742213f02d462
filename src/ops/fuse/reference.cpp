// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/reference.hpp"

#include <cmath>
#include <map>

#include "expr/evaluate.hpp"
#include "ops/fuse/implementations.hpp"

namespace mw::fuse_impl {

namespace {

using expr::Number;
using expr::Op;

/// A reduction's state: as far as it has come.
struct Total {
  bool any = false;
  long double re = 0, im = 0;
  std::uint64_t integer = 0;
  Number best;
  std::int64_t position = 0;
};

bool is_real(DType dtype) { return dtype_class(dtype) == DTypeClass::real; }

bool less(const Number& a, const Number& b) {
  if (is_real(a.dtype)) return a.real < b.real;
  if (a.dtype == DType::uint64) {
    return static_cast<std::uint64_t>(a.integer) < static_cast<std::uint64_t>(b.integer);
  }
  return a.integer < b.integer;
}

bool is_nan(const Number& a) { return is_real(a.dtype) && std::isnan(a.real); }

void add(Total& total, Op op, const Number& term, std::int64_t position) {
  const bool first = !std::exchange(total.any, true);
  switch (op) {
    case Op::sum:
      total.re += static_cast<long double>(term.real);
      total.im += static_cast<long double>(term.imag);
      total.integer += static_cast<std::uint64_t>(term.integer);
      return;
    case Op::prod: {
      const long double re = first ? 1 : total.re, im = first ? 0 : total.im;
      // Without an imaginary part there is no product with it: inf · 0 is not to be seen.
      if (is_complex(term.dtype)) {
        total.re =
            re * static_cast<long double>(term.real) - im * static_cast<long double>(term.imag);
        total.im =
            re * static_cast<long double>(term.imag) + im * static_cast<long double>(term.real);
      } else {
        total.re = re * static_cast<long double>(term.real);
      }
      total.integer = (first ? 1 : total.integer) * static_cast<std::uint64_t>(term.integer);
      return;
    }
    default: break;
  }
  const bool greatest = op == Op::max || op == Op::argmax;
  const bool better = greatest ? less(total.best, term) : less(term, total.best);
  if (first || (!is_nan(total.best) && (is_nan(term) || better))) {
    total.best = term;
    total.position = position;
  }
}

Number result(const Total& total, const expr::Node& node, DType dtype) {
  switch (node.op) {
    case Op::argmax:
    case Op::argmin: return convert(Number::of_integer(total.position), dtype);
    case Op::max:
    case Op::min: return convert(total.best, dtype);
    default: break;
  }
  const bool empty_product = node.op == Op::prod && !total.any;
  if (is_complex(node.dtype)) {
    return convert(Number::of_complex({empty_product ? 1.0 : static_cast<double>(total.re),
                                       static_cast<double>(total.im)}),
                   dtype);
  }
  if (is_real(node.dtype)) {
    return convert(Number::of_real(empty_product ? 1.0 : static_cast<double>(total.re)), dtype);
  }
  const std::uint64_t integer = empty_product ? 1 : total.integer;
  return convert(Number::of_integer(static_cast<std::int64_t>(integer), node.dtype), dtype);
}

class Loops {
 public:
  Loops(const codegen::PassProblem& problem, const codegen::PassCall& call)
      : problem_(problem),
        call_(call),
        function_(*problem.function),
        inputs_(function_.elements.size() + function_.tensors.size()),
        totals_(function_.outputs.size()) {
    for (std::size_t i = 0; i < function_.scalars.size(); ++i) {
      const DType dtype = function_.scalars[i].dtype;
      scalars_.push_back(convert(is_complex(dtype) ? Number::of_complex(call.scalars[i])
                                                   : Number::of_real(call.scalars[i].real()),
                                 dtype));
    }
  }

  void run() {
    Dims index(problem_.shape.size(), std::int64_t{0});
    open_totals();
    walk(0, index);
    for (std::size_t o = 0; o < totals_.size(); ++o) {
      const auto& output = function_.outputs[o];
      const auto& node = function_.nodes[static_cast<std::size_t>(output.node)];
      for (const auto& [offset, total] : totals_[o]) {
        store(static_cast<char*>(call_.arrays[inputs_ + o]) + offset,
              result(total, node, output.dtype));
      }
    }
  }

 private:
  [[nodiscard]] bool reduces(std::size_t output) const {
    return expr::is_reduction(
        function_.nodes[static_cast<std::size_t>(function_.outputs[output].node)].op);
  }

  [[nodiscard]] std::int64_t bytes_to(std::size_t array, const Dims& index) const {
    const auto& of = problem_.arrays[array];
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * of.strides[d];
    return offset * static_cast<std::int64_t>(itemsize(of.dtype));
  }

  /// Every reduced output has a total, even of no elements.
  void open_totals() {
    for (std::size_t o = 0; o < totals_.size(); ++o) {
      if (reduces(o)) open(o, 0, 0);
    }
  }
  void open(std::size_t output, std::size_t d, std::int64_t offset) {
    const auto& of = problem_.arrays[inputs_ + output];
    if (d == problem_.shape.size()) {
      totals_[output][offset * static_cast<std::int64_t>(itemsize(of.dtype))];
      return;
    }
    const std::int64_t extent = of.strides[d] == 0 ? 1 : problem_.shape[d];
    for (std::int64_t i = 0; i < extent; ++i) open(output, d + 1, offset + i * of.strides[d]);
  }

  void walk(std::size_t d, Dims& index) {
    if (d == problem_.shape.size()) return point(index);
    for (index[d] = 0; index[d] < problem_.shape[d]; ++index[d]) walk(d + 1, index);
    index[d] = 0;
  }

  void point(const Dims& index) {
    std::vector<Number> elements, tensors;
    for (std::size_t k = 0; k < inputs_; ++k) {
      auto& list = k < function_.elements.size() ? elements : tensors;
      list.push_back(expr::load(static_cast<const char*>(call_.arrays[k]) + bytes_to(k, index),
                                problem_.arrays[k].dtype));
    }
    const auto values = expr::evaluate(
        function_, {.elements = elements, .tensors = tensors, .scalars = scalars_, .index = index});
    for (std::size_t o = 0; o < values.size(); ++o) {
      const std::int64_t bytes = bytes_to(inputs_ + o, index);
      if (!reduces(o)) {
        store(static_cast<char*>(call_.arrays[inputs_ + o]) + bytes, values[o]);
        continue;
      }
      const auto& node = function_.nodes[static_cast<std::size_t>(function_.outputs[o].node)];
      add(totals_[o][bytes], node.op, values[o], position(o, index));
    }
  }

  /// In C order of the reduced axes.
  [[nodiscard]] std::int64_t position(std::size_t output, const Dims& index) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const bool kept_axis = problem_.arrays[inputs_ + output].strides[d] != 0;
      if (!kept_axis || problem_.shape[d] == 1) at = at * problem_.shape[d] + index[d];
    }
    return at;
  }

  const codegen::PassProblem& problem_;
  const codegen::PassCall& call_;
  const expr::Function& function_;
  std::size_t inputs_;
  std::vector<Number> scalars_;
  std::vector<std::map<std::int64_t, Total>> totals_;  ///< by where the output's element is
};

class ReferencePlan final : public Plan {
 public:
  explicit ReferencePlan(const FuseProblem& problem) : problem_(problem), pass_(problem.pass()) {}

  void execute(const Call& call) const override {
    std::vector<void*> arrays(call.operands, call.operands + problem_.input_count());
    for (std::size_t o = 0; o < problem_.function->outputs.size(); ++o) {
      arrays.push_back(call.operands[problem_.operand_of(o)]);
    }
    run_reference(pass_, {.arrays = arrays.data(), .scalars = call.scalars, .stream = call.stream});
  }

  // About 50 ns an operation, and as much for each array, measured.
  double estimate() const override {
    double points = 1;
    for (const auto extent : problem_.shape) points *= static_cast<double>(extent);
    return 1e-6 +
           points * 50e-9 *
               static_cast<double>(problem_.function->nodes.size() + problem_.operands.size());
  }
  std::string describe() const override { return "plain loops, one point after another, 1 thread"; }

 private:
  FuseProblem problem_;
  codegen::PassProblem pass_;
};

}  // namespace

void run_reference(const codegen::PassProblem& problem, const codegen::PassCall& call) {
  Loops(problem, call).run();
}

Answer try_reference(const FuseProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  return std::make_shared<ReferencePlan>(problem);
}

}  // namespace mw::fuse_impl
