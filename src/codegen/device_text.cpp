// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/device_text.hpp"

#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "kernels/matmul_cuda/source.hpp"

namespace mw::codegen {

namespace {

constexpr const char* kHelpers =
#include "codegen/device_helpers.inl"
    ;

const char* value_type(DType dtype) {
  return dtype == DType::bool_ ? "bool" : matmul_cuda::type_name(dtype);
}
bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }
bool is_natural(DType dtype) { return dtype_class(dtype) == DTypeClass::natural; }

std::string hex(std::uint64_t bits) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[bits % 16]);
  while ((bits /= 16) != 0);
  return "0x" + digits;
}

/// Exact, NaN and infinities included.
std::string float_text(DType type, double value) {
  if (type == DType::float32) {
    return text("__uint_as_float(", hex(std::bit_cast<std::uint32_t>(static_cast<float>(value))),
                "u)");
  }
  return text("__longlong_as_double((long long)", hex(std::bit_cast<std::uint64_t>(value)), "ull)");
}
std::string integer_text(DType type, std::int64_t value) {
  if (type == DType::bool_) return value != 0 ? "true" : "false";
  return text("(", value_type(type), ")", hex(static_cast<std::uint64_t>(value)), "ull");
}

/// Codes that are a function of their operands, or an operator.
struct CodeText {
  Code code;
  const char* before;
  const char* between;  ///< of two operands: ", " of a function
  const char* after;
};
constexpr CodeText kCodes[] = {
    {Code::add, "ir_add(", ", ", ")"}, {Code::sub, "ir_sub(", ", ", ")"},
    {Code::mul, "ir_mul(", ", ", ")"}, {Code::div, "ir_div(", ", ", ")"},
    {Code::rem, "ir_rem(", ", ", ")"}, {Code::neg, "ir_neg(", "", ")"},
    {Code::fma, "ir_fma(", ", ", ")"}, {Code::min, "ir_min(", ", ", ")"},
    {Code::max, "ir_max(", ", ", ")"}, {Code::abs, "ir_abs(", "", ")"},
    {Code::sqrt, "ir_sqrt(", "", ")"}, {Code::floor, "ir_floor(", "", ")"},
    {Code::ceil, "ir_ceil(", "", ")"}, {Code::trunc, "ir_trunc(", "", ")"},
    {Code::rint, "ir_rint(", "", ")"}, {Code::bit_not, "ir_not(", "", ")"},
    {Code::shl, "ir_shl(", ", ", ")"}, {Code::shr, "ir_shr(", ", ", ")"},
    {Code::eq, "", " == ", ""},        {Code::ne, "", " != ", ""},
    {Code::lt, "", " < ", ""},         {Code::le, "", " <= ", ""},
    {Code::any, "", "", ""},           {Code::sum_lanes, "", "", ""},
    {Code::min_lanes, "", "", ""},     {Code::max_lanes, "", "", ""},
    {Code::get, "", "", ""},
};

class Printer {
 public:
  Printer(const Kernel& kernel, const Surroundings& surroundings)
      : kernel_(kernel), around_(surroundings) {}

