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
#include "ops/fft/many.hpp"
#include "plan/rates.hpp"
#include "runtime/copy.hpp"
#include "runtime/thread_pool.hpp"
#include "vendor/fftw/api.hpp"

namespace mw {

namespace {

/// What the choice between the libraries rests on: seconds a call costs, the share of the peak rate
/// that lines in cache reach, and what is left of it for lines beyond kLongLine and for lengths
/// with prime factors beyond 13. Measured on one core of an AVX2 machine, plans by estimate.
struct LibraryRow {
  const char* name;  ///< as the vendor table calls it
  double call;
  double efficiency;
  double long_line;
  double large_prime;
  bool one_by_one;  ///< lines across memory are read one after another, see scattered()
};
constexpr LibraryRow kMkl{"mkl", 0.3e-6, 0.25, 0.6, 0.15, false};
constexpr LibraryRow kNvpl{"nvpl", 0.3e-6, 0.25, 0.6, 0.15, false};
constexpr LibraryRow kFftw{"fftw3", 0.25e-6, 0.25, 0.35, 0.05, true};

constexpr double kLongLine = 512 * 1024;  ///< bytes, about what a core's own cache holds
constexpr double kWorthThreads = 50e-6;
constexpr std::size_t kSimdAlignment = 16;

using IoDims = std::vector<fftw::IoDim>;

enum class Place : std::uint8_t { input, copy, result };

/// One transform of one array to another or in place.
struct Step {
  FFTType type = FFTType::c2c;
  Dims axes;
  OperandLayout in;
  OperandLayout out;
  Place from = Place::input;
  Place to = Place::result;
  bool in_place = false;
};

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

/// The same shape without gaps or repeats, its axes in the order of the layout's strides.
OperandLayout dense_whole(OperandLayout layout) {
  layout.strides = dense_strides(layout.shape, memory_order(layout.shape, layout.strides));
  layout.alignment = kSimdAlignment;
  return layout;
}

bool is_single_axis(const FFTProblem& problem) {
  for (std::size_t i = 0; i + 1 < problem.axes.size(); ++i) {
    if (problem.length(i) > 1) return false;
  }
  return true;
}

std::vector<Step> steps_of(const FFTProblem& problem) {
  Step whole{.type = problem.type,
             .axes = problem.axes,
             .in = problem.input(),
             .out = problem.result(),
             .in_place = problem.in_place};
  if (problem.type != FFTType::c2r || is_single_axis(problem)) return {whole};
  Step others{.axes = problem.axes,
              .in = dense_whole(problem.input()),
              .out = dense_whole(problem.input()),
              .from = Place::copy,
              .to = Place::copy,
              .in_place = true};
  others.axes.resize(others.axes.size() - 1);
  whole.axes = {problem.axes.back()};
  whole.in = others.in;
  whole.from = Place::copy;
  return {others, whole};
}

/// The transformed axes, but for those of length 1, which have nothing to transform; the last stays
/// in any case. Extents are those of the side that is not halved.
IoDims transformed_axes(const Step& step) {
  IoDims axes;
  const Dims& lengths = step.type == FFTType::c2r ? step.out.shape : step.in.shape;
  for (std::size_t i = 0; i < step.axes.size(); ++i) {
    const std::size_t axis = at(step.axes[i]);
    const bool last = i + 1 == step.axes.size();
    if (lengths[axis] == 1 && !(last && (step.type != FFTType::c2c || axes.empty()))) continue;
    axes.push_back({lengths[axis], step.in.strides[axis], step.out.strides[axis]});
  }
  return axes;
}

/// The `kept` longest batch axes go to the library; the rest are loops.
struct Batch {
  IoDims library;
  LoopNest loops;
  [[nodiscard]] std::int64_t calls() const { return count_of(loops); }
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

bool has_large_prime(std::int64_t n) {
  for (const std::int64_t p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) n /= p;
  }
  return n > 1;
}

/// How many times its bytes a side moves when lines are read one after another: of each cache line
/// that an axis with a stride crosses, one element is used. 256×4096 complex64 along axis 0: FFTW
/// 15.6 ms, which this gives 13; 512×512×64 along axis 1: 170 ms, 214.
double scattered(const FFTProblem& problem, const OperandLayout& side) {
  constexpr std::int64_t kCacheLine = 64;
  const auto size = static_cast<std::int64_t>(itemsize(side.dtype));
  std::int64_t most = 1;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const std::int64_t stride = std::abs(side.strides[at(problem.axes[i])]);
    if (problem.length(i) > 1) most = std::max(most, std::min(stride, kCacheLine / size));
  }
  return static_cast<double>(most);
}

double estimated_seconds(const FFTProblem& problem, const LibraryRow& row, std::int64_t calls,
                         int threads) {
  const Rates rate = rates(Device::cpu(), threads, problem.result().dtype);
  const Work work = problem.work();
  double efficiency = row.efficiency;
  bool is_long = false;
  bool is_hard = false;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const auto bytes = static_cast<double>(itemsize(problem.input().dtype));
    is_long |= static_cast<double>(problem.length(i)) * bytes > kLongLine;
    is_hard |= has_large_prime(problem.length(i));
  }
  if (is_long) efficiency *= row.long_line;
  if (is_hard) efficiency *= row.large_prime;
  double bytes = work.bytes;
  if (row.one_by_one && bytes > kLongLine) {
    bytes *= std::max(scattered(problem, problem.input()), scattered(problem, problem.result()));
  }
  return static_cast<double>(calls) * row.call +
         std::max(bytes / rate.bandwidth, work.flops / (efficiency * rate.flops));
}

