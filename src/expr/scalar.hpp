// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The inside of the public Scalar.
#pragma once

#include <memory>

#include <mathwright/expr.hpp>

#include "expr/builder.hpp"

namespace mw::expr {

using BuilderPtr = std::shared_ptr<Builder>;

struct ScalarAccess {
  [[nodiscard]] static Scalar make(const BuilderPtr& builder, Term term);
  [[nodiscard]] static const BuilderPtr& builder(const Scalar& scalar) { return scalar.builder_; }
  /// As a term of this builder. Errors: invalid_argument for one of another function.
  [[nodiscard]] static Term term(const BuilderPtr& builder, const Scalar& scalar);
  /// Of a number written down. Errors: invalid_argument for any other.
  [[nodiscard]] static Number value(const Scalar& scalar);
};

/// While it lives, functions of numbers only, and index(), belong to this builder. One per thread;
/// they nest.
class Recording {
 public:
  explicit Recording(BuilderPtr builder);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

 private:
  BuilderPtr before_;
};

}  // namespace mw::expr
