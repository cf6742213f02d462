// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform as a problem, with a function at either end:
//
//   input ─ crop ─ prolog ─ pad ─ transform ─ factor ─ epilog ─► result, and what else they give
//
// Operands: the input; the prolog's tensors, the epilog's tensors; the prolog's other outputs, the
// epilog's other outputs; the result. Without functions these are input and result.
//
// Run-time scalars: the direction (−1 forward, +1 inverse), the factor on the transform (1 unless
// the problem is scaled), the prolog's, the epilog's.
//
// In place, the result may or may not be the input's memory (a staged execution gives it memory of
// its own), so a plan for such a problem serves both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <mathwright/fft.hpp>

#include "expr/function.hpp"
#include "plan/candidate.hpp"
#include "plan/session.hpp"

namespace mw {

/// Which directions a plan must serve: a set of bits.
enum class FFTDirections : std::uint8_t { forward = 1, inverse = 2, both = 3 };

/// The factor on a transform, by direction.
struct FFTScaling {
  FFTNorm norm = FFTNorm::none;
  double scale = 1;
  double points = 1;  ///< of one transform, as FFTNorm counts them

  [[nodiscard]] bool any() const { return norm != FFTNorm::none || scale != 1; }
  [[nodiscard]] double factor(FFTDirection direction) const;
};

/// A function at one end, adapted to its operands; none: the values as they are.
struct FFTEnd {
  /// Interned, as FuseProblem's: its address stands for it in the cache's key.
  expr::FunctionPtr function;
  std::uintptr_t function_address = 0;
  std::size_t main = 0;  ///< which output is the transform's input, or the result

  auto fields() const {
    return std::tuple{field("function", function_address), field("main", main)};
  }
  [[nodiscard]] std::size_t tensors() const { return function ? function->tensors.size() : 0; }
  [[nodiscard]] std::size_t outputs() const { return function ? function->outputs.size() - 1 : 0; }
  [[nodiscard]] std::size_t scalars() const { return function ? function->scalars.size() : 0; }
};

struct FFTProblem {
  static constexpr const char* kOperation = "fft";

  Operands operands;
  FFTType type = FFTType::c2c;
  Dims axes;   ///< in the user's order; for r2c and c2r the last listed is the halved one
  Dims shape;  ///< of the transforms' side without a halved axis: lengths, and batch axes
  FFTDirections directions = FFTDirections::both;
  bool in_place = false;
  bool orthogonal = false;  ///< as FFTOptions::orthogonalize, where the type has such elements
  bool scaled = false;      ///< the factor may be another than 1
  FFTScaling scaling;       ///< what it is; plans do not depend on it
  FFTEnd prolog, epilog;
  Dims result_shape;
  Dims result_strides;
  std::vector<AuxResult> aux;  ///< outputs of the functions beside the main ones

  auto fields() const {
    return std::tuple{field("operands", operands),
                      field("type", type),
                      field("axes", axes),
                      field("shape", shape),
                      field("directions", directions),
                      field("in_place", in_place),
                      field("orthogonal", orthogonal),
                      field("scaled", scaled),
                      field("prolog", prolog),
                      field("epilog", epilog),
                      field("result_shape", result_shape),
                      field("result_strides", result_strides),
                      field("aux", aux)};
  }

  [[nodiscard]] const OperandLayout& input() const { return operands.front(); }
  [[nodiscard]] const OperandLayout& result() const { return operands.back(); }
  [[nodiscard]] std::size_t first_aux() const { return operands.size() - 1 - aux.size(); }
  [[nodiscard]] bool is_real() const { return type != FFTType::c2c; }
  /// Whether one side of an axis is halved. If not, both sides have one shape and dtype.
  [[nodiscard]] bool halves() const { return type == FFTType::r2c || type == FFTType::c2r; }
  /// The halved axis of a real transform.
  [[nodiscard]] std::size_t halved_axis() const { return static_cast<std::size_t>(axes.back()); }
  /// The shape with the halved axis of a real transform halved.
  [[nodiscard]] Dims halved_shape() const;
  /// What the transform itself reads, and what it writes.
  [[nodiscard]] Dims shape_in() const { return type == FFTType::c2r ? halved_shape() : shape; }
  [[nodiscard]] Dims shape_out() const { return type == FFTType::r2c ? halved_shape() : shape; }
  /// The part of the input that is not cropped away, where the prolog is applied.
  [[nodiscard]] Dims shape_used() const;
  /// Only a transform: no functions or weights, nothing cropped or padded, and its own dtypes.
  [[nodiscard]] bool is_plain() const;

