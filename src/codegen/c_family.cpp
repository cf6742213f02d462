// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family.hpp"

#include <bit>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "codegen/c_prelude.hpp"
#include "codegen/ir_scalar.hpp"

namespace mw::codegen {

namespace {

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }
bool is_signed(DType dtype) { return dtype_class(dtype) == DTypeClass::integer; }
int bits_of(DType dtype) { return static_cast<int>(itemsize(dtype)) * 8; }

/// The unsigned type in which an integer wraps around, not narrower than int.
const char* wrap_type(DType dtype) { return itemsize(dtype) > 4 ? "uint64_t" : "uint32_t"; }

std::string hex(std::uint64_t value) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
  return digits;
}

/// Exact: the shortest decimals that read back the same; bits for NaN and infinities.
std::string float_text(DType type, double value) {
  const bool single = type == DType::float32;
  if (!std::isfinite(value)) {
    return single ? text("f32_of_bits(",
                         hex(std::bit_cast<std::uint32_t>(static_cast<float>(value))), "u)")
                  : text("f64_of_bits(", hex(std::bit_cast<std::uint64_t>(value)), "ull)");
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, single ? "%.9g" : "%.17g", value);
  std::string out = digits;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return single ? out + "f" : out;
}

std::string integer_text(DType type, std::int64_t value) {
  if (type == DType::bool_) return value != 0 ? "true" : "false";
  if (type == DType::uint64) return text(static_cast<std::uint64_t>(value), "ull");
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807ll - 1)";
  return itemsize(type) > 4 ? text(value, "ll") : text(value, is_signed(type) ? "" : "u");
}

class Printer {
 public:
  Printer(const Kernel& kernel, Dialect dialect)
      : kernel_(kernel), cuda_(dialect == Dialect::cuda) {}

