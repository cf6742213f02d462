// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_point.hpp"

#include <algorithm>

#include "expr/types.hpp"

namespace mw::codegen {

const Reduction* PassForm::reduction_of(std::size_t output) const {
  for (const auto& reduction : reductions) {
    if (reduction.output == output) return &reduction;
  }
  return nullptr;
}

std::vector<std::int64_t> index_axes_of(const expr::Function& function) {
  std::vector<std::int64_t> axes;
  for (const auto& node : function.nodes) {
    if (node.op == expr::Op::index) axes.push_back(node.integer);
  }
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

PointCode::PointCode(Builder& builder, const PassForm& form) : b_(builder), form_(form) {
  const auto& function = *form.function;
  const auto name_of = [&](std::size_t array) {
    const std::size_t inputs = function.elements.size() + function.tensors.size();
    if (array >= inputs) return function.outputs[array - inputs].name;
    if (array >= function.elements.size()) {
      return function.tensors[array - function.elements.size()].name;
    }
    return function.elements[array].name;
  };
  for (std::size_t k = 0; k < form.arrays.size(); ++k) pointers_.push_back(b_.pointer(name_of(k)));
  for (const auto& reduction : form.reductions) {
    auto& slots = partials_.emplace_back();
    for (std::size_t s = 0; s < reduction.slots.size(); ++s) {
      slots.push_back(b_.pointer(function.outputs[reduction.output].name + " so far"));
    }
  }
  for (const auto& scalar : function.scalars) {
    const DType arithmetic = expr::computing_dtype(scalar.dtype);
    const DType part = real_dtype(arithmetic);
    Pair value{b_.convert(b_.scalar(scalar.name), part), {}};
    if (is_complex(arithmetic)) value.im = b_.convert(b_.scalar(scalar.name + ".imag"), part);
    scalars_.push_back(value);
  }
  uniform_.resize(form.arrays.size());
}

Access PointCode::access(int pointer, DType memory, std::size_t operand, const Place& place) const {
  const Reach reach = form_.reach[operand];
  const auto vector_bytes = static_cast<int>(itemsize(memory)) * b_.target().lanes;
  return {.pointer = pointer,
          .memory = memory,
          .offset = place.offset[operand],
          .stride = reach == Reach::strided ? place.stride[operand] : Value{},
          .count = reach == Reach::uniform ? Value{} : place.count,
          .alignment = operand < form_.alignment.size()
                           ? std::min(form_.alignment[operand], vector_bytes)
                           : 0};
}

Value PointCode::read_part(std::size_t array, const Place& place, int part) {
  const DType dtype = form_.arrays[array];
  const Reach reach = form_.reach[array];
  Access from = access(pointers_[array], real_dtype(dtype), array, place);
  if (is_complex(dtype)) {  // parts alternate
    const Value two = b_.constant_integer(2);
    from.offset = b_.add(b_.mul(from.offset, two), b_.constant_integer(part));
    if (reach != Reach::uniform) from.stride = from.stride ? b_.mul(from.stride, two) : two;
  }
  if (reach == Reach::gathered) {
    return b_.gather(from.pointer, from.memory, from.offset, from.count);
  }
  return b_.load(from, reach != Reach::uniform);
}

Pair PointCode::read(std::size_t array, const Place& place) {
  if (uniform_[array].re) return uniform_[array];
  Pair value{read_part(array, place, 0), {}};
  if (is_complex(form_.arrays[array])) value.im = read_part(array, place, 1);
  return value;
}

void PointCode::read_uniform(const Place& place) {
  const std::size_t inputs = form_.array_of(0);
  for (std::size_t k = 0; k < inputs; ++k) {
    uniform_[k] = {};
    if (form_.reach[k] == Reach::uniform) uniform_[k] = read(k, place);
  }
}

void PointCode::write(std::size_t array, const Place& place, Pair value) {
  const DType dtype = form_.arrays[array];
  const bool vector = form_.reach[array] != Reach::uniform;
  Access to = access(pointers_[array], real_dtype(dtype), array, place);
  const auto whole = [&](Value part) { return vector ? b_.broadcast(part) : part; };
  if (!is_complex(dtype)) return b_.store(to, whole(value.re), form_.stream);
  // The two stores stand together, so that a back end may make one of them.
  const Value two = b_.constant_integer(2);
  to.offset = b_.mul(to.offset, two);
  if (vector) to.stride = to.stride ? b_.mul(to.stride, two) : two;
  Access second = to;
  second.offset = b_.add(to.offset, b_.constant_integer(1));
  second.alignment = 0;
  const Value re = whole(value.re), im = whole(value.im);
  b_.store(to, re, form_.stream);
  b_.store(second, im, form_.stream);
}

Value PointCode::number(std::size_t operand, const Place& place) {
  const Value first = place.offset[operand];
  switch (form_.reach[operand]) {
    case Reach::unit: return b_.add(first, b_.lane());
    case Reach::strided: return b_.add(first, b_.mul(b_.lane(), place.stride[operand]));
    default: return first;
  }
}

Leaves PointCode::leaves(const Place& place) {
  const std::size_t elements = form_.function->elements.size();
  return {
      .element = [this, &place](
                     std::int64_t which) { return read(static_cast<std::size_t>(which), place); },
      .tensor =
          [this, &place, elements](std::int64_t which) {
            return read(elements + static_cast<std::size_t>(which), place);
          },
      .scalar = [this](std::int64_t which) { return scalars_[static_cast<std::size_t>(which)]; },
      .index =
          [this, &place](std::int64_t axis) {
            const auto found = std::ranges::find(form_.index_axes, axis);
            const auto at = static_cast<std::size_t>(found - form_.index_axes.begin());
            return number(form_.first_index() + at, place);
          },
  };
}

std::vector<std::vector<Value>> PointCode::evaluate(const Place& place) {
  const std::vector<Pair> values = lower(b_, *form_.function, leaves(place));
  std::vector<std::vector<Value>> partials(form_.reductions.size());
  for (std::size_t i = 0; i < form_.reductions.size(); ++i) {
    const Reduction& reduction = form_.reductions[i];
    const Value position =
        reduction.has_position() ? number(form_.first_position() + i, place) : Value{};
    partials[i] = partial(b_, reduction, values[reduction.output], position);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!form_.reduction_of(i)) write(form_.array_of(i), place, values[i]);
  }
  return partials;
}

std::vector<Value> PointCode::load_partial(std::size_t reduction, const Place& place) {
  const std::size_t operand = form_.first_partial() + reduction;
  std::vector<Value> out;
  for (std::size_t s = 0; s < partials_[reduction].size(); ++s) {
    const DType memory = form_.reductions[reduction].slots[s];
    out.push_back(b_.load(access(partials_[reduction][s], memory, operand, place),
                          form_.reach[operand] != Reach::uniform));
  }
  return out;
}

void PointCode::store_partial(std::size_t reduction, const Place& place,
                              const std::vector<Value>& slots) {
  const std::size_t operand = form_.first_partial() + reduction;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const DType memory = form_.reductions[reduction].slots[s];
    const bool vector = form_.reach[operand] != Reach::uniform;
    b_.store(access(partials_[reduction][s], memory, operand, place),
             vector ? b_.broadcast(slots[s]) : slots[s]);
  }
}

}  // namespace mw::codegen
