// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the passes of both sides share.
#pragma once

#include <array>
#include <vector>

#include "codegen/pass.hpp"
#include "codegen/pass_loops.hpp"

namespace mw::codegen {

/// Operations per point: transcendental functions count 10, complex ones 4.
[[nodiscard]] double flops_of(const expr::Function& function);

/// Errors: invalid_argument, unsupported: what no pass can do.
void check_problem(const PassProblem& problem);

/// The run-time scalars as a kernel takes them: real parts, and imaginary ones of complex scalars.
class KernelScalars {
 public:
  KernelScalars(const expr::Function& function, const std::complex<double>* scalars) {
    if (2 * function.scalars.size() > few_.size()) many_.resize(2 * function.scalars.size());
    double* const values = many_.empty() ? few_.data() : many_.data();
    for (std::size_t i = 0; i < function.scalars.size(); ++i) {
      values[size_++] = scalars[i].real();
      if (is_complex(function.scalars[i].dtype)) values[size_++] = scalars[i].imag();
    }
  }
  [[nodiscard]] const double* data() const { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<double, 32> few_;  // so that an execution allocates nothing
  std::vector<double> many_;
  std::size_t size_ = 0;
};

}  // namespace mw::codegen
