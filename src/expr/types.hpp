// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The type rules of the expression language: which dtype an operation is computed in, and which it
// gives. docs/expressions.md prints the table.
#pragma once

#include <array>
#include <span>

#include "expr/function.hpp"

namespace mw::expr {

/// How an operation's type follows from its operands': the last column of op.def.
enum class Rule : std::uint8_t {
  leaf,
  arithmetic,
  ordered,
  inexact,
  real,
  magnitude,
  compare,
  logic,
  test,
  choose,
  cast,
  reduce,
  position,
};

[[nodiscard]] Rule rule(Op op);

/// The dtype in which a stored dtype is computed: float32 for narrow floats, complex64 for
/// complex32, itself else.
[[nodiscard]] DType computing_dtype(DType stored);
/// Whether the dtype is a float type that is computed as another.
[[nodiscard]] inline bool is_narrow(DType dtype) { return computing_dtype(dtype) != dtype; }
/// Whether a value can have this dtype at all; float4_e2m1fn_x2, two numbers in one, cannot.
[[nodiscard]] bool is_number(DType dtype);

[[nodiscard]] inline bool is_integer(DType dtype) {
  return dtype_class(dtype) == DTypeClass::integer || dtype_class(dtype) == DTypeClass::natural;
}

/// The common dtype of two operands. bool gives way to any other; signed and unsigned integers meet
/// in the next signed one (uint64: in float64); an integer takes a float's or complex dtype; a
/// float and a complex number meet in complex of the wider real part.
[[nodiscard]] DType promote(DType a, DType b);

/// The common dtype of an operand and a number written in the function, which is weak: it takes
/// the operand's dtype unless it is of a higher class (bool < integer < float < complex). A float
/// with an integer gives float32 up to 16 bits, float64 beyond; a complex with a real number the
/// complex dtype of that width.
[[nodiscard]] DType promote_weak(DType strong, DType weak);

struct Operand {
  DType dtype = DType::float32;
  bool weak = false;  ///< a literal, a run-time scalar, or made of such only
};

struct Signature {
  std::array<DType, 3> operands = {DType::float32, DType::float32, DType::float32};
  DType result = DType::float32;
};

/// What each operand is converted to, and what comes out. Operation is neither a leaf nor a cast.
/// Errors: invalid_argument naming the operation, the dtypes seen, and what to write instead.
[[nodiscard]] Signature signature(Op op, std::span<const Operand> operands);

/// Whether a value of dtype `from` can be converted to `to`: not from complex to real, and not to
/// what is no number. Errors: invalid_argument with the remedy.
void check_cast(DType from, DType to);

}  // namespace mw::expr
