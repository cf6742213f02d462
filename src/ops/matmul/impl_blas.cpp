// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The matrix product by a host BLAS: one candidate per library that may be found. GEMM adds into
// its output, so C is copied to D first where they are not the same memory.
//
// Batches: products too small to occupy several threads each run one after another on every thread
// of our own pool, the library held to one; larger ones run in turn, each on all of the library's
// threads.
#include "ops/matmul/implementations.hpp"

#include "base/env.hpp"
#include "base/layout.hpp"
#include "base/visit.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "plan/rates.hpp"
#include "plan/select.hpp"
#include "runtime/copy.hpp"
#include "runtime/thread_pool.hpp"
#include "vendor/blas_lapack/blas.hpp"

namespace mw::matmul_impl {

namespace {

constexpr double kThreadedFlops = 2e6;  // below it one thread is as quick: about 20 µs of work

blas::Op blas_op(GemmOp op) {
  constexpr blas::Op kOps[] = {blas::Op::none, blas::Op::transpose, blas::Op::conjugate_transpose};
  return kOps[static_cast<std::size_t>(op)];
}

/// How threads are used, where a plan does not choose itself.
struct Threading {
  bool spread = false;  ///< over the batch, the library held to one; else it uses them
  int threads = 1;

  [[nodiscard]] std::string words() const { return text(spread ? "spread=" : "threads=", threads); }
};

template <class T>
class BlasPlan final : public Plan {
 public:
  BlasPlan(const MatmulProblem& problem, const GemmForm& form, const blas::Blas& library,
           int threads, std::optional<Threading> given = {})
      : problem_(problem),
        form_(form),
        batches_(problem),
        library_(library),
        most_threads_(threads),
        threads_(given ? given->threads : threads),
        given_(given) {
    gemm_ = {.order = form.by_rows ? blas::Order::row : blas::Order::column,
             .op_a = blas_op(form.op_a),
             .op_b = blas_op(form.op_b),
             .m = problem.m(),
             .n = problem.n(),
             .k = problem.k(),
             .lda = form.lda,
             .ldb = form.ldb,
             .ldc = form.ldd};
    const double flops =
        problem.work().flops / static_cast<double>(std::max<std::int64_t>(batches_.count(), 1));
    spread_ = batches_.count() > 1 && threads > 1 && flops < kThreadedFlops;
    library_threads_ = spread_ || problem.work().flops < kThreadedFlops ? 1 : threads;
    if (given) spread_ = given->spread;
    if (given) library_threads_ = given->spread ? 1 : given->threads;
    // About as many products in one piece as make 20 µs.
    grain_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(kThreadedFlops / (flops + 20000)));
  }

  void execute(const Call& call) const override {
    if (gemm_.m == 0 || gemm_.n == 0) return;
    const T beta = scalar_as<T>(call.scalars[1]);
    void* const d = call.operands[problem_.d_index()];
    if (problem_.has_c && beta != T(0) && !c_is_d(call)) {
      copy(view_of(problem_.c(), call.operands[2], Device::cpu()),
           view_of(problem_.d(), d, Device::cpu()), {}, threads_);
    }
    blas::Gemm<T> gemm = gemm_;
    gemm.alpha = scalar_as<T>(call.scalars[0]);
    gemm.beta = beta;
    const blas::BlasThreads scope(library_, threads_of_library());
    if (spread_) {
      parallel_for(batches_.count(), grain_, threads_,
                   [&](std::int64_t begin, std::int64_t end, int) {
                     const blas::BlasThreads one(library_, local_threads() ? 1 : 0);
                     run(call, gemm, begin, end);
                   });
    } else {
      run(call, gemm, 0, batches_.count());
    }
  }

  double estimate() const override {
    const Rates rate = rates(Device::cpu(), spread_ ? threads_ : library_threads_, dtype_of<T>);
    constexpr double kCall = 0.1e-6;  // OpenBLAS, 1×1: 85 to 95 ns
    const auto calls = static_cast<double>(batches_.count()) / (spread_ ? threads_ : 1);
    double seconds = kCall * std::max(calls, 1.0) + 1.15 * floor_seconds(problem_.work(), rate);
    if (spread_ || library_threads_ > 1) seconds += 5e-6;  // waking the threads
    return seconds;
  }
  std::string describe() const override {
    return text(library_.version(), ", ", library_.path(), ", ",
                spread_ ? text(threads_, " threads over the batch")
                        : text(library_threads_, library_threads_ == 1 ? " thread" : " threads"));
  }
  std::string library() const override { return library_.version(); }

