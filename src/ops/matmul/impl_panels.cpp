// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The product with any epilog by a host BLAS and a fused pass.
//
// Few flops per element of D (small k): the product is made panel by panel into a buffer that stays
// in the second-level cache, and the pass goes over each panel while it is there, so that D is
// written once and nothing else touches memory: bytes A + C + D, as if the library had the epilog.
// Each thread takes panels of its own, the library held to one thread.
// Many flops (large k): packing would be repeated for every panel, (1/m + 1/n)·½ of the flops each
// time, and the pass is small beside the product; so one product on all of the library's threads,
// then one pass.
//
// Narrow operands (float16, bfloat16, float8, complex32) are widened first.
#include <array>

#include "base/layout.hpp"
#include "base/visit.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/fused_passes.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "ops/matmul/masks.hpp"
#include "plan/rates.hpp"
#include "runtime/thread_pool.hpp"
#include "vendor/blas_lapack/blas.hpp"

namespace mw::matmul_impl {

namespace {

using codegen::PassPtr;

constexpr std::int64_t kPanelBytes = 256 << 10;  // half of a second-level cache
constexpr std::int64_t kBlock = 16;              // rows and columns of panels come in these
constexpr std::int64_t kLargeK = 192;            // from here the pass is small beside the product

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

blas::Op blas_op(GemmOp op) {
  constexpr blas::Op kOps[] = {blas::Op::none, blas::Op::transpose, blas::Op::conjugate_transpose};
  return kOps[static_cast<std::size_t>(op)];
}

template <class T>
class PanelsPlan final : public Plan {
 public:
  PanelsPlan(const MatmulProblem& problem, MatmulProblem bare, const GemmForm& form,
             const blas::Blas& library, int threads)
      : problem_(problem),
        bare_(std::move(bare)),
        library_(library),
        threads_(threads),
        by_rows_(form.by_rows),
        mask_(mask_operand(problem)) {
    gemm_ = {.order = form.by_rows ? blas::Order::row : blas::Order::column,
             .op_a = blas_op(form.op_a),
             .op_b = blas_op(form.op_b),
             .k = problem.k(),
             .lda = form.lda,
             .ldb = form.ldb};
    choose_panels();
    const Context context{.device = Device::cpu(), .threads = threads};
    EpilogPass epilog = epilog_pass(problem, by_rows_ ? nb_ : 1, by_rows_ ? 1 : mb_, context);
    pass_ = std::move(epilog.pass);
    arrays_ = std::move(epilog.operands);
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (problem.operands[i].dtype == dtype_of<T>) continue;
      wide_[i] = widened(problem.operands[i], dtype_of<T>, context);
      wide_[i].offset = ledger_.book(dense_bytes(wide_[i].layout));
    }
    if (mask_) bools_offset_ = ledger_.book(dense_bytes(bool_layout(problem)));
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    panel_bytes_ = static_cast<std::size_t>(round_up((mb_ * nb_ + 64) * kSize, 256));
    panels_offset_ = ledger_.book(static_cast<std::size_t>(whole_ ? 1 : threads_) * panel_bytes_);
    pass_offset_ = ledger_.book(pass_->workspace_bytes());
    sums_ = operand_sums(problem, context);
    if (sums_) sums_offset_ = ledger_.book(sums_->workspace_bytes());
  }

  void execute(const Call& call) const override {
    Run run(*this, call);
    run.widen();
    run.unpack();
    pass_->start(run.pass_call());
    if (whole_) {
      run.whole();
    } else {
      run.panels();
    }
    pass_->finish(run.pass_call());
    run.pack();
    run.operand_sums();
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }

