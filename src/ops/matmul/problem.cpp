// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/problem.hpp"

#include <algorithm>

#include "base/layout.hpp"
#include "ops/matmul/block_scaling.hpp"
#include "ops/matmul/expect.hpp"
#include "ops/matmul/problem_epilog.hpp"

namespace mw {

namespace {

using matmul_checks::expect;
using matmul_checks::kOperation;

void check_device(const TensorRef& a, const TensorRef& other, const char* name_of_other) {
  expect(other.device == a.device, "operand ", name_of_other, " is on ", other.device,
         " and operand a on ", a.device, "; one device is wanted for all. Move one of them.");
}

bool is_float8(DType dtype) { return dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2; }

void check_alike(const TensorRef& a, const TensorRef& other, const char* name_of_other) {
  const bool both_float8 = is_float8(a.dtype) && is_float8(other.dtype);
  expect(other.dtype == a.dtype || both_float8, "operand ", name_of_other, " has dtype ",
         other.dtype, " and operand a has ", a.dtype,
         "; one dtype is wanted for all. Convert one of them.");
  check_device(a, other, name_of_other);
}

/// C of narrow operands, or of a product whose result type was asked for, may be wider.
void check_dtype_of_c(const TensorRef& a, const TensorRef& c, std::optional<DType> result) {
  check_device(a, c, "c");
  const bool fits = c.dtype == result || c.dtype == a.dtype ||
                    (expr::is_narrow(a.dtype) && is_complex(c.dtype) == is_complex(a.dtype));
  expect(fits, "operand c has dtype ", c.dtype, " and operand a has ", a.dtype,
         "; one dtype is wanted for all. Convert one of them.");
}

void check_dtype(const TensorRef& a) {
  const DType computed = expr::computing_dtype(a.dtype);
  const bool known = computed == DType::float32 || computed == DType::float64 ||
                     computed == DType::complex64 || computed == DType::complex128;
  expect(
      known && a.dtype != DType::float4_e2m1fn_x2, "dtype ", a.dtype,
      " is unsupported; float32, float64, complex64 or complex128, or a narrower float (float16, "
      "bfloat16, float8, complex32), is wanted. Convert the operands.");
}

/// A 1-D operand becomes a row (a) or column (b).
TensorRef as_matrix(TensorRef view, std::size_t axis) {
  if (view.rank() > 1) return view;
  view.shape.insert(axis, 1);
  view.strides.insert(axis, 0);
  return view;
}

/// Batch axes of a and b by NumPy's broadcasting rule.
Dims broadcast_batch(const TensorRef& a, const TensorRef& b) {
  const std::size_t rank = std::max(a.rank(), b.rank()) - 2;
  Dims batch(rank, 1);
  for (const TensorRef* operand : {&a, &b}) {
    const std::size_t own = operand->rank() - 2;
    for (std::size_t i = 0; i < own; ++i) {
      std::int64_t& extent = batch[rank - own + i];
      const std::int64_t seen = operand->shape[i];
      expect(seen == extent || seen == 1 || extent == 1, "batch axes of a ", a.shape, " and b ",
             b.shape, " do not broadcast: ", extent, " against ", seen,
             "; equal extents, or 1, are wanted");
      if (seen != 1) extent = seen;
    }
  }
  return batch;
}

/// The operand with all batch axes, repeated (stride 0) where it has extent 1 or no axis.
OperandLayout with_batch(const TensorRef& view, const Dims& batch) {
  const std::size_t own = view.rank() - 2;
  OperandLayout layout = layout_of(view);
  layout.shape = batch;
  layout.strides = Dims(batch.size(), 0);
  for (std::size_t i = 0; i < own; ++i) {
    const std::size_t at = batch.size() - own + i;
    if (view.shape[i] == batch[at] && batch[at] != 1) layout.strides[at] = view.strides[i];
  }
  for (std::size_t i = own; i < view.rank(); ++i) {
    layout.shape.push_back(view.shape[i]);
    layout.strides.push_back(view.strides[i]);
  }
  return layout;
}

Dims visible_shape(Dims batch, const TensorRef& a, const TensorRef& b) {
  if (a.rank() > 1) batch.push_back(a.shape[a.rank() - 2]);
  if (b.rank() > 1) batch.push_back(b.shape.back());
  return batch;
}

void check_shapes(const TensorRef& a, const TensorRef& b) {
  expect(a.rank() > 0 && b.rank() > 0, "operand ", a.rank() == 0 ? "a" : "b",
         " has no axes; at least one is wanted. Multiply by a scalar with alpha.");
  const std::int64_t k = a.shape.back();
  const std::int64_t rows = b.shape[b.rank() - std::min<std::size_t>(b.rank(), 2)];
  expect(k == rows, "a has shape ", a.shape, " and b ", b.shape, ": the inner extents ", k, " and ",
         rows, " differ; equal ones are wanted. Is one of them to be transposed?");
}

/// Whether C is (…, m, n) or (…, m, 1), with or without the batch axes.
bool broadcasts(const TensorRef& c, const Dims& shape) {
  if (c.rank() < 2 || shape.size() < 2) return c.shape == shape;
  const std::size_t rows = shape.size() - 2;
  const std::size_t own = c.rank() - 2;
  bool fits = c.shape[own] == shape[rows] &&
              (c.shape[own + 1] == shape[rows + 1] || c.shape[own + 1] == 1) &&
              (own == 0 || own == rows);
  for (std::size_t i = 0; i < own && fits; ++i) fits = c.shape[i] == shape[i];
  return fits;
}

void check_c(const MatmulOperands& operands, const MatmulOptions& options, const Dims& shape,
             const MatmulExtras& extras) {
  expect(!operands.c || options.beta.has_value(),
         "c is given without beta; beta is wanted with c (1 adds it as it is)");
  if (!operands.c) return;
  check_dtype_of_c(operands.a, *operands.c, extras.result_type);
  const bool in_place = operands.out && operands.out->data == operands.c->data;
  if (extras.broadcast_c && !in_place) {
    expect(broadcasts(*operands.c, shape), "c has shape ", operands.c->shape,
           "; the result's shape ", shape,
           " is wanted, with 1 for the columns or without the batch axes");
  } else {
    expect(operands.c->shape == shape, "c has shape ", operands.c->shape, "; the result's shape ",
           shape, " is wanted. Broadcast it first.");
  }
  expect(!operands.c->conjugate,
         "c is a lazily conjugated view, which is unsupported; resolve it first");
}

void check_out_view(const TensorRef& a, const TensorRef& out, const Dims& shape, DType result) {
  check_device(a, out, "out");
  expect(out.dtype == result, "operand out has dtype ", out.dtype, " and operand a has ", a.dtype,
         "; the result's dtype ", result, " is wanted");
  expect(out.shape == shape, "out has shape ", out.shape, "; the result's shape ", shape,
         " is wanted");
}

/// A view of the result's shape, repeated where C lacks it.
TensorRef as_result(TensorRef c, const Dims& shape) {
  if (c.shape == shape) return c;
  Dims strides(shape.size(), 0);
  for (std::size_t i = 1; i <= c.rank(); ++i) {
    if (c.shape[c.rank() - i] != 1) strides[shape.size() - i] = c.strides[c.rank() - i];
  }
  c.shape = shape;
  c.strides = strides;
  return c;
}

DType result_dtype(const MatmulOperands& operands, const MatmulExtras& extras) {
  const DType a = operands.a.dtype;
  const DType result = extras.result_type.value_or(operands.c ? operands.c->dtype : a);
  expect(is_complex(result) == is_complex(a), "the result's dtype is ", result,
         " and the operands are ", a, "; both real or both complex is wanted");
  return result;
}

/// Order of D where nothing is given: C order, but as C for, and by columns without, C under a
/// named epilog that is about columns.
Dims default_strides(const Dims& shape, const MatmulOperands& operands,
                     const MatmulExtras& extras) {
  const auto* row = extras.epilog ? named_epilog(extras.epilog->named) : nullptr;
  if (!row || !row->column_order || operands.a.rank() == 1 || operands.b.rank() == 1) {
    return contiguous_strides(shape);
  }
  if (operands.c && is_contiguous(shape, operands.c->strides)) return contiguous_strides(shape);
  Dims order;
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  order.push_back(static_cast<std::int64_t>(shape.size()) - 1);
  order.push_back(static_cast<std::int64_t>(shape.size()) - 2);
  return dense_strides(shape, order);
}

}  // namespace

std::int64_t MatmulProblem::batch() const {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < batch_rank(); ++i) count *= d().shape[i];
  return count;
}

