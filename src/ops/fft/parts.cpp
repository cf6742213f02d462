// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/parts.hpp"

#include <algorithm>

#include "base/layout.hpp"
#include "expr/epilogs.hpp"
#include "ops/fft/trig.hpp"
#include "ops/fuse/problem.hpp"

namespace mw {

namespace {

using expr::Node;
using expr::NodeId;
using expr::Op;

NodeId append_node(expr::Function& function, const Node& node) {
  function.nodes.push_back(node);
  return static_cast<NodeId>(function.nodes.size()) - 1;
}

/// The function of `make(made, element)` instead of the element; `make` appends nodes.
template <class Make>
expr::FunctionPtr with_element(const expr::Function& function, Make&& make) {
  expr::Function made = function;
  made.nodes.clear();
  const DType dtype = function.elements.front().dtype;
  const NodeId x = make(made, append_node(made, {.op = Op::element, .dtype = dtype}));
  std::vector<NodeId> place;
  for (Node node : function.nodes) {
    if (node.op == Op::element) {
      place.push_back(x);
      continue;
    }
    for (NodeId& arg : node.args) {
      if (arg != expr::kNone) arg = place[static_cast<std::size_t>(arg)];
    }
    made.nodes.push_back(node);
    place.push_back(static_cast<NodeId>(made.nodes.size()) - 1);
  }
  for (auto& output : made.outputs) output.node = place[static_cast<std::size_t>(output.node)];
  return std::make_shared<const expr::Function>(std::move(made));
}

/// The function of factor·x instead of x; the factor is its last run-time scalar.
expr::FunctionPtr with_factor(const expr::Function& function) {
  return with_element(function, [](expr::Function& made, NodeId x) {
    const DType element = made.elements.front().dtype;
    const DType real = real_dtype(element);
    made.scalars.push_back({"factor", real});
    const auto last = static_cast<std::int64_t>(made.scalars.size()) - 1;
    const NodeId factor = append_node(made, {.op = Op::scalar, .dtype = real, .integer = last});
    const auto times_factor = [&](NodeId value) {
      return append_node(made,
                         {.op = Op::multiply, .dtype = real, .args = {value, factor, expr::kNone}});
    };
    if (!is_complex(element)) return times_factor(x);
    // Real and imaginary part apart: 0·∞ of a complex product is not to be seen.
    const auto part = [&](Op op) {
      return append_node(made, {.op = op, .dtype = real, .args = {x, expr::kNone, expr::kNone}});
    };
    const NodeId re = times_factor(part(Op::real));
    const NodeId im = times_factor(part(Op::imag));
    return append_node(made, {.op = Op::complex, .dtype = element, .args = {re, im, expr::kNone}});
  });
}

/// x, of a real dtype, times the weights of one side of every axis: x·where(i = at, w, 1).
NodeId times_weights(const FFTProblem& problem, bool input, expr::Function& made, DType dtype,
                     NodeId x) {
  for (std::size_t a = 0; a < problem.axes.size(); ++a) {
    for (const FFTWeight& weight : weights_of(problem.type, input, problem.length(a))) {
      const double factor =
          dtype == DType::float32 ? double{static_cast<float>(weight.factor)} : weight.factor;
      const auto from_end = problem.axes[a] - static_cast<std::int64_t>(problem.shape.size());
      const NodeId i =
          append_node(made, {.op = Op::index, .dtype = DType::int64, .integer = from_end});
      const NodeId at =
          append_node(made, {.op = Op::constant, .dtype = DType::int64, .integer = weight.at});
      const NodeId is =
          append_node(made, {.op = Op::equal, .dtype = DType::bool_, .args = {i, at, expr::kNone}});
      const NodeId w = append_node(made, {.op = Op::constant, .dtype = dtype, .real = factor});
      const NodeId one = append_node(made, {.op = Op::constant, .dtype = dtype, .real = 1});
      const NodeId chosen =
          append_node(made, {.op = Op::where, .dtype = dtype, .args = {is, w, one}});
      x = append_node(made, {.op = Op::multiply, .dtype = dtype, .args = {x, chosen, expr::kNone}});
    }
  }
  return x;
}

/// The prolog with the weights on its main output.
expr::FunctionPtr weighted_before(const FFTProblem& problem, const FFTParts& parts) {
  expr::Function made = *parts.before;
  expr::Output& main = made.outputs[problem.prolog.main];
  if (made.nodes[static_cast<std::size_t>(main.node)].dtype != parts.x) {
    main.node = append_node(
        made, {.op = Op::cast, .dtype = parts.x, .args = {main.node, expr::kNone, expr::kNone}});
  }
  main.node = times_weights(problem, true, made, parts.x, main.node);
  main.dtype = parts.x;
  return std::make_shared<const expr::Function>(std::move(made));
}

/// The epilog of a weighted element.
expr::FunctionPtr weighted_after(const FFTProblem& problem, const FFTParts& parts) {
  return with_element(*parts.after, [&](expr::Function& made, NodeId x) {
    return times_weights(problem, false, made, parts.y, x);
  });
}

/// A pass over a space, as fuse describes it: inputs, outputs but the main one, the main one.
codegen::PassProblem pass_over(const expr::FunctionPtr& function, std::size_t main,
                               const Dims& space, Operands operands) {
  FuseProblem fused;
  fused.function = function;
  fused.operands = std::move(operands);
  fused.main = main;
  fused.shape = space;
  fused.aux.resize(function->outputs.size() - 1);
  return fused.pass();
}

/// Operands of an end in fuse's order: `input`, tensors, outputs but the main one, `main`.
std::vector<std::size_t> operands_of(const FFTProblem& problem, bool prolog, std::size_t input,
                                     std::size_t main) {
  const FFTEnd& end = prolog ? problem.prolog : problem.epilog;
  const std::size_t tensors = 1 + (prolog ? 0 : problem.prolog.tensors());
  const std::size_t outputs = problem.first_aux() + (prolog ? 0 : problem.prolog.outputs());
  std::vector<std::size_t> list;
  list.reserve(2 + end.tensors() + end.outputs());
  list.push_back(input);
  for (std::size_t i = 0; i < end.tensors(); ++i) list.push_back(tensors + i);
  for (std::size_t i = 0; i < end.outputs(); ++i) list.push_back(outputs + i);
  list.push_back(main);
  return list;
}

/// From fuse's order, the main output last, to that of the function's outputs.
std::vector<std::size_t> in_functions_order(std::vector<std::size_t> list,
                                            const expr::Function& function, std::size_t main) {
  const auto first = list.end() - static_cast<std::ptrdiff_t>(function.outputs.size());
  std::rotate(first + static_cast<std::ptrdiff_t>(main), list.end() - 1, list.end());
  return list;
}

/// The operands that a pass's arrays are, in fuse's order.
Operands operands_at(const FFTProblem& problem, std::vector<std::size_t> arrays,
                     const expr::Function& function, std::size_t main,
                     const OperandLayout& between) {
  const auto first = arrays.end() - static_cast<std::ptrdiff_t>(function.outputs.size());
  std::rotate(first + static_cast<std::ptrdiff_t>(main),
              first + static_cast<std::ptrdiff_t>(main) + 1, arrays.end());
  Operands operands;
  for (const std::size_t i : arrays) {
    operands.push_back(i == FFTParts::kBetween ? between : problem.operands[i]);
  }
  return operands;
}

}  // namespace

FFTParts parts_of(const FFTProblem& problem) {
  FFTParts parts;
  const DType values = transformed_dtype(problem.input().dtype, problem.prolog.function);
  const FFTDTypes dtypes = transform_dtypes(values, problem.type);
  parts.x = dtypes.in;
  parts.y = dtypes.out;
  parts.pads = !(problem.shape_used() == problem.shape_in());
  const auto weighted = [&](bool input) {
    return problem.orthogonal && !weights_of(problem.type, input, problem.length(0)).empty();
  };
  parts.prolog =
      problem.prolog.function || parts.pads || problem.input().dtype != parts.x || weighted(true);
  parts.epilog = problem.epilog.function || problem.result().dtype != parts.y || problem.scaled ||
                 weighted(false);

  parts.before = problem.prolog.function ? problem.prolog.function
                                         : expr::identity_function(problem.input().dtype, parts.x);
  parts.after = problem.epilog.function ? problem.epilog.function
                                        : expr::identity_function(parts.y, problem.result().dtype);
  if (weighted(true)) parts.before = weighted_before(problem, parts);
  if (weighted(false)) parts.after = weighted_after(problem, parts);
  if (problem.scaled) parts.after = with_factor(*parts.after);
  parts.before_arrays = in_functions_order(operands_of(problem, true, 0, FFTParts::kBetween),
                                           *parts.before, problem.prolog.main);
  parts.after_arrays = in_functions_order(
      operands_of(problem, false, FFTParts::kBetween, problem.operands.size() - 1), *parts.after,
      problem.epilog.main);
  return parts;
}

OperandLayout between_layout(const FFTProblem& problem, DType dtype, const Dims& shape) {
  const Dims order = memory_order(problem.input().shape, problem.input().strides);
  return {.dtype = dtype, .shape = shape, .strides = dense_strides(shape, order)};
}

codegen::PassProblem prolog_pass(const FFTProblem& problem, const FFTParts& parts,
                                 const OperandLayout& x) {
  Operands operands =
      operands_at(problem, parts.before_arrays, *parts.before, problem.prolog.main, x);
  operands.front().shape = problem.shape_used();
  operands.back().shape = problem.shape_used();
  return pass_over(parts.before, problem.prolog.main, problem.shape_used(), std::move(operands));
}

codegen::PassProblem epilog_pass(const FFTProblem& problem, const FFTParts& parts,
                                 const OperandLayout& y) {
  return pass_over(parts.after, problem.epilog.main, problem.shape_out(),
                   operands_at(problem, parts.after_arrays, *parts.after, problem.epilog.main, y));
}

FFTProblem plain_transform(const FFTProblem& problem, const OperandLayout& x,
                           const OperandLayout& y) {
  FFTProblem plain;
  plain.operands = {x, y};
  plain.type = problem.type;
  plain.axes = problem.axes;
  plain.shape = problem.type == FFTType::c2r ? y.shape : x.shape;
  plain.directions = problem.directions;
  plain.result_shape = y.shape;
  plain.result_strides = y.strides;
  return plain;
}

}  // namespace mw
