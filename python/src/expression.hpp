// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Value: what a user's function sees while it is recorded: stands for a number, and writes down
// what is done with it.
#pragma once

#include <memory>
#include <optional>

#include <nanobind/nanobind.h>

#include "errors.hpp"
#include "expr/builder.hpp"

namespace mw::py {

/// One function being recorded.
struct Recording {
  expr::Builder builder;
  std::optional<int> rank;  ///< axes of the iteration space, where it is known
};
using RecordingPtr = std::shared_ptr<Recording>;

struct Value {
  RecordingPtr recording;
  expr::Term term;
};

/// The point's index as a tuple of Values.
struct IndexTuple {
  RecordingPtr recording;
};

/// A recorded function as Python holds it, inside of mathwright.Expr.
struct FunctionObject {
  expr::FunctionPtr function;
};

/// The recording that functions without operands belong to; none outside of one. Per thread.
[[nodiscard]] RecordingPtr current_recording();
/// Makes a recording the current one, as long as it lives.
class CurrentRecording {
 public:
  explicit CurrentRecording(RecordingPtr recording);
  CurrentRecording(const CurrentRecording&) = delete;
  CurrentRecording& operator=(const CurrentRecording&) = delete;
  ~CurrentRecording();

 private:
  RecordingPtr before_;
};

/// A Value, or a Python or NumPy number, as a term. Errors: TypeMismatchError for arrays (which are
/// passed as inputs) and for what is no number.
[[nodiscard]] expr::Term term_of(const RecordingPtr& recording, nb::handle object,
                                 std::string_view what);

/// The dtype of a Python or NumPy number; nothing for anything else. A bool is bool, an int int64,
/// a float float64, a complex complex128.
[[nodiscard]] std::optional<DType> number_dtype(nb::handle object);

/// A dtype from its name, a NumPy dtype or scalar type, or anything with a `dtype`. Errors:
/// InvalidArgumentError.
[[nodiscard]] DType dtype_of_object(nb::handle object, std::string_view what);

/// Axes (None, an int, a tuple of ints) as bits of a reduction node. Errors: InvalidArgumentError
/// for axes from the front where the rank is not known, out of range, or given twice.
[[nodiscard]] std::int64_t axes_of_object(nb::handle axes, std::optional<int> rank,
                                          std::string_view what);
/// One axis as its place from the end.
[[nodiscard]] std::int64_t axis_from_end(nb::handle axis, std::optional<int> rank,
                                         std::string_view what);

}  // namespace mw::py
