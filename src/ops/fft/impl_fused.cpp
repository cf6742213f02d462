// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A transform with functions at its ends, around whichever plain transform is best.
//
// On the host, the batch goes in boxes that stay in the second-level cache: a pass reads the user's
// elements and writes x, the plain transform makes y of x there, a pass reads y and writes the
// user's results; so memory sees each of the user's arrays once, as if the functions were free.
// Each thread takes boxes of its own. Where one transform is more than a cache holds, and on
// devices, the three go over the whole arrays, with 2·|x| + 2·|y| more bytes; on the host the
// transform's axes may then be worth taking apart, see impl_fused_axes.cpp.
#include <algorithm>
#include <array>

#include "base/layout.hpp"
#include "ops/fft/boxes.hpp"
#include "ops/fft/candidates.hpp"
#include "ops/fft/parts.hpp"
#include "plan/cache.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_host.hpp"
#include "runtime/cpu_limits.hpp"
#include "runtime/thread_pool.hpp"

namespace mw {

namespace {

using codegen::PassPtr;

constexpr std::int64_t kBoxBytes = 256 << 10;  // half of a second-level cache
constexpr double kCacheRate = 40e9;            // bytes a second of one thread, measured
constexpr std::int64_t kAcross = 32;           // lines side by side: 256 bytes of each row

/// Where an array between the parts lies, and how.
struct Between {
  enum class Lies : std::uint8_t { input, result, buffer } place = Lies::buffer;
  OperandLayout layout;    ///< of a whole box, the strides those of all of it
  std::size_t offset = 0;  ///< of the buffer
};
using Lies = Between::Lies;

std::int64_t offset_of(const Dims& first, const OperandLayout& layout) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < first.size(); ++i) offset += first[i] * layout.strides[i];
  return offset * static_cast<std::int64_t>(itemsize(layout.dtype));
}

void* moved(void* address, std::int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(address) + bytes);
}

/// The largest power of two that divides the addresses of all boxes.
std::uint8_t box_alignment(const OperandLayout& layout, const Dims& extents, const Dims& shape) {
  std::uint64_t bits = layout.alignment;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] >= shape[i]) continue;
    bits |= static_cast<std::uint64_t>(extents[i] * layout.strides[i]) * itemsize(layout.dtype);
  }
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(bits & (~bits + 1), 16));
}

/// Sets what lies beyond `used` in a view to zero.
void fill_beyond(TensorRef view, const Dims& used, int threads, Stream stream) {
  for (std::size_t axis = 0; axis < used.size(); ++axis) {
    TensorRef beyond = view;
    beyond.shape[axis] -= used[axis];
    beyond.data = moved(view.data, used[axis] * view.strides[axis] *
                                       static_cast<std::int64_t>(itemsize(view.dtype)));
    view.shape[axis] = used[axis];
    if (beyond.shape[axis] == 0) continue;
    if (view.device.is_cpu()) {
      fill_zero_host(beyond, threads);
    } else {
      fill_zero(beyond, stream);
    }
  }
}

/// How the batch is shared out.
struct Cut {
  std::int64_t lines = 0;  ///< transforms in a box, about; 0: one box for all
  int threads = 1;

  bool operator==(const Cut&) const = default;
  [[nodiscard]] std::string words() const { return text("lines=", lines, " threads=", threads); }
  [[nodiscard]] Boxes boxes(const FFTProblem& problem) const {
    return lines == 0 ? Boxes::whole(problem) : Boxes::of(problem, lines);
  }
};

class FusedPlan final : public Plan {
 public:
  /// `tuned`: the cut is not the candidate's own choice.
  FusedPlan(const FFTProblem& problem, const Context& context, const Cut& cut, bool tuned)
      : problem_(problem),
        context_(context),
        cut_(cut),
        tuned_(tuned),
        parts_(parts_of(problem)),
        boxes_(cut.boxes(problem)),
        device_(context.device),
        threads_(cut.threads) {
    place_between();
    if (parts_.prolog) before_ = make_pass(prolog_pass(problem, parts_, spread(x_)));
    if (parts_.epilog) after_ = make_pass(epilog_pass(problem, parts_, spread(y_)));
    if (problem.transforms() > 0) choose_transforms();
    book();
  }

