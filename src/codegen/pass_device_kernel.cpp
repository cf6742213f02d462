// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_device_kernel.hpp"

#include "codegen/pass_arguments.hpp"

namespace mw::codegen {

namespace {

/// A range of items taken by teams in turn, and what a team is.
struct Team {
  Value index, count, member;
};

Team team_of(Builder& b, int size) {
  if (size == 1) return {b.thread(), b.thread_count(), b.constant_integer(0)};
  const Value threads = b.constant_integer(size);
  return {b.op(Code::div, b.thread(), threads), b.op(Code::div, b.thread_count(), threads),
          b.op(Code::rem, b.thread(), threads)};
}

/// The indices of item `flat` in a box of these extents, slowest first.
std::vector<Value> decode(Builder& b, Value flat, const std::vector<Value>& extents,
                          bool short_index) {
  std::vector<Value> index(extents.size());
  // A 32-bit division takes a quarter of the instructions of a 64-bit one.
  const DType type = short_index ? DType::uint32 : DType::int64;
  Value rest = extents.size() > 1 ? b.convert(flat, type) : flat;
  for (std::size_t d = extents.size(); d-- > 1;) {
    const Value extent = b.convert(extents[d], type);
    index[d] = b.convert(b.op(Code::rem, rest, extent), DType::int64);
    rest = b.op(Code::div, rest, extent);
  }
  if (!extents.empty()) index[0] = b.convert(rest, DType::int64);
  return index;
}

Value product(Builder& b, const std::vector<Value>& factors) {
  Value out = b.constant_integer(1);
  for (const Value& factor : factors) out = b.mul(out, factor);
  return out;
}

/// Partial results of a warp as those of its first thread.
std::vector<Value> across_warp(Builder& b, const Reduction& reduction, std::vector<Value> slots) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    std::vector<Value> other;
    for (const Value& slot : slots) {
      other.push_back(b.shuffle_down(slot, distance));
    }
    slots = combine(b, reduction, slots, other);
  }
  return slots;
}

class DeviceCode {
 public:
  DeviceCode(Builder& builder, const DeviceForm& device)
      : b_(builder),
        device_(device),
        form_(device.form),
        point_(builder, form_),
        args_(declare_arguments(builder, form_)) {}

  void run() {
    const Value lanes = b_.constant_integer(b_.target().lanes);
    count_ = args_.extent.back();
    extents_ = args_.extent;  // of the last axis: vectors
    extents_.back() =
        b_.op(Code::div, b_.add(count_, b_.sub(lanes, b_.constant_integer(1))), lanes);
    if (form_.reductions.empty()) {
      points();
    } else {
      reductions();
    }
  }

 private:
  void points() {
    const Value item = b_.begin_for(b_.thread(), product(b_, extents_), b_.thread_count());
    const auto index = decode(b_, item, extents_, device_.short_index);
    std::vector<std::size_t> axes(form_.rank);
    for (std::size_t d = 0; d < axes.size(); ++d) axes[d] = d;
    visit(moved(origin(), axes, index), [&](const Place& place) { point_.evaluate(place); });
    b_.end_for();
  }

  void reductions() {
    const Value chunks = b_.integer("chunks"), length = b_.integer("chunk"),
                kept_points = b_.integer("kept");
    std::vector<std::size_t> kept, reduced;
    std::vector<Value> kept_extents{chunks}, reduced_extents;
    for (std::size_t d = 0; d < form_.rank; ++d) {
      (device_.kept[d] ? kept : reduced).push_back(d);
      (device_.kept[d] ? kept_extents : reduced_extents).push_back(extents_[d]);
    }
    const Team team = team_of(b_, device_.team);
    const Value item = b_.begin_for(team.index, product(b_, kept_extents), team.count);
    auto index = decode(b_, item, kept_extents, device_.short_index);
    const Value chunk = index.front();
    index.erase(index.begin());
    const std::vector<Value> offset = moved(origin(), kept, index);
    open_sums();
    const Value begin = b_.mul(chunk, length);
    const Value end = b_.op(Code::min, b_.add(begin, length), product(b_, reduced_extents));
    const Value at =
        b_.begin_for(b_.add(begin, team.member), end, b_.constant_integer(device_.team));
    visit(moved(offset, reduced, decode(b_, at, reduced_extents, device_.short_index)),
          [&](const Place& place) { accumulate(place); });
    b_.end_for();
    close_sums(chunk_place(offset, b_.mul(chunk, kept_points)), team);
    b_.end_for();
  }

