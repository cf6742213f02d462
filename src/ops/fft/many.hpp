// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Transforms in the terms of the "many" interface that cuFFT and FFTW share.
//
// The problem: we take any strides and any number of axes; that interface takes at most three axes
// whose element (b; x0, x1, x2) is at
//
//     b·distance + ((x0·embed1 + x1)·embed2 + x2)·stride
//
// on each side, the axes in the same order on both. So a transform becomes a list of passes, each
// over a few axes; in a pass one batch axis is the library's and the others are loops around it;
// and where that does not fit, or would crawl, an operand is copied into another layout first.
// Which of these is a question of cost:
//
//     seconds = Σ over passes (calls · rate.call + bytes · penalty / rate.bandwidth) + Σ over
//     copies
//
// with the penalty kScattered on a side whose neighbours in memory belong to different calls or to
// distant threads (neither stride nor distance is 1).
//
// All of this is pure, and tested without any of the libraries.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/layout.hpp"
#include "ops/fft/problem.hpp"
#include "plan/rates.hpp"

namespace mw {

/// The batch of a transform, all axes but those transformed, as loops: merged where both sides
/// allow, strides[0] of the input, strides[1] of the output.
[[nodiscard]] LoopNest batch_loops(const Dims& axes, const OperandLayout& in,
                                   const OperandLayout& out);

/// Number of iterations of such loops, and where one of them starts.
[[nodiscard]] std::int64_t count_of(const LoopNest& loops);
struct LoopStart {
  std::int64_t in = 0;
  std::int64_t out = 0;
};
[[nodiscard]] LoopStart start_of(const LoopNest& loops, std::int64_t iteration);

/// What one library asks beyond the formula above.
struct ManyRules {
  std::size_t most_axes = 3;
  bool pairs_of_reals = false;  ///< a real side starts at a multiple of two elements
  bool unit_real_stride =
      false;  ///< a real side's last axis has stride 1 (half precision in cuFFT)
};

/// One side of a pass.
struct ManySide {
  Dims embed;
  std::int64_t stride = 1;
  std::int64_t distance = 1;
};

/// Where a pass reads and writes.
enum class ManyPlace : std::uint8_t { input, copy, result };

struct ManyPass {
  FFTType type = FFTType::c2c;
  ManyPlace from = ManyPlace::input;
  ManyPlace to = ManyPlace::result;
  Dims lengths;  ///< slowest first; for r2c and c2r the last is the halved axis
  ManySide in;
  ManySide out;
  std::int64_t batch = 1;
  LoopNest loops;  ///< strides[0] of the input, strides[1] of the output

  [[nodiscard]] std::int64_t calls() const { return count_of(loops); }
  [[nodiscard]] bool scattered_in() const { return in.stride != 1 && in.distance != 1; }
  [[nodiscard]] bool scattered_out() const { return out.stride != 1 && out.distance != 1; }
};

/// Real numbers inside the copy: `layout`, starting `offset` reals after the copy's first.
struct ManyReals {
  OperandLayout layout;
  std::int64_t offset = 0;
};

/// A way to do a whole problem.
struct ManyRecipe {
  std::vector<ManyPass> passes;
  /// Set to zero before the last pass: the imaginary parts that a real result cannot have. We
  /// promise to ignore them and the libraries do not; transforming the other axes first makes them
  /// few.
  std::vector<ManyReals> zeroed;
  /// The input copied into the workspace in this layout before the first pass: for c2r, which these
  /// libraries let destroy its input.
  std::optional<OperandLayout> copy;
  double seconds = 0;
};

/// One pass over `axes` (for r2c and c2r the last of them halved), the other axes being its batch.
[[nodiscard]] Outcome<ManyPass> make_many_pass(FFTType type, const Dims& axes,
                                               const OperandLayout& in, const OperandLayout& out,
                                               const ManyRules& rules, const Rates& rate);

/// The cheapest recipe, or the operands' layouts that it needs. Refuses if no layout helps.
[[nodiscard]] std::variant<ManyRecipe, Relayout, Refusal> make_many_recipe(
    const FFTProblem& problem, const ManyRules& rules, const Rates& rate);

}  // namespace mw