  std::string body() {
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) instruction(static_cast<ValueId>(i));
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Instruction& at(ValueId id) const {
    return kernel_.body[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] bool wide(const Instruction& in) const { return in.vector && kernel_.lanes > 1; }
  /// An operand on one lane.
  [[nodiscard]] std::string v(ValueId id) const { return text("v", id, wide(at(id)) ? "[l]" : ""); }

  void line(const std::string& statement) {
    out_.append(2 * depth_, ' ');
    out_ += statement + "\n";
  }
  [[nodiscard]] std::string lanes() const {
    return text(cuda_ ? "_Pragma(\"unroll\") " : "", "for (int l = 0; l < ", kernel_.lanes,
                "; ++l) ");
  }

  void instruction(ValueId id) {
    const Instruction& in = at(id);
    if (structure(in, id) || memory(in, id)) return;
    define(in, id, expression(in, id));
  }

  void define(const Instruction& in, ValueId id, const std::string& value) {
    const std::string_view type = c_type(in.type);
    if (!wide(in)) return line(text(type, " v", id, " = ", value, ";"));
    line(text(type, " v", id, "[", kernel_.lanes, "]; ", lanes(), "v", id, "[l] = ", value, ";"));
  }

  bool structure(const Instruction& in, ValueId id) {
    switch (in.code) {
      case Code::for_begin:
        line(text("for (int64_t v", id, " = ", v(in.args[0]), "; v", id, " < ", v(in.args[1]),
                  "; v", id, " += ", v(in.args[2]), ") {"));
        ++depth_;
        return true;
      case Code::if_begin:
        line(text("if (", v(in.args[0]), ") {"));
        ++depth_;
        return true;
      case Code::else_begin:
        --depth_;
        line("} else {");
        ++depth_;
        return true;
      case Code::for_end:
      case Code::if_end:
        --depth_;
        line("}");
        return true;
      case Code::set:
        line(text(wide(at(in.args[0])) ? lanes() : "", v(in.args[0]), " = ", v(in.args[1]), ";"));
        return true;
      default: return across_lanes(in, id);
    }
  }

  bool across_lanes(const Instruction& in, ValueId id) {
    const char* step = nullptr;
    const std::string x = in.args[0] == kNone ? "" : v(in.args[0]);
    const std::string y = text("v", id);
    std::string combined;
    switch (in.code) {
      case Code::any:
        step = "false";
        combined = text(y, " | ", x);
        break;
      case Code::sum_lanes:
        step = "0";
        combined = added(in.type, y, x);
        break;
      case Code::min_lanes: combined = extreme(in.type, y, x, "<"); break;
      case Code::max_lanes: combined = extreme(in.type, y, x, ">"); break;
      default: return false;
    }
    if (!wide(at(in.args[0]))) {
      line(text(c_type(in.type), " ", y, " = ", x, ";"));
      return true;
    }
    const std::string first = step ? step : text("v", in.args[0], "[0]");
    line(text(c_type(in.type), " ", y, " = ", first, "; ", lanes(), y, " = ", combined, ";"));
    return true;
  }

  // ---- memory --------------------------------------------------------------------------------

  [[nodiscard]] std::string pointer(const Instruction& in, bool is_const) const {
    return text("((", is_const ? "const " : "", c_type(in.memory), "*)p", in.integer, ")");
  }
  [[nodiscard]] std::string decoded(const Instruction& in, const std::string& code) const {
    if (scalar::narrow_format(in.memory) == nullptr) return code;
    return text(name(in.memory), "_decode(", code, ")");
  }
  [[nodiscard]] std::string encoded(const Instruction& in, const std::string& value) const {
    if (scalar::narrow_format(in.memory) == nullptr) return value;
    return text(name(in.memory), "_encode(", value, ")");
  }
  [[nodiscard]] std::string place(const Instruction& in) const {
    if (!wide(in)) return v(in.args[0]);
    const std::string step = in.args[1] == kNone ? "l" : text("l * ", v(in.args[1]));
    return text(v(in.args[0]), " + ", step);
  }
  /// Bytes moved at once by one thread, where the lanes are neighbours and aligned: a power of two.
  [[nodiscard]] int packed_bytes(const Instruction& in) const {
    const int bytes = kernel_.lanes * static_cast<int>(itemsize(in.memory));
    const bool fits = cuda_ && wide(in) && in.args[1] == kNone && bytes >= 4 &&
                      (bytes & (bytes - 1)) == 0 && in.alignment >= std::min(bytes, 16);
    return fits ? bytes : 0;
  }

  bool memory(const Instruction& in, ValueId id) {
    switch (in.code) {
      case Code::load: load(in, id); return true;
      case Code::store:
      case Code::store_stream: store(in); return true;
      case Code::gather: {
        const std::string value = decoded(in, text(pointer(in, true), "[", v(in.args[0]), "]"));
        define(in, id,
               in.args[1] == kNone ? value : text("l < ", v(in.args[1]), " ? ", value, " : 0"));
        return true;
      }
      default: return false;
    }
  }

  void load(const Instruction& in, ValueId id) {
    const std::string one = decoded(in, text(pointer(in, true), "[", place(in), "]"));
    if (!wide(in)) {
      const bool counts = in.vector && in.args[2] != kNone;
      return define(in, id, counts ? text(v(in.args[2]), " > 0 ? ", one, " : 0") : one);
    }
    const bool counts = in.args[2] != kNone;
    const std::string some = counts ? text("l < ", v(in.args[2]), " ? ", one, " : 0") : one;
    const int bytes = packed_bytes(in);
    if (bytes == 0) return define(in, id, some);
    line(text(c_type(in.type), " v", id, "[", kernel_.lanes, "];"));
    const std::string pack = text("Pack<", c_type(in.memory), ", ", kernel_.lanes, ">");
    const std::string all =
        text("{ ", pack, " t = *(const ", pack, "*)(", pointer(in, true), " + ", v(in.args[0]),
             "); ", lanes(), "v", id, "[l] = ", decoded(in, "t.x[l]"), "; }");
    if (!counts) return line(all);
    line(text("if (", v(in.args[2]), " >= ", kernel_.lanes, ") ", all, " else { ", lanes(), "v", id,
              "[l] = ", some, "; }"));
  }

  void store(const Instruction& in) {
    const std::string one =
        text(pointer(in, false), "[", place(in), "] = ", encoded(in, v(in.args[3])), ";");
    const bool counts = in.args[2] != kNone;
    if (!wide(in)) {
      return line(in.vector && counts ? text("if (", v(in.args[2]), " > 0) ", one) : one);
    }
    const std::string some =
        text("{ ", lanes(), counts ? text("if (l < ", v(in.args[2]), ") ") : "", one, " }");
    const int bytes = packed_bytes(in);
    if (bytes == 0) return line(some);
    const std::string pack = text("Pack<", c_type(in.memory), ", ", kernel_.lanes, ">");
    const std::string all =
        text("{ ", pack, " t; ", lanes(), "t.x[l] = ", encoded(in, v(in.args[3])), "; *(", pack,
             "*)(", pointer(in, false), " + ", v(in.args[0]), ") = t; }");
    line(counts ? text("if (", v(in.args[2]), " >= ", kernel_.lanes, ") ", all, " else ", some)
                : all);
  }

  // ---- values --------------------------------------------------------------------------------

  [[nodiscard]] std::string leaf(const Instruction& in) const {
    switch (in.code) {
      case Code::constant:
        return is_float(in.type) ? float_text(in.type, in.real) : integer_text(in.type, in.integer);
      case Code::integer_arg: return text("i", in.integer);
      case Code::scalar_arg: return text("s", in.integer);
      case Code::lane: return kernel_.lanes > 1 ? "l" : "0";
      case Code::thread: return cuda_ ? "(int64_t)blockIdx.x * blockDim.x + threadIdx.x" : "0";
      case Code::thread_count: return cuda_ ? "(int64_t)gridDim.x * blockDim.x" : "1";
      default: return "";
    }
  }

  [[nodiscard]] std::string expression(const Instruction& in, ValueId) const {
    if (in.args[0] == kNone) return leaf(in);
    const std::string a = v(in.args[0]);
    const std::string b = in.args[1] == kNone ? "" : v(in.args[1]);
    const std::string c = in.args[2] == kNone ? "" : v(in.args[2]);
    const char* f = in.type == DType::float32 ? "f(" : "(";
    switch (in.code) {
      case Code::variable:
      case Code::get: return a;
      case Code::add: return added(in.type, a, b);
      case Code::sub: return arithmetic(in.type, a, "-", "sub", b);
      case Code::mul: return arithmetic(in.type, a, "*", "mul", b);
      case Code::div: return divided(in.type, a, b);
      case Code::rem: return remainder(in.type, a, b);
      case Code::neg: return negated(in.type, a);
      case Code::fma: return text("fma", f, a, ", ", b, ", ", c, ")");
      case Code::min: return extreme(in.type, a, b, "<");
      case Code::max: return extreme(in.type, a, b, ">");
      case Code::abs:
        if (is_float(in.type)) return text("fabs", f, a, ")");
        return is_signed(in.type) ? text(a, " < 0 ? ", negated(in.type, a), " : ", a) : a;
      case Code::sqrt: return text("sqrt", f, a, ")");
      case Code::floor: return text("floor", f, a, ")");
      case Code::ceil: return text("ceil", f, a, ")");
      case Code::trunc: return text("trunc", f, a, ")");
      case Code::rint: return text("rint", f, a, ")");
      case Code::call:
        return text(name(static_cast<MathCall>(in.integer)), f, a, b.empty() ? "" : ", ", b, ")");
      default: return logic(in, a, b, c);
    }
  }

  [[nodiscard]] std::string logic(const Instruction& in, const std::string& a, const std::string& b,
                                  const std::string& c) const {
    const std::string_view type = c_type(in.type);
    switch (in.code) {
      case Code::bit_and: return text("(", type, ")(", a, " & ", b, ")");
      case Code::bit_or: return text("(", type, ")(", a, " | ", b, ")");
      case Code::bit_xor: return text("(", type, ")(", a, " ^ ", b, ")");
      case Code::bit_not: return in.type == DType::bool_ ? text("!", a) : text("(", type, ")~", a);
      case Code::shl:
        return text(inside(in.type, b), " ? (", type, ")((", wrap_type(in.type), ")", a, " << ", b,
                    ") : 0");
      case Code::shr:
        return text(inside(in.type, b), " ? (", type, ")(", a, " >> ", b,
                    ") : ", is_signed(in.type) ? text("(", type, ")(", a, " < 0 ? -1 : 0)") : "0");
      case Code::eq: return text(a, " == ", b);
      case Code::ne: return text(a, " != ", b);
      case Code::lt: return text(a, " < ", b);
      case Code::le: return text(a, " <= ", b);
      case Code::select: return text(a, " ? ", b, " : ", c);
      case Code::convert: return converted(in.type, at(in.args[0]).type, a);
      case Code::bitcast: return bitcast(in.type, at(in.args[0]).type, a);
      case Code::narrow:
        return text(name(in.memory), "_decode(", name(in.memory), "_encode(", a, "))");
      case Code::shuffle_down:
        return cuda_ ? text("__shfl_down_sync(0xffffffffu, ", a, ", ", in.integer, ")") : a;
      default:
        fail(ErrorKind::unsupported, "kernel ", kernel_.name, ": ", name(in.code), " has no text");
    }
  }

  /// a·b + c in one instruction only where the kernel says fma: CUDA's compiler contracts the
  /// signs.
  [[nodiscard]] std::string arithmetic(DType type, const std::string& a, const char* sign,
                                       const char* word, const std::string& b) const {
    if (!is_float(type)) {
      const char* wrap = wrap_type(type);
      return text("(", c_type(type), ")((", wrap, ")", a, " ", sign, " (", wrap, ")", b, ")");
    }
    if (!cuda_) return text(a, " ", sign, " ", b);
    return text(type == DType::float32 ? "__f" : "__d", word, "_rn(", a, ", ", b, ")");
  }
  [[nodiscard]] std::string added(DType type, const std::string& a, const std::string& b) const {
    return arithmetic(type, a, "+", "add", b);
  }
  [[nodiscard]] static std::string negated(DType type, const std::string& a) {
    return is_float(type) ? text("-", a)
                          : text("(", c_type(type), ")(0 - (", wrap_type(type), ")", a, ")");
  }
  [[nodiscard]] static std::string divided(DType type, const std::string& a, const std::string& b) {
    if (is_float(type)) return text(a, " / ", b);
    const std::string smallest =
        is_signed(type) ? text(b, " == -1 ? ", negated(type, a), " : ") : std::string();
    return text(b, " == 0 ? 0 : ", smallest, "(", c_type(type), ")(", a, " / ", b, ")");
  }
  [[nodiscard]] static std::string remainder(DType type, const std::string& a,
                                             const std::string& b) {
    if (is_float(type)) return text(type == DType::float32 ? "fmodf(" : "fmod(", a, ", ", b, ")");
    return text(b, " == 0", is_signed(type) ? text(" || ", b, " == -1") : "", " ? 0 : (",
                c_type(type), ")(", a, " % ", b, ")");
  }
  [[nodiscard]] static std::string extreme(DType type, const std::string& a, const std::string& b,
                                           const char* sign) {
    return text(a, " ", sign, " ", b, is_float(type) ? text(" || ", a, " != ", a) : "", " ? ", a,
                " : ", b);
  }
  /// Whether a shift's count is one.
  [[nodiscard]] static std::string inside(DType type, const std::string& count) {
    return text("(uint64_t)", count, " < ", bits_of(type));
  }

  [[nodiscard]] static std::string converted(DType to, DType from, const std::string& a) {
    if (to == from) return a;
    if (to == DType::bool_) return text(a, " != 0");
    if (!is_float(from) || is_float(to)) return text("(", c_type(to), ")", a);
    const int digits = bits_of(to) - (is_signed(to) ? 1 : 0);
    const double end = std::ldexp(1.0, digits);
    const std::uint64_t most = digits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << digits) - 1;
    const std::int64_t least = is_signed(to) ? static_cast<std::int64_t>(~most) : 0;
    return text(a, " >= ", float_text(from, end), " ? ",
                integer_text(to, static_cast<std::int64_t>(most)), " : ", a, " < ",
                float_text(from, is_signed(to) ? -end : 0), " ? ", integer_text(to, least), " : ",
                a, " != ", a, " ? 0 : (", c_type(to), ")", a);
  }

