// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_loops.hpp"

namespace mw::codegen {

Dims PassFinish::integers(std::int64_t copies) const {
  Dims out = walk.extents();
  std::int64_t kept = 1;
  for (const auto extent : walk.extents()) kept *= extent;
  out.push_back(copies);
  out.push_back(kept);
  for (const auto& operand : walk.operands) {
    for (const auto stride : operand.strides) out.push_back(stride);
  }
  return out;
}

Kernel PassFinish::kernel(const Target& target) const {
  Builder b("pass_finish", target);
  const std::size_t rank = walk.rank();
  const int out = b.pointer("result");
  std::vector<int> slots;
  for (std::size_t s = 0; s < reduction.slots.size(); ++s) slots.push_back(b.pointer("so far"));
  std::vector<Value> extent, out_stride, slot_stride;
  for (std::size_t d = 0; d < rank; ++d) extent.push_back(b.integer("extent"));
  const Value copies = b.integer("copies");
  const Value distance = b.integer("kept");
  for (std::size_t d = 0; d < rank; ++d) out_stride.push_back(b.integer("stride"));
  for (std::size_t d = 0; d < rank; ++d) slot_stride.push_back(b.integer("stride"));

  const Value zero = b.constant_integer(0), one = b.constant_integer(1);
  Value to = zero, from = zero;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool last = d + 1 == rank;
    const Value step = last ? b.constant_integer(target.lanes) : one;
    const Value i = b.begin_for(zero, extent[d], step);
    to = b.add(to, b.mul(i, out_stride[d]));
    from = b.add(from, b.mul(i, slot_stride[d]));
    if (!last) continue;
    const Value count = b.op(Code::min, b.constant_integer(target.lanes), b.sub(extent[d], i));
    std::vector<Value> total;
    for (const Value& start : identity(b, reduction)) total.push_back(b.variable(start, true));
    const Value copy = b.begin_for(zero, copies, one);
    std::vector<Value> held, seen;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      held.push_back(b.get(total[s]));
      seen.push_back(b.load(
          {slots[s], reduction.slots[s], b.add(from, b.mul(copy, distance)), slot_stride[d], count},
          true));
    }
    const auto next = combine(b, reduction, held, seen);
    for (std::size_t s = 0; s < slots.size(); ++s) b.set(total[s], next[s]);
    b.end_for();
    for (Value& value : total) value = b.get(value);
    const Pair value = finished(b, reduction, total, output);
    const bool complex = is_complex(output);
    const Value two = b.constant_integer(2);
    Value stride = out_stride[d];
    if (complex) {
      to = b.mul(to, two);
      stride = b.mul(stride, two);
    }
    b.store({out, real_dtype(output), to, stride, count}, value.re);
    if (complex) b.store({out, real_dtype(output), b.add(to, one), stride, count}, value.im);
  }
  for (std::size_t d = 0; d < rank; ++d) b.end_for();
  return b.finish();
}

}  // namespace mw::codegen