  std::vector<Value> origin() {
    std::vector<Value> offset(form_.operands());
    for (std::size_t k = 0; k < offset.size(); ++k) {
      offset[k] = args_.base[k] ? args_.base[k] : b_.constant_integer(0);
    }
    place_in_row_ = b_.constant_integer(0);
    return offset;
  }

  /// Offsets moved on along some axes; along the last one by vectors.
  std::vector<Value> moved(std::vector<Value> offset, const std::vector<std::size_t>& axes,
                           const std::vector<Value>& index) {
    for (std::size_t at = 0; at < axes.size(); ++at) {
      const std::size_t d = axes[at];
      const bool last = d + 1 == form_.rank;
      const Value i = last ? b_.mul(index[at], b_.constant_integer(b_.target().lanes)) : index[at];
      if (last) place_in_row_ = i;
      for (std::size_t k = 0; k < offset.size(); ++k) {
        const Reach reach = form_.reach[k];
        if (reach == Reach::unused || (last && reach == Reach::uniform)) continue;
        Value step = i;
        if (!last) step = b_.mul(i, args_.outer[k][d]);
        if (last && reach == Reach::strided) step = b_.mul(i, args_.inner[k]);
        offset[k] = b_.add(offset[k], step);
      }
    }
    return offset;
  }

  /// The place with all lanes, or the rest of a row.
  template <class Body>
  void visit(const std::vector<Value>& offset, Body&& body) {
    if (device_.whole) return body(Place{offset, args_.inner, {}});
    const Value active = b_.sub(count_, place_in_row_);
    b_.begin_if(b_.op(Code::le, b_.constant_integer(b_.target().lanes), active));
    body(Place{offset, args_.inner, {}});
    b_.begin_else();
    body(Place{offset, args_.inner, active});
    b_.end_if();
  }

  [[nodiscard]] bool keeps_last() const { return device_.kept.back(); }

  void open_sums() {
    sums_.clear();
    for (const auto& reduction : form_.reductions) {
      auto& variables = sums_.emplace_back();
      for (const Value& one : identity(b_, reduction)) variables.push_back(b_.variable(one, true));
    }
  }

  std::vector<Value> sums(std::size_t reduction) {
    std::vector<Value> values;
    for (const Value& sum : sums_[reduction]) values.push_back(b_.get(sum));
    return values;
  }

  void accumulate(const Place& place) {
    const auto partials = point_.evaluate(place);
    for (std::size_t i = 0; i < partials.size(); ++i) {
      const auto held = sums(i);
      auto next = combine(b_, form_.reductions[i], held, partials[i]);
      for (std::size_t s = 0; s < next.size(); ++s) {
        if (place.count && !keeps_last()) {
          next[s] = b_.select(b_.op(Code::lt, b_.lane(), place.count), next[s], held[s]);
        }
        b_.set(sums_[i][s], next[s]);
      }
    }
  }

  Place chunk_place(const std::vector<Value>& offset, Value chunk_offset) {
    Place place{offset, args_.inner, {}};
    for (std::size_t i = 0; i < form_.reductions.size(); ++i) {
      const std::size_t k = form_.first_partial() + i;
      place.offset[k] = b_.add(place.offset[k], chunk_offset);
    }
    if (keeps_last() && !device_.whole) {
      place.count =
          b_.op(Code::min, b_.sub(count_, place_in_row_), b_.constant_integer(b_.target().lanes));
    }
    return place;
  }

