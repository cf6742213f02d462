// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The matrix product by cuBLASLt: IEEE arithmetic of the operands' precision, narrow types summed
// in float32, unless the problem allows less; with those epilogs that the library has.
#include <mutex>

#include "ops/matmul/cublaslt_algorithms.hpp"
#include "ops/matmul/cublaslt_call.hpp"
#include "ops/matmul/cuda_program.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"

namespace mw::matmul_impl {

namespace {

namespace lt = cublaslt;

using CallPtr = std::shared_ptr<const CublasLtCall>;

class CublasLtPlan final : public Plan {
 public:
  /// With the library's first choice of algorithm.
  explicit CublasLtPlan(CallPtr call)
      : CublasLtPlan(call,
                     call->empty() ? CublasLtAlgorithm{} : ranked_algorithms(*call, 1).front(),
                     std::string()) {}

  /// With another one, named by `variant`.
  CublasLtPlan(CallPtr call, const CublasLtAlgorithm& algorithm, std::string variant)
      : call_(std::move(call)),
        algo_(algorithm.algo),
        variant_(std::move(variant)),
        algo_bytes_(algorithm.workspace_bytes),
        algo_offset_(ledger_.book(algo_bytes_)) {
    idle_.reserve(16);
    if (problem().k() == 0) {
      const CublasLtShape& shape = call_->shape();
      zeros_offset_ = ledger_.book(static_cast<std::size_t>(std::max(shape.m, shape.n)) *
                                   itemsize(problem().a().dtype));
    }
  }

