// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The product with any epilog on a device: cuBLASLt makes A·B in the arithmetic's dtype in a
// buffer, and a fused pass goes over it: C added, the epilog applied, D written.
//
// Few flops per element (small k): the buffer's way through device memory would cost as much as the
// product, so it comes in panels that stay in the second-level cache. Many: the product hides it,
// and panels would leave the last wave of its blocks half empty (bf16 8192³ on an H200: 1.79 ms in
// panels of 24 MiB where the product alone takes 1.39), so the buffer is as large as D, up to a
// bound.
#include <array>

#include "codegen/pass.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/fused_passes.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"
#include "plan/rates.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::matmul_impl {

namespace {

constexpr std::int64_t kPanelBytes = 24 << 20;  // half of the 50 MB of recent data-centre parts
constexpr std::int64_t kMostBytes = 512 << 20;
constexpr std::int64_t kLargeK = 512;
constexpr std::int64_t kBlock = 256;  // rows of panels are multiples of the library's tiles

class CudaPanelsPlan final : public Plan {
 public:
  /// `panel` and `rest` are the plans of the product of a whole panel and of the last one.
  CudaPanelsPlan(const MatmulProblem& problem, MatmulProblem bare, std::int64_t rows, PlanPtr panel,
                 PlanPtr rest, const Context& context)
      : problem_(problem),
        bare_(std::move(bare)),
        rows_(rows),
        panel_(std::move(panel)),
        rest_(std::move(rest)),
        context_(context) {
    const auto [row_step, column_step] = steps(bare_.d());
    EpilogPass epilog = epilog_pass(problem, row_step, column_step, context);
    pass_ = std::move(epilog.pass);
    arrays_ = std::move(epilog.operands);
    sums_ = operand_sums(problem, context);
    buffer_ =
        ledger_.book(static_cast<std::size_t>(rows * problem.n()) * itemsize(bare_.d().dtype));
    inner_ = ledger_.book(
        std::max(panel_ ? panel_->workspace_bytes() : 0, rest_ ? rest_->workspace_bytes() : 0));
    pass_workspace_ = ledger_.book(pass_->workspace_bytes());
    if (sums_) sums_workspace_ = ledger_.book(sums_->workspace_bytes());
  }