  void execute(const Call& call) const override {
    const Run run(*this, call);
    if (boxes_.is_whole()) return run.whole();
    if (before_) before_->start(run.before());
    if (after_) after_->start(run.after());
    parallel_for(boxes_.count(), 1, threads_,
                 [&](std::int64_t begin, std::int64_t end, int worker) {
                   for (std::int64_t i = begin; i < end; ++i) run.box(i, worker);
                 });
    if (before_) before_->finish(run.before());
    if (after_) after_->finish(run.after());
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }

  double estimate() const override {
    const Rates rate = rates(device_, threads_, problem_.result().dtype);
    const double share = std::min<double>(threads_, static_cast<double>(boxes_.count()));
    double seconds = 0;
    if (core_) seconds += core_->estimate() * static_cast<double>(boxes_.count()) / share;
    // In boxes, the user's arrays move while nothing is computed, and x and y move in the cache.
    double speed = rate.bandwidth;
    if (!boxes_.is_whole()) {
      seconds += 3e-6 + problem_.work().bytes / rate.bandwidth;
      speed = kCacheRate * share;
    }
    const auto add = [&](const PassPtr& pass, const Dims& space, const OperandLayout& between) {
      if (!pass) return;
      double points = 1;
      for (const auto extent : space) points *= static_cast<double>(extent);
      const double bytes = 2 * points * static_cast<double>(itemsize(between.dtype));
      seconds +=
          rate.call + std::max(points * (1 + pass->flops_per_point()) / rate.flops, bytes / speed);
    };
    add(before_, problem_.shape_used(), x_.layout);
    add(after_, problem_.shape_out(), y_.layout);
    return seconds;
  }

  void prepare() const override {
    if (before_) before_->prepare();
    if (after_) after_->prepare();
  }

  std::string describe() const override {
    std::string words;
    if (before_) words += text("prolog: ", before_->describe(), "; ");
    words += core_ ? text(core_name_, ": ", core_->describe()) : "nothing to transform";
    if (after_) words += text("; epilog: ", after_->describe());
    if (!boxes_.is_whole()) {
      words += text("; in ", boxes_.count(), " boxes of ", boxes_.extents(problem_.shape), " on ",
                    threads_, threads_ == 1 ? " thread" : " threads");
    }
    return words;
  }

  /// Larger and smaller boxes, one for all, and one thread.
  std::vector<PlanPtr> variants(int limit) const override {
    std::vector<PlanPtr> plans;
    if (!device_.is_cpu() || problem_.transforms() <= 1) return plans;
    const std::int64_t most = static_cast<std::int64_t>(std::min(problem_.transforms(), 1e9));
    const std::int64_t own = cut_.lines == 0 ? most : cut_.lines;
    std::vector<Cut> seen{cut_};
    for (const std::int64_t lines :
         {std::max<std::int64_t>(own / 4, 1), std::min(4 * own, most), std::int64_t{0}, own}) {
      for (int threads = context_.threads; threads >= 1; threads /= 2) {
        const Cut cut{lines, threads};
        if (std::ranges::find(seen, cut) != seen.end()) continue;
        if (plans.size() == static_cast<std::size_t>(limit)) return plans;
        seen.push_back(cut);
        plans.push_back(std::make_shared<FusedPlan>(problem_, context_, cut, true));
      }
    }
    return plans;
  }
  std::string variant() const override { return tuned_ ? cut_.words() : std::string(); }

