// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transform by a library that speaks FFTW's interface: oneMKL, NVPL FFT or FFTW itself. Its
// guru interface takes any strides and any number of axes, so a problem is one plan per direction;
// what a library does not take as batch axes (oneMKL takes one) becomes loops around the plan.
//
// Planning is by estimate, which looks at the arrays' addresses only; so stand-ins do.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/env.hpp"
#include "base/layout.hpp"
#include "ops/fft/candidates.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"
#include "runtime/thread_pool.hpp"
#include "vendor/fftw/api.hpp"

namespace mw {

namespace {

/// What the choice between the libraries rests on: seconds a call costs, and the share of the peak
/// rate that lines in cache reach.
struct LibraryRow {
  const char* name;  ///< as the vendor table calls it
  double call;
  double efficiency;
};
constexpr LibraryRow kMkl{"mkl", 0.8e-6, 0.30};
constexpr LibraryRow kNvpl{"nvpl", 0.8e-6, 0.30};
constexpr LibraryRow kFftw{"fftw3", 0.2e-6, 0.10};

constexpr double kWorthThreads = 50e-6;
constexpr std::size_t kSimdAlignment = 16;

using IoDims = std::vector<fftw::IoDim>;

/// What is planned: a problem's axes and batch, the input perhaps copied into the workspace first.
struct Shape {
  OperandLayout input;  ///< as the library sees it
  bool copied = false;
  IoDims axes;
  LoopNest batch;
};

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

/// The same shape without gaps or repeats, its axes in the order of the layout's strides.
OperandLayout dense_whole(OperandLayout layout) {
  layout.strides = dense_strides(layout.shape, memory_order(layout.shape, layout.strides));
  layout.alignment = kSimdAlignment;
  return layout;
}

/// Axes of length 1 have nothing to transform; the halved axis stays, and so does a last one.
IoDims transformed_axes(const FFTProblem& problem, const OperandLayout& input) {
  IoDims axes;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const bool last = i + 1 == problem.axes.size();
    const std::int64_t n = problem.length(i);
    if (n == 1 && !(last && (problem.is_real() || axes.empty()))) continue;
    const std::size_t axis = at(problem.axes[i]);
    axes.push_back({n, input.strides[axis], problem.result().strides[axis]});
  }
  return axes;
}

LoopNest batch_of(const FFTProblem& problem, const OperandLayout& input) {
  Dims shape;
  Dims in_strides;
  Dims out_strides;
  for (const auto axis : problem.batch_axes()) {
    shape.push_back(input.shape[at(axis)]);
    in_strides.push_back(input.strides[at(axis)]);
    out_strides.push_back(problem.result().strides[at(axis)]);
  }
  return fuse_loops(shape, in_strides, &out_strides);
}

/// FFTW's interface preserves the input of all but c2r transforms over several axes.
Shape shape_of(const FFTProblem& problem) {
  Shape shape{.input = problem.input(), .axes = {}, .batch = {}};
  shape.axes = transformed_axes(problem, shape.input);
  if (problem.type == FFTType::c2r && shape.axes.size() > 1) {
    shape.input = dense_whole(shape.input);
    shape.copied = true;
    shape.axes = transformed_axes(problem, shape.input);
  }
  shape.batch = batch_of(problem, shape.input);
  return shape;
}

/// The `kept` longest batch axes go to the library; the rest are loops.
struct Batch {
  IoDims library;
  LoopNest loops;
  [[nodiscard]] std::int64_t calls() const {
    std::int64_t count = 1;
    for (const auto extent : loops.extents) count *= extent;
    return count;
  }
};
Batch split_batch(const LoopNest& nest, std::size_t kept) {
  std::vector<std::size_t> order(nest.extents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return nest.extents[i]; });
  Batch batch;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t k = order[i];
    if (i < kept) {
      batch.library.push_back({nest.extents[k], nest.strides[0][k], nest.strides[1][k]});
    } else {
      batch.loops.extents.push_back(nest.extents[k]);
      batch.loops.strides[0].push_back(nest.strides[0][k]);
      batch.loops.strides[1].push_back(nest.strides[1][k]);
    }
  }
  return batch;
}

/// Whether every address of a call is aligned for vector instructions.
bool always_aligned(const OperandLayout& layout, const Dims& steps) {
  const auto size = static_cast<std::int64_t>(itemsize(layout.dtype));
  return layout.alignment >= kSimdAlignment && std::ranges::all_of(steps, [&](std::int64_t step) {
           return step * size % static_cast<std::int64_t>(kSimdAlignment) == 0;
         });
}

