// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/types.hpp"

#include "base/text.hpp"

namespace mw::expr {

namespace {

int bits(DType dtype) { return static_cast<int>(itemsize(dtype)) * 8; }

bool is_float(DType dtype) { return dtype_class(dtype) == DTypeClass::real; }
bool is_bool(DType dtype) { return dtype == DType::bool_; }

/// bool < integer < float < complex.
int height(DType dtype) {
  switch (dtype_class(dtype)) {
    case DTypeClass::boolean: return 0;
    case DTypeClass::integer:
    case DTypeClass::natural: return 1;
    case DTypeClass::real: return 2;
    case DTypeClass::complex: return 3;
  }
  return 0;
}

DType wider(DType a, DType b) { return bits(a) >= bits(b) ? a : b; }

/// The smallest signed integer that holds an unsigned one; float64 for uint64, as in NumPy.
DType signed_home(DType natural) {
  switch (natural) {
    case DType::uint8: return DType::int16;
    case DType::uint16: return DType::int32;
    case DType::uint32: return DType::int64;
    default: return DType::float64;
  }
}

/// The float in which functions of integers are computed.
DType float_for(DType dtype) {
  if (height(dtype) >= 2) return dtype;
  return bits(dtype) <= 16 ? DType::float32 : DType::float64;
}

DType promote_all(std::span<const Operand> operands) {
  bool any_strong = false;
  DType strong = DType::bool_;
  DType weak = DType::bool_;
  for (const auto& operand : operands) {
    DType& side = operand.weak ? weak : strong;
    side = promote(side, operand.dtype);
    any_strong |= !operand.weak;
  }
  return any_strong ? promote_weak(strong, weak) : weak;
}

std::string dtypes_of(std::span<const Operand> operands) {
  std::string out;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    out += text(i == 0 ? "" : i + 1 == operands.size() ? " and " : ", ", operands[i].dtype);
  }
  return out;
}

[[noreturn]] void refuse(Op op, std::span<const Operand> operands, std::string_view wanted) {
  fail(ErrorKind::invalid_argument, "expression: '", name(op), "' of ", dtypes_of(operands), "; ",
       wanted);
}

constexpr std::string_view kOrderedRemedy =
    "complex numbers have no order; take real(x), imag(x) or abs(x) first";
constexpr std::string_view kRealRemedy =
    "real operands are wanted; take real(x), imag(x) or abs(x) first";
constexpr std::string_view kLogicRemedy =
    "bool or integers of one kind are wanted; convert with x.astype('int32'), or write a "
    "comparison such as (x > 0) & (y > 0)";

DType logic_dtype(Op op, std::span<const Operand> operands) {
  const DType common = promote_all(operands);
  if (height(common) > 1) refuse(op, operands, kLogicRemedy);
  const bool shift = op == Op::shift_left || op == Op::shift_right;
  return shift && is_bool(common) ? DType::int32 : common;
}

DType reduced_dtype(Op op, DType operand) {
  const bool adds = op == Op::sum || op == Op::prod;
  if (adds && height(operand) <= 1) {
    return dtype_class(operand) == DTypeClass::natural ? DType::uint64 : DType::int64;
  }
  return is_bool(operand) ? DType::int32 : operand;
}

Signature all_of(DType operand, DType result) { return {{operand, operand, operand}, result}; }

Signature choose(Op op, std::span<const Operand> operands) {
  if (!is_bool(operands[0].dtype)) {
    fail(ErrorKind::invalid_argument, "expression: the condition of '", name(op), "' has dtype ",
         operands[0].dtype, "; bool is wanted. Write a comparison, for example where(x != 0, …)");
  }
  const DType common = promote_all(operands.subspan(1));
  return {{DType::bool_, common, common}, common};
}

}  // namespace

DType computing_dtype(DType stored) {
  if (stored == DType::complex32) return DType::complex64;
  return is_float(stored) && bits(stored) < 32 ? DType::float32 : stored;
}

bool is_number(DType dtype) { return dtype != DType::float4_e2m1fn_x2; }

DType promote(DType a, DType b) {
  a = computing_dtype(a);
  b = computing_dtype(b);
  if (a == b) return a;
  if (height(a) < height(b)) std::swap(a, b);  // a is the higher from here on
  if (is_bool(b)) return a;
  if (is_complex(a)) {
    if (height(b) == 1) return a;
    return *complex_dtype(wider(real_dtype(a), real_dtype(b)));
  }
  if (height(a) != height(b)) return a;
  if (is_float(a) || dtype_class(a) == dtype_class(b)) return wider(a, b);
  if (dtype_class(a) == DTypeClass::natural) std::swap(a, b);
  return bits(a) > bits(b) ? a : signed_home(b);
}

DType promote_weak(DType strong, DType weak) {
  strong = computing_dtype(strong);
  if (height(weak) <= height(strong)) return strong;
  switch (height(weak)) {
    case 1: return DType::int32;
    case 2: return float_for(strong);
    default: return *complex_dtype(float_for(strong));
  }
}

Signature signature(Op op, std::span<const Operand> operands) {
  const Rule how = rule(op);
  if (how == Rule::logic) {
    const DType common = logic_dtype(op, operands);
    return all_of(common, common);
  }
  if (how == Rule::choose) return choose(op, operands);
  DType common = promote_all(operands);
  const bool was_bool = is_bool(common);
  if (was_bool && how != Rule::test) common = DType::int32;
  const DType inexact = was_bool ? DType::float32 : float_for(common);
  const bool complex = is_complex(common);
  switch (how) {
    case Rule::arithmetic:
      if (op == Op::power && complex) {
        refuse(
            op, operands,
            "complex powers are defined for small whole exponents only, such as z ** 2 or z ** -1");
      }
      return all_of(common, common);
    case Rule::ordered:
    case Rule::position:
      if (complex) refuse(op, operands, kOrderedRemedy);
      return all_of(common, how == Rule::position ? DType::int64 : common);
    case Rule::inexact: return all_of(inexact, inexact);
    case Rule::real:
      if (complex) refuse(op, operands, kRealRemedy);
      return all_of(inexact, op == Op::complex ? *complex_dtype(inexact) : inexact);
    case Rule::magnitude: return all_of(common, real_dtype(common));
    case Rule::compare:
      if (complex && op != Op::equal && op != Op::not_equal) refuse(op, operands, kOrderedRemedy);
      return all_of(common, DType::bool_);
    case Rule::test: return all_of(inexact, DType::bool_);
    case Rule::reduce: {
      const bool adds = op == Op::sum || op == Op::prod;
      if (complex && !adds) refuse(op, operands, kOrderedRemedy);
      const DType result = reduced_dtype(op, was_bool ? DType::bool_ : common);
      return all_of(result, result);
    }
    default: break;
  }
  fail(ErrorKind::invalid_argument, "expression: '", name(op), "' has no operands to be typed by");
}

void check_cast(DType from, DType to) {
  require(is_number(to) && is_number(from), ErrorKind::invalid_argument,
          "expression: a value of dtype ", is_number(to) ? from : to,
          " is two numbers in one; convert to float8_e4m3fn, float16 or wider");
  require(is_complex(to) || !is_complex(from) || to == DType::bool_, ErrorKind::invalid_argument,
          "expression: a value of dtype ", from, " as ", to,
          " would lose its imaginary part; take real(x), imag(x) or abs(x) first");
}

}  // namespace mw::expr
