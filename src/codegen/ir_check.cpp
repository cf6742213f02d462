// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The rules of ir.def, checked instruction by instruction.
#include "base/text.hpp"
#include "codegen/ir.hpp"

namespace mw::codegen {
// ------------------------------------------------------------------------------------------

namespace {

constexpr bool is_float(DType type) { return type == DType::float32 || type == DType::float64; }
bool is_integer(DType type) {
  return dtype_class(type) == DTypeClass::integer || dtype_class(type) == DTypeClass::natural;
}
bool is_value_type(DType type) {
  return is_float(type) || is_integer(type) || type == DType::bool_;
}
bool is_narrow(DType type) {
  return dtype_class(type) == DTypeClass::real && !is_float(type) &&
         type != DType::float4_e2m1fn_x2;
}

/// Which types an arithmetic code takes.
enum class Domain : std::uint8_t { none, number, floating, integer, bits, all };

Domain domain(Code code) {
  switch (code) {
    case Code::add:
    case Code::sub:
    case Code::mul:
    case Code::div:
    case Code::rem:
    case Code::neg:
    case Code::min:
    case Code::max:
    case Code::abs:
    case Code::sum_lanes:
    case Code::min_lanes:
    case Code::max_lanes: return Domain::number;
    case Code::fma:
    case Code::sqrt:
    case Code::floor:
    case Code::ceil:
    case Code::trunc:
    case Code::rint:
    case Code::narrow:
    case Code::call: return Domain::floating;
    case Code::shl:
    case Code::shr: return Domain::integer;
    case Code::bit_and:
    case Code::bit_or:
    case Code::bit_xor:
    case Code::bit_not: return Domain::bits;
    case Code::eq:
    case Code::ne:
    case Code::lt:
    case Code::le:
    case Code::select:
    case Code::convert:
    case Code::bitcast:
    case Code::shuffle_down:
    case Code::any: return Domain::all;
    default: return Domain::none;
  }
}

bool contains(Domain domain, DType type) {
  switch (domain) {
    case Domain::none: return true;
    case Domain::number: return is_float(type) || is_integer(type);
    case Domain::floating: return is_float(type);
    case Domain::integer: return is_integer(type);
    case Domain::bits: return is_integer(type) || type == DType::bool_;
    case Domain::all: return is_value_type(type);
  }
  return false;
}

class Checker {
 public:
  explicit Checker(const Kernel& kernel) : kernel_(kernel), alive_(kernel.body.size(), false) {}

  void run() {
    require(kernel_.lanes >= 1, ErrorKind::invalid_argument, "kernel ", kernel_.name, ": ",
            kernel_.lanes, " lanes, at least 1 is wanted");
    blocks_.push_back({Code::constant, {}});
    for (; id_ < kernel_.body.size(); ++id_) one(kernel_.body[id_]);
    id_ = kernel_.body.size() - 1;
    want(blocks_.size() == 1, "a block that is closed, found ", blocks_.size() - 1, " open");
  }

 private:
  struct Block {
    Code kind;
    std::vector<std::size_t> values;  // they die with the block
  };

  template <class... Pieces>
  void want(bool condition, const Pieces&... wanted) const {
    if (condition) return;
    fail(ErrorKind::invalid_argument, "kernel ", kernel_.name, ", instruction ",
         id_ < kernel_.body.size() ? to_text(kernel_.body[id_], id_) : std::string("none"),
         ": wanted ", wanted...);
  }

  const Instruction& arg(const Instruction& in, int i) const {
    const ValueId id = in.args[std::size_t(i)];
    want(id != kNone, "operand ", i);
    want(id >= 0 && std::size_t(id) < id_ && alive_[std::size_t(id)], "operand ", i,
         " defined before and in an open block, found %", id);
    return kernel_.body[std::size_t(id)];
  }
  void uniform_int64(const Instruction& in, int i) const {
    const Instruction& a = arg(in, i);
    want(a.type == DType::int64 && !a.vector, "a uniform int64 as operand ", i);
  }
  void optional_int64(const Instruction& in, int i) const {
    if (in.args[std::size_t(i)] != kNone) uniform_int64(in, i);
  }
  const Instruction& variable(const Instruction& in) const {
    const Instruction& v = arg(in, 0);
    want(v.code == Code::variable, "a variable as operand 0");
    return v;
  }

  void one(const Instruction& in) {
    want(is_value_type(in.type) || !makes_value(in.code), "bool, an integer, float32 or float64");
    for (std::size_t i = std::size_t(operands(in.code)); i < 4; ++i) {
      want(in.args[i] == kNone, operands(in.code), " operands");
    }
    if (touches_memory(in.code)) {
      memory(in);
    } else if (domain(in.code) != Domain::none) {
      arithmetic(in);
    } else {
      other(in);
    }
    if (makes_value(in.code)) {
      alive_[id_] = true;
      blocks_.back().values.push_back(id_);
    }
  }

  void memory(const Instruction& in) const {
    want(in.integer >= 0 && std::size_t(in.integer) < kernel_.pointers.size(), "a pointer below ",
         kernel_.pointers.size());
    want(is_value_type(in.memory) || is_narrow(in.memory), "another dtype of memory");
    want((in.alignment & (in.alignment - 1)) == 0, "a power of two as alignment");
    const DType type = is_narrow(in.memory) ? DType::float32 : in.memory;
    if (in.code == Code::gather) {
      want(in.type == type && in.vector, "a vector of ", name(type));
      const Instruction& offsets = arg(in, 0);
      want(offsets.type == DType::int64 && offsets.vector, "a vector of int64 as operand 0");
      optional_int64(in, 1);
      return;
    }
    uniform_int64(in, 0);
    optional_int64(in, 1);
    optional_int64(in, 2);
    if (in.code == Code::load) {
      want(in.type == type, "a value of ", name(type));
    } else {
      const Instruction& value = arg(in, 3);
      want(value.type == type, "a value of ", name(type), " as operand 3");
      want(value.vector == in.vector, in.vector ? "a vector" : "a uniform value", " as operand 3");
    }
  }

