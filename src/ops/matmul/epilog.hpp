// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The epilog of a product: D = F(alpha·A·B + beta·C), F a function of the expression language over
// D's index space.
//
// The named epilogs are predefined functions with the memory formats of the library they come from:
// a bias along the rows of D, bit masks and padded auxiliary matrices in column order. An
// implementation may recognise the name; all others take the function.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mathwright/tensor.hpp>

#include "expr/epilogs.hpp"
#include "expr/types.hpp"
#include "plan/plan.hpp"

namespace mw {

/// Values are cublasLtEpilogue_t's, which users of the peer know.
enum class NamedEpilog : std::uint16_t {
  custom = 0,  ///< a function of the user's, or none
  relu = 2,
  bias = 4,
  relu_bias = 6,
  gelu = 32,
  gelu_bias = 36,
  relu_aux = 130,
  relu_aux_bias = 134,
  drelu = 136,
  drelu_bgrad = 152,
  gelu_aux = 160,
  gelu_aux_bias = 164,
  dgelu = 192,
  dgelu_bgrad = 208,
  bgrada = 256,
  bgradb = 512,
};

/// What a named epilog takes and gives besides D.
struct NamedEpilogRow {
  NamedEpilog value;
  const char* name;  ///< "RELU_BIAS"
  expr::Activation activation;
  bool bias;                 ///< needs "bias": (m), (m, 1) or (…, m, 1)
  const char* aux_in;        ///< needs this: the aux_out of the forward epilog
  const char* aux_out;       ///< gives this: bit mask ("relu_aux") or argument ("gelu_aux")
  const char* gradient_out;  ///< gives this sum: of D's rows, or of op(A) or op(B) over k
  bool column_order;         ///< D is stored by columns unless told otherwise
};

[[nodiscard]] std::span<const NamedEpilogRow> named_epilogs();
/// Null for `custom`.
[[nodiscard]] const NamedEpilogRow* named_epilog(NamedEpilog value);

/// What a caller asks for.
struct EpilogRequest {
  NamedEpilog named = NamedEpilog::custom;
  /// Custom: traced with the element's dtype computing_dtype(a); the main output is "result".
  expr::FunctionPtr function = nullptr;
  /// Custom: in the function's order. Named: bias, then aux_in, as far as the row needs them.
  std::vector<TensorRef> tensors = {};
  std::vector<ScalarValue> scalars = {};  ///< the function's run-time scalars
  /// Named: the dtype of gelu_aux; by default D's.
  std::optional<DType> aux_type = std::nullopt;
};

/// The rows of a mask with one bit for each of m rows: bytes, padded to 16.
[[nodiscard]] constexpr std::int64_t mask_rows(std::int64_t m) {
  return ((m + 7) / 8 + 15) / 16 * 16;
}
/// The rows of a padded auxiliary matrix.
[[nodiscard]] constexpr std::int64_t aux_rows(std::int64_t m) { return (m + 7) / 8 * 8; }

struct EpilogTypes {
  DType element, result, bias, aux;
};

/// The function of a named epilog, with outputs in the problem's order: auxiliary ones, "result"
/// last. Masks are bool tensors of D's shape here; the sums of BGRADA and BGRADB, which are not of
/// D, are missing.
[[nodiscard]] expr::FunctionPtr named_function(const NamedEpilogRow& row, const EpilogTypes& types);

/// The same function of x + beta·c instead of x, c a tensor (the first) and beta a run-time scalar
/// (the last); c's values do not count when beta is 0.
[[nodiscard]] expr::FunctionPtr with_c(const expr::Function& function, DType c);

/// Outputs reordered: the main one last.
[[nodiscard]] expr::FunctionPtr main_output_last(expr::FunctionPtr function);

/// Whether D's axes may be merged with batch axes under it: no index, no reduction.
[[nodiscard]] bool is_elementwise(const expr::Function& function);

}  // namespace mw
