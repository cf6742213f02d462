// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass.hpp"

#include "base/text.hpp"
#include "codegen/pass_common.hpp"

namespace mw::codegen {

Pass::~Pass() = default;

double flops_of(const expr::Function& function) {
  using expr::Op;
  double flops = 0;
  for (const auto& node : function.nodes) {
    switch (node.op) {
      case Op::element:
      case Op::index:
      case Op::tensor:
      case Op::scalar:
      case Op::constant:
      case Op::cast:
      case Op::real:
      case Op::imag:
      case Op::complex: continue;
      case Op::power:
      case Op::exp:
      case Op::expm1:
      case Op::log:
      case Op::log1p:
      case Op::sin:
      case Op::cos:
      case Op::tanh:
      case Op::erf:
      case Op::sigmoid:
      case Op::gelu:
      case Op::gelu_tanh:
      case Op::silu: flops += 10; continue;
      default: flops += is_complex(node.dtype) ? 4 : 1;
    }
  }
  return flops;
}

void check_problem(const PassProblem& problem) {
  const auto& function = *problem.function;
  const std::size_t wanted =
      function.elements.size() + function.tensors.size() + function.outputs.size();
  require(problem.arrays.size() == wanted, ErrorKind::invalid_argument,
          "pass: ", problem.arrays.size(), " arrays; one for each element, tensor and output, ",
          wanted, ", is wanted");
  for (const auto& array : problem.arrays) {
    require(array.strides.size() == problem.shape.size(), ErrorKind::invalid_argument,
            "pass: an array has ", array.strides.size(), " strides and the space ",
            problem.shape.size(), " axes; as many are wanted");
    require(array.dtype != DType::float4_e2m1fn_x2, ErrorKind::unsupported,
            "pass: elements of dtype ", array.dtype,
            " are two numbers in one; unpack them to float8_e4m3fn or wider first");
  }
  for (const auto axis : index_axes_of(function)) {
    require(axis < 0 && -axis <= static_cast<std::int64_t>(problem.shape.size()),
            ErrorKind::invalid_argument, "pass: the function asks for the index of axis ", axis,
            " and the space has ", problem.shape.size(), " axes");
  }
}

}  // namespace mw::codegen
