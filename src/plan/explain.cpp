// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// explain(): what was planned and why, as a page of text.
#include <algorithm>

#include "plan/rates.hpp"
#include "plan/session.hpp"

namespace mw {

namespace {

/// Padded to a width in characters, of which UTF-8 may need several bytes (µ).
std::string padded(std::string word, std::size_t width) {
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(word, [](char byte) { return (byte & 0xC0) != 0x80; }));
  return word + std::string(width > characters ? width - characters : 1, ' ');
}

std::string operand_lines(const AnyProblem& problem) {
  std::string lines;
  const Operands& operands = problem.operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& operand = operands[i];
    lines += text("  ", padded(problem.operand_name(i), 10),
                  padded(std::string(name(operand.dtype)), 12), operand.shape, "  strides ",
                  operand.strides, operand.conjugate ? "  conjugated" : "", "\n");
  }
  return lines;
}

constexpr std::size_t kNameWidth = 15;
constexpr std::size_t kTimeWidth = 11;

bool any_measured(const Selection& selection) {
  return std::ranges::any_of(selection.considered,
                             [](const Considered& entry) { return entry.measured.has_value(); });
}

/// A page needs the verdict of a refusal only: the places a search went through are in
/// `mathwright info`. A plan's description goes on under itself.
std::string note(const Considered& entry, std::size_t width) {
  if (!entry.accepted) {
    const auto several = entry.note.find('\n') != std::string::npos;
    return several ? entry.note.substr(0, entry.note.find(". ")) : entry.note;
  }
  std::string lines;
  for (const std::string& line : split(entry.note, "\n")) {
    lines += (lines.empty() ? "" : "\n" + std::string(width, ' ')) +
             line.substr(line.find_first_not_of(' '));
  }
  return lines;
}

/// By the values of ChosenBy.
constexpr const char* kChosenBy[] = {"lowest estimate", "measured fastest by autotune",
                                     "tuned: measured fastest earlier, says the tuning file",
                                     "by the caller"};

std::string candidate_lines(const Selection& selection) {
  const bool measured = any_measured(selection);
  const std::size_t width = 4 + kNameWidth + (measured ? 2 : 1) * kTimeWidth;
  std::string lines = text("candidates  (", measured ? "estimated, measured; " : "",
                           "* chosen: ", kChosenBy[static_cast<std::size_t>(selection.by)], ")\n");
  for (const auto& entry : selection.considered) {
    const bool chosen = entry.accepted && entry.name == selection.chosen;
    lines += text("  ", chosen ? "* " : "  ", padded(entry.name, kNameWidth),
                  padded(entry.accepted ? human_seconds(entry.estimate) : "refused", kTimeWidth));
    if (measured) {
      lines += padded(entry.measured ? human_seconds(*entry.measured) : "", kTimeWidth);
    }
    lines += note(entry, width) + "\n";
  }
  return lines;
}

std::string copy_lines(const Selection& selection) {
  if (selection.copies.empty()) return "copies      none\n";
  std::string lines = "copies\n";
  for (const auto& copy : selection.copies) {
    lines += text("  ", padded(copy.operand, 10),
                  padded(human_bytes(static_cast<double>(copy.bytes)), 12), copy.why, "\n");
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
              candidate_lines(selection), copy_lines(selection), "workspace   ",
              human_bytes(static_cast<double>(selection.plan->workspace_bytes())), "\n",
              "floor       ", human_seconds(floor_seconds(work, rate)), " (",
              by_compute ? "arithmetic" : "memory", ": ", work.flops / 1e6, " Mflop, ",
              human_bytes(work.bytes), "), estimated ", human_seconds(selection.plan->estimate()),
              "\n");
}

}  // namespace mw
