// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/gemm_form.hpp"

#include <algorithm>

#include "base/layout.hpp"
#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"

namespace mw::matmul_impl {

std::optional<Stored> stored(const OperandLayout& operand, bool by_rows) {
  const std::size_t rank = operand.shape.size();
  auto [rows, columns] = std::pair{operand.shape[rank - 2], operand.shape[rank - 1]};
  auto [outer, inner] = steps(operand);
  if (!by_rows) {
    std::swap(rows, columns);
    std::swap(outer, inner);
  }
  // Now `rows` lines of `columns` elements, whichever the order is called.
  const std::int64_t line = std::max<std::int64_t>(columns, 1);
  if (columns > 1 && inner != 1) return std::nullopt;
  if (rows > 1 && outer < line) return std::nullopt;
  return Stored{.by_rows = by_rows, .ld = rows > 1 ? outer : line};
}

OperandLayout rows_first(const OperandLayout& operand) {
  OperandLayout layout = dense_like(operand);
  Dims stored_shape = operand.shape;
  for (std::size_t i = 0; i + 2 < stored_shape.size(); ++i) {
    if (operand.strides[i] == 0) stored_shape[i] = 1;
  }
  layout.strides = contiguous_strides(stored_shape);
  for (std::size_t i = 0; i + 2 < stored_shape.size(); ++i) {
    if (operand.strides[i] == 0) layout.strides[i] = 0;
  }
  return layout;
}

namespace {

/// How an operand enters a call of the given order; nothing if it cannot.
struct Entry {
  GemmOp op;
  std::int64_t ld;
};
std::optional<Entry> entry(const OperandLayout& operand, bool call_by_rows) {
  if (!operand.aligned_to_element()) return std::nullopt;
  const auto straight = stored(operand, call_by_rows);
  if (straight && !operand.conjugate) return Entry{GemmOp::none, straight->ld};
  if (const auto turned = stored(operand, !call_by_rows)) {
    return Entry{operand.conjugate ? GemmOp::conjugate_transpose : GemmOp::transpose, turned->ld};
  }
  return std::nullopt;
}

std::optional<GemmForm> form_in_order(const MatmulProblem& problem, bool call_by_rows) {
  if (!problem.d().aligned_to_element()) return std::nullopt;
  const auto d = stored(problem.d(), call_by_rows);
  const auto a = entry(problem.a(), call_by_rows);
  const auto b = entry(problem.b(), call_by_rows);
  if (!d || !a || !b) return std::nullopt;
  return GemmForm{call_by_rows, a->op, b->op, a->ld, b->ld, d->ld};
}

std::optional<GemmForm> form_of(const MatmulProblem& problem) {
  auto form = form_in_order(problem, true);
  return form ? form : form_in_order(problem, false);
}

Relayout relayout_of(const MatmulProblem& problem) {
  Relayout relayout{.reason = "GEMM takes rows or columns of unit stride, without bare conjugation",
                    .entries = {}};
  const OperandLayout& d = problem.d();
  const bool d_fits = d.aligned_to_element() && (stored(d, true) || stored(d, false));
  const bool order = !d_fits || stored(d, true).has_value();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (!entry(problem.operands[i], order))
      relayout.entries.push_back({i, rows_first(problem.operands[i])});
  }
  if (!d_fits) relayout.entries.push_back({problem.d_index(), rows_first(d)});
  return relayout;
}

}  // namespace

std::variant<GemmCall, Relayout> gemm_call(const MatmulProblem& problem) {
  MatmulProblem folded = fold_batch(problem);
  if (const auto form = form_of(folded)) return GemmCall{std::move(folded), *form};
  if (const auto form = form_of(problem)) return GemmCall{problem, *form};
  return relayout_of(problem);
}

std::variant<GemmForm, Relayout> gemm_form(const MatmulProblem& problem) {
  if (const auto form = form_of(problem)) return *form;
  return relayout_of(problem);
}

namespace {

/// Whether the batch axis just before the matrix axes goes on where axis `axis` (rank−2 rows,
/// rank−1 columns) ends.
bool continues(const OperandLayout& operand, std::size_t axis) {
  const std::size_t batch = operand.shape.size() - 3;
  return operand.shape[axis] == 1 ||
         operand.strides[batch] == operand.strides[axis] * operand.shape[axis];
}

void merge(OperandLayout& operand, std::size_t axis) {
  const std::size_t batch = operand.shape.size() - 3;
  if (operand.shape[axis] == 1) operand.strides[axis] = operand.strides[batch];
  operand.shape[axis] *= operand.shape[batch];
  operand.shape.erase(batch);
  operand.strides.erase(batch);
}

void drop_batch(OperandLayout& operand) {
  const std::size_t batch = operand.shape.size() - 3;
  operand.shape.erase(batch);
  operand.strides.erase(batch);
}

}  // namespace

MatmulProblem fold_batch(MatmulProblem problem) {
  while (problem.batch_rank() > 0) {
    const std::size_t rank = problem.d().shape.size();
    const std::size_t batch = rank - 3;
    if (problem.d().shape[batch] == 1) {
      for (auto& operand : problem.operands) drop_batch(operand);
      continue;
    }
    // side 0: B is shared and the rows of A, C, D go on; side 1: A is shared and columns go on.
    bool folded = false;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t axis = rank - 2 + side;
      const OperandLayout& shared = problem.operands[1 - side];
      bool folds = shared.strides[batch] == 0 && problem.d().shape[axis] > 0;
      for (std::size_t i = 0; i < problem.operands.size() && folds; ++i) {
        if (i != 1 - side) folds = continues(problem.operands[i], axis);
      }
      if (!folds) continue;
      for (std::size_t i = 0; i < problem.operands.size(); ++i) {
        if (i == 1 - side) {
          drop_batch(problem.operands[i]);
        } else {
          merge(problem.operands[i], axis);
        }
      }
      folded = true;
      break;
    }
    if (!folded) break;
  }
  return problem;
}

bool may_fold(const MatmulProblem& problem) {
  return (!problem.epilog || is_elementwise(*problem.epilog)) && !mask_operand(problem) &&
         !problem.summed_operand();
}

}  // namespace mw::matmul_impl
