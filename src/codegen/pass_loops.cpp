// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_loops.hpp"

#include <algorithm>

#include "codegen/pass_arguments.hpp"

namespace mw::codegen {

namespace {

/// Writes the loops around the places.
class LoopCode {
 public:
  LoopCode(Builder& builder, const PassForm& form)
      : b_(builder), form_(form), point_(builder, form), args_(declare_arguments(builder, form)) {}

  void run() {
    lanes_ = b_.constant_integer(b_.target().lanes);
    count_ = args_.extent.back();
    whole_ = b_.sub(count_, b_.op(Code::rem, count_, lanes_));
    if (form_.flat) prepare_flat();
    std::vector<Value> origin(form_.operands());
    for (std::size_t k = 0; k < origin.size(); ++k) {
      origin[k] = args_.base[k] ? args_.base[k] : b_.constant_integer(0);
    }
    level(0, origin);
  }

 private:
  void level(std::size_t d, const std::vector<Value>& offset) {
    if (d + 1 == form_.rank) return row(offset);
    const Value i = b_.begin_for(b_.constant_integer(0), args_.extent[d], b_.constant_integer(1));
    std::vector<Value> moved = offset;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      if (form_.reach[k] != Reach::unused) {
        moved[k] = b_.add(moved[k], b_.mul(i, args_.outer[k][d]));
      }
    }
    level(d + 1, moved);
    b_.end_for();
  }

  void row(const std::vector<Value>& offset) {
    const Place start{offset, args_.inner, {}};
    point_.read_uniform(start);
    open_sums();
    if (form_.flat) open_flat();
    const Value zero = b_.constant_integer(0);
    if (std::ranges::all_of(sums_, [](const auto& sum) { return sum.empty(); })) {
      const Value i = b_.begin_for(zero, count_, lanes_);
      body(place_at(offset, i, b_.op(Code::min, lanes_, b_.sub(count_, i))));
      if (form_.flat) advance_flat();
      b_.end_for();
      return;
    }
    // The last lanes' terms are masked: not in the loop, which would do it for all.
    const Value i = b_.begin_for(zero, whole_, lanes_);
    body(place_at(offset, i, {}));
    if (form_.flat) advance_flat();
    b_.end_for();
    b_.begin_if(b_.op(Code::lt, whole_, count_));
    body(place_at(offset, whole_, b_.sub(count_, whole_)));
    b_.end_if();
    close_sums(start);
  }

  Place place_at(const std::vector<Value>& offset, Value i, Value active) {
    Place place{offset, args_.inner, active};
    for (std::size_t k = 0; k < offset.size(); ++k) {
      switch (form_.reach[k]) {
        case Reach::unit: place.offset[k] = b_.add(offset[k], i); break;
        case Reach::strided: place.offset[k] = b_.add(offset[k], b_.mul(i, args_.inner[k])); break;
        case Reach::periodic: place.offset[k] = b_.get(phase_); break;
        case Reach::gathered:
          place.offset[k] =
              b_.add(offset[k], b_.add(b_.mul(b_.get(rows_), args_.row_stride[k]),
                                       b_.mul(b_.get(columns_), args_.column_stride[k])));
          break;
        default: break;
      }
    }
    return place;
  }

  void body(const Place& place) {
    auto partials = point_.evaluate(place);
    for (std::size_t i = 0; i < partials.size(); ++i) {
      const Reduction& reduction = form_.reductions[i];
      if (sums_[i].empty()) {  // the row is kept: every lane has its own
        point_.store_partial(i, place,
                             combine(b_, reduction, point_.load_partial(i, place), partials[i]));
        continue;
      }
      std::vector<Value> held;
      for (const Value& sum : sums_[i]) held.push_back(b_.get(sum));
      auto next = combine(b_, reduction, held, partials[i]);
      for (std::size_t s = 0; s < next.size(); ++s) {
        if (place.count)
          next[s] = b_.select(b_.op(Code::lt, b_.lane(), place.count), next[s], held[s]);
        b_.set(sums_[i][s], next[s]);
      }
    }
  }

