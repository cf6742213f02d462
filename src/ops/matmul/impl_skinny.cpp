// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Products with few columns, and batches of small ones, by generated host code with any elementwise
// epilog: memory is touched once. Rows, or the products of a batch, are shared among threads.
#include <array>

#include "base/layout.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/fused_passes.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "ops/matmul/skinny_kernel.hpp"
#include "plan/rates.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::matmul_impl {

namespace {

constexpr std::int64_t kMostColumns = 128;
constexpr std::int64_t kMostK = 512;
constexpr std::int64_t kLeastRows = 256;      // in all: compiling takes some ms
constexpr double kCachedBytes = 16e6;         // results beyond it are not read from cache again
constexpr std::int64_t kRowsAtOnce = 512;     // of one piece of a thread's work
constexpr std::int64_t kKnownAlignment = 16;  // OperandLayout tells no more

class SkinnyPlan final : public Plan {
 public:
  /// `form.stream`: results are too large to be found in the caches afterwards.
  SkinnyPlan(const MatmulProblem& problem, SkinnyForm form, int threads)
      : problem_(problem), form_(std::move(form)), threads_(threads) {
    const Context context{.device = Device::cpu(), .threads = threads};
    if (form_.b != form_.arithmetic) {
      wide_b_ = widened(problem.b(), form_.arithmetic, context);
      form_.b = form_.arithmetic;
    }
    compile();
    const std::size_t scalars = problem.epilog ? problem.epilog->scalars.size() : 0;
    scalar_count_ = scalars;
  }

  void execute(const Call& call) const override {
    const std::int64_t m = problem_.m();
    if (m == 0 || problem_.n() == 0 || problem_.batch() == 0) return;
    std::array<double, kMostOperands + 2> scalars{};
    scalars[0] = call.scalars[0].real();
    for (std::size_t i = 0; i < scalar_count_; ++i) scalars[1 + i] = call.scalars[2 + i].real();
    scalars[1 + scalar_count_] = call.scalars[1].real();
    if (wide_b_.pass) {
      void* const arrays[] = {call.operands[1], call.workspace};
      wide_b_.pass->run({.arrays = arrays, .scalars = nullptr, .workspace = nullptr, .stream = {}});
    }
    if (problem_.batch() == 1) {
      const std::int64_t piece = (kRowsAtOnce + rows_ - 1) / rows_;
      parallel_for((m + rows_ - 1) / rows_, piece, threads_,
                   [&](std::int64_t begin, std::int64_t end, int) {
                     run(call, scalars.data(), 0, begin * rows_, std::min(end * rows_, m));
                   });
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(kRowsAtOnce / m, 1);
    parallel_for(problem_.batch(), grain, threads_, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) run(call, scalars.data(), i, 0, m);
    });
  }

  // Measured on AVX2 cores: the tile reaches 0.7 of the peak, a call costs 30 ns.
  double estimate() const override {
    const Rates rate = rates(Device::cpu(), threads_, form_.arithmetic);
    const Work work = problem_.work();
    const double calls = static_cast<double>(problem_.batch()) * 30e-9 / threads_;
    return 2e-6 + (threads_ > 1 ? 5e-6 : 0) + calls +
           std::max(work.bytes / rate.bandwidth, work.flops / (0.7 * rate.flops));
  }
  std::size_t workspace_bytes() const override {
    return wide_b_.pass ? dense_bytes(wide_b_.layout) : 0;
  }
  void prepare() const override {
    kernel_->prepare();
    if (streaming_) streaming_->prepare();
    if (wide_b_.pass) wide_b_.pass->prepare();
  }

  std::string describe() const override {
    return text("rows of D in registers, n and k in the code, ", threads_,
                threads_ == 1 ? " thread; " : " threads; ", kernel_->describe());
  }

 private:
  /// One kernel where what the addresses divide by is known beforehand, two where it is to be seen.
  void compile() {
    const codegen::Target target = codegen::host_target(codegen::HostBackend::llvm);
    rows_ = skinny_rows(form_, target);
    stream_alignment_ = skinny_stream_alignment(form_, target);
    const bool streams = form_.stream && stream_alignment_ > 0 && problem_.n() % target.lanes == 0;
    const bool known = streams && stream_alignment_ <= kKnownAlignment;
    for (std::size_t i = 2; i < problem_.operands.size(); ++i) arrays_.push_back(i);
    // What divides an address is as good as the address.
    form_.stream = known && may_stream([&](std::size_t i) {
                     return std::uintptr_t{problem_.operands[arrays_[i]].alignment};
                   });
    kernel_ = compiled(form_);
    if (!streams || known) return;
    form_.stream = true;
    streaming_ = compiled(form_);
  }

  codegen::HostKernelPtr compiled(const SkinnyForm& form) {
    const auto build = [&](const codegen::Target& target) { return skinny_kernel(form, target); };
    return codegen::host_kernel(build, codegen::HostBackend::llvm);
  }

