// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Splice: an epilog rewritten around another value in the place of its element. New leaves come
// first, the old nodes after them, so that what is appended may use both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/function.hpp"

namespace mw {

class Splice {
 public:
  /// With `c`, C is the first tensor and the old ones follow.
  Splice(const expr::Function& old, std::optional<DType> c);

  expr::NodeId add(expr::Node node);
  /// An operation that gives the element's dtype.
  expr::NodeId apply(expr::Op op, expr::NodeId a, expr::NodeId b = expr::kNone,
                     expr::NodeId c = expr::kNone);
  expr::NodeId constant(double value);
  expr::NodeId element();
  /// A new tensor, or run-time scalar, after those there are. The tensor is read in the element's
  /// dtype.
  expr::NodeId tensor(std::string name, DType stored);
  expr::NodeId scalar(std::string name);
  /// A value in the element's dtype.
  expr::NodeId converted(expr::NodeId value);

  /// x + beta·C, or x + scale·beta·C; beta is a new run-time scalar, and C's values do not count
  /// when it is 0.
  expr::NodeId plus_c(expr::NodeId x, expr::NodeId scale = expr::kNone);

  /// The old nodes, with x for their element.
  void copy_old(expr::NodeId x);
  /// The old output, of the copied nodes.
  [[nodiscard]] expr::Output output(const expr::Output& old) const;
  void add_output(expr::Output output) { made_.outputs.push_back(std::move(output)); }

  [[nodiscard]] DType dtype() const { return type_; }
  [[nodiscard]] expr::FunctionPtr finish();

 private:
  const expr::Function& old_;
  DType type_;  ///< of the element
  std::optional<DType> c_;
  expr::Function made_;
  std::vector<expr::NodeId> place_;  ///< of every old node
};

}  // namespace mw