  void close_sums(const Place& place, const Team& team) {
    std::vector<std::vector<Value>> totals;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Reduction& reduction = form_.reductions[i];
      auto total = sums(i);
      if (!keeps_last()) total = across_lanes(b_, reduction, total);
      if (device_.team == kWarp) total = across_warp(b_, reduction, total);
      totals.push_back(std::move(total));
    }
    if (device_.team > 1) b_.begin_if(b_.op(Code::eq, team.member, b_.constant_integer(0)));
    for (std::size_t i = 0; i < totals.size(); ++i) {
      auto total = totals[i];
      if (device_.accumulate) {
        total = combine(b_, form_.reductions[i], point_.load_partial(i, place), total);
      }
      point_.store_partial(i, place, total);
    }
    if (device_.team > 1) b_.end_if();
  }

  Builder& b_;
  const DeviceForm& device_;
  const PassForm& form_;
  PointCode point_;
  PassArguments args_;
  std::vector<Value> extents_;
  Value count_, place_in_row_;
  std::vector<std::vector<Value>> sums_;
};

}  // namespace

Kernel device_pass_kernel(const DeviceForm& device, const Target& target) {
  Builder builder("pass", target);
  DeviceCode(builder, device).run();
  return builder.finish();
}

Kernel device_finish_kernel(const PassFinish& finish, int team_size, const Target& target) {
  Builder b("pass_finish", target);
  const Reduction& reduction = finish.reduction;
  const std::size_t rank = finish.walk.rank();
  const int out = b.pointer("result");
  std::vector<int> slots;
  for (std::size_t s = 0; s < reduction.slots.size(); ++s) slots.push_back(b.pointer("so far"));
  std::vector<Value> extent, stride, slot_stride;
  for (std::size_t d = 0; d < rank; ++d) extent.push_back(b.integer("extent"));
  const Value copies = b.integer("copies"), kept = b.integer("kept");
  for (std::size_t d = 0; d < rank; ++d) stride.push_back(b.integer("stride"));
  for (std::size_t d = 0; d < rank; ++d) slot_stride.push_back(b.integer("stride"));

  const Team team = team_of(b, team_size);
  const Value item = b.begin_for(team.index, kept, team.count);
  const auto index = decode(b, item, extent, false);
  Value to = b.constant_integer(0), from = to;
  for (std::size_t d = 0; d < rank; ++d) {
    to = b.add(to, b.mul(index[d], stride[d]));
    from = b.add(from, b.mul(index[d], slot_stride[d]));
  }
  std::vector<Value> sums;
  for (const Value& one : identity(b, reduction)) sums.push_back(b.variable(one, false));
  const Value copy = b.begin_for(team.member, copies, b.constant_integer(team_size));
  std::vector<Value> held, seen;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    held.push_back(b.get(sums[s]));
    seen.push_back(
        b.load({slots[s], reduction.slots[s], b.add(from, b.mul(copy, kept)), {}, {}}, false));
  }
  const auto next = combine(b, reduction, held, seen);
  for (std::size_t s = 0; s < slots.size(); ++s) b.set(sums[s], next[s]);
  b.end_for();
  for (Value& sum : sums) sum = b.get(sum);
  if (team_size == kWarp) sums = across_warp(b, reduction, sums);
  if (team_size > 1) b.begin_if(b.op(Code::eq, team.member, b.constant_integer(0)));
  const Pair value = finished(b, reduction, sums, finish.output);
  const DType part = real_dtype(finish.output);
  if (is_complex(finish.output)) {
    to = b.mul(to, b.constant_integer(2));
    b.store({out, part, b.add(to, b.constant_integer(1)), {}, {}}, value.im);
  }
  b.store({out, part, to, {}, {}}, value.re);
  if (team_size > 1) b.end_if();
  b.end_for();
  return b.finish();
}

Kernel device_start_kernel(const std::vector<Reduction>& reductions, const Target& target) {
  Builder b("pass_start", target);
  for (const auto& reduction : reductions) {
    const auto values = identity(b, reduction);
    const Value count = b.integer("numbers");
    std::vector<int> slots;
    for (std::size_t s = 0; s < values.size(); ++s) slots.push_back(b.pointer("so far"));
    const Value i = b.begin_for(b.thread(), count, b.thread_count());
    for (std::size_t s = 0; s < values.size(); ++s) {
      b.store({slots[s], reduction.slots[s], i, {}, {}}, values[s]);
    }
    b.end_for();
  }
  return b.finish();
}

}  // namespace mw::codegen