 private:
  void place_between() {
    const auto buffer = [&](DType dtype, const Dims& shape) {
      return Between{Lies::buffer, between_layout(problem_, dtype, boxes_.extents(shape)), 0};
    };
    const auto given = [&](Lies place, const OperandLayout& operand, const Dims& shape) {
      OperandLayout layout = operand;
      layout.shape = boxes_.extents(shape);
      layout.alignment = box_alignment(operand, layout.shape, shape);
      return Between{place, layout, 0};
    };
    const OperandLayout& result = problem_.result();
    x_ = parts_.prolog ? buffer(parts_.x, problem_.shape_in())
                       : given(Lies::input, problem_.input(), problem_.shape_in());
    y_ = parts_.epilog ? buffer(parts_.y, problem_.shape_out())
                       : given(Lies::result, result, problem_.shape_out());
    in_place_ = !problem_.halves() && parts_.prolog && parts_.epilog;
    if (in_place_) y_ = x_;
    // Over whole arrays, the result's memory serves instead of a buffer where it can.
    const bool fits = result.shape == problem_.shape_out() && result.dtype == parts_.y &&
                      maps_one_to_one(result.shape, result.strides);
    if (!boxes_.is_whole() || !fits) return;
    if (parts_.epilog) y_ = given(Lies::result, result, problem_.shape_out());
    if (parts_.prolog && !problem_.halves()) {
      x_ = given(Lies::result, result, problem_.shape_in());
    }
    in_place_ = (x_.place == Lies::result && y_.place == Lies::result) ||
                (problem_.in_place && x_.place == Lies::input && y_.place == Lies::result);
  }

  /// The layout as passes see it: over the whole space. Strides are of no matter along axes that
  /// boxes have one index of, but must not be 0, which would mean a reduction.
  [[nodiscard]] OperandLayout spread(const Between& between) const {
    OperandLayout layout = between.layout;
    const Dims& shape = &between == &x_ ? problem_.shape_in() : problem_.shape_out();
    layout.alignment = box_alignment(layout, layout.shape, shape);
    layout.shape = shape;
    return layout;
  }

  [[nodiscard]] PassPtr make_pass(const codegen::PassProblem& pass) const {
    return device_.is_cpu() ? codegen::make_host_pass(pass, threads_)
                            : codegen::make_device_pass(pass, device_.id);
  }

  void choose_transforms() {
    FFTProblem core = plain_transform(problem_, x_.layout, y_.layout);
    core.in_place = in_place_;
    const int threads = boxes_.is_whole() ? threads_ : 1;
    const Placement placement{device_, {device_, threads}};
    const auto choose = [&] {
      const auto selection = cached_selection(ProblemOf<FFTProblem>(core), placement);
      core_name_ = selection->chosen;
      return selection->plan;
    };
    core_ = choose();
    const std::size_t axis = boxes_.split_axis();
    if (boxes_.is_whole() || !boxes_.has_smaller()) return;
    for (auto& operand : core.operands) operand.shape[axis] = boxes_.last_extent();
    core.shape[axis] = core.result_shape[axis] = boxes_.last_extent();
    last_ = choose();
  }

  void book() {
    if (before_) before_workspace_ = ledger_.book(before_->workspace_bytes());
    if (after_) after_workspace_ = ledger_.book(after_->workspace_bytes());
    Ledger box;  // each thread has one
    if (core_)
      core_workspace_ =
          box.book(std::max(core_->workspace_bytes(), last_ ? last_->workspace_bytes() : 0));
    if (x_.place == Lies::buffer) x_.offset = box.book(dense_bytes(x_.layout));
    if (y_.place == Lies::buffer)
      y_.offset = in_place_ ? x_.offset : box.book(dense_bytes(y_.layout));
    box_bytes_ = box.total();
    boxes_offset_ =
        ledger_.book(box_bytes_ * static_cast<std::size_t>(boxes_.is_whole() ? 1 : threads_));
  }