fftw::Kind kind_of(FFTType type) {
  static constexpr fftw::Kind kKinds[] = {fftw::Kind::c2c, fftw::Kind::r2c, fftw::Kind::c2r};
  return kKinds[static_cast<std::size_t>(type)];
}

/// Addresses that are never dereferenced.
void* stand_in(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

double estimated_seconds(const FFTProblem& problem, const LibraryRow& row, std::int64_t calls,
                         int threads) {
  const Rates rate = rates(Device::cpu(), threads, problem.result().dtype);
  const Work work = problem.work();
  return static_cast<double>(calls) * row.call +
         std::max(work.bytes / rate.bandwidth, work.flops / (row.efficiency * rate.flops));
}

template <class R>
class FftwPlan final : public Plan {
 public:
  struct Parts {
    std::optional<fftw::Plan<R>> forward;
    std::optional<fftw::Plan<R>> inverse;
    Batch batch;
    int library_threads = 1;
    int loop_threads = 1;
    std::string library;
  };

  FftwPlan(const FFTProblem& problem, const LibraryRow& row, Shape shape, Parts parts)
      : shape_(std::move(shape)),
        parts_(std::move(parts)),
        given_(problem.input()),
        result_(problem.result()),
        in_place_(problem.in_place) {
    if (shape_.copied) (void)ledger_.book(dense_bytes(shape_.input));
    seconds_ = estimated_seconds(problem, row, parts_.batch.calls(), threads());
    if (shape_.copied) {
      seconds_ += 2 * static_cast<double>(dense_bytes(shape_.input)) /
                  rates(Device::cpu(), threads(), result_.dtype).bandwidth;
    }
  }

  void execute(const Call& call) const override {
    require_unit_factor(call);
    void* input = call.operands[0];
    void* result = call.operands[1];
    const TensorRef given = view_of(given_, input, Device::cpu());
    if (shape_.copied) {
      input = Ledger::grant(call.workspace, 0);
      copy(given, view_of(shape_.input, input, Device::cpu()), {}, threads());
    } else if (in_place_ && input != result) {  // staged: the plan works in place all the same
      copy(given, view_of(result_, result, Device::cpu()), {}, threads());
      input = result;
    }
    const auto& plan = direction_of(call) < 0 ? parts_.forward : parts_.inverse;
    run(*plan, static_cast<std::byte*>(input), static_cast<std::byte*>(result));
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override { return seconds_; }
  std::size_t resident_bytes() const override {  // tables of roots, about two for each axis
    std::size_t bytes = 0;
    for (const auto& axis : shape_.axes) bytes += 4 * sizeof(R) * static_cast<std::size_t>(axis.n);
    return bytes;
  }
  std::string describe() const override {
    const auto calls = parts_.batch.calls();
    return text(parts_.library, calls > 1 ? text(", ", calls, " calls") : "", ", ", threads(),
                threads() == 1 ? " thread" : " threads",
                shape_.copied ? ", input copied first" : "");
  }

 private:
  [[nodiscard]] int threads() const {
    return std::max(parts_.library_threads, parts_.loop_threads);
  }

  void run(const fftw::Plan<R>& plan, std::byte* input, std::byte* result) const {
    const LoopNest& loops = parts_.batch.loops;
    if (loops.extents.empty()) return plan.execute(input, result);
    const auto in_size = static_cast<std::int64_t>(itemsize(shape_.input.dtype));
    const auto out_size = static_cast<std::int64_t>(itemsize(result_.dtype));
    const auto body = [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t index = begin; index < end; ++index) {
        std::int64_t rest = index;
        std::int64_t from = 0;
        std::int64_t to = 0;
        for (std::size_t i = loops.extents.size(); i-- > 0;) {
          from += rest % loops.extents[i] * loops.strides[0][i];
          to += rest % loops.extents[i] * loops.strides[1][i];
          rest /= loops.extents[i];
        }
        plan.execute(input + from * in_size, result + to * out_size);
      }
    };
    parallel_for(parts_.batch.calls(), 1, parts_.loop_threads, body);
  }

  Shape shape_;
  Parts parts_;
  OperandLayout given_;
  OperandLayout result_;
  bool in_place_;
  Ledger ledger_;
  double seconds_ = 0;
};

/// One direction of a problem. In place the two stand-ins are one.
template <class R>
Outcome<fftw::Plan<R>> plan_direction(const fftw::Fftw& library, const FFTProblem& problem,
                                      const Shape& shape, const Batch& batch, int sign,
                                      int threads) {
  constexpr std::uintptr_t kInput = std::uintptr_t{1} << 40;
  constexpr std::uintptr_t kResult = std::uintptr_t{1} << 44;
  const bool aligned = always_aligned(shape.input, batch.loops.strides[0]) &&
                       always_aligned(problem.result(), batch.loops.strides[1]);
  const bool preserved = problem.type == FFTType::c2r && !shape.copied;
  return library.plan<R>({.kind = kind_of(problem.type),
                          .dims = shape.axes,
                          .batch = batch.library,
                          .input = stand_in(problem.in_place ? kResult : kInput),
                          .output = stand_in(kResult),
                          .sign = sign,
                          .flags = static_cast<unsigned>(fftw::estimate) |
                                   (aligned ? 0U : static_cast<unsigned>(fftw::unaligned)) |
                                   (preserved ? static_cast<unsigned>(fftw::preserve_input) : 0U),
                          .threads = threads});
}

template <class R>
Answer plan_with(const fftw::Fftw& library, const LibraryRow& row, const FFTProblem& problem,
                 const Context& context) {
  Shape shape = shape_of(problem);
  const bool small = estimated_seconds(problem, row, 1, 1) < kWorthThreads;
  const int threads = small ? 1 : context.threads;
  Refusal why;
  // First all batch axes are offered to the library, then the longest, then none.
  const std::size_t most = shape.batch.extents.size();
  for (std::size_t kept = most;; kept = kept > 1 ? 1 : 0) {
    typename FftwPlan<R>::Parts parts{.forward = {}, .inverse = {}, .batch = {}, .library = {}};
    parts.batch = split_batch(shape.batch, kept);
    const bool loops_enough = parts.batch.calls() >= threads;
    parts.loop_threads = loops_enough && parts.batch.calls() > 1 ? threads : 1;
    parts.library_threads = parts.loop_threads == 1 && library.has_threads<R>() ? threads : 1;
    parts.library = library.version().empty() ? library.name() : library.version();
    std::optional<Refusal> refusal;
    for (const auto direction : {FFTDirection::forward, FFTDirection::inverse}) {
      if (refusal || !problem.serves(direction)) continue;
      auto plan = plan_direction<R>(library, problem, shape, parts.batch,
                                    static_cast<int>(direction), parts.library_threads);
      if (!plan) {
        refusal = plan.refusal();
        continue;
      }
      auto& slot = direction == FFTDirection::forward ? parts.forward : parts.inverse;
      slot.emplace(std::move(*plan));
    }
    if (!refusal) {
      return PlanPtr(
          std::make_shared<FftwPlan<R>>(problem, row, std::move(shape), std::move(parts)));
    }
    why = std::move(*refusal);
    if (kept == 0) break;
  }
  return why;
}

Answer plan_with_library(const fftw::Fftw& library, const LibraryRow& row,
                         const FFTProblem& problem, const Context& context) {
  return real_dtype(problem.input().dtype) == DType::float32
             ? plan_with<float>(library, row, problem, context)
             : plan_with<double>(library, row, problem, context);
}

bool is_library_named() {
  return env(EnvVar::fft_library).has_value() || env(EnvVar::nvmath_fft_library).has_value();
}

Answer try_library(const LibraryRow& row, const FFTProblem& problem, const Context& context) {
  if (is_library_named()) {
    return refuse("the environment names the library to use; it is tried as fftw");
  }
  const auto rows = fftw::fftw_libraries();
  const auto found = std::ranges::find(rows, std::string_view(row.name), &fftw::FftwRow::name);
  if (found == rows.end()) return refuse("the catalog of libraries has no ", row.name);
  const auto library = fftw::load_fftw(*found);
  if (!library) return library.refusal();
  return plan_with_library(*library.value(), row, problem, context);
}

}  // namespace

Answer try_mkl_fft(const FFTProblem& problem, const Context& context) {
  return try_library(kMkl, problem, context);
}

Answer try_nvpl_fft(const FFTProblem& problem, const Context& context) {
  return try_library(kNvpl, problem, context);
}

Answer try_fftw_fft(const FFTProblem& problem, const Context& context) {
  if (!is_library_named()) return try_library(kFftw, problem, context);
  const auto library = fftw::default_fftw();
  if (!library) return library.refusal();
  return plan_with_library(*library.value(), kFftw, problem, context);
}

}  // namespace mw
