// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Checks of a product's arguments.
#pragma once

#include "base/text.hpp"

namespace mw::matmul_checks {

inline constexpr const char* kOperation = "matmul";

/// Errors: invalid_argument with the pieces as its message, unless it holds.
template <class... Pieces>
void expect(bool holds, const Pieces&... pieces) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_argument, kOperation, ": ", pieces...);
}

}  // namespace mw::matmul_checks