  void execute(const Call& call) const override {
    std::array<void*, kMostOperands> arrays{};
    for (std::size_t i = 0; i < arrays_.size(); ++i) arrays[i + 1] = call.operands[arrays_[i]];
    std::array<ScalarValue, kMostOperands> scalars{};
    const std::size_t extra = problem_.epilog ? problem_.epilog->scalars.size() : 0;
    std::copy_n(call.scalars + 2, extra, scalars.begin());
    scalars[extra] = call.scalars[1];
    codegen::PassCall pass{.arrays = arrays.data(),
                           .scalars = scalars.data(),
                           .workspace = Ledger::grant(call.workspace, pass_workspace_),
                           .stream = call.stream};
    pass_->start(pass);
    for (std::int64_t batch = 0; batch < problem_.batch(); ++batch) {
      const Dims first = batch_indices(problem_.d().shape, batch);
      for (std::int64_t row = 0; row < problem_.m(); row += rows_) {
        panel(call, first, row);
        part(pass, arrays, call, first, row);
      }
    }
    pass_->finish(pass);
    if (!sums_) return;
    void* const operands[] = {call.operands[*problem_.summed_operand()],
                              call.operands[problem_.first_aux()]};
    sums_->run({.arrays = operands,
                .scalars = nullptr,
                .workspace = Ledger::grant(call.workspace, sums_workspace_),
                .stream = call.stream});
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override {
    const Rates rate = rates(context_.device, 1, problem_.a().dtype);
    const Work work = problem_.work();
    const double panels = static_cast<double>(problem_.batch()) *
                          static_cast<double>((problem_.m() + rows_ - 1) / rows_);
    return 2 * panels * rate.call + 1.1 * work.flops / rate.flops +
           1.3 * work.bytes / rate.bandwidth;
  }
  std::string describe() const override {
    return text("panels of ", std::min(rows_, problem_.m()),
                " rows: ", (panel_ ? panel_ : rest_)->describe(), "; epilog: ", pass_->describe());
  }
  std::size_t resident_bytes() const override { return 8192; }

 private:
  [[nodiscard]] std::int64_t rows_at(std::int64_t row) const {
    return std::min(rows_, problem_.m() - row);
  }

  void panel(const Call& call, const Dims& first, std::int64_t row) const {
    const auto moved = [&](std::size_t operand, std::int64_t rows) {
      const OperandLayout& layout = problem_.operands[operand];
      std::int64_t offset = rows * steps(layout).first;
      for (std::size_t axis = 0; axis < problem_.batch_rank(); ++axis) {
        offset += first[axis] * layout.strides[axis];
      }
      return static_cast<char*>(call.operands[operand]) +
             offset * static_cast<std::int64_t>(itemsize(layout.dtype));
    };
    void* const operands[] = {moved(0, row), moved(1, 0), Ledger::grant(call.workspace, buffer_)};
    const ScalarValue scalars[] = {call.scalars[0], 0};
    const PlanPtr& plan = rows_at(row) == rows_ ? panel_ : rest_;
    plan->execute({.operands = operands,
                   .scalars = scalars,
                   .workspace = Ledger::grant(call.workspace, inner_),
                   .stream = call.stream});
  }

  void part(const codegen::PassCall& pass, std::array<void*, kMostOperands>& arrays,
            const Call& call, const Dims& first, std::int64_t row) const {
    const std::int64_t size = static_cast<std::int64_t>(itemsize(bare_.d().dtype));
    // As if the whole of D began there; only the panel's part of it exists.
    arrays[0] = reinterpret_cast<void*>(
        reinterpret_cast<std::intptr_t>(Ledger::grant(call.workspace, buffer_)) -
        row * steps(bare_.d()).first * size);
    codegen::PassPart part{.first = first, .extent = Dims(first.size(), 1)};
    part.first[first.size() - 2] = row;
    part.extent[first.size() - 2] = rows_at(row);
    part.extent[first.size() - 1] = problem_.n();
    pass_->run_part(pass, part, 0);
  }

  MatmulProblem problem_;
  MatmulProblem bare_;
  std::int64_t rows_;
  PlanPtr panel_, rest_;
  Context context_;
  codegen::PassPtr pass_, sums_;
  std::vector<std::size_t> arrays_;
  Ledger ledger_;
  std::size_t buffer_ = 0, inner_ = 0, pass_workspace_ = 0, sums_workspace_ = 0;
};

/// What divides every address where a panel of `rows` rows (0: all) or a product of the batch
/// begins.
std::uint8_t panel_alignment(const OperandLayout& operand, std::int64_t rows) {
  std::int64_t bits = operand.alignment;
  const auto include = [&](std::int64_t elements) {
    bits |= elements * static_cast<std::int64_t>(itemsize(operand.dtype));
  };
  include(rows * steps(operand).first);
  for (std::size_t axis = 0; axis + 2 < operand.shape.size(); ++axis) {
    include(operand.strides[axis]);
  }
  return static_cast<std::uint8_t>(std::min<std::int64_t>(bits & -bits, 16));  // the lowest bit set
}

/// The product of `rows` rows of one batch entry, result in a dense buffer by rows.
MatmulProblem panel_problem(const MatmulProblem& problem, std::int64_t rows,
                            std::int64_t panel_rows) {
  MatmulProblem bare;
  const std::size_t batch = problem.batch_rank();
  for (std::size_t i = 0; i < 2; ++i) {
    OperandLayout matrix = problem.operands[i];
    matrix.shape = Dims({matrix.shape[batch], matrix.shape[batch + 1]});
    matrix.strides =
        Dims({problem.operands[i].strides[batch], problem.operands[i].strides[batch + 1]});
    if (i == 0) matrix.shape[0] = rows;
    matrix.alignment = panel_alignment(problem.operands[i], i == 0 ? panel_rows : 0);
    bare.operands.push_back(std::move(matrix));
  }
  const std::int64_t n = problem.n();
  bare.operands.push_back({.dtype = expr::computing_dtype(problem.a().dtype),
                           .shape = Dims({rows, n}),
                           .strides = Dims({std::max<std::int64_t>(n, 1), 1})});
  bare.compute = problem.compute;
  bare.result_shape = bare.d().shape;
  bare.result_strides = bare.d().strides;
  return bare;
}

}  // namespace

Answer try_cuda_panels(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  if (!given.epilog && given.is_plain()) return refuse("there is nothing to fuse");
  if (mask_operand(given)) return refuse("bit masks are cuBLASLt's own");
  const MatmulProblem problem = may_fold(given) ? fold_batch(given) : given;
  if (problem.m() == 0 || problem.n() == 0) return refuse("D is empty");
  const auto bytes = static_cast<std::int64_t>(itemsize(expr::computing_dtype(problem.a().dtype)));
  const std::int64_t room = problem.k() < kLargeK ? kPanelBytes : kMostBytes;
  const std::int64_t fits = std::max<std::int64_t>(room / (bytes * problem.n()), 1);
  const std::int64_t rows =
      std::min(problem.m(), std::max(fits / kBlock * kBlock, std::int64_t{kBlock}));
  PlanPtr plans[2];
  const std::int64_t heights[] = {rows, problem.m() % rows};
  for (std::size_t i = 0; i < 2; ++i) {
    if (heights[i] == 0) continue;
    Answer answer = try_cublaslt(panel_problem(problem, heights[i], rows), context);
    if (!std::holds_alternative<PlanPtr>(answer)) {
      if (auto* relayout = std::get_if<Relayout>(&answer)) {
        Relayout whole{.reason = relayout->reason, .entries = {}};
        for (const auto& entry : relayout->entries) {
          if (entry.operand > 1) return refuse("its buffer does not fit the library");
          whole.entries.push_back({entry.operand, rows_first(given.operands[entry.operand])});
        }
        return whole;
      }
      return answer;
    }
    plans[i] = std::get<PlanPtr>(std::move(answer));
  }
  return std::make_shared<CudaPanelsPlan>(problem, panel_problem(problem, rows, rows), rows,
                                          std::move(plans[0]), std::move(plans[1]), context);
}

}  // namespace mw::matmul_impl
