// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/ir_fold.hpp"

namespace mw::codegen {

namespace {

using Args = std::array<const Instruction*, 3>;

template <class T>
T value_of(const Instruction& constant) {
  if constexpr (std::floating_point<T>)
    return static_cast<T>(constant.real);
  else
    return static_cast<T>(constant.integer);
}

template <class T>
Instruction constant(T value, DType type) {
  Instruction out;
  out.type = type;
  if constexpr (std::floating_point<T>)
    out.real = static_cast<double>(value);
  else
    out.integer = static_cast<std::int64_t>(value);
  return out;
}

template <class T>
std::optional<T> fold_unary(Code code, T a) {
  namespace s = scalar;
  if constexpr (!std::same_as<T, bool>) {
    if (code == Code::neg) return s::neg(a);
    if (code == Code::abs) return s::abs(a);
  }
  if constexpr (!std::floating_point<T>) {
    if (code == Code::bit_not) return s::bit_not(a);
  } else {
    if (code == Code::sqrt) return s::sqrt(a);
    if (code == Code::floor) return s::floor(a);
    if (code == Code::ceil) return s::ceil(a);
    if (code == Code::trunc) return s::trunc(a);
    if (code == Code::rint) return s::rint(a);
  }
  return std::nullopt;
}

template <class T>
std::optional<T> fold_binary(Code code, T a, T b) {
  namespace s = scalar;
  if constexpr (!std::same_as<T, bool>) {
    switch (code) {
      case Code::add: return s::add(a, b);
      case Code::sub: return s::sub(a, b);
      case Code::mul: return s::mul(a, b);
      case Code::div: return s::div(a, b);
      case Code::rem: return s::rem(a, b);
      case Code::min: return s::min(a, b);
      case Code::max: return s::max(a, b);
      default: break;
    }
  }
  if constexpr (!std::floating_point<T>) {
    if (code == Code::bit_and) return s::bit_and(a, b);
    if (code == Code::bit_or) return s::bit_or(a, b);
    if (code == Code::bit_xor) return s::bit_xor(a, b);
    if constexpr (!std::same_as<T, bool>) {
      if (code == Code::shl) return s::shl(a, b);
      if (code == Code::shr) return s::shr(a, b);
    }
  }
  return std::nullopt;
}

template <class T>
std::optional<bool> fold_comparison(Code code, T a, T b) {
  switch (code) {
    case Code::eq: return a == b;
    case Code::ne: return a != b;
    case Code::lt: return a < b;
    case Code::le: return a <= b;
    default: return std::nullopt;
  }
}

template <class T>
std::optional<Instruction> fold_conversion(const Instruction& in, T a) {
  if (in.code == Code::convert) {
    return scalar::visit_value(in.type, [&]<class To>(TypeTag<To>) -> std::optional<Instruction> {
      return constant(scalar::convert<To>(a), in.type);
    });
  }
  if (in.code == Code::bitcast) {
    return scalar::visit_value(in.type, [&]<class To>(TypeTag<To>) -> std::optional<Instruction> {
      if constexpr (sizeof(To) == sizeof(T) && !std::same_as<To, bool> && !std::same_as<T, bool>) {
        return constant(std::bit_cast<To>(a), in.type);
      }
      return std::nullopt;
    });
  }
  if constexpr (std::same_as<T, float>) {
    if (in.code == Code::narrow && scalar::narrow_format(in.memory) != nullptr) {
      return scalar::visit_narrow(in.memory,
                                  [&]<scalar::NarrowFormat kFormat>(
                                      scalar::FormatTag<kFormat>) -> std::optional<Instruction> {
                                    return constant(scalar::narrow<kFormat>(a), in.type);
                                  });
    }
  }
  return std::nullopt;
}

template <class T>
std::optional<Instruction> fold_typed(const Instruction& in, const Args& args) {
  const T a = value_of<T>(*args[0]);
  if (args[1] == nullptr) {
    if (auto folded = fold_conversion(in, a)) return folded;
    if (const auto value = fold_unary(in.code, a)) return constant(*value, in.type);
    return std::nullopt;
  }
  const T b = value_of<T>(*args[1]);
  if constexpr (std::floating_point<T>) {
    if (in.code == Code::fma && args[2] != nullptr && args[2]->type == in.type) {
      return constant(scalar::fma(a, b, value_of<T>(*args[2])), in.type);
    }
  }
  if (args[2] != nullptr) return std::nullopt;
  if (const auto value = fold_comparison(in.code, a, b)) return constant(*value, DType::bool_);
  if (const auto value = fold_binary(in.code, a, b)) return constant(*value, in.type);
  return std::nullopt;
}

/// A constant of exactly this value (the sign of zero counts).
bool is(const Instruction* operand, double value) {
  if (operand == nullptr || operand->code != Code::constant) return false;
  return dtype_class(operand->type) == DTypeClass::real
             ? std::bit_cast<std::int64_t>(operand->real) == std::bit_cast<std::int64_t>(value)
             : operand->type != DType::bool_ && double(operand->integer) == value;
}

}  // namespace

std::optional<Instruction> fold(const Instruction& in, const Args& args) {
  if (in.vector || in.code == Code::call || in.code == Code::select || args[0] == nullptr) {
    return std::nullopt;
  }
  // Operands of two types are for check() to find.
  if (args[1] != nullptr && args[1]->type != args[0]->type) return std::nullopt;
  return scalar::visit_value(args[0]->type,
                             [&]<class T>(TypeTag<T>) { return fold_typed<T>(in, args); });
}

int unchanged_operand(const Instruction& in, const Args& args) {
  const bool integers = dtype_class(in.type) != DTypeClass::real;
  switch (in.code) {
    case Code::add:
      // A float zero added may change the sign of a zero, except −0.
      if (is(args[1], integers ? 0.0 : -0.0)) return 0;
      return is(args[0], integers ? 0.0 : -0.0) ? 1 : -1;
    case Code::sub: return is(args[1], 0) ? 0 : -1;
    case Code::mul:
      if (is(args[1], 1) || (integers && is(args[0], 0))) return 0;
      return is(args[0], 1) || (integers && is(args[1], 0)) ? 1 : -1;
    case Code::div: return is(args[1], 1) ? 0 : -1;
    case Code::shl:
    case Code::shr: return is(args[1], 0) ? 0 : -1;
    case Code::select:
      if (in.args[1] == in.args[2]) return 1;
      if (args[0] == nullptr || args[0]->code != Code::constant) return -1;
      return args[0]->integer != 0 ? 1 : 2;
    default: return -1;
  }
}

std::int64_t wrapped(std::int64_t value, DType type) {
  return scalar::visit_value(
      type, [&]<class T>(TypeTag<T>) { return static_cast<std::int64_t>(static_cast<T>(value)); });
}

}  // namespace mw::codegen