bool MatmulProblem::is_plain() const {
  return !epilog && std::ranges::all_of(operands, [&](const OperandLayout& operand) {
    return operand.dtype == d().dtype;
  });
}

std::optional<std::size_t> MatmulProblem::summed_operand() const {
  if (named == NamedEpilog::bgrada) return 0;
  if (named == NamedEpilog::bgradb) return 1;
  return std::nullopt;
}

const char* MatmulProblem::operand_name(std::size_t index) const {
  static constexpr const char* kNames[] = {"a", "b", "c"};
  if (index < first_tensor()) return kNames[index];
  if (index == d_index()) return "result";
  if (index >= first_aux()) return aux[index - first_aux()].name.c_str();
  const std::size_t tensor = index - first_tensor();
  const std::size_t tensors = epilog ? epilog->tensors.size() : 0;
  return tensor < tensors ? epilog->tensors[tensor].name.c_str() : kScaleNames[tensor - tensors];
}

std::string MatmulProblem::title() const {
  if (inner) {
    return text(inner->title(), ", of ", block == BlockFormat::nvfp4 ? "NVFP4" : "MXFP8",
                " operands");
  }
  const std::string product = text("alpha·", a().conjugate ? "conj(A)" : "A", "·",
                                   b().conjugate ? "conj(B)" : "B", has_c ? " + beta·C" : "");
  const NamedEpilogRow* row = named_epilog(named);
  return text("D = ",
              row      ? text(row->name, "(", product, ")")
              : epilog ? text("F(", product, ")")
                       : product,
              ", m=", m(), " n=", n(), " k=", k(),
              batch() == 1 ? "" : text(", ", batch(), " of them"), ", ", a().dtype,
              a().dtype == d().dtype ? "" : text(" to ", d().dtype));
}

