// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// How the walk of a pass on the host is cut into items, which threads take one after another.
#pragma once

#include "codegen/pass_loops.hpp"

namespace mw::codegen {

struct Split {
  std::size_t lead = 0;     ///< outer axes of which an item has one index
  std::size_t axis = 0;     ///< of which an item has a piece
  std::int64_t piece = 1;   ///< of that axis
  std::int64_t pieces = 1;  ///< in that axis
  std::int64_t items = 1;
  /// Copies of the partial results that run() needs. Items of one copy run one after another in
  /// order, so that results do not depend on the timing of threads.
  std::int64_t copies = 1;
  std::int64_t tile = 0;  ///< pieces of the last axis in which an item is run; 0: whole
  bool small = false;     ///< not worth a second thread

  /// Item `index`, moved on by `head` elements of the only axis.
  [[nodiscard]] WalkBox item(const Walk& walk, std::int64_t index, std::int64_t head) const;
};

[[nodiscard]] Split plan_split(const PassLoops& loops, int threads);

}  // namespace mw::codegen