  double estimate() const override {
    const Rates rate = rates(Device::cpu(), threads_, dtype_of<T>);
    const double points = static_cast<double>(problem_.batch()) *
                          static_cast<double>(problem_.m()) * static_cast<double>(problem_.n());
    const Work work = problem_.work();
    double bytes = work.bytes;
    if (whole_) bytes += 2 * points * sizeof(T);
    const auto tasks = static_cast<double>(task_count());
    return 5e-6 + tasks * 0.5e-6 / threads_ + 1.15 * work.flops / rate.flops +
           std::max(bytes / rate.bandwidth, points * pass_->flops_per_point() / rate.flops);
  }
  void prepare() const override {
    pass_->prepare();
    if (sums_) sums_->prepare();
    for (const Widened& wide : wide_) {
      if (wide.pass) wide.pass->prepare();
    }
  }

  std::string describe() const override {
    return text(library_.version(), whole_ ? ", one product" : text(", panels of ", mb_, "×", nb_),
                ", ", threads_, threads_ == 1 ? " thread" : " threads",
                "; epilog: ", pass_->describe());
  }

 private:
  void choose_panels() {
    const std::int64_t m = std::max<std::int64_t>(problem_.m(), 1);
    const std::int64_t n = std::max<std::int64_t>(problem_.n(), 1);
    whole_ = problem_.k() >= kLargeK && m * n > kBlock * kBlock;
    const std::int64_t most = kPanelBytes / static_cast<std::int64_t>(sizeof(T));
    // The long side of a panel runs along D's lines.
    std::int64_t& lines = by_rows_ ? mb_ : nb_;
    std::int64_t& line = by_rows_ ? nb_ : mb_;
    const auto [count, length] = by_rows_ ? std::pair(m, n) : std::pair(n, m);
    line = whole_ ? length : std::min(length, std::int64_t{2048});
    line = round_up(line, kBlock);
    lines =
        whole_ ? count : std::clamp(most / line / kBlock * kBlock, kBlock, round_up(count, kBlock));
    lines = round_up(lines, kBlock);
  }

  [[nodiscard]] std::int64_t row_tasks() const { return (problem_.m() + mb_ - 1) / mb_; }
  [[nodiscard]] std::int64_t column_tasks() const { return (problem_.n() + nb_ - 1) / nb_; }
  [[nodiscard]] std::int64_t task_count() const {
    return problem_.batch() * row_tasks() * column_tasks();
  }

  /// One execution: addresses, and the steps.
  class Run {
   public:
    Run(const PanelsPlan& plan, const Call& call) : plan_(plan), call_(call) {
      std::copy_n(call.operands, 2, operands_.begin());
      for (std::size_t i = 0; i < plan.arrays_.size(); ++i) {
        arrays_[i + 1] = call.operands[plan.arrays_[i]];
        if (plan.mask_ == plan.arrays_[i]) arrays_[i + 1] = bools();
      }
      const std::size_t extra = plan.problem_.epilog ? plan.problem_.epilog->scalars.size() : 0;
      std::copy_n(call.scalars + 2, extra, scalars_.begin());
      scalars_[extra] = call.scalars[1];
      gemm_ = plan.gemm_;
      gemm_.alpha = scalar_as<T>(call.scalars[0]);
      gemm_.beta = T(0);
    }

    [[nodiscard]] codegen::PassCall pass_call() const {
      return {.arrays = arrays_.data(),
              .scalars = scalars_.data(),
              .workspace = at(plan_.pass_offset_),
              .stream = {}};
    }

    void widen() {
      for (std::size_t i = 0; i < 2; ++i) {
        const Widened& wide = plan_.wide_[i];
        if (!wide.pass) continue;
        void* const arrays[] = {call_.operands[i], at(wide.offset)};
        wide.pass->run({.arrays = arrays, .scalars = nullptr, .workspace = nullptr, .stream = {}});
        operands_[i] = at(wide.offset);
      }
    }