/// A step with its plans, and the loops around them.
template <class R>
struct PlannedStep {
  Step step;
  std::optional<fftw::Plan<R>> forward = {};
  std::optional<fftw::Plan<R>> inverse = {};
  Batch batch = {};
  int library_threads = 1;
  int loop_threads = 1;

  void execute(int direction, void* from, void* to) const {
    const fftw::Plan<R>& plan = direction < 0 ? *forward : *inverse;
    const LoopNest& loops = batch.loops;
    if (loops.extents.empty()) return plan.execute(from, to);
    const auto in_size = static_cast<std::int64_t>(itemsize(step.in.dtype));
    const auto out_size = static_cast<std::int64_t>(itemsize(step.out.dtype));
    const auto body = [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t index = begin; index < end; ++index) {
        const LoopStart start = start_of(loops, index);
        plan.execute(static_cast<std::byte*>(from) + start.in * in_size,
                     static_cast<std::byte*>(to) + start.out * out_size);
      }
    };
    parallel_for(batch.calls(), 1, loop_threads, body);
  }
};

template <class R>
class FftwPlan final : public Plan {
 public:
  using Steps = std::vector<PlannedStep<R>>;

  FftwPlan(const FFTProblem& problem, const LibraryRow& row, const fftw::Fftw& library,
           int wanted_threads, Steps steps)
      : steps_(std::move(steps)),
        given_(problem.input()),
        result_(problem.result()),
        in_place_(problem.in_place),
        threads_(wanted_threads),
        library_(library.version().empty() ? library.name() : library.version()) {
    std::int64_t calls = 0;
    for (const auto& step : steps_) calls += step.batch.calls();
    seconds_ = estimated_seconds(problem, row, calls, threads_);
    if (!copied()) return;
    (void)ledger_.book(dense_bytes(copy_layout()));
    seconds_ += 2 * static_cast<double>(dense_bytes(copy_layout())) /
                rates(Device::cpu(), threads_, result_.dtype).bandwidth;
  }

