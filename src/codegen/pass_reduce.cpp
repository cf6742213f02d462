// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_reduce.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "expr/types.hpp"

namespace mw::codegen {

namespace {

using expr::Op;

bool is_real(DType dtype) { return dtype_class(dtype) == DTypeClass::real; }

bool wants_greatest(Op op) { return op == Op::max || op == Op::argmax; }

/// The least or the greatest number of a slot's type, as bits.
std::uint64_t extreme_bits(DType dtype, bool greatest) {
  const auto bits = static_cast<unsigned>(8 * itemsize(dtype));
  const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  switch (dtype_class(dtype)) {
    case DTypeClass::real: {
      const double infinity = greatest ? std::numeric_limits<double>::infinity()
                                       : -std::numeric_limits<double>::infinity();
      return dtype == DType::float64 ? std::bit_cast<std::uint64_t>(infinity)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(infinity));
    }
    case DTypeClass::integer: return greatest ? ones >> 1 : (ones >> 1) + 1;
    default: return greatest ? ones : 0;
  }
}

Value constant_of_bits(Builder& builder, DType dtype, std::uint64_t bits) {
  if (dtype == DType::float64) return builder.constant(dtype, std::bit_cast<double>(bits));
  if (dtype == DType::float32) {
    return builder.constant(dtype, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  auto value = static_cast<std::int64_t>(bits);
  if (dtype_class(dtype) == DTypeClass::integer && itemsize(dtype) < 8) {  // sign extended
    const auto unused = static_cast<int>(64 - 8 * itemsize(dtype));
    value = static_cast<std::int64_t>(bits << unused) >> unused;
  }
  return builder.constant_integer(value, dtype);
}

std::vector<DType> slots_of(Op op, DType term, DType node) {
  switch (op) {
    case Op::sum:
    case Op::prod:
      if (is_complex(term)) return {DType::float64, DType::float64};
      return {is_real(term) ? DType::float64 : node};
    case Op::argmax:
    case Op::argmin: return {term, DType::int64};
    default: return {term};
  }
}

/// Whether (b, at position q) comes before (a, at p).
Value takes_over(Builder& b, Op op, const std::vector<Value>& held,
                 const std::vector<Value>& seen) {
  const Value better =
      wants_greatest(op) ? b.op(Code::lt, held[0], seen[0]) : b.op(Code::lt, seen[0], held[0]);
  const Value earlier = b.op(Code::lt, seen[1], held[1]);
  Value takes =
      b.op(Code::bit_or, better, b.op(Code::bit_and, b.op(Code::eq, seen[0], held[0]), earlier));
  if (is_real(held[0].type)) {
    const Value held_number = b.op(Code::eq, held[0], held[0]);
    const Value seen_nan = b.op(Code::ne, seen[0], seen[0]);
    takes = b.op(Code::bit_or, takes,
                 b.op(Code::bit_and, seen_nan, b.op(Code::bit_or, held_number, earlier)));
  }
  return takes;
}

/// Product across lanes, lane by lane: it happens once a row.
std::vector<Value> product_of_lanes(Builder& b, const Reduction& reduction,
                                    const std::vector<Value>& lanes) {
  std::vector<Value> totals;
  for (const Value& one : identity(b, reduction)) totals.push_back(b.variable(one, false));
  const Value at = b.begin_for(b.constant_integer(0), b.constant_integer(b.target().lanes),
                               b.constant_integer(1));
  std::vector<Value> held, seen;
  for (std::size_t s = 0; s < lanes.size(); ++s) {
    const Value zero = lanes[s].type == DType::float64 ? b.constant(DType::float64, 0)
                                                       : b.constant_integer(0, lanes[s].type);
    const Value chosen = b.select(b.op(Code::eq, b.lane(), at), lanes[s], zero);
    held.push_back(b.get(totals[s]));
    seen.push_back(b.op(Code::sum_lanes, chosen));
  }
  const auto product = combine(b, reduction, held, seen);
  for (std::size_t s = 0; s < lanes.size(); ++s) b.set(totals[s], product[s]);
  b.end_for();
  for (Value& total : totals) total = b.get(total);
  return totals;
}

}  // namespace

std::vector<Reduction> reductions_of(const expr::Function& function) {
  std::vector<Reduction> out;
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    const auto& node = function.nodes[static_cast<std::size_t>(function.outputs[i].node)];
    if (!expr::is_reduction(node.op)) continue;
    DType term =
        expr::computing_dtype(function.nodes[static_cast<std::size_t>(node.args[0])].dtype);
    const bool complex = is_complex(term);
    if (term == DType::bool_) term = DType::uint8;  // min and max of bool are those of 0 and 1
    out.push_back({i, node.op, complex, slots_of(node.op, term, node.dtype)});
  }
  return out;
}

std::uint64_t identity_bits(const Reduction& reduction, std::size_t slot) {
  const DType dtype = reduction.slots[slot];
  switch (reduction.op) {
    case Op::sum: return 0;
    case Op::prod:
      if (slot > 0) return 0;
      return dtype == DType::float64 ? std::bit_cast<std::uint64_t>(1.0) : 1;
    default:
      if (slot > 0) return extreme_bits(DType::int64, true);
      return extreme_bits(dtype, !wants_greatest(reduction.op));
  }
}

std::vector<Value> identity(Builder& builder, const Reduction& reduction) {
  std::vector<Value> out;
  for (std::size_t s = 0; s < reduction.slots.size(); ++s) {
    out.push_back(constant_of_bits(builder, reduction.slots[s], identity_bits(reduction, s)));
  }
  return out;
}

std::vector<Value> partial(Builder& builder, const Reduction& reduction, Pair term,
                           Value position) {
  std::vector<Value> out{builder.convert(term.re, reduction.slots[0])};
  if (reduction.has_position()) {
    out.push_back(position);
  } else if (reduction.complex) {
    out.push_back(builder.convert(term.im, reduction.slots[1]));
  }
  return out;
}

std::vector<Value> combine(Builder& b, const Reduction& reduction, const std::vector<Value>& x,
                           const std::vector<Value>& y) {
  switch (reduction.op) {
    case Op::sum: {
      std::vector<Value> out;
      for (std::size_t s = 0; s < x.size(); ++s) out.push_back(b.add(x[s], y[s]));
      return out;
    }
    case Op::prod:
      if (!reduction.complex) return {b.mul(x[0], y[0])};
      return {b.sub(b.mul(x[0], y[0]), b.mul(x[1], y[1])),
              b.add(b.mul(x[0], y[1]), b.mul(x[1], y[0]))};
    case Op::max: return {b.op(Code::max, x[0], y[0])};
    case Op::min: return {b.op(Code::min, x[0], y[0])};
    default: {
      const Value takes = takes_over(b, reduction.op, x, y);
      return {b.select(takes, y[0], x[0]), b.select(takes, y[1], x[1])};
    }
  }
}

std::vector<Value> across_lanes(Builder& b, const Reduction& reduction,
                                const std::vector<Value>& lanes) {
  if (!lanes[0].vector) return lanes;
  if (reduction.op == Op::prod) return product_of_lanes(b, reduction, lanes);
  if (reduction.op == Op::sum) {
    std::vector<Value> out;
    for (const Value& lane : lanes) out.push_back(b.op(Code::sum_lanes, lane));
    return out;
  }
  const Code code = wants_greatest(reduction.op) ? Code::max_lanes : Code::min_lanes;
  const Value best = b.op(code, lanes[0]);  // NaN if there is one
  if (!reduction.has_position()) return {best};
  Value is_best = b.op(Code::eq, lanes[0], best);
  if (is_real(best.type)) {
    const Value both_nan =
        b.op(Code::bit_and, b.op(Code::ne, lanes[0], lanes[0]), b.op(Code::ne, best, best));
    is_best = b.op(Code::bit_or, is_best, both_nan);
  }
  const Value none = constant_of_bits(b, DType::int64, extreme_bits(DType::int64, true));
  return {best, b.op(Code::min_lanes, b.select(is_best, lanes[1], none))};
}

Pair finished(Builder& b, const Reduction& reduction, const std::vector<Value>& slots,
              DType output) {
  const DType arithmetic = expr::computing_dtype(output);
  const DType part = real_dtype(arithmetic);
  const Value main = slots[reduction.has_position() ? 1 : 0];
  Pair out{b.convert(main, part), {}};
  if (is_complex(arithmetic)) {
    out.im = reduction.complex ? b.convert(slots[1], part) : b.constant(part, 0);
  }
  return out;
}

}  // namespace mw::codegen