    void unpack() const {
      if (!plan_.mask_ || *plan_.mask_ >= plan_.problem_.first_aux()) return;
      unpack_mask(plan_.problem_, plan_.problem_.operands[*plan_.mask_],
                  call_.operands[*plan_.mask_], bools(), plan_.threads_);
    }
    void pack() const {
      if (!plan_.mask_ || *plan_.mask_ < plan_.problem_.first_aux()) return;
      pack_mask(plan_.problem_, plan_.problem_.operands[*plan_.mask_], bools(),
                call_.operands[*plan_.mask_], plan_.threads_);
    }

    void whole() {
      const blas::BlasThreads scope(plan_.library_, plan_.threads_);
      for (std::int64_t batch = 0; batch < plan_.problem_.batch(); ++batch) {
        const Dims first = batch_indices(plan_.problem_.d().shape, batch);
        product(first, 0, 0, plan_.problem_.m(), plan_.problem_.n(), 0);
        pass(first, 0, 0, plan_.problem_.m(), plan_.problem_.n(), 0, true);
      }
    }

    void panels() {
      const blas::BlasThreads scope(plan_.library_, 1);
      const bool local = plan_.library_.threads().reach() == blas::ThreadControl::Reach::thread;
      parallel_for(plan_.task_count(), 1, plan_.threads_,
                   [&](std::int64_t begin, std::int64_t end, int worker) {
                     const blas::BlasThreads one(plan_.library_, local ? 1 : 0);
                     for (std::int64_t task = begin; task < end; ++task) panel(task, worker);
                   });
    }

    void operand_sums() const {
      if (!plan_.sums_) return;
      void* const arrays[] = {call_.operands[*plan_.problem_.summed_operand()],
                              call_.operands[plan_.problem_.first_aux()]};
      plan_.sums_->run({.arrays = arrays,
                        .scalars = nullptr,
                        .workspace = at(plan_.sums_offset_),
                        .stream = {}});
    }

   private:
    [[nodiscard]] void* at(std::size_t offset) const {
      return Ledger::grant(call_.workspace, offset);
    }
    [[nodiscard]] bool* bools() const { return static_cast<bool*>(at(plan_.bools_offset_)); }

    void panel(std::int64_t task, int worker) {
      const std::int64_t columns = plan_.column_tasks();
      const std::int64_t rows = plan_.row_tasks();
      const std::int64_t j = task % columns * plan_.nb_;
      const std::int64_t i = task / columns % rows * plan_.mb_;
      const std::int64_t batch = task / columns / rows;
      const std::int64_t m = std::min(plan_.mb_, plan_.problem_.m() - i);
      const std::int64_t n = std::min(plan_.nb_, plan_.problem_.n() - j);
      const Dims first = batch_indices(plan_.problem_.d().shape, batch);
      product(first, i, j, m, n, worker);
      pass(first, i, j, m, n, worker, false);
    }

    [[nodiscard]] T* buffer(int worker) const {
      return static_cast<T*>(
          at(plan_.panels_offset_ + static_cast<std::size_t>(worker) * plan_.panel_bytes_));
    }

    const T* part_of(std::size_t operand, const Dims& batch, std::int64_t row,
                     std::int64_t column) const {
      const OperandLayout& layout = plan_.bare_.operands[operand];
      const auto [row_step, column_step] = steps(layout);
      std::int64_t offset = row * row_step + column * column_step;
      for (std::size_t axis = 0; axis < plan_.problem_.batch_rank(); ++axis) {
        offset += batch[axis] * layout.strides[axis];
      }
      return static_cast<const T*>(operands_[operand]) + offset;
    }

    void product(const Dims& first, std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n,
                 int worker) const {
      blas::Gemm<T> gemm = gemm_;
      gemm.m = m;
      gemm.n = n;
      gemm.a = part_of(0, first, i, 0);
      gemm.b = part_of(1, first, 0, j);
      gemm.c = buffer(worker);
      gemm.ldc = plan_.by_rows_ ? plan_.nb_ : plan_.mb_;
      plan_.library_.gemm(gemm);
    }

