// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/fused_passes.hpp"

#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"

namespace mw::matmul_impl {

using codegen::PassPtr;

namespace {

PassPtr make_pass(const codegen::PassProblem& problem, const Context& context) {
  return context.device.is_cpu() ? codegen::make_host_pass(problem, context.threads)
                                 : codegen::make_device_pass(problem, context.device.id);
}

}  // namespace

Widened widened(const OperandLayout& given, DType wide, const Context& context) {
  Widened result;
  result.layout = dense_like(given);
  result.layout.dtype = wide;
  expr::Function f;
  f.tensors = {{"x", given.dtype}};
  f.nodes.push_back({.op = expr::Op::tensor, .dtype = wide});
  if (given.conjugate)
    f.nodes.push_back({.op = expr::Op::conj, .dtype = wide, .args = {0, -1, -1}});
  f.outputs = {{"result", wide, static_cast<expr::NodeId>(f.nodes.size()) - 1}};
  Dims shape = given.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (given.strides[i] == 0) shape[i] = std::min<std::int64_t>(shape[i], 1);
  }
  result.pass = make_pass(
      {.function = std::make_shared<const expr::Function>(std::move(f)),
       .shape = shape,
       .arrays = {{.dtype = given.dtype, .strides = given.strides, .alignment = given.alignment},
                  {.dtype = wide, .strides = result.layout.strides, .alignment = 16}}},
      context);
  return result;
}

PassPtr operand_sums(const MatmulProblem& problem, const Context& context) {
  const auto summed = problem.summed_operand();
  if (!summed) return nullptr;
  const OperandLayout& operand = problem.operands[*summed];
  const DType wide = expr::computing_dtype(operand.dtype);
  const OperandLayout& sums = problem.operands[problem.first_aux()];
  expr::Function f;
  f.tensors = {{"x", operand.dtype}};
  f.nodes = {
      {.op = expr::Op::tensor, .dtype = wide},
      {.op = expr::Op::sum, .dtype = wide, .args = {0, -1, -1}, .integer = *summed == 0 ? 1 : 2}};
  f.outputs = {{"result", sums.dtype, 1}};
  return make_pass(
      {.function = std::make_shared<const expr::Function>(std::move(f)),
       .shape = operand.shape,
       .arrays = {{.dtype = operand.dtype,
                   .strides = operand.strides,
                   .alignment = operand.alignment},
                  {.dtype = sums.dtype, .strides = sums.strides, .alignment = sums.alignment}}},
      context);
}

MatmulProblem bare_product(const MatmulProblem& problem, DType wide) {
  const auto [row_step, column_step] = steps(problem.d());
  const bool by_rows = std::abs(column_step) <= std::abs(row_step);
  MatmulProblem bare;
  bare.operands = {problem.a(), problem.b()};
  for (auto& operand : bare.operands) {
    if (operand.dtype == wide) continue;
    operand = dense_like(operand);
    operand.dtype = wide;
    operand.conjugate = false;
  }
  OperandLayout d{
      .dtype = wide, .shape = problem.d().shape, .strides = Dims(problem.d().shape.size(), 0)};
  const std::size_t rows = d.shape.size() - 2;
  d.strides[rows] = by_rows ? std::max<std::int64_t>(problem.n(), 1) : 1;
  d.strides[rows + 1] = by_rows ? 1 : std::max<std::int64_t>(problem.m(), 1);
  bare.operands.push_back(d);
  return bare;
}

EpilogPass epilog_pass(const MatmulProblem& problem, std::int64_t row_step,
                       std::int64_t column_step, const Context& context) {
  const DType element = expr::computing_dtype(problem.a().dtype);
  expr::FunctionPtr function =
      problem.epilog ? problem.epilog : expr::identity_function(element, problem.d().dtype);
  if (problem.has_c) function = with_c(*function, problem.c().dtype);
  codegen::PassProblem pass{.function = function, .shape = problem.d().shape, .arrays = {}};
  Dims steps_of_x(pass.shape.size(), 0);
  steps_of_x[pass.shape.size() - 2] = row_step;
  steps_of_x.back() = column_step;
  pass.arrays.push_back({.dtype = element, .strides = steps_of_x, .alignment = 16});
  const std::size_t first_output = problem.operands.size() - function->outputs.size();
  const auto mask = mask_operand(problem);
  EpilogPass result;
  for (std::size_t i = 2; i < problem.operands.size(); ++i) {
    // The sums of BGRADA and BGRADB are results, but not of the pass.
    if (i >= problem.first_aux() && i < first_output) continue;
    const OperandLayout layout = mask == i ? bool_layout(problem) : problem.operands[i];
    pass.arrays.push_back(
        {.dtype = layout.dtype, .strides = layout.strides, .alignment = layout.alignment});
    result.operands.push_back(i);
  }
  result.pass = make_pass(pass, context);
  return result;
}

}  // namespace mw::matmul_impl
