// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/skinny_kernel.hpp"

#include <algorithm>

#include "codegen/lower.hpp"
#include "expr/types.hpp"

namespace mw::matmul_impl {

namespace {

using codegen::Access;
using codegen::Builder;
using codegen::Pair;
using codegen::Target;
using codegen::Value;

/// Registers are for R·C sums, C vectors of B, one of A and what the epilog needs.
struct Tile {
  std::int64_t rows, vectors;
};

Tile tile_of(const SkinnyForm& form, const Target& target) {
  const std::int64_t lanes = target.lanes;
  const std::int64_t vectors = (form.n + lanes - 1) / lanes;
  const std::int64_t width = form.arithmetic == DType::float64 ? 2 : 1;  // registers of a vector
  const std::int64_t sums = std::max<std::int64_t>((target.registers - 4) / width, 2);
  const std::int64_t columns = std::min<std::int64_t>(vectors, 2);
  // Eight independent sums hide the latency of a fused multiply-add on two ports.
  return {std::clamp<std::int64_t>(sums / columns, 1, 8), columns};
}

class Generator {
 public:
  Generator(const SkinnyForm& form, const Target& target)
      : form_(form),
        b_("skinny", target),
        tile_(tile_of(form, target)),
        lanes_(target.lanes),
        stream_alignment_(static_cast<int>(skinny_stream_alignment(form, target))) {
    a_ = b_.pointer("a");
    bp_ = b_.pointer("b");
    for (std::size_t i = 0; i < form.arrays.size(); ++i) {
      const std::size_t tensors = form.function->tensors.size();
      arrays_.push_back(b_.pointer(i < tensors ? form.function->tensors[i].name
                                               : form.function->outputs[i - tensors].name));
    }
    static constexpr const char* kIntegers[] = {"first row",    "end row",   "rows of a",
                                                "columns of a", "rows of b", "row index"};
    for (const char* name : kIntegers) integers_.push_back(b_.integer(name));
    for (std::size_t i = 0; i < form.arrays.size(); ++i) {
      row_strides_.push_back(b_.integer("row stride"));
      column_strides_.push_back(b_.integer("column stride"));
    }
    alpha_ = b_.convert(b_.scalar("alpha"), form.arithmetic);
    for (const auto& scalar : form.function->scalars) {
      const DType type = expr::computing_dtype(scalar.dtype);
      scalars_.push_back({b_.convert(b_.scalar(scalar.name), type), {}});
    }
  }

  codegen::Kernel generate() {
    const Value step = b_.constant_integer(tile_.rows);
    const Value first = integers_[kFirstRow];
    const Value end = integers_[kEndRow];
    // Whole tiles end where fewer rows than one are left.
    const Value count = b_.sub(end, first);
    const Value whole = b_.mul(b_.op(codegen::Code::div, count, step), step);
    const Value middle = b_.add(first, whole);
    rows(b_.begin_for(first, middle, step), tile_.rows);
    b_.end_for();
    if (tile_.rows > 1) {
      rows(b_.begin_for(middle, end, b_.constant_integer(1)), 1);
      b_.end_for();
    }
    return b_.finish();
  }

 private:
  void rows(Value row, std::int64_t count) {
    std::vector<Value> numbers;
    for (std::int64_t r = 0; r < count; ++r) {
      numbers.push_back(b_.add(row, b_.constant_integer(r)));
    }
    // A loop over whole blocks of columns instead of a copy of the code for each: 64 columns
    // compile in a third of the time.
    const std::int64_t block = lanes_ * tile_.vectors;
    const std::int64_t whole = form_.n / block * block;
    if (whole > block) {
      const Value column = b_.begin_for(b_.constant_integer(0), b_.constant_integer(whole),
                                        b_.constant_integer(block));
      tile(numbers, column, block);
      b_.end_for();
    } else if (whole == block) {
      tile(numbers, b_.constant_integer(0), block);
    }
    if (whole < form_.n) tile(numbers, b_.constant_integer(whole), form_.n - whole);
  }

  /// Some columns beside each other, and which of their lanes are active; none: all.
  struct Columns {
    Value first;
    Value count;
  };

  void tile(const std::vector<Value>& row_numbers, Value first, std::int64_t width) {
    std::vector<Columns> columns;
    for (std::int64_t at = 0; at < width; at += lanes_) {
      columns.push_back({b_.add(first, b_.constant_integer(at)),
                         at + lanes_ <= width ? Value{} : b_.constant_integer(width - at)});
    }
    const std::vector<Value> sums = summed(row_numbers, columns);
    for (std::size_t r = 0; r < row_numbers.size(); ++r) {
      for (std::size_t v = 0; v < columns.size(); ++v) {
        const Value x = b_.mul(alpha_, sums[r * columns.size() + v]);
        point(x, row_numbers[r], columns[v]);
      }
    }
  }