  void arithmetic(const Instruction& in) const {
    const bool across = in.code == Code::any || in.code == Code::sum_lanes ||
                        in.code == Code::min_lanes || in.code == Code::max_lanes;
    bool vector = false;
    DType type = DType::bool_;
    const int count = in.code == Code::call && in.args[1] == kNone ? 1 : operands(in.code);
    for (int i = 0; i < count; ++i) {
      const Instruction& a = arg(in, i);
      vector |= a.vector;
      if (in.code == Code::select && i == 0) {
        want(a.type == DType::bool_, "bool as operand 0");
        continue;
      }
      want(contains(domain(in.code), a.type), "another type than ", name(a.type), " as operand ",
           i);
      want(i <= (in.code == Code::select ? 1 : 0) || a.type == type, name(type), " as operand ", i);
      type = a.type;
    }
    result(in, type);
    if (across) {
      want(!in.vector && vector, "a vector operand and a uniform result");
    } else {
      const bool spreads = in.code == Code::convert && in.type == type;
      want(in.vector == vector || (spreads && in.vector), vector ? "a vector" : "a uniform",
           " result");
    }
  }

  void result(const Instruction& in, DType type) const {
    switch (in.code) {
      case Code::eq:
      case Code::ne:
      case Code::lt:
      case Code::le: return want(in.type == DType::bool_, "a bool result");
      case Code::any:
        return want(in.type == DType::bool_ && type == DType::bool_, "bool and a bool result");
      case Code::convert: return;
      case Code::bitcast:
        return want(
            itemsize(in.type) == itemsize(type) && in.type != DType::bool_ && type != DType::bool_,
            "types of one size, not bool");
      case Code::narrow:
        want(is_narrow(in.memory), "a narrow float type");
        return want(type == DType::float32 && in.type == type, "float32");
      case Code::call: {
        constexpr auto kLast = static_cast<std::int64_t>(MathCall::rsqrt);
        want(in.integer >= 0 && in.integer <= kLast, "a MathCall");
        const bool two = static_cast<MathCall>(in.integer) == MathCall::pow;
        want((in.args[1] != kNone) == two, two ? "two operands" : "one operand");
        return want(in.type == type, "a result of ", name(type));
      }
      default: return want(in.type == type, "a result of ", name(type));
    }
  }

  void other(const Instruction& in) {
    switch (in.code) {
      case Code::constant: return want(!in.vector, "a uniform constant");
      case Code::integer_arg:
        want(in.integer >= 0 && std::size_t(in.integer) < kernel_.integers.size(),
             "an integer below ", kernel_.integers.size());
        return want(in.type == DType::int64 && !in.vector, "a uniform int64");
      case Code::scalar_arg:
        want(in.integer >= 0 && std::size_t(in.integer) < kernel_.scalars.size(), "a scalar below ",
             kernel_.scalars.size());
        return want(in.type == DType::float64 && !in.vector, "a uniform float64");
      case Code::lane: return want(in.type == DType::int64 && in.vector, "a vector of int64");
      case Code::thread:
      case Code::thread_count:
        return want(in.type == DType::int64 && !in.vector, "a uniform int64");
      case Code::variable:
        want(arg(in, 0).type == in.type, "an initial value of ", name(in.type));
        return want(in.vector || !arg(in, 0).vector, "a uniform initial value");
      case Code::get: {
        const Instruction& v = variable(in);
        return want(v.type == in.type && v.vector == in.vector, "the variable's type");
      }
      case Code::set: {
        const Instruction& v = variable(in);
        const Instruction& value = arg(in, 1);
        want(value.type == v.type, "a value of ", name(v.type));
        return want(v.vector || !value.vector, "a uniform value");
      }
      default: return structure(in);
    }
  }

  void structure(const Instruction& in) {
    switch (in.code) {
      case Code::for_begin:
        for (int i = 0; i < 3; ++i) uniform_int64(in, i);
        want(in.type == DType::int64 && !in.vector, "a uniform int64");
        return blocks_.push_back({Code::for_begin, {}});
      case Code::if_begin:
        want(arg(in, 0).type == DType::bool_ && !arg(in, 0).vector, "a uniform bool as operand 0");
        return blocks_.push_back({Code::if_begin, {}});
      case Code::for_end:
        want(blocks_.back().kind == Code::for_begin, "an open loop");
        return close();
      case Code::else_begin:
        want(blocks_.back().kind == Code::if_begin, "an open if without else");
        close();
        return blocks_.push_back({Code::else_begin, {}});
      case Code::if_end:
        want(blocks_.back().kind == Code::if_begin || blocks_.back().kind == Code::else_begin,
             "an open if");
        return close();
      default: want(false, "a known code");
    }
  }

  void close() {
    for (const std::size_t value : blocks_.back().values) alive_[value] = false;
    blocks_.pop_back();
  }

  const Kernel& kernel_;
  std::vector<bool> alive_;
  std::vector<Block> blocks_;
  std::size_t id_ = 0;
};

}  // namespace

void check(const Kernel& kernel) { Checker(kernel).run(); }

}  // namespace mw::codegen