  void execute(const Call& call) const override {
    if (call_->empty()) return;
    const ScaleValue alpha(problem().k() == 0 ? ScalarValue(0) : call.scalars[0],
                           call_->scale_type());
    const ScaleValue beta(call.scalars[1], call_->scale_type());
    const void* zeros = zero_operand(call);
    const DescLease desc(*this, call);
    const Batches& batches = call_->batches();
    const bool exchanged = call_->shape().exchanged;
    for (std::int64_t i = 0; i < batches.count(); i += batches.inner_count()) {
      const Pointers at = batches.at(call.operands, i);
      const void* a = zeros ? zeros : at.a;
      const void* b = zeros ? zeros : at.b;
      lt::call(lt::api().cublasLtMatmul, call_->context(), desc.get(), &alpha, exchanged ? b : a,
               call_->x(), exchanged ? a : b, call_->y(), &beta, at.c ? at.c : at.d, call_->c(),
               at.d, call_->d(), &algo_, Ledger::grant(call.workspace, algo_offset_), algo_bytes_,
               call.stream.handle);
    }
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override {
    const Rates rate = rates(Device::cuda(call_->device_id()), 1, problem().d().dtype);
    const Batches& batches = call_->batches();
    const std::int64_t calls = batches.count() / std::max<std::int64_t>(batches.inner_count(), 1);
    return rate.call * std::max(static_cast<double>(calls), 1.0) +
           gemm_over_floor(problem()) * floor_seconds(problem().work(), rate);
  }
  std::string describe() const override {
    return text(library(), ", ",
                variant_.empty() ? std::string("its first choice of algorithm")
                                 : "algorithm " + variant_.substr(0, variant_.find(" algo=")),
                ", ", call_->epilog().value == lt::Epilogue::none ? "" : "its own epilog, ",
                human_bytes(static_cast<double>(algo_bytes_)), " of workspace");
  }
  std::size_t resident_bytes() const override { return 4096; }
  std::string library() const override { return text("cuBLASLt ", lt::api().cublasLtGetVersion()); }

  std::vector<PlanPtr> variants(int limit) const override {
    std::vector<PlanPtr> plans;
    if (call_->empty() || limit < 1) return plans;
    for (const CublasLtAlgorithm& algorithm : ranked_algorithms(*call_, limit + 1)) {
      const bool ours = std::ranges::equal(algorithm.algo.data, algo_.data);
      if (!ours && plans.size() < static_cast<std::size_t>(limit)) plans.push_back(with(algorithm));
    }
    return plans;
  }
  std::string variant() const override { return variant_; }
  PlanPtr with_variant(std::string_view words) const override {
    if (call_->empty()) return nullptr;
    if (words.empty()) return std::make_shared<CublasLtPlan>(call_);
    const auto algo = algorithm_of(words);
    if (!algo) return nullptr;
    const auto algorithm = checked(*call_, *algo);
    return algorithm ? with(algorithm.value()) : nullptr;
  }

  std::vector<AlgorithmAttribute> attributes() const override {
    if (call_->empty()) return {};
    return attributes_of(algo_);
  }
  std::vector<AlgorithmCapability> capabilities() const override {
    if (call_->empty()) return {};
    return capabilities_of(*call_, algo_);
  }
  PlanPtr with_attributes(std::span<const AlgorithmAttribute> changes) const override {
    if (call_->empty()) return Plan::with_attributes(changes);
    const auto algorithm = checked(*call_, matmul_impl::with_attributes(*call_, algo_, changes));
    if (!algorithm) fail(ErrorKind::unsupported, "matmul: ", algorithm.refusal().reason);
    return with(algorithm.value());
  }

 private:
  [[nodiscard]] const MatmulProblem& problem() const { return call_->problem(); }

  [[nodiscard]] PlanPtr with(const CublasLtAlgorithm& algorithm) const {
    return std::make_shared<CublasLtPlan>(call_, algorithm, words_of(algorithm.algo));
  }

  /// A description of the call for one execution. The library keeps the addresses of an epilog's
  /// operands in it, so executions at the same time need one each.
  class DescLease {
   public:
    DescLease(const CublasLtPlan& plan, const Call& call) : plan_(plan) {
      if (plan.call_->epilog().value == lt::Epilogue::none) return;
      {
        const std::lock_guard lock(plan.mutex_);
        if (!plan.idle_.empty()) {
          own_ = std::move(plan.idle_.back());
          plan.idle_.pop_back();
        }
      }
      if (!own_.get()) own_ = plan.call_->make_desc();
      const NativeEpilog& epilog = plan.call_->epilog();
      if (epilog.bias) point(lt::DescAttribute::bias_pointer, call.operands[*epilog.bias]);
      if (epilog.gradient) point(lt::DescAttribute::bias_pointer, call.operands[*epilog.gradient]);
      if (epilog.aux) point(lt::DescAttribute::epilogue_aux_pointer, call.operands[*epilog.aux]);
    }
    ~DescLease() {
      if (!own_.get()) return;
      const std::lock_guard lock(plan_.mutex_);
      plan_.idle_.push_back(std::move(own_));  // as many as ever ran at once; reserved for 16
    }
    DescLease(const DescLease&) = delete;
    DescLease& operator=(const DescLease&) = delete;
    [[nodiscard]] lt::MatmulDesc get() const {
      return own_.get() ? own_.get() : plan_.call_->desc();
    }

   private:
    void point(lt::DescAttribute attribute, void* address) const {
      lt::set(own_.get(), attribute, address);
    }
    const CublasLtPlan& plan_;
    lt::DescOwner own_;
  };

  const void* zero_operand(const Call& call) const {
    if (problem().k() != 0) return nullptr;
    void* zeros = Ledger::grant(call.workspace, zeros_offset_);
    const CublasLtShape& shape = call_->shape();
    fill_zero(TensorRef(zeros, problem().a().dtype, {std::max(shape.m, shape.n)}, {1},
                        Device::cuda(call_->device_id())),
              call.stream);
    return zeros;
  }

  CallPtr call_;
  lt::Algo algo_;
  std::string variant_;
  mutable std::mutex mutex_;
  mutable std::vector<lt::DescOwner> idle_;
  Ledger ledger_;
  std::size_t algo_bytes_;
  std::size_t algo_offset_;
  std::size_t zeros_offset_ = 0;
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

/// Auxiliary matrices keep their formats only if batches are not merged with rows or columns.
std::variant<GemmCall, Relayout> call_of(const MatmulProblem& given) {
  if (may_fold(given) && given.aux.empty()) return gemm_call(given);
  auto form = gemm_form(given);
  if (auto* relayout = std::get_if<Relayout>(&form)) return std::move(*relayout);
  return GemmCall{given, std::get<GemmForm>(form)};
}

}  // namespace

Answer try_cublaslt(const MatmulProblem& given, const Context& context) {
  if (!context.device.is_cuda()) return refuse("runs on CUDA devices only");
  const auto library = lt::load();
  if (!library) return library.refusal();
  for (std::size_t i = 0; i < given.operands.size(); ++i) {
    const bool counts = i < given.first_tensor() || i == given.d_index();
    if (counts && !cublaslt_type(given.operands[i].dtype)) {
      return refuse("no arithmetic for dtype ", given.operands[i].dtype);
    }
  }
  constexpr std::int64_t kMostBatch = (std::int64_t{1} << 31) - 1;
  if (given.batch() > kMostBatch) return refuse("batches of at most ", kMostBatch);

  if (auto relayout = misaligned(given); !relayout.entries.empty()) return relayout;
  auto made = call_of(given);
  if (auto* relayout = std::get_if<Relayout>(&made)) return std::move(*relayout);
  const auto& [problem, form] = std::get<GemmCall>(made);
  const auto epilog = native_epilog(problem, form.by_rows);
  if (!epilog) return epilog.refusal();
  const auto ldc = leading_of_c(problem, form.by_rows);
  if (!ldc) {
    return Relayout{.reason = "cuBLASLt takes C in the order of D",
                    .entries = {{2, dense_like(given.d())}}};
  }
  return std::make_shared<CublasLtPlan>(
      std::make_shared<const CublasLtCall>(problem, form, *ldc, epilog.value(), context.device.id));
}

}  // namespace mw::matmul_impl
