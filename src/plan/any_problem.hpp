// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// AnyProblem: an operation's problem behind one face, so that placement, cache, selection and
// session are written once and know no operation.
//
// An operation provides a struct P with
//   Operands operands;                                   inputs, then results, the main one last
//   Dims result_shape, result_strides;                   the result as the user sees it
//   auto fields() const;                                 all of it, for the cache key
//   Work work() const;                                   floor of the roofline
//   static constexpr const char* kOperation;             "matmul"
//   static std::span<const Candidate<P>> candidates();   in order of preference
//   static std::span<const char* const> names;           of the operands, by position:
//   operand_name(i) std::string title() const;                           the formula, for explain()
// and gets the rest. One with results beside the main one also has
//   std::vector<AuxResult> aux;                          in the order of their operands
// and one that a line of a case file can say
//   std::string case_line() const;                       that line; empty if this one cannot be
//   said
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "plan/candidate.hpp"

namespace mw {

/// A result beside the main one, as the user sees it.
struct AuxResult {
  std::string name;
  DType dtype = DType::float32;
  Dims shape, strides;

  auto fields() const {
    return std::tuple{field("name", name), field("dtype", dtype), field("shape", shape),
                      field("strides", strides)};
  }
};

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
  [[nodiscard]] virtual std::span<const AuxResult> aux() const = 0;
  /// Operands that are read; the others are results, the main one last.
  [[nodiscard]] std::size_t input_count() const { return operands().size() - aux().size() - 1; }
  [[nodiscard]] virtual Work work() const = 0;
  /// The problem as a line of a case file; empty if there is none.
  [[nodiscard]] virtual std::string case_line() const = 0;
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
  std::span<const AuxResult> aux() const override {
    if constexpr (requires { problem_.aux; }) return problem_.aux;
    return {};
  }
  Work work() const override { return problem_.work(); }
  std::string case_line() const override {
    if constexpr (requires { problem_.case_line(); }) return problem_.case_line();
    return {};
  }
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