Work MatmulProblem::work() const {
  const double flops = inner ? inner->work().flops : 0;
  const double products = static_cast<double>(batch());
  const double mn = static_cast<double>(m()) * static_cast<double>(n());
  Work work{.flops = (is_complex(d().dtype) ? 8 : 2) * products * mn * static_cast<double>(k())};
  for (const auto& operand : operands) {
    double elements = 1;
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
      if (operand.strides[i] != 0) elements *= static_cast<double>(operand.shape[i]);
    }
    work.bytes += elements * static_cast<double>(itemsize(operand.dtype));
  }
  if (inner) work.flops = flops;
  return work;
}

MatmulRequest make_matmul(const MatmulOperands& operands, const MatmulOptions& options,
                          const MatmulExtras& extras) {
  if (extras.block != BlockFormat::none) return make_block_scaled(operands, options, extras);
  const auto& [user_a, user_b, user_c, out] = operands;
  check_view(kOperation, "a", user_a);
  check_view(kOperation, "b", user_b);
  if (user_c) check_view(kOperation, "c", *user_c);
  if (out) check_view(kOperation, "out", *out);
  check_dtype(user_a);
  check_alike(user_a, user_b, "b");
  check_shapes(user_a, user_b);
  const TensorRef a = as_matrix(user_a, 0);
  const TensorRef b = as_matrix(user_b, 1);
  const Dims batch = broadcast_batch(a, b);
  const Dims shape = visible_shape(batch, user_a, user_b);
  const DType result = result_dtype(operands, extras);
  check_c(operands, options, shape, extras);
  if (out) check_out_view(user_a, *out, shape, result);

  expect(checked_size(shape).has_value(), "the result's shape ", shape,
         " has more elements than 63 bits can count");

  MatmulRequest request;
  MatmulProblem& problem = request.problem;
  problem.has_c = user_c.has_value();
  problem.compute = extras.compute;
  problem.fast_accumulation = extras.fast_accumulation;
  problem.multiprocessors = extras.multiprocessors;
  problem.result_shape = shape;
  problem.result_strides = out ? out->strides : default_strides(shape, operands, extras);
  problem.operands.reserve(4);
  problem.operands.push_back(with_batch(a, batch));
  problem.operands.push_back(with_batch(b, batch));
  const ResultSpace space(shape, user_a.rank() == 1, user_b.rank() == 1);
  if (user_c) problem.operands.push_back(space.full(as_result(*user_c, shape)));
  problem.operands[0].conjugate = is_complex(a.dtype) && (a.conjugate != options.conjugate_a);
  problem.operands[1].conjugate = is_complex(b.dtype) && (b.conjugate != options.conjugate_b);

  Arguments& arguments = request.arguments;
  arguments.inputs = {user_a, user_b};
  if (user_c) {
    arguments.inputs.push_back(*user_c);
    arguments.in_place = 2;
  }
  arguments.out = out;
  arguments.scalars = {options.alpha, user_c ? options.beta.value_or(0) : 0};
  if (extras.quantisation) {
    arguments.scalars[0] *= extras.quantisation->number_of_product();
    arguments.scalars[1] *= extras.quantisation->number_of_c();
  }
  expect(
      is_complex(a.dtype) || (arguments.scalars[0].imag() == 0 && arguments.scalars[1].imag() == 0),
      "alpha or beta is complex and the operands are ", a.dtype, "; real scalars are wanted");
  if (extras.epilog || extras.quantisation) attach_epilog(extras, result, space, request);
  problem.operands.push_back(
      space.full(out ? *out : TensorRef(nullptr, result, shape, problem.result_strides)));
  return request;
}

}  // namespace mw
