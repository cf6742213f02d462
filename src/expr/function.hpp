// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Function: what a user wrote, traced: a list of typed scalar operations over an iteration space,
// and its outputs. An immutable value: equality, hash and key come from its fields.
//
// At every point of the iteration space (the result's index space, batch axes first) the function
// is given the element being produced or consumed, the point's indices, extra tensors broadcast to
// the space by NumPy's rules, and run-time scalars; it gives one value per output, or one term of a
// reduction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mathwright/dtype.hpp>

#include "base/fields.hpp"

namespace mw::expr {

enum class Op : std::uint8_t {
#define MW_EXPR_OP(id, ...) id,
#include "expr/op.def"
#undef MW_EXPR_OP
};

/// "exp", "+", …: the name of op.def.
[[nodiscard]] std::string_view name(Op op);
[[nodiscard]] int arity(Op op);
[[nodiscard]] bool is_reduction(Op op);

/// A node's place in its function's list. Operands come before their users.
using NodeId = std::int32_t;
inline constexpr NodeId kNone = -1;

/// Axes of a reduction as bits: bit i stands for axis -1 - i. All axes: kAllAxes.
inline constexpr std::int64_t kAllAxes = -1;

/// One operation. Values are never of a narrow float type (float16, bfloat16, float8) except the
/// result of a cast to one, which is the operand rounded to it.
struct Node {
  Op op = Op::constant;
  DType dtype = DType::float32;
  std::array<NodeId, 3> args = {kNone, kNone, kNone};
  /// element, tensor, scalar: which one. index: the axis, counted from the end (-1 the last).
  /// A reduction: its axes. A constant of integer or bool dtype: its value (uint64: its bits).
  std::int64_t integer = 0;
  double real = 0;  ///< a constant of real or complex dtype
  double imag = 0;

  auto fields() const {
    return std::tuple{field("op", op),           field("dtype", dtype), field("args", args),
                      field("integer", integer), field("real", real),   field("imag", imag)};
  }
};

/// Something given from outside, by its name in the user's function. `dtype` is that of memory; a
/// node that reads a narrow one has dtype float32, complex32 complex64.
struct Parameter {
  std::string name;
  DType dtype = DType::float32;

  auto fields() const { return std::tuple{field("name", name), field("dtype", dtype)}; }
};

/// The main output is named "result".
struct Output {
  std::string name;
  DType dtype = DType::float32;  ///< as stored: the value is converted on its way to memory
  NodeId node = kNone;           ///< a reduction node makes this a reduced output

  auto fields() const {
    return std::tuple{field("name", name), field("dtype", dtype), field("node", node)};
  }
};

struct Function {
  std::vector<Node> nodes;
  std::vector<Parameter> elements;  ///< produced or consumed by the operation: none or one
  std::vector<Parameter> tensors;   ///< extra tensors
  std::vector<Parameter> scalars;   ///< run-time scalars
  std::vector<Output> outputs;

  auto fields() const {
    return std::tuple{field("nodes", nodes), field("elements", elements), field("tensors", tensors),
                      field("scalars", scalars), field("outputs", outputs)};
  }
};

using FunctionPtr = std::shared_ptr<const Function>;

}  // namespace mw::expr
