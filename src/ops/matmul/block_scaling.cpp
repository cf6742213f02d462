// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/block_scaling.hpp"

#include "base/layout.hpp"
#include "ops/matmul/expect.hpp"

namespace mw {

namespace {

using matmul_checks::expect;
using matmul_checks::kOperation;

/// Two elements a byte.
bool is_packed(DType dtype) { return dtype == DType::float4_e2m1fn_x2; }
bool may_have_blocks(DType dtype) { return is_packed(dtype) || float8_max(dtype).has_value(); }

/// Bytes of NumPy, which has no packed float4, are such pairs.
TensorRef as_elements(TensorRef view, BlockFormat format) {
  if (format == BlockFormat::nvfp4 && view.dtype == DType::uint8) {
    view.dtype = DType::float4_e2m1fn_x2;
  }
  return view;
}

/// The operand as if it were stored in float32; packed along `axis` from the end.
TensorRef as_float32(const TensorRef& view, std::size_t axis) {
  TensorRef wide = view;
  wide.dtype = DType::float32;
  if (is_packed(view.dtype)) wide.shape[view.rank() - axis] *= 2;
  wide.strides = contiguous_strides(wide.shape);
  return wide;
}

void check_operand(const TensorRef& view, const char* name, BlockFormat format) {
  check_view(kOperation, name, view);
  const bool fits =
      format == BlockFormat::nvfp4 ? is_packed(view.dtype) : float8_max(view.dtype).has_value();
  expect(fits, "operand ", name, " has dtype ", view.dtype, "; ",
         format == BlockFormat::nvfp4 ? "float4_e2m1fn_x2" : "float8_e4m3fn or float8_e5m2",
         " is wanted for both block-scaled operands");
  expect(view.rank() >= 2, "operand ", name, " has shape ", view.shape,
         "; a matrix, perhaps with batch axes, is wanted for block-scaled operands");
}

void check_extents(const TensorRef& a, const TensorRef& b, BlockFormat format) {
  const std::int64_t m = a.shape[a.rank() - 2], k = a.shape.back(), n = b.shape.back();
  const std::int64_t unit = block_length(format) * 4;
  expect(m % 128 == 0 && n % 128 == 0 && k % unit == 0, "m, n and k are ", m, ", ", n, " and ", k,
         "; multiples of 128, 128 and ", unit, " are wanted for block scales. Pad with zeros.");
  bool same_batch = a.rank() == b.rank();
  for (std::size_t i = 0; same_batch && i + 2 < a.rank(); ++i)
    same_batch = a.shape[i] == b.shape[i];
  expect(same_batch, "a has shape ", a.shape, " and b ", b.shape,
         "; equal batch axes are wanted for block-scaled operands, which do not broadcast");
}

void check_scales(const std::optional<TensorRef>& scales, const char* name, const TensorRef& wide,
                  const TensorRef& a, BlockFormat format) {
  expect(scales.has_value(), "the ", name, " is missing; block scales are wanted for a and b");
  check_view(kOperation, name, *scales);
  const DType dtype = format == BlockFormat::nvfp4 ? DType::float8_e4m3fn : DType::uint8;
  const std::int64_t count = wide.size() / block_length(format);
  expect(scales->dtype == dtype && scales->rank() == 1 && scales->shape[0] == count &&
             (count < 2 || scales->strides[0] == 1),
         "the ", name, " has dtype ", scales->dtype, " and shape ", scales->shape, "; ", dtype,
         " and (", count, "), without gaps, are wanted: a scale for every ", block_length(format),
         " elements");
  expect(scales->device == a.device, "the ", name, " is on ", scales->device, " and operand a on ",
         a.device, "; one device is wanted for all. Move one of them.");
}

/// The result in its own format instead of float32, and its scales.
void narrow_result(MatmulProblem& problem, DType dtype, BlockFormat format) {
  OperandLayout& d = problem.operands.back();
  const std::size_t rank = d.shape.size();
  const bool by_rows = d.strides[rank - 1] == 1;
  const std::size_t along = by_rows ? rank - 1 : rank - 2;
  d.dtype = dtype;
  if (is_packed(dtype)) {
    d.shape[along] /= 2;
    for (std::size_t i = 0; i < rank; ++i) {
      if (i != along) d.strides[i] /= 2;
    }
  }
  problem.result_shape = d.shape;
  problem.result_strides = d.strides;
  std::int64_t count = 1;
  for (const std::int64_t extent : problem.inner->d().shape) count *= extent;
  count /= block_length(format);
  const DType scale = format == BlockFormat::nvfp4 ? DType::float8_e4m3fn : DType::uint8;
  problem.aux.push_back({.name = "d_out_scale", .dtype = scale, .shape = {count}, .strides = {1}});
  problem.operands.insert(problem.operands.end() - 1,
                          {.dtype = scale, .shape = {count}, .strides = {1}});
}

}  // namespace

MatmulRequest make_block_scaled(const MatmulOperands& operands, const MatmulOptions& options,
                                const MatmulExtras& extras) {
  const BlockFormat format = extras.block;
  const TensorRef a = as_elements(operands.a, format), b = as_elements(operands.b, format);
  check_operand(a, "a", format);
  check_operand(b, "b", format);
  const TensorRef wide_a = as_float32(a, 1), wide_b = as_float32(b, 2);
  check_extents(wide_a, wide_b, format);
  check_scales(extras.block_a, kScaleNames[0], wide_a, a, format);
  check_scales(extras.block_b, kScaleNames[1], wide_b, a, format);
  const DType result = extras.result_type.value_or(operands.c ? operands.c->dtype : a.dtype);
  expect(!may_have_blocks(result) || is_packed(result) == is_packed(a.dtype),
         "the result's dtype is ", result, " and the operands have ", a.dtype,
         "; their own format, or a wider dtype, is wanted");
  expect(!may_have_blocks(result) || !operands.out,
         "out, or option inplace, with a block-scaled result; leave it away");

  MatmulExtras inner_extras = extras;
  inner_extras.block = BlockFormat::none;
  inner_extras.result_type = may_have_blocks(result) ? DType::float32 : result;
  MatmulRequest request = make_matmul(
      {.a = wide_a, .b = wide_b, .c = operands.c, .out = operands.out}, options, inner_extras);
  MatmulProblem& problem = request.problem;
  for (auto* operand : {&problem.operands[0], &problem.operands[1]}) operand->alignment = 16;
  problem.inner = std::make_shared<const MatmulProblem>(problem);
  problem.block = format;
  problem.operands[0] = layout_of(a);
  problem.operands[1] = layout_of(b);
  const auto first_aux = static_cast<std::ptrdiff_t>(problem.first_aux());
  problem.operands.insert(problem.operands.begin() + first_aux,
                          {layout_of(*extras.block_a), layout_of(*extras.block_b)});
  if (may_have_blocks(result)) narrow_result(problem, result, format);
  // Bytes for bytes.
  if (operands.a.dtype == DType::uint8 && is_packed(result)) {
    problem.operands.back().dtype = DType::uint8;
  }
  expect(problem.operands.size() < kMostOperands, "the epilog has too many inputs and outputs; ",
         kMostOperands, " operands in all are possible");
  Arguments& arguments = request.arguments;
  arguments.inputs[0] = operands.a;
  arguments.inputs[1] = operands.b;
  arguments.inputs.push_back(*extras.block_a);
  arguments.inputs.push_back(*extras.block_b);
  return request;
}

}  // namespace mw
