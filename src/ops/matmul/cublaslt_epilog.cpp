// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/cublaslt_epilog.hpp"

#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"

namespace mw::matmul_impl {

namespace {

namespace lt = cublaslt;
using expr::Function;
using expr::Node;
using expr::Op;

const Node& node(const Function& f, expr::NodeId id) {
  return f.nodes[static_cast<std::size_t>(id)];
}

bool is_zero(const Node& n) {
  return n.op == Op::constant && n.real == 0 && n.imag == 0 && n.integer == 0;
}

/// relu(…), gelu_tanh(…) or nothing around (x or x + t): what a user's function amounts to.
struct Shape {
  lt::Epilogue activation = lt::Epilogue::none;
  bool bias = false;
};

std::optional<Shape> shape_of(const Function& f) {
  if (f.outputs.size() != 1 || !f.scalars.empty()) return std::nullopt;
  Shape shape;
  const Node* at = &node(f, f.outputs[0].node);
  if (at->op == Op::cast && at->dtype == f.outputs[0].dtype) at = &node(f, at->args[0]);
  if (at->op == Op::relu || at->op == Op::gelu_tanh) {
    shape.activation = at->op == Op::relu ? lt::Epilogue::relu : lt::Epilogue::gelu;
    at = &node(f, at->args[0]);
  } else if (at->op == Op::maximum && is_zero(node(f, at->args[1]))) {
    shape.activation = lt::Epilogue::relu;
    at = &node(f, at->args[0]);
  }
  if (at->op == Op::add) {
    const auto is_tensor = [&](const Node& n) {
      return n.op == Op::tensor || (n.op == Op::cast && node(f, n.args[0]).op == Op::tensor);
    };
    const Node& left = node(f, at->args[0]);
    const Node& right = node(f, at->args[1]);
    if (left.op == Op::element && is_tensor(right)) {
      at = &left;
    } else if (right.op == Op::element && is_tensor(left)) {
      at = &right;
    } else {
      return std::nullopt;
    }
    shape.bias = true;
  }
  if (at->op != Op::element || (shape.bias != (f.tensors.size() == 1))) return std::nullopt;
  return shape;
}

/// Whether the operand runs along the rows of the library's D with unit stride, the same for all
/// its columns.
bool is_bias(const OperandLayout& operand, bool by_rows) {
  const auto [row, column] = steps(operand);
  const auto [along, across] = by_rows ? std::pair(column, row) : std::pair(row, column);
  return along == 1 && across == 0;
}

bool has_batch_stride(const OperandLayout& operand) {
  for (std::size_t i = 0; i + 2 < operand.shape.size(); ++i) {
    if (operand.shape[i] > 1 && operand.strides[i] != 0) return true;
  }
  return false;
}

/// Where the library's epilogs are less than the language promises, seen on an H200 with cuBLASLt
/// 13.1: its GELU is no more exact for float64 than for float32, the derivative is off by 1e-5 of
/// the result, and its ReLU of float16 makes 0 of NaN. A ReLU asked for by the library's own name
/// keeps that.
std::optional<Refusal> inexact(const MatmulProblem& problem, lt::Epilogue epilog) {
  const auto is = [&](lt::Epilogue bit) {
    return (static_cast<std::uint32_t>(epilog) & static_cast<std::uint32_t>(bit)) != 0;
  };
  constexpr auto kDerivative = static_cast<lt::Epilogue>(64);  // in dgelu and dgelu_bgrad alone
  const DType dtype = problem.d().dtype;
  const bool single = dtype == DType::float32 && (problem.compute == MatmulCompute::standard ||
                                                  problem.compute == MatmulCompute::f32 ||
                                                  problem.compute == MatmulCompute::f32_pedantic);
  if ((dtype == DType::float64 && (is(lt::Epilogue::gelu) || is(kDerivative))) ||
      (single && is(kDerivative))) {
    return refuse("its GELU is not as exact as ", dtype);
  }
  if (dtype == DType::float16 && problem.named == NamedEpilog::custom && is(lt::Epilogue::relu)) {
    return refuse("its ReLU of float16 makes 0 of NaN");
  }
  return std::nullopt;
}

Outcome<NativeEpilog> named(const MatmulProblem& problem, const NamedEpilogRow& row, bool by_rows) {
  NativeEpilog native;
  native.value = static_cast<lt::Epilogue>(row.value);
  std::size_t input = problem.first_tensor();
  if (row.bias) native.bias = input++;
  if (row.aux_in) native.aux = input;
  std::size_t output = problem.first_aux();
  if (row.aux_out) native.aux = output++;
  if (row.gradient_out) native.gradient = output;
  if (by_rows && (native.aux || native.gradient)) {
    return refuse("its auxiliary results belong to a D by columns");
  }
  if (native.aux) {
    native.mask = mask_operand(problem) == native.aux;
    const std::int64_t ld = problem.operands[*native.aux].strides.back();
    native.aux_ld = native.mask ? 8 * ld : ld;
    if (native.aux_ld % (native.mask ? 128 : 8) != 0) {
      return refuse("the leading dimension of ", row.aux_in ? row.aux_in : row.aux_out,
                    " is no multiple of ", native.mask ? 16 : 8);
    }
    native.aux_type = problem.operands[*native.aux].dtype;
  }
  return native;
}

}  // namespace

Outcome<NativeEpilog> native_epilog(const MatmulProblem& problem, bool by_rows) {
  if (!problem.epilog) return NativeEpilog{};
  if (problem.quantised) return refuse("scales in device memory go another way");
  NativeEpilog native;
  if (const NamedEpilogRow* row = named_epilog(problem.named)) {
    auto known = named(problem, *row, by_rows);
    if (!known) return known;
    native = known.value();
  } else {
    const auto shape = shape_of(*problem.epilog);
    if (!shape) return refuse("has no epilog like this one");
    native.value = shape->activation;
    if (shape->bias) {
      native.bias = problem.first_tensor();
      const auto plain = static_cast<std::uint32_t>(native.value);
      native.value = static_cast<lt::Epilogue>((plain == 1 ? 0U : plain) |
                                               static_cast<std::uint32_t>(lt::Epilogue::bias));
    }
  }
  if (auto why = inexact(problem, native.value)) return *std::move(why);
  if (native.bias) {
    const OperandLayout& bias = problem.operands[*native.bias];
    if (!is_bias(bias, by_rows)) {
      return refuse("takes a bias along the ", by_rows ? "columns" : "rows",
                    " of D, of unit stride, only");
    }
    if (bias.dtype != problem.d().dtype) return refuse("wants the bias in D's dtype");
    native.bias_type = bias.dtype;
  }
  for (const auto& operand : {native.bias, native.aux, native.gradient}) {
    if (operand && (problem.batch() > 1 && has_batch_stride(problem.operands[*operand]))) {
      return refuse("epilogs with an operand for each product of a batch go another way");
    }
  }
  if (problem.batch() > 1 && (native.aux || native.gradient)) {
    return refuse("auxiliary results of a batch go another way");
  }
  return native;
}

}  // namespace mw::matmul_impl