  std::vector<Value> summed(const std::vector<Value>& row_numbers,
                            const std::vector<Columns>& columns) {
    const std::size_t count = row_numbers.size() * columns.size();
    const Value zero = b_.broadcast(b_.constant(form_.arithmetic, 0));
    std::vector<Value> starts;
    for (const Value row : row_numbers) starts.push_back(b_.mul(row, integers_[kRowsOfA]));
    // One step of k at a time: of several, LLVM moves the loads ahead and runs out of registers
    // (200k×64×64, eight steps: 28.6 ms instead of 14.2), and of few it is as fast (1M×8×8).
    std::vector<Value> variables;
    for (std::size_t i = 0; i < count; ++i) variables.push_back(b_.variable(zero, true));
    const auto now = [&] {
      std::vector<Value> sums;
      for (const Value variable : variables) sums.push_back(b_.get(variable));
      return sums;
    };
    const Value l =
        b_.begin_for(b_.constant_integer(0), b_.constant_integer(form_.k), b_.constant_integer(1));
    const std::vector<Value> next = step(now(), starts, columns, l);
    for (std::size_t i = 0; i < count; ++i) b_.set(variables[i], next[i]);
    b_.end_for();
    return now();
  }

  /// sums + A[rows, l] · B[l, columns]
  std::vector<Value> step(const std::vector<Value>& sums, const std::vector<Value>& starts,
                          const std::vector<Columns>& columns, Value l) {
    std::vector<Value> vectors;
    const Value line = b_.mul(l, integers_[kRowsOfB]);
    for (const Columns& column : columns) {
      const Access at{.pointer = bp_,
                      .memory = form_.b,
                      .offset = b_.add(line, column.first),
                      .count = column.count};
      vectors.push_back(arithmetic(b_.load(at, true)));
    }
    std::vector<Value> next;
    const Value along = b_.mul(l, integers_[kColumnsOfA]);
    for (std::size_t r = 0; r < starts.size(); ++r) {
      const Access at{.pointer = a_, .memory = form_.a, .offset = b_.add(starts[r], along)};
      const Value number = arithmetic(b_.load(at, false));
      for (std::size_t v = 0; v < vectors.size(); ++v) {
        next.push_back(b_.fma(b_.broadcast(number), vectors[v], sums[r * vectors.size() + v]));
      }
    }
    return next;
  }

  Value arithmetic(Value value) {
    return value.type == form_.arithmetic ? value : b_.convert(value, form_.arithmetic);
  }

  Access access(std::size_t array, Value row, const Columns& columns) {
    const Value start = b_.mul(row, row_strides_[array]);
    Access at{.pointer = arrays_[array], .memory = form_.arrays[array], .offset = start};
    if (form_.columns[array] == SkinnyForm::Columns::repeated) return at;
    at.count = columns.count;
    if (form_.columns[array] == SkinnyForm::Columns::unit) {
      at.offset = b_.add(start, columns.first);
    } else {
      at.stride = column_strides_[array];
      at.offset = b_.add(start, b_.mul(columns.first, column_strides_[array]));
    }
    return at;
  }

  void point(Value x, Value row, const Columns& columns) {
    codegen::Leaves leaves;
    leaves.element = [&](std::int64_t) { return Pair{x, {}}; };
    leaves.tensor = [&](std::int64_t which) {
      const auto array = static_cast<std::size_t>(which);
      const bool vector = form_.columns[array] != SkinnyForm::Columns::repeated;
      return Pair{b_.load(access(array, row, columns), vector), {}};
    };
    leaves.scalar = [&](std::int64_t which) { return scalars_[static_cast<std::size_t>(which)]; };
    leaves.index = [&](std::int64_t axis) {
      if (axis == -2) return b_.add(row, integers_[kRowIndex]);
      return b_.add(b_.lane(), b_.broadcast(columns.first));
    };
    const std::vector<Pair> values = codegen::lower(b_, *form_.function, leaves);
    const std::size_t tensors = form_.function->tensors.size();
    for (std::size_t o = 0; o < values.size(); ++o) {
      const Value value = values[o].re.vector ? values[o].re : b_.broadcast(values[o].re);
      Access to = access(tensors + o, row, columns);
      if (form_.stream) to.alignment = stream_alignment_;
      b_.store(to, value, form_.stream);
    }
  }

  const SkinnyForm& form_;
  Builder b_;
  Tile tile_;
  std::int64_t lanes_;
  int stream_alignment_;
  int a_ = 0, bp_ = 0;
  std::vector<int> arrays_;
  std::vector<Value> integers_, row_strides_, column_strides_;
  Value alpha_;
  std::vector<Pair> scalars_;
};

}  // namespace

codegen::Kernel skinny_kernel(const SkinnyForm& form, const Target& target) {
  return Generator(form, target).generate();
}

std::int64_t skinny_rows(const SkinnyForm& form, const Target& target) {
  return tile_of(form, target).rows;
}

std::int64_t skinny_stream_alignment(const SkinnyForm& form, const Target& target) {
  constexpr std::int64_t kPiece = 16, kLine = 64;
  const std::int64_t columns = tile_of(form, target).vectors * target.lanes;
  std::int64_t narrowest = 16;
  for (const DType dtype : form.arrays) {
    narrowest = std::min(narrowest, static_cast<std::int64_t>(itemsize(dtype)));
  }
  if (form.n <= columns) return kPiece;
  return columns * narrowest % kLine == 0 ? kLine : 0;
}

}  // namespace mw::matmul_impl