    void pass(const Dims& first, std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n,
              int worker, bool all_threads) const {
      auto arrays = arrays_;
      const std::int64_t row = plan_.by_rows_ ? plan_.nb_ : 1;
      const std::int64_t column = plan_.by_rows_ ? 1 : plan_.mb_;
      // As if the whole of D began there; only the panel's part of it exists.
      arrays[0] =
          reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(buffer(worker)) -
                                  (i * row + j * column) * static_cast<std::int64_t>(sizeof(T)));
      codegen::PassCall call = pass_call();
      call.arrays = arrays.data();
      const std::size_t rank = first.size();
      codegen::PassPart part{.first = first, .extent = Dims(rank, 1)};
      part.first[rank - 2] = i;
      part.first[rank - 1] = j;
      part.extent[rank - 2] = m;
      part.extent[rank - 1] = n;
      if (!all_threads) return plan_.pass_->run_part(call, part, worker);
      const std::size_t lines = plan_.by_rows_ ? rank - 2 : rank - 1;
      parallel_for(part.extent[lines], kBlock, plan_.threads_,
                   [&](std::int64_t begin, std::int64_t end, int thread) {
                     codegen::PassPart share = part;
                     share.first[lines] = begin;
                     share.extent[lines] = end - begin;
                     plan_.pass_->run_part(call, share, thread);
                   });
    }

    const PanelsPlan& plan_;
    const Call& call_;
    std::array<void*, 2> operands_{};
    std::array<void*, kMostOperands> arrays_{};
    std::array<ScalarValue, kMostOperands> scalars_{};
    blas::Gemm<T> gemm_;
  };

  MatmulProblem problem_;
  MatmulProblem bare_;
  const blas::Blas& library_;
  int threads_;
  bool by_rows_;
  bool whole_ = false;
  std::optional<std::size_t> mask_;
  std::int64_t mb_ = 0, nb_ = 0;
  std::size_t panel_bytes_ = 0;
  blas::Gemm<T> gemm_;
  PassPtr pass_;
  PassPtr sums_;
  std::vector<std::size_t> arrays_;  ///< operands that are the pass's arrays, after the element
  std::array<Widened, 2> wide_;
  Ledger ledger_;
  std::size_t bools_offset_ = 0, panels_offset_ = 0, pass_offset_ = 0, sums_offset_ = 0;
};

}  // namespace

Answer try_panels(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  if (given.is_plain()) return refuse("there is nothing to fuse");
  const auto library = blas::default_blas();
  if (!library) return library.refusal();
  const blas::Blas& blas = *library.value();
  const DType wide = expr::computing_dtype(given.a().dtype);
  std::vector<MatmulProblem> ways{given};
  if (may_fold(given)) ways.insert(ways.begin(), fold_batch(given));
  Answer answer = refuse("no way");
  for (const MatmulProblem& problem : ways) {
    MatmulProblem bare = bare_product(problem, wide);
    auto made = gemm_form(bare);
    if (auto* relayout = std::get_if<Relayout>(&made)) {
      // The copies are of what the operands are, which is widened only afterwards.
      for (auto& entry : relayout->entries) {
        if (entry.operand >= 2) continue;
        entry.layout.dtype = problem.operands[entry.operand].dtype;
        entry.layout.conjugate = problem.operands[entry.operand].conjugate;
      }
      answer = std::move(*relayout);
      continue;
    }
    const GemmForm form = std::get<GemmForm>(made);
    if (!blas.fits(problem.m(), problem.n(), problem.k(), form.lda, form.ldb)) {
      return refuse("its ", blas.integer_bits(), "-bit integers do not hold an extent or stride");
    }
    return visit_blas(wide, MatmulProblem::kOperation, [&]<class T>(TypeTag<T>) -> Answer {
      return std::make_shared<PanelsPlan<T>>(problem, std::move(bare), form, blas, context.threads);
    });
  }
  return answer;
}

}  // namespace mw::matmul_impl
