// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A fused expression as a problem: a function of scalars applied at every point of the space that
// its arrays broadcast to, each output written there or reduced over some of the axes.
//
// Run-time scalars: the function's, in its order.
#pragma once

#include <span>
#include <string>

#include "codegen/pass.hpp"
#include "plan/candidate.hpp"
#include "plan/session.hpp"

namespace mw {

struct FuseProblem {
  static constexpr const char* kOperation = "fuse";

  /// Interned: equal functions are one object, and every plan made of the problem keeps it, so that
  /// its address stands for it in the cache's key.
  expr::FunctionPtr function;
  std::uintptr_t function_address = 0;
  Operands operands;     ///< elements and tensors, outputs but the main one, the main one
  std::size_t main = 0;  ///< which output that is
  Dims shape;            ///< of the space
  Dims result_shape;     ///< of the main output
  Dims result_strides;
  std::vector<AuxResult> aux;  ///< the other outputs

  auto fields() const {
    return std::tuple{field("function", function_address),
                      field("operands", operands),
                      field("main", main),
                      field("shape", shape),
                      field("result_shape", result_shape),
                      field("result_strides", result_strides),
                      field("aux", aux)};
  }

  [[nodiscard]] const char* operand_name(std::size_t index) const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] Work work() const;
  [[nodiscard]] static std::span<const Candidate<FuseProblem>> candidates();

  [[nodiscard]] std::size_t input_count() const { return operands.size() - aux.size() - 1; }
  /// The operand that an output of the function is.
  [[nodiscard]] std::size_t operand_of(std::size_t output) const;
  /// As code generation sees it.
  [[nodiscard]] codegen::PassProblem pass() const;
};

struct FuseRequest {
  FuseProblem problem;
  Arguments arguments;
};

/// What a user gives to a fused function.
struct FuseOperands {
  std::vector<TensorRef> inputs;  ///< elements, then tensors, of the function's dtypes
  std::vector<ScalarValue> scalars;
  std::optional<TensorRef> out;  ///< for the main output; its dtype is what that is stored as
};

/// Validates and normalises; pure. Errors: invalid_argument, with the operand, the value seen and
/// the value wanted.
[[nodiscard]] FuseRequest make_fuse(const expr::FunctionPtr& function,
                                    const FuseOperands& operands);

/// The one object for all functions equal to this one.
[[nodiscard]] expr::FunctionPtr interned(expr::FunctionPtr function);

/// Axes of a space of this rank that a reduction node reduces over.
[[nodiscard]] std::vector<bool> reduced_axes(const expr::Node& node, std::size_t rank);

}  // namespace mw