  /// Whether all results begin where streamed rows may; `address` of an array by its number.
  [[nodiscard]] bool may_stream(FunctionRef<std::uintptr_t(std::size_t)> address) const {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i] < problem_.first_aux()) continue;
      const OperandLayout& layout = problem_.operands[arrays_[i]];
      const auto bytes = static_cast<std::int64_t>(itemsize(layout.dtype));
      const auto row = static_cast<std::uintptr_t>(steps(layout).first * bytes);
      const auto unit = static_cast<std::uintptr_t>(stream_alignment_);
      if (layout.strides.back() != 1 || (address(i) | row) % unit != 0) return false;
      for (std::size_t axis = 0; axis < problem_.batch_rank(); ++axis) {
        if (layout.strides[axis] * bytes % stream_alignment_ != 0) return false;
      }
    }
    return true;
  }

  void run(const Call& call, const double* scalars, std::int64_t product, std::int64_t first,
           std::int64_t end) const {
    std::array<void*, kMostOperands> pointers{};
    std::array<std::int64_t, kSkinnyIntegers + 2 * kMostOperands> integers{};
    const auto moved = [&](std::size_t operand) {
      const OperandLayout& layout = problem_.operands[operand];
      return static_cast<char*>(call.operands[operand]) +
             batch_offset(layout, product) * static_cast<std::int64_t>(itemsize(layout.dtype));
    };
    pointers[0] = moved(0);
    pointers[1] = moved(1);
    integers[kFirstRow] = first;
    integers[kEndRow] = end;
    std::tie(integers[kRowsOfA], integers[kColumnsOfA]) = steps(problem_.a());
    integers[kRowsOfB] = steps(problem_.b()).first;
    if (wide_b_.pass) {
      const OperandLayout& wide = wide_b_.layout;
      pointers[1] = static_cast<char*>(call.workspace) +
                    batch_offset(wide, product) * static_cast<std::int64_t>(itemsize(wide.dtype));
      integers[kRowsOfB] = steps(wide).first;
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      pointers[2 + i] = moved(arrays_[i]);
      const auto [row, column] = steps(problem_.operands[arrays_[i]]);
      integers[kSkinnyIntegers + 2 * i] = row;
      integers[kSkinnyIntegers + 2 * i + 1] = column;
    }
    const bool stream = streaming_ && may_stream([&](std::size_t i) {
                          return reinterpret_cast<std::uintptr_t>(pointers[2 + i]);
                        });
    const auto& kernel = stream ? streaming_ : kernel_;
    kernel->run(pointers.data(), integers.data(), scalars);
  }

  MatmulProblem problem_;
  SkinnyForm form_;
  int threads_;
  std::int64_t stream_alignment_ = 0;
  std::int64_t rows_ = 1;
  std::size_t scalar_count_ = 0;
  std::vector<std::size_t> arrays_;
  codegen::HostKernelPtr kernel_, streaming_;
  Widened wide_b_;
};

SkinnyForm::Columns columns_of(const OperandLayout& layout) {
  const std::int64_t stride = layout.strides.back();
  if (stride == 1) return SkinnyForm::Columns::unit;
  return stride == 0 ? SkinnyForm::Columns::repeated : SkinnyForm::Columns::strided;
}

std::optional<Refusal> refusal_of(const MatmulProblem& problem) {
  const DType wide = expr::computing_dtype(problem.a().dtype);
  if (wide != DType::float32 && wide != DType::float64) return refuse("real dtypes only");
  if (problem.n() > kMostColumns || problem.k() > kMostK || problem.k() == 0) {
    return refuse("n ≤ ", kMostColumns, " and 0 < k ≤ ", kMostK, " only");
  }
  if (problem.m() * problem.batch() < kLeastRows) return refuse("at least ", kLeastRows, " rows");
  if (auto why = pointwise_refusal(problem)) return why;
  const auto is_index = [](const expr::Node& node) { return node.op == expr::Op::index; };
  if (problem.batch_rank() > 0 && problem.epilog &&
      std::ranges::any_of(problem.epilog->nodes, is_index)) {
    return refuse("no indices in a batch");
  }
  for (const auto& operand : problem.operands) {
    if (!operand.aligned_to_element()) return refuse("aligned elements only");
  }
  const std::int64_t column = problem.d().strides.back();
  const std::int64_t row = steps(problem.d()).first;
  if (problem.n() > 1 && column != 1 && std::abs(column) > std::abs(row)) {
    return refuse("D by rows only");
  }
  if (problem.b().conjugate || problem.a().conjugate) return refuse("no conjugation");
  return std::nullopt;
}

}  // namespace

Answer try_skinny(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  const MatmulProblem problem = may_fold(given) ? fold_batch(given) : given;
  if (auto why = refusal_of(problem)) return *std::move(why);
  if (const auto llvm = codegen::llvm_version(); !llvm) return llvm.refusal();
  if (problem.n() > 1 && problem.b().strides.back() != 1) {
    return Relayout{.reason = "B is taken by rows", .entries = {{1, rows_first(given.b())}}};
  }
  const DType wide = expr::computing_dtype(problem.a().dtype);
  SkinnyForm form{.function = problem.epilog ? problem.epilog
                                             : expr::identity_function(wide, problem.d().dtype),
                  .arithmetic = wide,
                  .a = problem.a().dtype,
                  .b = problem.b().dtype,
                  .n = problem.n(),
                  .k = problem.k(),
                  .arrays = {},
                  .columns = {}};
  if (problem.has_c) form.function = with_c(*form.function, problem.c().dtype);
  double written = 0;
  for (std::size_t i = 2; i < problem.operands.size(); ++i) {
    form.arrays.push_back(problem.operands[i].dtype);
    form.columns.push_back(columns_of(problem.operands[i]));
    if (i >= problem.first_aux()) {
      written += static_cast<double>(problem.m() * problem.batch() * problem.n()) *
                 static_cast<double>(itemsize(problem.operands[i].dtype));
    }
  }
  form.stream = written > kCachedBytes;
  return std::make_shared<SkinnyPlan>(problem, std::move(form), context.threads);
}

}  // namespace mw::matmul_impl
