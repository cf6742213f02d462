// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The named epilogs of matrix products as functions, so that whatever takes expressions takes
// them.
//
// The element is "x", α·A·B + β·C. GELU is the tanh form,
//   x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))),  as cuBLASLt computes it.
#pragma once

#include <optional>

#include "expr/function.hpp"

namespace mw::expr {

enum class Activation : std::uint8_t { none, relu, gelu, drelu, dgelu };

/// What a named epilog does. Tensors, in this order: "bias" if there is one; "relu_aux" (bool) of
/// drelu; "gelu_aux" of dgelu. Outputs, in this order: "result"; with `aux`, "relu_aux" (bool,
/// whether x + bias > 0) or "gelu_aux" (x + bias); with `gradient_of_bias`, "drelu_bgrad" or
/// "dgelu_bgrad", the sum of the result over its columns (axis -1), since a bias runs along rows.
struct Epilog {
  Activation activation = Activation::none;
  bool bias = false;
  bool aux = false;               ///< relu and gelu: what the backward pass will need
  bool gradient_of_bias = false;  ///< drelu and dgelu
};

struct EpilogDTypes {
  DType element = DType::float32;  ///< of x, as it is produced
  DType result = DType::float32;   ///< as stored
  std::optional<DType> bias = std::nullopt, aux = std::nullopt,
                       gradient = std::nullopt;  ///< default: result
};

/// relu(x + bias) and its kin, simplified. Errors: invalid_argument for a combination that has no
/// meaning (aux without relu or gelu, a bias gradient without drelu or dgelu), and for complex
/// dtypes with an activation.
[[nodiscard]] FunctionPtr epilog_function(const Epilog& epilog, const EpilogDTypes& dtypes);

/// x as it is.
[[nodiscard]] FunctionPtr identity_function(DType element, DType result);

/// "RELU_AUX_BIAS", as the peer calls it; DEFAULT for nothing.
[[nodiscard]] std::string name(const Epilog& epilog);

}  // namespace mw::expr
