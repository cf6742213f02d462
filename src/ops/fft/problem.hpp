// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform as a problem: two operands, `input` and `result`, of equal rank
// and, but for the halved axis of a real transform, of equal shape.
//
// Run-time scalars: the direction (−1 forward, +1 inverse), and a factor on the result (1 so far).
//
// In place, the result may or may not be the input's memory (a staged execution gives it memory of
// its own), so a plan for such a problem serves both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <mathwright/fft.hpp>

#include "plan/candidate.hpp"
#include "plan/session.hpp"

namespace mw {

/// Which directions a plan must serve: a set of bits.
enum class FFTDirections : std::uint8_t { forward = 1, inverse = 2, both = 3 };

struct FFTProblem {
  static constexpr const char* kOperation = "fft";

  Operands operands;  ///< input, result
  FFTType type = FFTType::c2c;
  Dims axes;  ///< in the user's order; for r2c and c2r the last listed is the halved one
  FFTDirections directions = FFTDirections::both;
  bool in_place = false;
  Dims result_shape;
  Dims result_strides;

  auto fields() const {
    return std::tuple{field("operands", operands),
                      field("type", type),
                      field("axes", axes),
                      field("directions", directions),
                      field("in_place", in_place),
                      field("result_shape", result_shape),
                      field("result_strides", result_strides)};
  }

  [[nodiscard]] const OperandLayout& input() const { return operands[0]; }
  [[nodiscard]] const OperandLayout& result() const { return operands[1]; }
  [[nodiscard]] bool is_real() const { return type != FFTType::c2c; }
  /// The halved axis of a real transform.
  [[nodiscard]] std::size_t halved_axis() const { return static_cast<std::size_t>(axes.back()); }
  /// The side without a halved axis; its extents are the transforms' lengths.
  [[nodiscard]] const OperandLayout& full() const {
    return type == FFTType::c2r ? result() : input();
  }
  [[nodiscard]] std::int64_t length(std::size_t i) const {
    return full().shape[static_cast<std::size_t>(axes[i])];
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
  [[nodiscard]] Work work() const;
  [[nodiscard]] static std::span<const Candidate<FFTProblem>> candidates();
};

/// What make_fft() makes of a user's call. `arguments.scalars` hold the default direction of the
/// type, or the only one of `directions`. In place, `arguments.out` is the operand itself, and both
/// must be reset together.
struct FFTRequest {
  FFTProblem problem;
  Arguments arguments;
};

/// Validates and normalises; pure. Errors: invalid_argument, with the value seen and the value
/// wanted.
[[nodiscard]] FFTRequest make_fft(const TensorRef& operand, const FFTOptions& options,
                                  FFTDirections directions);

/// The directions that plan(direction) is to serve: the one given, or all that the type has.
/// Errors: invalid_argument for one that the type lacks.
[[nodiscard]] FFTDirections planned_directions(FFTType type, std::optional<FFTDirection> direction);

/// The direction that execute(direction) is to take: the one given, or the type's default (forward
/// for c2c and r2c, inverse for c2r). Errors: invalid_argument for one that the type lacks,
/// invalid_state for one that the plan does not serve.
[[nodiscard]] FFTDirection executed_direction(const FFTProblem& problem,
                                              std::optional<FFTDirection> direction);

/// The type that the options ask for, or that the dtype implies: real r2c, complex c2c.
[[nodiscard]] FFTType resolved_type(DType operand, const FFTOptions& options);

/// The axes from the slowest to the fastest. A repeated one (stride 0) says nothing about the
/// order; as the slowest it leaves the rest of it whole.
[[nodiscard]] Dims memory_order(const Dims& shape, Dims strides);

[[nodiscard]] const char* name(FFTType type);
[[nodiscard]] const char* name(FFTDirection direction);

}  // namespace mw
