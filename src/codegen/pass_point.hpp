// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The code of a pass at one place: lanes that read their operands, evaluate the function, and write
// or reduce. Which places there are is the business of the loops around it.
#pragma once

#include <vector>

#include "codegen/pass_reduce.hpp"

namespace mw::codegen {

/// What the lanes of the innermost loop see of an operand.
enum class Reach : std::uint8_t {
  unused,
  uniform,   ///< one number for all
  unit,      ///< neighbours
  strided,   ///< numbers a run-time stride apart
  periodic,  ///< neighbours in a copy that goes round (flat walks)
  gathered,  ///< numbers anywhere (flat walks)
};

/// What a kernel of a pass is compiled for. Operands are the arrays, then the indices the function
/// asks for, then the positions and then the partial results of its reductions.
struct PassForm {
  std::shared_ptr<const expr::Function> function;
  std::vector<DType> arrays;
  std::vector<std::int64_t> index_axes;  ///< from the end, as the function names them
  std::vector<Reduction> reductions;
  std::vector<Reach> reach;  ///< per operand
  std::size_t rank = 1;      ///< loops
  bool flat = false;
  bool stream = false;  ///< results go around the caches
  std::vector<int> alignment =
      {};  ///< per array: bytes that divide the address of every first lane

  [[nodiscard]] std::size_t first_index() const { return arrays.size(); }
  [[nodiscard]] std::size_t first_position() const { return arrays.size() + index_axes.size(); }
  [[nodiscard]] std::size_t first_partial() const { return first_position() + reductions.size(); }
  /// Whether the operand is an index or a position: a number, not memory.
  [[nodiscard]] bool is_number(std::size_t operand) const {
    return operand >= first_index() && operand < first_partial();
  }
  [[nodiscard]] std::size_t operands() const { return first_partial() + reductions.size(); }
  /// The array of an output.
  [[nodiscard]] std::size_t array_of(std::size_t output) const {
    return function->elements.size() + function->tensors.size() + output;
  }
  /// The reduction of an output; null where it has none.
  [[nodiscard]] const Reduction* reduction_of(std::size_t output) const;
};

/// The axes whose index the function uses, from the end, ascending.
[[nodiscard]] std::vector<std::int64_t> index_axes_of(const expr::Function& function);

/// Where the lanes are: each operand's element offset (of the first lane, or, gathered, of every
/// lane), its stride where it is strided, and how many lanes are active.
struct Place {
  std::vector<Value> offset, stride;
  Value count;
};

class PointCode {
 public:
  /// Declares pointers (arrays, then the slots of the partial results) and scalars.
  PointCode(Builder& builder, const PassForm& form);

  /// Reads what is uniform here once for all places in the loop that follows.
  void read_uniform(const Place& place);
  /// Evaluates, stores the outputs that are no reductions, and returns the partial result of every
  /// reduction.
  std::vector<std::vector<Value>> evaluate(const Place& place);

  /// Partial results in memory.
  std::vector<Value> load_partial(std::size_t reduction, const Place& place);
  void store_partial(std::size_t reduction, const Place& place, const std::vector<Value>& slots);

 private:
  Pair read(std::size_t array, const Place& place);
  Value read_part(std::size_t array, const Place& place, int part);
  void write(std::size_t array, const Place& place, Pair value);
  Value number(std::size_t operand, const Place& place);
  Access access(int pointer, DType memory, std::size_t operand, const Place& place) const;
  Leaves leaves(const Place& place);

  Builder& b_;
  const PassForm& form_;
  std::vector<int> pointers_;               ///< per array
  std::vector<std::vector<int>> partials_;  ///< per reduction and slot
  std::vector<Pair> scalars_;
  std::vector<Pair> uniform_;  ///< per array, where read
};

}  // namespace mw::codegen
