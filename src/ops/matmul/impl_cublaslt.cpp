// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The matrix product by cuBLASLt: IEEE arithmetic of the operands' precision, float16 and bfloat16
// summed in float32.
//
// The library is column-major. A row-major product is passed as its transpose, Dᵀ = op(B)ᵀ·op(A)ᵀ,
// which is the same memory with A and B exchanged.
#include <map>
#include <mutex>

#include "ops/matmul/batches.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "vendor/cublaslt/api.hpp"

namespace mw::matmul_impl {

namespace {

namespace lt = cublaslt;

constexpr std::size_t kMostWorkspace = 32U << 20;

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
};

const TypeRow* type_row(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

/// A scalar in the library's scale type.
union ScaleValue {
  float r32;
  double r64;
  std::complex<float> c32;
  std::complex<double> c64;

  ScaleValue(Scalar value, lt::DataType type) : c64(value) {
    if (type == lt::DataType::r_32f) r32 = static_cast<float>(value.real());
    if (type == lt::DataType::r_64f) r64 = value.real();
    if (type == lt::DataType::c_32f) c32 = std::complex<float>(value);
  }
};

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

/// The library's view of one matrix in a call: rows × columns in column-major order.
struct Matrix {
  std::int64_t rows, columns, ld;
  std::int64_t batch_elements;
};

lt::LayoutOwner make_layout(const Matrix& matrix, lt::DataType type, std::int64_t batch) {
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

/// The call's operands in the library's order: X·Y with X = A, Y = B in column-major calls, and
/// X = B, Y = A (transposed product) in row-major ones.
struct CallShape {
  std::int64_t m, n, k;
  GemmOp op_x, op_y;
  Matrix x, y, c, d;
  bool exchanged;
};

CallShape call_shape(const MatmulProblem& problem, const GemmForm& form, std::int64_t ldc,
                     const Batches& batches) {
  const auto size = static_cast<std::int64_t>(itemsize(problem.d().dtype));
  const auto bytes = batches.inner_bytes();
  const std::int64_t k = std::max<std::int64_t>(problem.k(), 1);
  const auto stored_as = [](GemmOp op, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                            std::int64_t step) {
    const bool turned = op != GemmOp::none;
    return Matrix{turned ? columns : rows, turned ? rows : columns, ld, step};
  };
  CallShape s{};
  s.exchanged = form.by_rows;
  s.m = form.by_rows ? problem.n() : problem.m();
  s.n = form.by_rows ? problem.m() : problem.n();
  s.k = k;
  s.op_x = form.by_rows ? form.op_b : form.op_a;
  s.op_y = form.by_rows ? form.op_a : form.op_b;
  const std::int64_t ldx = form.by_rows ? form.ldb : form.lda;
  const std::int64_t ldy = form.by_rows ? form.lda : form.ldb;
  s.x = stored_as(s.op_x, s.m, k, ldx, bytes[form.by_rows ? 1 : 0] / size);
  s.y = stored_as(s.op_y, k, s.n, ldy, bytes[form.by_rows ? 0 : 1] / size);
  s.c = {s.m, s.n, ldc, bytes[2] / size};
  s.d = {s.m, s.n, form.ldd, bytes[3] / size};
  if (!problem.has_c) s.c = s.d;
  return s;
}

class CublasLtPlan final : public Plan {
 public:
  CublasLtPlan(const MatmulProblem& problem, const GemmForm& form, std::int64_t ldc, int device_id)
      : problem_(problem),
        batches_(problem),
        type_(*type_row(problem.d().dtype)),
        shape_(call_shape(problem, form, ldc, batches_)),
        device_id_(device_id),
        context_(context_of(device_id)) {
    describe_operation();
    if (!empty()) choose_algorithm();
    if (problem.k() == 0) {
      zeros_offset_ = ledger_.book(static_cast<std::size_t>(std::max(shape_.m, shape_.n)) *
                                   itemsize(problem.d().dtype));
    }
  }

  void execute(const Call& call) const override {
    if (empty()) return;
    const ScaleValue alpha(problem_.k() == 0 ? Scalar(0) : call.scalars[0], type_.scale);
    const ScaleValue beta(call.scalars[1], type_.scale);
    const void* zeros = zero_operand(call);
    for (std::int64_t i = 0; i < batches_.count(); i += batches_.inner_count()) {
      const Pointers at = batches_.at(call.operands, i);
      const void* a = zeros ? zeros : at.a;
      const void* b = zeros ? zeros : at.b;
      lt::call(lt::api().cublasLtMatmul, context_, desc_.get(), &alpha, shape_.exchanged ? b : a,
               x_.get(), shape_.exchanged ? a : b, y_.get(), &beta, at.c ? at.c : at.d, c_.get(),
               at.d, d_.get(), &algo_, Ledger::grant(call.workspace, algo_offset_), algo_bytes_,
               call.stream.handle);
    }
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override {
    const Rates rate = rates(Device::cuda(device_id_), 1, problem_.d().dtype);
    const std::int64_t calls = batches_.count() / std::max<std::int64_t>(batches_.inner_count(), 1);
    return rate.call * std::max(static_cast<double>(calls), 1.0) +
           1.1 * floor_seconds(problem_.work(), rate);
  }
  std::string describe() const override {
    return text("cuBLASLt ", lt::api().cublasLtGetVersion(), ", its first choice of algorithm, ",
                human_bytes(static_cast<double>(algo_bytes_)), " of workspace");
  }
  std::size_t resident_bytes() const override { return 4096; }

 private:
  [[nodiscard]] bool empty() const {
    return shape_.m == 0 || shape_.n == 0 || batches_.count() == 0;
  }

  void describe_operation() {
    lt::MatmulDesc raw = nullptr;
    lt::call(lt::api().cublasLtMatmulDescCreate, &raw, type_.compute, type_.scale);
    desc_ = lt::DescOwner(raw);
    lt::set(desc_.get(), lt::DescAttribute::trans_a, lt_op(shape_.op_x));
    lt::set(desc_.get(), lt::DescAttribute::trans_b, lt_op(shape_.op_y));
    // Sums over nothing run as k = 1 over zeros: the library does not take k = 0.
    if (problem_.k() == 0) {
      shape_.x = {shape_.op_x == GemmOp::none ? shape_.m : 1,
                  shape_.op_x == GemmOp::none ? 1 : shape_.m, std::max(shape_.m, shape_.n), 0};
      shape_.y = {shape_.op_y == GemmOp::none ? 1 : shape_.n,
                  shape_.op_y == GemmOp::none ? shape_.n : 1,
                  std::max<std::int64_t>(shape_.op_y == GemmOp::none ? 1 : shape_.n, 1), 0};
    }
    if (empty()) return;
    const std::int64_t batch = batches_.inner_count();
    x_ = make_layout(shape_.x, type_.data, batch);
    y_ = make_layout(shape_.y, type_.data, batch);
    c_ = make_layout(shape_.c, type_.data, batch);
    d_ = make_layout(shape_.d, type_.data, batch);
  }

  void choose_algorithm() {
    lt::Preference raw = nullptr;
    lt::call(lt::api().cublasLtMatmulPreferenceCreate, &raw);
    const lt::PreferenceOwner preference(raw);
    lt::set(preference.get(), lt::PreferenceAttribute::max_workspace_bytes,
            static_cast<std::uint64_t>(kMostWorkspace));
    const std::uint32_t a = problem_.a().alignment;
    const std::uint32_t b = problem_.b().alignment;
    const std::uint32_t d = problem_.d().alignment;
    const std::uint32_t c = problem_.has_c ? problem_.c().alignment : d;
    lt::set(preference.get(), lt::PreferenceAttribute::min_alignment_a_bytes,
            shape_.exchanged ? b : a);
    lt::set(preference.get(), lt::PreferenceAttribute::min_alignment_b_bytes,
            shape_.exchanged ? a : b);
    lt::set(preference.get(), lt::PreferenceAttribute::min_alignment_c_bytes, c);
    lt::set(preference.get(), lt::PreferenceAttribute::min_alignment_d_bytes, d);
    lt::HeuristicResult result{};
    int found = 0;
    lt::call(lt::api().cublasLtMatmulAlgoGetHeuristic, context_, desc_.get(), x_.get(), y_.get(),
             c_.get(), d_.get(), preference.get(), 1, &result, &found);
    require(found > 0 && result.state == lt::kSuccess, ErrorKind::unsupported,
            "cuBLASLt has no algorithm for ", problem_.title());
    algo_ = result.algo;
    algo_bytes_ = result.workspace_bytes;
    algo_offset_ = ledger_.book(algo_bytes_);
  }

  const void* zero_operand(const Call& call) const {
    if (problem_.k() != 0) return nullptr;
    void* zeros = Ledger::grant(call.workspace, zeros_offset_);
    fill_zero(TensorRef(zeros, problem_.d().dtype, {std::max(shape_.m, shape_.n)}, {1},
                        Device::cuda(device_id_)),
              call.stream);
    return zeros;
  }

  MatmulProblem problem_;
  Batches batches_;
  TypeRow type_;
  CallShape shape_;
  int device_id_;
  lt::Context context_;
  lt::DescOwner desc_;
  lt::LayoutOwner x_, y_, c_, d_;
  lt::Algo algo_{};
  std::size_t algo_bytes_ = 0;
  std::size_t algo_offset_ = 0;
  std::size_t zeros_offset_ = 0;
  Ledger ledger_;
};

/// C's leading dimension in a call of D's order; nothing if C has to be re-laid.
std::optional<std::int64_t> leading_of_c(const MatmulProblem& problem, bool call_by_rows) {
  if (!problem.has_c) return 1;
  if (!problem.c().aligned_to_element()) return std::nullopt;
  const auto c = stored(problem.c(), call_by_rows);
  return c ? std::optional(c->ld) : std::nullopt;
}

/// The library wants whole elements aligned, complex ones too.
Relayout misaligned(const MatmulProblem& problem) {
  Relayout relayout{.reason = "cuBLASLt takes elements aligned to their size", .entries = {}};
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    const OperandLayout& operand = problem.operands[i];
    if (operand.alignment < std::min<std::size_t>(itemsize(operand.dtype), 16)) {
      relayout.entries.push_back({i, dense_like(operand)});
    }
  }
  return relayout;
}

}  // namespace

Answer try_cublaslt(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  const auto library = lt::load();
  if (!library) return library.refusal();
  if (type_row(given.d().dtype) == nullptr)
    return refuse("no arithmetic for dtype ", given.d().dtype);
  constexpr std::int64_t kMostBatch = (std::int64_t{1} << 31) - 1;
  if (given.batch() > kMostBatch) return refuse("batches of at most ", kMostBatch);

  if (auto relayout = misaligned(given); !relayout.entries.empty()) return relayout;
  auto made = gemm_call(given);
  if (auto* relayout = std::get_if<Relayout>(&made)) return std::move(*relayout);
  const auto& [problem, form] = std::get<GemmCall>(made);
  const auto ldc = leading_of_c(problem, form.by_rows);
  if (!ldc) {
    return Relayout{.reason = "cuBLASLt takes C in the order of D",
                    .entries = {{2, dense_like(given.d())}}};
  }
  return std::make_shared<CublasLtPlan>(problem, form, *ldc, context.device.id);
}

}  // namespace mw::matmul_impl