  /// One execution.
  class Run {
   public:
    Run(const FusedPlan& plan, const Call& call) : plan_(plan), call_(call) {
      list(plan.parts_.before_arrays, before_arrays_);
      list(plan.parts_.after_arrays, after_arrays_);
      const std::size_t before = 2, after = before + plan.problem_.prolog.scalars();
      before_scalars_ = call.scalars + before;
      const std::size_t own = plan.problem_.epilog.scalars();
      std::copy_n(call.scalars + after, own, after_scalars_.begin());
      if (plan.problem_.scaled) after_scalars_[own] = call.scalars[1];
      core_scalars_ = {call.scalars[0], 1};
      if (plan.boxes_.is_whole()) connect(between(plan.x_, {}, 0), between(plan.y_, {}, 0));
    }

    [[nodiscard]] codegen::PassCall before() const {
      return {before_arrays_.data(), before_scalars_, at(plan_.before_workspace_), call_.stream};
    }
    [[nodiscard]] codegen::PassCall after() const {
      return {after_arrays_.data(), after_scalars_.data(), at(plan_.after_workspace_),
              call_.stream};
    }

    void whole() const {
      void* const x = between(plan_.x_, {}, 0);
      if (plan_.parts_.pads) fill(x, plan_.problem_.shape_used(), plan_.threads_);
      if (plan_.before_) plan_.before_->run(before());
      if (plan_.core_) transform(*plan_.core_, x, between(plan_.y_, {}, 0), 0);
      if (plan_.after_) plan_.after_->run(after());
    }

    void box(std::int64_t index, int worker) const {
      const Dims first = plan_.boxes_.first(index);
      const bool last = plan_.boxes_.is_last(first);
      void* const x = between(plan_.x_, first, worker);
      void* const y = between(plan_.y_, first, worker);
      Run own = *this;
      own.connect(
          moved(x, plan_.x_.place == Lies::buffer ? -offset_of(first, plan_.x_.layout) : 0),
          moved(y, plan_.y_.place == Lies::buffer ? -offset_of(first, plan_.y_.layout) : 0));
      const auto part = [&](const Dims& space) {
        codegen::PassPart box{first, plan_.boxes_.extents(space)};
        if (last) box.extent[plan_.boxes_.split_axis()] = plan_.boxes_.last_extent();
        return box;
      };
      const codegen::PassPart used = part(plan_.problem_.shape_used());
      if (plan_.parts_.pads) fill(x, used.extent, 1);
      if (plan_.before_) plan_.before_->run_part(own.before(), used, worker);
      transform(last && plan_.last_ ? *plan_.last_ : *plan_.core_, x, y, worker);
      if (plan_.after_) {
        plan_.after_->run_part(own.after(), part(plan_.problem_.shape_out()), worker);
      }
    }

   private:
    using Arrays = std::array<void*, kMostOperands + 1>;

