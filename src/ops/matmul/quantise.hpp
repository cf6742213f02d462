// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Scales of narrow matrices, as a part of the epilog's function:
//
//   D = s_d · F(s_a·s_b·alpha·A·B + s_c·beta·C)
//
// Numbers that multiply A, B and C are folded into alpha and beta; all else becomes tensors of one
// element and run-time scalars of the function, so that every implementation that takes functions
// takes scales. Narrow results are clamped to their finite range, as they are stored by hardware.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mathwright/tensor.hpp>

#include "expr/function.hpp"

namespace mw {

/// What a matrix is multiplied by: a number, or one float32 in memory.
struct Scale {
  double number = 1;
  std::optional<TensorRef> tensor;
};

struct Quantisation {
  std::optional<Scale> a, b, c, d;
  std::optional<Scale> aux;  ///< of the auxiliary result
  bool result_amax = false;  ///< also give max |F(…)|, as "result_amax"
  bool aux_amax = false;     ///< and that of the auxiliary result, "gelu_aux_amax"

  using NamedTensor = std::pair<const char*, const TensorRef*>;
  /// Scales in memory, in the order of the function's parameters.
  [[nodiscard]] std::vector<NamedTensor> tensors() const;
  /// Run-time scalars of the function, in its order: the numbers of d and aux.
  [[nodiscard]] std::vector<double> numbers() const;
  /// What alpha and beta are multiplied by.
  [[nodiscard]] double number_of_product() const;
  [[nodiscard]] double number_of_c() const;
};

/// Names of the scales as operands and scalars, by a, b, c, d, aux.
inline constexpr std::array<const char*, 5> kScaleNames = {"scale of a", "scale of b", "scale of c",
                                                           "scale of d", "aux_quantization_scale"};

struct QuantisedFunction {
  expr::FunctionPtr function;        ///< the one given, if it does all already
  bool adds_c = false;               ///< C is its first tensor, beta its last scalar
  std::vector<std::string> largest;  ///< new outputs, before "result"
};

/// The function with the scales. Its tensors: [C,] those it had, the scales'; its scalars: those
/// it had, the scales' numbers, [beta].
[[nodiscard]] QuantisedFunction with_scales(const expr::FunctionPtr& function,
                                            const Quantisation& scales, bool has_c, DType c);

/// The largest finite value of a float8; nothing for other types.
[[nodiscard]] std::optional<double> float8_max(DType dtype);

}  // namespace mw