  [[nodiscard]] static std::string bitcast(DType to, DType from, const std::string& a) {
    if (to == from) return a;
    if (is_float(from) && is_float(to)) return a;
    if (from == DType::float32) return text("(", c_type(to), ")bits_of_f32(", a, ")");
    if (from == DType::float64) return text("(", c_type(to), ")bits_of_f64(", a, ")");
    if (to == DType::float32) return text("f32_of_bits((uint32_t)", a, ")");
    if (to == DType::float64) return text("f64_of_bits((uint64_t)", a, ")");
    return text("(", c_type(to), ")", a);
  }

  const Kernel& kernel_;
  bool cuda_;
  std::size_t depth_ = 1;
  std::string out_;
};

std::set<DType> narrow_types(const Kernel& kernel) {
  std::set<DType> types;
  for (const auto& in : kernel.body) {
    const bool stored = touches_memory(in.code) || in.code == Code::narrow;
    if (stored && scalar::narrow_format(in.memory) != nullptr) types.insert(in.memory);
  }
  return types;
}

/// Every argument under its short name, with what it is.
std::string arguments(const Kernel& kernel, std::string_view prefix) {
  std::string out;
  const auto list = [&](const std::vector<std::string>& names, const char* type, const char* from,
                        char letter) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      out += text("  ", type, letter, i, " = ", prefix, from, "[", i, "];  // ", names[i], "\n");
    }
  };
  list(kernel.pointers, "void *const ", "pointers", 'p');
  list(kernel.integers, "const int64_t ", "integers", 'i');
  list(kernel.scalars, "const double ", "scalars", 's');
  return out;
}

}  // namespace