  /// Partial results of the lanes, for reductions along the row.
  void open_sums() {
    sums_.assign(form_.reductions.size(), {});
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (form_.reach[form_.first_partial() + i] != Reach::uniform) continue;
      for (const Value& one : identity(b_, form_.reductions[i])) {
        sums_[i].push_back(b_.variable(one, true));
      }
    }
  }

  void close_sums(const Place& start) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].empty()) continue;
      std::vector<Value> lanes;
      for (const Value& sum : sums_[i]) lanes.push_back(b_.get(sum));
      const Reduction& reduction = form_.reductions[i];
      const auto row = across_lanes(b_, reduction, lanes);
      point_.store_partial(i, start, combine(b_, reduction, point_.load_partial(i, start), row));
    }
  }

  // Flat walks keep the column and the row of the lanes as they go: a division per place would cost
  // more than the work.
  void prepare_flat() {
    step_column_ = b_.op(Code::rem, lanes_, args_.period);
    step_row_ = b_.op(Code::div, lanes_, args_.period);
    gathers_ = std::ranges::find(form_.reach, Reach::gathered) != form_.reach.end();
  }

  void open_flat() {
    phase_ = b_.variable(args_.column, false);
    if (!gathers_) return;
    const Value at = b_.add(args_.column, b_.lane());
    columns_ = b_.variable(b_.op(Code::rem, at, args_.period), true);
    rows_ = b_.variable(b_.add(args_.row, b_.op(Code::div, at, args_.period)), true);
  }

  /// The column after one more step, and whether it began another row.
  std::pair<Value, Value> stepped(Value column) {
    const Value next = b_.add(b_.get(column), step_column_);
    const Value wraps = b_.op(Code::le, args_.period, next);
    return {b_.select(wraps, b_.sub(next, args_.period), next), wraps};
  }

  void advance_flat() {
    b_.set(phase_, stepped(phase_).first);
    if (!gathers_) return;
    const auto [column, wraps] = stepped(columns_);
    b_.set(columns_, column);
    b_.set(rows_, b_.add(b_.add(b_.get(rows_), step_row_), b_.convert(wraps, DType::int64)));
  }

  Builder& b_;
  const PassForm& form_;
  PointCode point_;
  PassArguments args_;
  Value lanes_, count_, whole_;
  std::vector<std::vector<Value>> sums_;  ///< per reduction: variables, or none
  bool gathers_ = false;
  Value step_column_, step_row_, phase_, columns_, rows_;
};

}  // namespace

Kernel PassLoops::kernel(const Target& target) const {
  Builder builder("pass", target);
  LoopCode(builder, form).run();
  return builder.finish();
}

Dims PassLoops::fixed() const {
  Dims out;
  if (form.flat) out.push_back(walk.period);
  for (std::size_t k = 0; k < form.operands(); ++k) {
    const Reach reach = form.reach[k];
    if (reach == Reach::unused) continue;
    const WalkOperand& operand = walk.operands[k];
    for (std::size_t d = 0; d + 1 < form.rank; ++d) out.push_back(operand.strides[d]);
    if (reach == Reach::strided) out.push_back(operand.strides.back());
    if (reach != Reach::gathered) continue;
    out.push_back(operand.row_stride);
    out.push_back(operand.column_stride);
  }
  return out;
}

std::size_t PassLoops::varying() const {
  std::size_t count = form.rank + (form.flat ? 2 : 0);
  for (std::size_t k = form.first_index(); k < form.first_partial(); ++k) {
    if (form.reach[k] != Reach::unused) ++count;
  }
  return count;
}

std::int64_t PassLoops::offset(std::size_t operand, const WalkBox& box) const {
  const WalkOperand& of = walk.operands[operand];
  std::int64_t offset = of.base;
  for (std::size_t d = 0; d < form.rank; ++d) offset += box.first[d] * of.strides[d];
  return offset;
}

void PassLoops::put_varying(const WalkBox& box, std::int64_t* integers) const {
  integers = std::copy(box.extent.begin(), box.extent.end(), integers);
  for (std::size_t k = form.first_index(); k < form.first_partial(); ++k) {
    if (form.reach[k] != Reach::unused) *integers++ = offset(k, box);
  }
  if (!form.flat) return;
  *integers++ = box.first.back() % walk.period;
  *integers++ = box.first.back() / walk.period;
}

}  // namespace mw::codegen
