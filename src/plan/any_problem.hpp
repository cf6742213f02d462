// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// AnyProblem: an operation's problem behind one face, so that placement, cache, selection and
// session are written once and know no operation.
//
// An operation provides a struct P with
//   Operands operands;                                   inputs, result last
//   Dims result_shape, result_strides;                   the result as the user sees it
//   auto fields() const;                                 all of it, for the cache key
//   Work work() const;                                   floor of the roofline
//   static constexpr const char* kOperation;             "matmul"
//   static std::span<const Candidate<P>> candidates();   in order of preference
//   static std::span<const char* const> names;           of the operands, by position:
//   operand_name(i) std::string title() const;                           the formula, for explain()
// and gets the rest.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "plan/candidate.hpp"

namespace mw {

class AnyProblem {
 public:
  AnyProblem() = default;
  AnyProblem(const AnyProblem&) = default;
  AnyProblem& operator=(const AnyProblem&) = default;
  virtual ~AnyProblem();

  [[nodiscard]] virtual const char* operation() const = 0;
  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual const char* operand_name(std::size_t index) const = 0;
  [[nodiscard]] virtual const Operands& operands() const = 0;
  [[nodiscard]] virtual Operands& operands() = 0;
  [[nodiscard]] virtual const Dims& result_shape() const = 0;
  [[nodiscard]] virtual const Dims& result_strides() const = 0;
  [[nodiscard]] virtual Work work() const = 0;
  virtual void add_to(Key& key) const = 0;
  [[nodiscard]] virtual std::unique_ptr<AnyProblem> clone() const = 0;

  [[nodiscard]] virtual std::size_t candidate_count() const = 0;
  [[nodiscard]] virtual const char* candidate_name(std::size_t index) const = 0;
  /// Asks one candidate about this problem with its operands in other layouts.
  [[nodiscard]] virtual Answer ask(std::size_t index, const Operands& layouts,
                                   const Context& context) const = 0;
};

template <class Problem>
class ProblemOf final : public AnyProblem {
 public:
  explicit ProblemOf(Problem value) : problem_(std::move(value)) {}

  [[nodiscard]] const Problem& problem() const { return problem_; }

  const char* operation() const override { return Problem::kOperation; }
  std::string title() const override { return problem_.title(); }
  const char* operand_name(std::size_t index) const override {
    return problem_.operand_name(index);
  }
  const Operands& operands() const override { return problem_.operands; }
  Operands& operands() override { return problem_.operands; }
  const Dims& result_shape() const override { return problem_.result_shape; }
  const Dims& result_strides() const override { return problem_.result_strides; }
  Work work() const override { return problem_.work(); }
  void add_to(Key& key) const override { key.add(problem_); }
  std::unique_ptr<AnyProblem> clone() const override { return std::make_unique<ProblemOf>(*this); }

  std::size_t candidate_count() const override { return Problem::candidates().size(); }
  const char* candidate_name(std::size_t index) const override {
    return Problem::candidates()[index].name;
  }
  Answer ask(std::size_t index, const Operands& layouts, const Context& context) const override {
    Problem relaid = problem_;
    relaid.operands = layouts;
    return Problem::candidates()[index].try_plan(relaid, context);
  }

 private:
  Problem problem_;
};

}  // namespace mw
