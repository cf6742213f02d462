// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The matrix product as a problem: D = F(alpha · op(A)·op(B) + beta · C) over a batch, every
// operand with the full shape (batch…, rows, columns); an operand repeated over an axis has stride
// 0 there. Auxiliary results of named epilogs have the shapes of their formats.
//
// Run-time scalars: alpha, beta, those of the epilog. C is read only if has_c and beta ≠ 0; C and D
// may be the same view.
#pragma once

#include <span>
#include <string>

#include <mathwright/matmul.hpp>

#include "ops/matmul/epilog.hpp"
#include "ops/matmul/quantise.hpp"
#include "plan/candidate.hpp"
#include "plan/session.hpp"

namespace mw {

/// In which arithmetic a product is computed; `standard` is the operands' own, narrow ones summed
/// in float32. Values are cublasComputeType_t's. Anything but `standard` allows what it names, and
/// an implementation may be more exact.
enum class MatmulCompute : std::uint8_t {
  standard = 0,
  f16 = 64,
  f16_pedantic = 65,
  f32 = 68,
  f32_pedantic = 69,
  f64 = 70,
  f64_pedantic = 71,
  f32_fast_16f = 74,
  f32_fast_16bf = 75,
  f32_fast_tf32 = 77,
  f32_emulated_16bfx9 = 78,
  f64_emulated = 79,
};

/// Which scales operands have beside those of the whole matrix (block_scaling.hpp).
enum class BlockFormat : std::uint8_t { none, mxfp8, nvfp4 };

/// What a caller may ask for beyond MatmulOptions.
struct MatmulExtras {
  std::optional<EpilogRequest> epilog = std::nullopt;
  MatmulCompute compute = MatmulCompute::standard;
  std::optional<DType> result_type = std::nullopt;  ///< of D; by default C's, else A's
  bool fast_accumulation = false;                   ///< float8: partial sums of fewer bits
  int multiprocessors = 0;                          ///< how many the work may use; 0: all
  bool broadcast_c = false;  ///< C may be (…, m, 1), and lack the batch axes
  std::optional<Quantisation> quantisation = std::nullopt;
  BlockFormat block = BlockFormat::none;
  std::optional<TensorRef> block_a = std::nullopt, block_b = std::nullopt;  ///< their scales
};

struct MatmulProblem {
  static constexpr const char* kOperation = "matmul";

  Operands operands;  ///< a, b, [c,] the epilog's tensors, auxiliary results, d
  bool has_c = false;
  Dims result_shape;  ///< of D as the user sees it: without the axes that 1-D operands were given
  Dims result_strides;

  NamedEpilog named = NamedEpilog::custom;
  expr::FunctionPtr epilog;  ///< null: none. Its outputs: auxiliary ones, then "result"
  std::string epilog_key;    ///< the epilog's fields
  std::vector<AuxResult> aux;
  MatmulCompute compute = MatmulCompute::standard;
  bool fast_accumulation = false;
  int multiprocessors = 0;
  bool quantised = false;  ///< the epilog applies scales beside what its name says
  BlockFormat block = BlockFormat::none;
  std::shared_ptr<const MatmulProblem> inner;  ///< of a block-scaled product, on plain operands

  auto fields() const {
    return std::tuple{field("operands", operands),
                      field("has_c", has_c),
                      field("result_shape", result_shape),
                      field("result_strides", result_strides),
                      field("named", named),
                      field("epilog", epilog_key),
                      field("aux", aux),
                      field("compute", compute),
                      field("fast_accumulation", fast_accumulation),
                      field("multiprocessors", multiprocessors),
                      field("quantised", quantised),
                      field("block", block)};
  }

  [[nodiscard]] const OperandLayout& a() const { return operands[0]; }
  [[nodiscard]] const OperandLayout& b() const { return operands[1]; }
  [[nodiscard]] const OperandLayout& c() const { return operands[2]; }
  [[nodiscard]] const OperandLayout& d() const { return operands.back(); }
  [[nodiscard]] std::size_t d_index() const { return operands.size() - 1; }
  [[nodiscard]] std::size_t first_tensor() const { return has_c ? 3 : 2; }
  [[nodiscard]] std::size_t first_aux() const { return d_index() - aux.size(); }
  [[nodiscard]] std::size_t batch_rank() const { return d().shape.size() - 2; }
  [[nodiscard]] std::int64_t m() const { return d().shape[batch_rank()]; }
  [[nodiscard]] std::int64_t n() const { return d().shape.back(); }
  [[nodiscard]] std::int64_t k() const { return a().shape.back(); }
  [[nodiscard]] std::int64_t batch() const;  ///< number of products
  /// One dtype everywhere and no epilog: what a BLAS call can do.
  [[nodiscard]] bool is_plain() const;

  /// The operand whose sums over k are a result, of BGRADA and BGRADB.
  [[nodiscard]] std::optional<std::size_t> summed_operand() const;

  [[nodiscard]] const char* operand_name(std::size_t index) const;
  [[nodiscard]] std::string title() const;
  /// As tests/conformance writes it; empty for what it cannot say (epilogs, mixed dtypes).
  [[nodiscard]] std::string case_line() const;
  [[nodiscard]] Work work() const;
  [[nodiscard]] static std::span<const Candidate<MatmulProblem>> candidates();
};

/// What make_matmul() makes of a user's call.
struct MatmulRequest {
  MatmulProblem problem;
  Arguments arguments;
  /// Run-time scalar that is beta: 1, or one of the epilog's if that adds C.
  std::size_t beta_scalar = 1;
};

/// Validates and normalises; pure. Errors: invalid_argument, with the operand, the value seen and
/// the value wanted.
[[nodiscard]] MatmulRequest make_matmul(const MatmulOperands& operands,
                                        const MatmulOptions& options,
                                        const MatmulExtras& extras = {});

}  // namespace mw