std::string to_c(const Kernel& kernel) {
  return text(prelude(Dialect::c, narrow_types(kernel)), "\nvoid ", kernel.name,
              "(void *const *pointers, const int64_t *integers, const double *scalars) {\n",
              "  (void)pointers; (void)integers; (void)scalars;\n", arguments(kernel, ""),
              Printer(kernel, Dialect::c).body(), "}\n");
}

std::string to_cuda(const Kernel& kernel) {
  const auto member = [](const char* type, const char* name, std::size_t count) {
    return count == 0 ? std::string() : text("  ", type, " ", name, "[", count, "];\n");
  };
  return text(
      prelude(Dialect::cuda, narrow_types(kernel)),
      "\ntemplate <class T, int n>\nstruct alignas(n * sizeof(T) < 16 ? n * sizeof(T) : 16) "
      "Pack { T x[n]; };\n",
      "\nstruct Arguments {\n", member("void*", "pointers", kernel.pointers.size()),
      member("int64_t", "integers", kernel.integers.size()),
      member("double", "scalars", kernel.scalars.size()), "};\n\nextern \"C\" __global__ void ",
      kernel.name, "(const __grid_constant__ Arguments arguments) {\n",
      arguments(kernel, "arguments."), Printer(kernel, Dialect::cuda).body(), "}\n");
}

}  // namespace mw::codegen
