// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Pieces of the transcendental functions that compound functions are made of. (`math` itself is in
// lower.hpp.)
#pragma once

#include "codegen/lower.hpp"

namespace mw::codegen {

/// 1 + erf(x/√2), accurate where it is small too (x far below 0): twice the normal distribution
/// function. Host and device.
[[nodiscard]] Value twice_normal_cdf(Builder& builder, Value x);

}  // namespace mw::codegen