  /// All threads, half of them, …, one; over the batch and inside the library.
  std::vector<PlanPtr> variants(int limit) const override {
    std::vector<PlanPtr> plans;
    const Threading own{spread_, spread_ ? threads_ : library_threads_};
    for (int threads = most_threads_; threads >= 1; threads /= 2) {
      for (const bool spread : {false, true}) {
        if (spread && (threads == 1 || batches_.count() == 1)) continue;
        const Threading threading{spread, threads};
        if (threading.words() == own.words()) continue;
        if (plans.size() == static_cast<std::size_t>(limit)) return plans;
        plans.push_back(
            std::make_shared<BlasPlan>(problem_, form_, library_, most_threads_, threading));
      }
    }
    return plans;
  }
  std::string variant() const override { return given_ ? given_->words() : std::string(); }

 private:
  [[nodiscard]] bool local_threads() const {
    return library_.threads().reach() == blas::ThreadControl::Reach::thread;
  }
  [[nodiscard]] int threads_of_library() const {
    // One count per process: a small product leaves it alone, the library sees itself that it is
    // small.
    if (!given_ && !spread_ && library_threads_ == 1 && !local_threads()) return 0;
    return library_threads_;
  }

  [[nodiscard]] bool c_is_d(const Call& call) const {
    return same_view(view_of(problem_.c(), call.operands[2], Device::cpu()),
                     view_of(problem_.d(), call.operands[problem_.d_index()], Device::cpu()));
  }

  void run(const Call& call, blas::Gemm<T> gemm, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const Pointers at = batches_.at(call.operands, i);
      gemm.a = static_cast<const T*>(at.a);
      gemm.b = static_cast<const T*>(at.b);
      gemm.c = static_cast<T*>(at.d);
      library_.gemm(gemm);
    }
  }

  MatmulProblem problem_;
  GemmForm form_;
  Batches batches_;
  const blas::Blas& library_;
  int most_threads_;
  int threads_;
  std::optional<Threading> given_;
  int library_threads_ = 1;
  bool spread_ = false;
  std::int64_t grain_ = 1;
  blas::Gemm<T> gemm_;
};

Answer plan_with(const blas::Blas& library, const MatmulProblem& given, const Context& context) {
  if (const auto why = host_refusal(given)) return *why;
  auto made = gemm_call(given);
  if (auto* relayout = std::get_if<Relayout>(&made)) return std::move(*relayout);
  const GemmCall& call = std::get<GemmCall>(made);
  const auto& [problem, form] = call;
  if (!library.fits(problem.m(), problem.n(), problem.k(), form.lda, form.ldb, form.ldd)) {
    return refuse("its ", library.integer_bits(), "-bit integers do not hold an extent or stride");
  }
  return visit_blas(
      problem.d().dtype, MatmulProblem::kOperation, [&]<class T>(TypeTag<T>) -> Answer {
        return std::make_shared<BlasPlan<T>>(call.problem, call.form, library, context.threads);
      });
}

}  // namespace

Answer try_blas(std::string_view name, const MatmulProblem& problem, const Context& context) {
  if (!context.device.is_cpu()) return refuse("runs on the host only");
  const auto rows = blas::blas_libraries();
  const bool named = env(EnvVar::blas_library) || env(EnvVar::nvmath_blas_library);
  const bool by_name = asked_for_by_name(name);
  if (named && name != rows.front().name && !by_name) {
    return refuse("MATHWRIGHT_BLAS_LIBRARY or NVMATH_BLAS_CPU_LIBRARY names another library");
  }
  for (const auto& row : rows) {
    const bool wanted = name == row.name;
    if (!wanted && by_name) continue;
    if (&row == &rows.front() && !named) {
      if (wanted) return refuse("MATHWRIGHT_BLAS_LIBRARY is not set");
      continue;
    }
    const auto library = blas::load_blas(row);
    if (wanted && !library) return library.refusal();
    if (wanted) return plan_with(*library.value(), problem, context);
    // A second BLAS in the process would only bring a second set of threads.
    if (library)
      return refuse("not opened, since ", row.name, " is here; ask for it by name to compare");
  }
  return refuse("no such library in the catalog");
}

}  // namespace mw::matmul_impl