  void execute(const Call& call) const override {
    void* places[] = {call.operands[0], Ledger::grant(call.workspace, 0), call.operands[1]};
    const TensorRef given = view_of(given_, places[0], Device::cpu());
    if (copied()) {
      copy(given, view_of(copy_layout(), places[1], Device::cpu()), {}, threads_);
    } else if (in_place_ && places[0] != places[2]) {
      // Staged, in two buffers: the plan works in place all the same.
      copy(given, view_of(result_, places[2], Device::cpu()), {}, threads_);
      places[0] = places[2];
    }
    for (const auto& step : steps_) {
      step.execute(direction_of(call), places[static_cast<std::size_t>(step.step.from)],
                   places[static_cast<std::size_t>(step.step.to)]);
    }
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  double estimate() const override { return seconds_; }
  std::size_t resident_bytes() const override {  // tables of roots, about two for each axis
    std::size_t bytes = 0;
    for (const auto& step : steps_) {
      for (const auto axis : step.step.axes) {
        bytes += 4 * sizeof(R) * static_cast<std::size_t>(step.step.out.shape[at(axis)]);
      }
    }
    return bytes;
  }
  std::string library() const override { return library_; }
  std::string describe() const override {
    std::int64_t calls = 0;
    int threads = 1;
    for (const auto& step : steps_) {
      calls += step.batch.calls();
      threads = std::max({threads, step.library_threads, step.loop_threads});
    }
    return text(library_, calls > 1 ? text(", ", calls, " calls") : "", ", ", threads,
                threads == 1 ? " thread" : " threads", copied() ? ", input copied first" : "");
  }

 private:
  [[nodiscard]] bool copied() const { return steps_.front().step.from == Place::copy; }
  [[nodiscard]] const OperandLayout& copy_layout() const { return steps_.front().step.in; }

  Steps steps_;
  OperandLayout given_;
  OperandLayout result_;
  bool in_place_;
  int threads_;
  std::string library_;
  Ledger ledger_;
  double seconds_ = 0;
};

/// One direction of a step. In place the two stand-ins are one.
template <class R>
Outcome<fftw::Plan<R>> plan_direction(const fftw::Fftw& library, const PlannedStep<R>& planned,
                                      FFTDirection direction) {
  constexpr std::uintptr_t kInput = std::uintptr_t{1} << 40;
  constexpr std::uintptr_t kResult = std::uintptr_t{1} << 44;
  const Step& step = planned.step;
  const IoDims axes = transformed_axes(step);
  const bool aligned = always_aligned(step.in, planned.batch.loops.strides[0]) &&
                       always_aligned(step.out, planned.batch.loops.strides[1]);
  const bool preserved = step.type == FFTType::c2r && step.from == Place::input;
  return library.plan<R>({.kind = kind_of(step.type),
                          .dims = axes,
                          .batch = planned.batch.library,
                          .input = stand_in(step.in_place ? kResult : kInput),
                          .output = stand_in(kResult),
                          .sign = static_cast<int>(direction),
                          .flags = static_cast<unsigned>(fftw::estimate) |
                                   (aligned ? 0U : static_cast<unsigned>(fftw::unaligned)) |
                                   (preserved ? static_cast<unsigned>(fftw::preserve_input) : 0U),
                          .threads = planned.library_threads});
}

template <class R>
Outcome<PlannedStep<R>> plan_step(const fftw::Fftw& library, const FFTProblem& problem,
                                  const Step& step, int threads) {
  const LoopNest nest = batch_loops(step.axes, step.in, step.out);
  // First all batch axes are offered to the library, then the longest, then none. In place only the
  // longest: FFTW 3.3.10 plans for ever on some batches of several axes, such as shape (5, 3, 5, 2,
  // 3) with strides (7, 107, 1, 321, −35), the last transformed.
  const std::size_t most = step.in_place ? 1 : nest.extents.size();
  for (std::size_t kept = std::min(most, nest.extents.size());; kept = kept > 1 ? 1 : 0) {
    PlannedStep<R> planned{.step = step};
    planned.batch = split_batch(nest, kept);
    const std::int64_t calls = planned.batch.calls();
    planned.loop_threads = calls > 1 && calls >= threads ? threads : 1;
    planned.library_threads = planned.loop_threads == 1 && library.has_threads<R>() ? threads : 1;
    std::optional<Refusal> refusal;
    for (const auto direction : {FFTDirection::forward, FFTDirection::inverse}) {
      if (refusal || !problem.serves(direction)) continue;
      auto plan = plan_direction(library, planned, direction);
      if (!plan) {
        refusal = plan.refusal();
        continue;
      }
      auto& slot = direction == FFTDirection::forward ? planned.forward : planned.inverse;
      slot.emplace(std::move(*plan));
    }
    if (!refusal) return planned;
    if (kept == 0) return *std::move(refusal);
  }
}

template <class R>
Answer plan_with(const fftw::Fftw& library, const LibraryRow& row, const FFTProblem& problem,
                 const Context& context) {
  const bool small = estimated_seconds(problem, row, 1, 1) < kWorthThreads;
  const int threads = small ? 1 : context.threads;
  typename FftwPlan<R>::Steps steps;
  for (const Step& step : steps_of(problem)) {
    auto planned = plan_step<R>(library, problem, step, threads);
    if (!planned) return planned.refusal();
    steps.push_back(std::move(*planned));
  }
  return PlanPtr(std::make_shared<FftwPlan<R>>(problem, row, library, threads, std::move(steps)));
}

/// FFTW's planner recurses without end on some problems whose result runs backwards along a
/// transformed axis, of one batch axis and more (seen in 3.3.10, by estimate, in place or not).
bool runs_backwards(const FFTProblem& problem) {
  const OperandLayout& result = problem.result();
  return std::ranges::any_of(problem.axes, [&](std::int64_t axis) {
    return result.shape[at(axis)] > 1 && result.strides[at(axis)] < 0;
  });
}

Answer plan_with_library(const fftw::Fftw& library, const LibraryRow& row,
                         const FFTProblem& problem, const Context& context) {
  if (&row == &kFftw && runs_backwards(problem)) {
    return refuse("the result has a negative stride along a transformed axis");
  }
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