  [[nodiscard]] std::int64_t length(std::size_t i) const {
    return shape[static_cast<std::size_t>(axes[i])];
  }
  [[nodiscard]] bool serves(FFTDirection direction) const {
    const int bit = direction == FFTDirection::forward ? 1 : 2;
    return (static_cast<int>(directions) & bit) != 0;
  }
  [[nodiscard]] double points() const;      ///< of one transform
  [[nodiscard]] double transforms() const;  ///< number of them; 0 if the result is empty
  [[nodiscard]] Dims batch_axes() const;    ///< the others, ascending

  [[nodiscard]] const char* operand_name(std::size_t index) const;
  [[nodiscard]] std::string title() const;
  /// As tests/conformance writes it; empty for a problem that is not plain.
  [[nodiscard]] std::string case_line() const;
  [[nodiscard]] Work work() const;
  [[nodiscard]] static std::span<const Candidate<FFTProblem>> candidates();
};

/// A function at one end as a caller gives it, traced: the prolog's for elements of the operand's
/// dtype, the epilog's for those of transform_dtypes(…).out.
struct FFTEndRequest {
  expr::FunctionPtr function;  ///< null: none
  std::vector<TensorRef> tensors;
  std::vector<ScalarValue> scalars;
};
struct FFTEnds {
  FFTEndRequest prolog, epilog;
};

/// The dtypes that a transform of these values is computed in: those of at most 16 bits in single
/// precision, other integers in double.
struct FFTDTypes {
  DType in, out;
};
[[nodiscard]] FFTDTypes transform_dtypes(DType values, FFTType type);

/// What the transform is given: the prolog's result, or the operand's elements.
[[nodiscard]] DType transformed_dtype(DType operand, const expr::FunctionPtr& prolog);

/// The functions of the options, traced.
[[nodiscard]] FFTEnds traced_ends(DType operand, const FFTOptions& options);

/// What make_fft() makes of a user's call. `arguments.scalars` hold the default direction of the
/// type, or the only one of `directions`. In place, `arguments.out` is the operand itself, and both
/// must be reset together.
struct FFTRequest {
  FFTProblem problem;
  Arguments arguments;
};

/// Validates and normalises; pure. The options' functions are not looked at, but `ends`. Errors:
/// invalid_argument, with the value seen and the value wanted.
[[nodiscard]] FFTRequest make_fft(const TensorRef& operand, const FFTOptions& options,
                                  FFTDirections directions, const FFTEnds& ends = {});

/// The directions that plan(direction) is to serve: the one given, or all that the type has.
/// Errors: invalid_argument for one that the type lacks.
[[nodiscard]] FFTDirections planned_directions(FFTType type, std::optional<FFTDirection> direction);

/// The direction that execute(direction) is to take: the one given, or the type's default (inverse
/// for c2r, forward for others). Errors: invalid_argument for one that the type lacks,
/// invalid_state for one that the plan does not serve.
[[nodiscard]] FFTDirection executed_direction(const FFTProblem& problem,
                                              std::optional<FFTDirection> direction);

/// The type that the options ask for, or that transformed_dtype() implies: complex c2c, else r2c.
[[nodiscard]] FFTType resolved_type(DType transformed, const FFTOptions& options);

/// The axes from the slowest to the fastest. A repeated one (stride 0) says nothing about the
/// order; as the slowest it leaves the rest of it whole.
[[nodiscard]] Dims memory_order(const Dims& shape, Dims strides);

[[nodiscard]] const char* name(FFTType type);
[[nodiscard]] const char* name(FFTDirection direction);

}  // namespace mw