    void list(const std::vector<std::size_t>& operands, Arrays& arrays) const {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        arrays[i] = operands[i] == FFTParts::kBetween ? nullptr : call_.operands[operands[i]];
      }
    }
    /// x and y at their places in the passes' arrays.
    void connect(void* x, void* y) {
      put(plan_.parts_.before_arrays, before_arrays_, x);
      put(plan_.parts_.after_arrays, after_arrays_, y);
    }
    static void put(const std::vector<std::size_t>& operands, Arrays& arrays, void* address) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == FFTParts::kBetween) arrays[i] = address;
      }
    }

    [[nodiscard]] void* at(std::size_t offset) const {
      return Ledger::grant(call_.workspace, offset);
    }
    [[nodiscard]] void* of_worker(int worker, std::size_t offset) const {
      return at(plan_.boxes_offset_ + static_cast<std::size_t>(worker) * plan_.box_bytes_ + offset);
    }
    [[nodiscard]] void* between(const Between& of, const Dims& first, int worker) const {
      if (of.place == Lies::buffer) return of_worker(worker, of.offset);
      void* const user = of.place == Lies::input
                             ? call_.operands[0]
                             : call_.operands[plan_.problem_.operands.size() - 1];
      return moved(user, offset_of(first, of.layout));
    }

    void fill(void* x, const Dims& used, int threads) const {
      OperandLayout layout = plan_.x_.layout;
      for (std::size_t i = 0; i < used.size(); ++i) {
        const bool batch = std::ranges::find(plan_.problem_.axes, static_cast<std::int64_t>(i)) ==
                           plan_.problem_.axes.end();
        if (batch) layout.shape[i] = used[i];
      }
      fill_beyond(view_of(layout, x, plan_.device_), used, threads, call_.stream);
    }

    void transform(const Plan& core, void* x, void* y, int worker) const {
      void* const operands[] = {x, y};
      core.execute(
          {operands, core_scalars_.data(), of_worker(worker, plan_.core_workspace_), call_.stream});
    }

    const FusedPlan& plan_;
    const Call& call_;
    Arrays before_arrays_{}, after_arrays_{};
    const ScalarValue* before_scalars_ = nullptr;
    std::array<ScalarValue, kMostOperands> after_scalars_{};
    std::array<ScalarValue, 2> core_scalars_{};
  };

  FFTProblem problem_;
  Context context_;
  Cut cut_;
  bool tuned_;
  FFTParts parts_;
  Boxes boxes_;
  Device device_;
  int threads_;
  Between x_, y_;
  bool in_place_ = false;  ///< x and y are one buffer
  PassPtr before_, after_;
  PlanPtr core_, last_;  ///< of a whole box; of the last one along the split axis, if it is smaller
  std::string core_name_;
  Ledger ledger_;
  std::size_t before_workspace_ = 0, after_workspace_ = 0, core_workspace_ = 0;
  std::size_t boxes_offset_ = 0, box_bytes_ = 0;
};

/// The boxes that stay in cache; one if there are no such, or nothing to share out.
Cut cut_for(const FFTProblem& problem, const Context& context) {
  const Cut whole{0, context.threads};
  const double transforms = problem.transforms();
  if (!context.device.is_cpu() || transforms <= 1) return whole;
  const FFTParts parts = parts_of(problem);
  const double bytes =
      problem.points() *
      static_cast<double>((parts.prolog ? itemsize(parts.x) : 0) + itemsize(parts.y));
  const bool too_large = bytes > static_cast<double>(last_level_cache()) / 2 / context.threads;
  const bool all_fits = bytes * transforms <= kBoxBytes;
  if (too_large || all_fits) return whole;
  double each = std::max(1.0, std::floor(kBoxBytes / bytes));
  each = std::min(each, std::ceil(transforms / (4.0 * context.threads)));
  const auto lines = static_cast<std::int64_t>(each);
  const Dims order = memory_order(problem.input().shape, problem.input().strides);
  const bool across =
      !order.empty() && std::ranges::find(problem.axes, order.back()) == problem.axes.end();
  if (!across) return {lines, context.threads};
  // Neighbours in memory belong to different transforms. A box of few would read a little of each
  // row (4096 × 4096 complex64 along the first axis, 1 thread: 8 together 173 ms, 32 together
  // 125 ms); where 32 are too many for a cache, sweeps over whole rows are better (102 ms).
  if (bytes * kAcross > 2 * kBoxBytes) return whole;
  return {std::max(lines, kAcross), context.threads};
}

}  // namespace

Answer try_fused_fft(const FFTProblem& problem, const Context& context) {
  const FFTParts parts = parts_of(problem);
  const bool cropped = !(problem.input().shape == problem.shape_in());
  if (!parts.prolog && !parts.epilog && !cropped) return refuse("there is nothing to fuse");
  return PlanPtr(std::make_shared<FusedPlan>(problem, context, cut_for(problem, context), false));
}

}  // namespace mw
