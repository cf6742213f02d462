// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/problem.hpp"

#include <algorithm>

#include "base/layout.hpp"

namespace mw {

namespace {

constexpr const char* kOperation = MatmulProblem::kOperation;

template <class... Pieces>
void expect(bool holds, const Pieces&... pieces) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_argument, kOperation, ": ", pieces...);
}

void check_alike(const TensorRef& a, const TensorRef& other, const char* name_of_other) {
  expect(other.dtype == a.dtype, "operand ", name_of_other, " has dtype ", other.dtype,
         " and operand a has ", a.dtype, "; one dtype is wanted for all. Convert one of them.");
  expect(other.device == a.device, "operand ", name_of_other, " is on ", other.device,
         " and operand a on ", a.device, "; one device is wanted for all. Move one of them.");
}

void check_dtype(const TensorRef& a) {
  const bool always = a.dtype == DType::float32 || a.dtype == DType::float64 ||
                      a.dtype == DType::complex64 || a.dtype == DType::complex128;
  const bool half = a.dtype == DType::float16 || a.dtype == DType::bfloat16;
  expect(always || half, "dtype ", a.dtype,
         " is unsupported; float32, float64, complex64 or complex128 (or, on a CUDA device, "
         "float16 or "
         "bfloat16) is wanted. Convert the operands.");
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

/// Puts back the axes that the visible result lacks.
TensorRef with_full_rank(TensorRef view, bool a_is_row, bool b_is_column) {
  if (b_is_column) {
    view.shape.push_back(1);
    view.strides.push_back(0);
  }
  if (a_is_row) {
    view.shape.insert(view.rank() - 1, 1);
    view.strides.insert(view.strides.size() - 1, 0);
  }
  return view;
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

void check_c(const MatmulOperands& operands, const MatmulOptions& options, const Dims& shape) {
  expect(!operands.c || options.beta.has_value(),
         "c is given without beta; beta is wanted with c (1 adds it as it is)");
  if (!operands.c) return;
  check_alike(operands.a, *operands.c, "c");
  expect(operands.c->shape == shape, "c has shape ", operands.c->shape, "; the result's shape ",
         shape, " is wanted. Broadcast it first.");
  expect(!operands.c->conjugate,
         "c is a lazily conjugated view, which is unsupported; resolve it first");
}

}  // namespace

std::int64_t MatmulProblem::batch() const {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < batch_rank(); ++i) count *= d().shape[i];
  return count;
}

const char* MatmulProblem::operand_name(std::size_t index) const {
  static constexpr const char* kWithC[] = {"a", "b", "c", "result"};
  static constexpr const char* kWithoutC[] = {"a", "b", "result"};
  return has_c ? kWithC[index] : kWithoutC[index];
}

std::string MatmulProblem::title() const {
  return text("D = alpha·", a().conjugate ? "conj(A)" : "A", "·", b().conjugate ? "conj(B)" : "B",
              has_c ? " + beta·C" : "", ", m=", m(), " n=", n(), " k=", k(),
              batch() == 1 ? "" : text(", ", batch(), " of them"), ", ", d().dtype);
}

Work MatmulProblem::work() const {
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
  return work;
}

MatmulRequest make_matmul(const MatmulOperands& operands, const MatmulOptions& options) {
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
  check_c(operands, options, shape);
  if (out) {
    check_alike(user_a, *out, "out");
    expect(out->shape == shape, "out has shape ", out->shape, "; the result's shape ", shape,
           " is wanted");
  }

  expect(checked_size(shape).has_value(), "the result's shape ", shape,
         " has more elements than 63 bits can count");

  MatmulRequest request;
  MatmulProblem& problem = request.problem;
  problem.has_c = user_c.has_value();
  problem.result_shape = shape;
  problem.result_strides = out ? out->strides : contiguous_strides(shape);
  problem.operands.reserve(4);
  problem.operands.push_back(with_batch(a, batch));
  problem.operands.push_back(with_batch(b, batch));
  const bool a_is_row = user_a.rank() == 1;
  const bool b_is_column = user_b.rank() == 1;
  const auto full = [&](const TensorRef& view) {
    return layout_of(with_full_rank(view, a_is_row, b_is_column));
  };
  if (user_c) problem.operands.push_back(full(*user_c));
  problem.operands.push_back(
      full(out ? *out : TensorRef(nullptr, user_a.dtype, shape, problem.result_strides)));
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
  expect(
      is_complex(a.dtype) || (arguments.scalars[0].imag() == 0 && arguments.scalars[1].imag() == 0),
      "alpha or beta is complex and the operands are ", a.dtype, "; real scalars are wanted");
  return request;
}

}  // namespace mw
