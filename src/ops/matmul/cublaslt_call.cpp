// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/cublaslt_call.hpp"

#include <array>
#include <map>
#include <mutex>

#include "expr/number.hpp"

namespace mw::matmul_impl {

namespace {

namespace lt = cublaslt;

/// Of A and B.
struct TypeRow {
  DType dtype;
  lt::DataType data;
  lt::ComputeType compute;
  lt::DataType scale;
};
constexpr TypeRow kTypes[] = {
    {DType::float32, lt::DataType::r_32f, lt::ComputeType::f32, lt::DataType::r_32f},
    {DType::float64, lt::DataType::r_64f, lt::ComputeType::f64, lt::DataType::r_64f},
    {DType::complex64, lt::DataType::c_32f, lt::ComputeType::f32, lt::DataType::c_32f},
    {DType::complex128, lt::DataType::c_64f, lt::ComputeType::f64, lt::DataType::c_64f},
    {DType::float16, lt::DataType::r_16f, lt::ComputeType::f32, lt::DataType::r_32f},
    {DType::bfloat16, lt::DataType::r_16bf, lt::ComputeType::f32, lt::DataType::r_32f},
    {DType::float8_e4m3fn, lt::DataType::r_8f_e4m3, lt::ComputeType::f32, lt::DataType::r_32f},
    {DType::float8_e5m2, lt::DataType::r_8f_e5m2, lt::ComputeType::f32, lt::DataType::r_32f},
};

const TypeRow* type_row(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

/// One library context per device, made on first use and kept: cuBLASLt's contexts may be used by
/// many threads at once. The device is current.
lt::Context context_of(int device_id) {
  static std::mutex& mutex = *new std::mutex;
  static auto& contexts = *new std::map<int, lt::Context>;
  const std::lock_guard lock(mutex);
  lt::Context& context = contexts[device_id];
  if (context == nullptr) lt::call(lt::api().cublasLtCreate, &context);
  return context;
}

lt::LayoutOwner make_layout(const CublasLtMatrix& matrix, lt::DataType type, std::int64_t batch) {
  lt::Layout raw = nullptr;
  lt::call(lt::api().cublasLtMatrixLayoutCreate, &raw, type,
           static_cast<std::uint64_t>(matrix.rows), static_cast<std::uint64_t>(matrix.columns),
           matrix.ld);
  lt::LayoutOwner layout(raw);
  if (batch > 1) {
    lt::set(layout.get(), lt::LayoutAttribute::batch_count, static_cast<std::int32_t>(batch));
    lt::set(layout.get(), lt::LayoutAttribute::strided_batch_offset, matrix.batch_elements);
  }
  return layout;
}

lt::Op lt_op(GemmOp op) { return static_cast<lt::Op>(op); }
static_assert(static_cast<int>(lt::Op::conjugate_transpose) ==
              static_cast<int>(GemmOp::conjugate_transpose));

CublasLtShape call_shape(const MatmulProblem& problem, const GemmForm& form, std::int64_t ldc,
                         const Batches& batches) {
  const auto size = [](const OperandLayout& operand) {
    return static_cast<std::int64_t>(itemsize(operand.dtype));
  };
  const auto bytes = batches.inner_bytes();
  const std::array step{bytes[0] / size(problem.a()), bytes[1] / size(problem.b())};
  const std::int64_t k = std::max<std::int64_t>(problem.k(), 1);
  const auto stored_as = [](GemmOp op, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                            std::int64_t batch_step) {
    const bool turned = op != GemmOp::none;
    return CublasLtMatrix{turned ? columns : rows, turned ? rows : columns, ld, batch_step};
  };
  CublasLtShape s{};
  s.exchanged = form.by_rows;
  s.m = form.by_rows ? problem.n() : problem.m();
  s.n = form.by_rows ? problem.m() : problem.n();
  s.k = k;
  s.op_x = form.by_rows ? form.op_b : form.op_a;
  s.op_y = form.by_rows ? form.op_a : form.op_b;
  const std::int64_t ldx = form.by_rows ? form.ldb : form.lda;
  const std::int64_t ldy = form.by_rows ? form.lda : form.ldb;
  s.x = stored_as(s.op_x, s.m, k, ldx, step[form.by_rows ? 1 : 0]);
  s.y = stored_as(s.op_y, k, s.n, ldy, step[form.by_rows ? 0 : 1]);
  if (problem.has_c) s.c = {s.m, s.n, ldc, bytes[2] / size(problem.c())};
  s.d = {s.m, s.n, form.ldd, bytes[3] / size(problem.d())};
  if (!problem.has_c) s.c = s.d;
  return s;
}

}  // namespace

std::optional<lt::DataType> cublaslt_type(DType dtype) {
  const TypeRow* row = type_row(dtype);
  return row ? std::optional(row->data) : std::nullopt;
}

ScaleValue::ScaleValue(ScalarValue value, lt::DataType type) : c64(value) {
  if (type == lt::DataType::r_16f) {
    expr::store(&r16, expr::convert(expr::Number::of_real(value.real()), DType::float16));
  }
  if (type == lt::DataType::r_32f) r32 = static_cast<float>(value.real());
  if (type == lt::DataType::r_64f) r64 = value.real();
  if (type == lt::DataType::c_32f) c32 = std::complex<float>(value);
}

CublasLtCall::CublasLtCall(const MatmulProblem& problem, const GemmForm& form, std::int64_t ldc,
                           const NativeEpilog& epilog, int device_id)
    : problem_(problem),
      epilog_(epilog),
      batches_(problem),
      shape_(call_shape(problem, form, ldc, batches_)),
      device_id_(device_id),
      context_(context_of(device_id)) {
  choose_types();
  desc_ = make_desc();
  if (!empty()) make_layouts();
}

/// With what the problem allows; half-precision sums scale in half precision.
void CublasLtCall::choose_types() {
  const TypeRow* row = type_row(problem_.a().dtype);
  require(row != nullptr, ErrorKind::unsupported, "cuBLASLt: no arithmetic for dtype ",
          problem_.a().dtype);
  compute_ = row->compute;
  scale_ = row->scale;
  if (problem_.compute != MatmulCompute::standard) {
    compute_ = static_cast<lt::ComputeType>(problem_.compute);
  }
  const bool half = compute_ == lt::ComputeType::f16 || compute_ == lt::ComputeType::f16_pedantic;
  if (half) scale_ = lt::DataType::r_16f;
  const DType d = problem_.d().dtype;
  types_ = {*cublaslt_type(problem_.operands[shape_.exchanged ? 1 : 0].dtype),
            *cublaslt_type(problem_.operands[shape_.exchanged ? 0 : 1].dtype),
            *cublaslt_type(problem_.has_c ? problem_.c().dtype : d), *cublaslt_type(d)};
}

lt::DescOwner CublasLtCall::make_desc() const {
  lt::MatmulDesc raw = nullptr;
  lt::call(lt::api().cublasLtMatmulDescCreate, &raw, compute_, scale_);
  lt::DescOwner desc(raw);
  lt::set(desc.get(), lt::DescAttribute::trans_a, lt_op(shape_.op_x));
  lt::set(desc.get(), lt::DescAttribute::trans_b, lt_op(shape_.op_y));
  if (problem_.fast_accumulation) {
    lt::set(desc.get(), lt::DescAttribute::fast_accum, std::int8_t{1});
  }
  if (problem_.multiprocessors > 0) {
    lt::set(desc.get(), lt::DescAttribute::sm_count_target,
            static_cast<std::int32_t>(problem_.multiprocessors));
  }
  if (epilog_.value == lt::Epilogue::none) return desc;
  lt::set(desc.get(), lt::DescAttribute::epilogue, epilog_.value);
  if (epilog_.bias) {
    lt::set(desc.get(), lt::DescAttribute::bias_data_type, *cublaslt_type(epilog_.bias_type));
  }
  if (epilog_.aux) {
    lt::set(desc.get(), lt::DescAttribute::epilogue_aux_ld, epilog_.aux_ld);
    if (!epilog_.mask) {
      lt::set(desc.get(), lt::DescAttribute::epilogue_aux_data_type,
              *cublaslt_type(epilog_.aux_type));
    }
  }
  return desc;
}

void CublasLtCall::make_layouts() {
  // Sums over nothing run as k = 1 over zeros: the library does not take k = 0.
  if (problem_.k() == 0) {
    shape_.x = {shape_.op_x == GemmOp::none ? shape_.m : 1,
                shape_.op_x == GemmOp::none ? 1 : shape_.m, std::max(shape_.m, shape_.n), 0};
    shape_.y = {shape_.op_y == GemmOp::none ? 1 : shape_.n,
                shape_.op_y == GemmOp::none ? shape_.n : 1,
                std::max<std::int64_t>(shape_.op_y == GemmOp::none ? 1 : shape_.n, 1), 0};
  }
  const std::int64_t batch = batches_.inner_count();
  x_ = make_layout(shape_.x, types_[0], batch);
  y_ = make_layout(shape_.y, types_[1], batch);
  c_ = make_layout(shape_.c, types_[2], batch);
  d_ = make_layout(shape_.d, types_[3], batch);
}

}  // namespace mw::matmul_impl