  Outcome<std::string> run() {
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
      const Instruction& in = kernel_.body[i];
      if (makes_value(in.code) && value_type(in.type) == nullptr) {
        return refuse("dtype ", in.type, " has no text");
      }
      if (!structure(in, static_cast<ValueId>(i))) {
        const std::string value = expression(in);
        if (value.empty()) return refuse("instruction ", name(in.code), " has no text");
        line(text("const ", value_type(in.type), " v", i, " = ", value, ";"));
      }
    }
    return std::move(out_);
  }

 private:
  template <class... Pieces>
  static Refusal refuse(const Pieces&... pieces) {
    return {"", text(pieces...)};
  }
  static std::string value(ValueId id) { return text("v", id); }
  void line(const std::string& statement) { out_ += "  " + statement + "\n"; }

  /// Everything that is not the definition of a value.
  bool structure(const Instruction& in, ValueId id) {
    switch (in.code) {
      case Code::for_begin:
        line(text("for (Index v", id, " = ", value(in.args[0]), "; v", id, " < ", value(in.args[1]),
                  "; v", id, " += ", value(in.args[2]), ") {"));
        return true;
      case Code::if_begin: line(text("if (", value(in.args[0]), ") {")); return true;
      case Code::else_begin: line("} else {"); return true;
      case Code::for_end:
      case Code::if_end: line("}"); return true;
      case Code::variable:
        line(text(value_type(in.type), " v", id, " = ", value(in.args[0]), ";"));
        return true;
      case Code::set: line(text(value(in.args[0]), " = ", value(in.args[1]), ";")); return true;
      case Code::store:
      case Code::store_stream:
        line(text(around_.pointers[static_cast<std::size_t>(in.integer)], " = ", value(in.args[3]),
                  ";"));
        return true;
      default: return false;
    }
  }

  std::string expression(const Instruction& in) const {
    const auto which = static_cast<std::size_t>(in.integer);
    switch (in.code) {
      case Code::constant:
        return is_float(in.type) ? float_text(in.type, in.real) : integer_text(in.type, in.integer);
      case Code::integer_arg: return around_.integers[which];
      case Code::scalar_arg: return around_.scalars[which];
      case Code::load: return around_.pointers[which];
      case Code::lane: return "(Index)0";
      case Code::bit_and: return bits(in, "&");
      case Code::bit_or: return bits(in, "|");
      case Code::bit_xor: return bits(in, "^");
      case Code::select:
        return text(value(in.args[0]), " ? ", value(in.args[1]), " : ", value(in.args[2]));
      case Code::convert: return conversion(in);
      case Code::bitcast: return bitcast(in);
      case Code::narrow: {
        const bool known = in.memory == DType::float16 || in.memory == DType::bfloat16;
        return known ? text("ir_narrow(", matmul_cuda::type_name(in.memory), "(), ",
                            value(in.args[0]), ")")
                     : "";
      }
      case Code::call: {
        const auto function = static_cast<MathCall>(in.integer);
        const char* suffix = in.type == DType::float32 ? "f(" : "(";
        const std::string second = in.args[1] == kNone ? "" : text(", ", value(in.args[1]));
        return text(name(function), suffix, value(in.args[0]), second, ")");
      }
      default: return by_table(in);
    }
  }

  std::string by_table(const Instruction& in) const {
    for (const auto& row : kCodes) {
      if (row.code != in.code) continue;
      std::string out = row.before;
      for (int i = 0; i < operands(in.code); ++i) {
        if (i > 0) out += row.between;
        out += value(in.args[static_cast<std::size_t>(i)]);
      }
      return out + row.after;
    }
    return "";
  }

  std::string bits(const Instruction& in, const char* sign) const {
    return text("(", value_type(in.type), ")(", value(in.args[0]), " ", sign, " ",
                value(in.args[1]), ")");
  }

  std::string conversion(const Instruction& in) const {
    const DType from = kernel_.body[static_cast<std::size_t>(in.args[0])].type;
    const std::string x = value(in.args[0]);
    if (in.type == DType::bool_) return text(x, " != 0");
    if (!is_float(from) || is_float(in.type)) return text("(", value_type(in.type), ")", x);
    const int bits = static_cast<int>(8 * itemsize(in.type)) - (is_natural(in.type) ? 0 : 1);
    const double end = std::ldexp(1.0, bits);
    const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::int64_t least = is_natural(in.type) ? 0 : static_cast<std::int64_t>(~most);
    return text("ir_saturated<", value_type(in.type), ">(", x, ", ",
                float_text(from, is_natural(in.type) ? 0.0 : -end), ", ", float_text(from, end),
                ", ", integer_text(in.type, least), ", ",
                integer_text(in.type, static_cast<std::int64_t>(most)), ")");
  }

  std::string bitcast(const Instruction& in) const {
    const DType from = kernel_.body[static_cast<std::size_t>(in.args[0])].type;
    const std::string x = value(in.args[0]);
    if (from == DType::float32) return text("(", value_type(in.type), ")__float_as_int(", x, ")");
    if (from == DType::float64) {
      return text("(", value_type(in.type), ")__double_as_longlong(", x, ")");
    }
    if (in.type == DType::float32) return text("__int_as_float((int)", x, ")");
    if (in.type == DType::float64) return text("__longlong_as_double((Index)", x, ")");
    return text("(", value_type(in.type), ")", x);
  }

  const Kernel& kernel_;
  const Surroundings& around_;
  std::string out_;
};

}  // namespace

Outcome<std::string> device_statements(const Kernel& kernel, const Surroundings& surroundings) {
  return Printer(kernel, surroundings).run();
}

const char* device_helpers() { return kHelpers; }

}  // namespace mw::codegen
