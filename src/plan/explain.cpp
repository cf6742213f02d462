// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// explain(): what was planned and why, as a page of text.
#include <algorithm>
#include <string_view>

#include "plan/rates.hpp"
#include "plan/session.hpp"

namespace mw {

namespace {

std::string padded(std::string word, std::size_t width) {
  word.resize(std::max(width, word.size() + 1), ' ');
  return word;
}

std::string operand_lines(const AnyProblem& problem) {
  std::string lines;
  const Operands& operands = problem.operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& operand = operands[i];
    lines += text("  ", padded(problem.operand_name(i), 10), padded(std::string(name(operand.dtype)), 12),
                  operand.shape, "  strides ", operand.strides,
                  operand.conjugate ? "  conjugated" : "", "\n");
  }
  return lines;
}

/// A page needs the verdict only: the places a search went through are in `mathwright info`.
std::string_view verdict(std::string_view note) {
  return note.find('\n') == std::string_view::npos ? note : note.substr(0, note.find(". "));
}

std::string candidate_lines(const Selection& selection) {
  std::string lines;
  for (const auto& entry : selection.considered) {
    const bool chosen = entry.accepted && entry.name == selection.chosen;
    lines += text("  ", chosen ? "* " : "  ", padded(entry.name, 15),
                  padded(entry.accepted ? human_seconds(entry.estimate) : "refused", 11),
                  verdict(entry.note), "\n");
  }
  return lines;
}

std::string copy_lines(const Selection& selection) {
  if (selection.copies.empty()) return "copies      none\n";
  std::string lines = "copies\n";
  for (const auto& copy : selection.copies) {
    lines += text("  ", padded(copy.operand, 10), padded(human_bytes(static_cast<double>(copy.bytes)), 12),
                  copy.why, "\n");
  }
  return lines;
}

}  // namespace

std::string explain(const AnyProblem& problem, const Selection& selection) {
  const auto& [memory, context] = selection.placement;
  const Work work = problem.work();
  const Rates rate = rates(context.device, context.threads, problem.operands().back().dtype);
  const bool by_compute = work.flops / rate.flops > work.bytes / rate.bandwidth;
  return text(problem.operation(), "      ", problem.title(), "\n", operand_lines(problem),
              "operands in ", memory, ", runs on ", context.device,
              context.device.is_cpu() ? text(", up to ", context.threads, " threads") : "", "\n",
              "candidates  (* chosen: lowest estimate)\n", candidate_lines(selection),
              copy_lines(selection), "workspace   ",
              human_bytes(static_cast<double>(selection.plan->workspace_bytes())), "\n",
              "floor       ", human_seconds(floor_seconds(work, rate)), " (",
              by_compute ? "arithmetic" : "memory", ": ", work.flops / 1e6, " Mflop, ",
              human_bytes(work.bytes), "), estimated ", human_seconds(selection.plan->estimate()), "\n");
}

}  // namespace mw
