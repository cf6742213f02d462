// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The pass on the host: the walk cut into items, items run by threads, reductions combined.
//
// Workspace: first the copies of short rows that flat walks read round and round, then for each
// reduction and slot a number of copies of its partial results, each as large as the kept axes.
#include <array>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/text.hpp"
#include "codegen/c_family.hpp"
#include "codegen/pass_common.hpp"
#include "codegen/pass_split.hpp"
#include "runtime/cpu_limits.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::codegen {

namespace {

constexpr int kLine = 64;  ///< streamed results begin rows at multiples of a cache line
constexpr std::size_t kMostIntegers = 512;
constexpr std::int64_t kManyKept = 1 << 16;  ///< partial results worth several threads
constexpr std::int64_t kFewKept = 4096;  ///< that the interpreter finishes sooner than LLVM starts

char* moved(void* base, std::int64_t elements, DType dtype) {
  return static_cast<char*>(base) + elements * static_cast<std::int64_t>(itemsize(dtype));
}

std::size_t round_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// One way to walk, compiled.
struct Compiled {
  PassLoops loops;
  Dims fixed;
  std::size_t varying = 0;
  HostKernelPtr kernel;

  Compiled(PassLoops planned, HostBackend backend) : loops(std::move(planned)) {
    fixed = loops.fixed();
    varying = loops.varying();
    require(fixed.size() + varying <= kMostIntegers, ErrorKind::unsupported,
            "pass: an expression of so many arrays on so many axes (", fixed.size(),
            " strides) is too large for one kernel; split it");
    kernel = host_kernel([&](const Target& target) { return loops.kernel(target); }, backend);
  }
};

/// What is compiled when it is first needed.
class Lazily {
 public:
  template <class Make>
  const Compiled& get(Make&& make) const {
    std::call_once(once_, [&] { made_.emplace(make()); });
    return *made_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<Compiled> made_;
};

class HostPass final : public Pass {
 public:
  HostPass(const PassProblem& problem, int threads, HostBackend backend)
      : problem_(problem),
        threads_(threads),
        backend_(backend),
        main_(plan(), backend),
        split_(plan_split(main_.loops, threads)) {
    for (std::size_t i = 0; i < main_.loops.form.reductions.size(); ++i) add_finish(i);
    book();
  }

  void run(const PassCall& call) const override {
    start(call, split_.copies);
    const Compiled& main = main_;
    if (!main.loops.walk.empty()) {
      const std::int64_t head = streams() ? head_of(call) : 0;
      if (head < 0 || head > 0) {
        run_items(plain(), call, std::max<std::int64_t>(head, 0), head > 0);
      } else {
        run_items(main, call, 0, false);
      }
    }
    finish(call, split_.copies);
  }

  void start(const PassCall& call) const override { start(call, threads_); }

  void run_part(const PassCall& call, const PassPart& part, int worker) const override {
    if (const auto box = box_of(main_.loops.walk, part)) {
      const bool streamed = streams() && aligned(call, *box);
      return run_box(streamed || !streams() ? main_ : plain(), call, *box, worker);
    }
    const Compiled& any = any_box_.get([&] {
      return Compiled(plan_loops(problem_, false, main_.kernel->kernel().lanes), backend_);
    });
    run_box(any, call, *box_of(any.loops.walk, part), worker);
  }

  void finish(const PassCall& call) const override { finish(call, threads_); }

  void prepare() const override {
    main_.kernel->prepare();
    for (const Finish& finish : finishes_) finish.kernel->prepare();
  }

  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  double flops_per_point() const override { return flops_of(*problem_.function); }
  std::string source() const override { return to_c(main_.kernel->kernel()); }

  std::string describe() const override {
    const PassForm& form = main_.loops.form;
    return text(main_.kernel->describe(), ", ", main_.kernel->kernel().lanes, " lanes along ",
                form.flat ? "rows end to end" : "the last axis", " of ", main_.loops.walk.extents(),
                streams() ? ", results around the caches" : "", ", ", threads_,
                threads_ == 1 ? " thread" : " threads");
  }

 private:
  struct Finish {
    PassFinish plan;
    HostKernelPtr kernel;
    std::int64_t kept = 1;
    std::vector<std::size_t> slots;  ///< where their first copies are in the workspace
  };

  PassLoops plan() const {
    check_problem(problem_);
    PassLoops loops = plan_loops(problem_, true, host_target(backend_).lanes);
    if (worth_streaming(loops)) stream(loops);
    return loops;
  }

  static void stream(PassLoops& loops) {
    PassForm& form = loops.form;
    form.stream = true;
    form.alignment.resize(form.arrays.size());
    for (std::size_t k = 0; k < form.arrays.size(); ++k) {
      if (is_streamed(form, k)) form.alignment[k] = kLine;
    }
  }

  [[nodiscard]] bool streams() const { return main_.loops.form.stream; }

  /// Streaming asks for aligned rows, and for results that do not fit the cache anyway.
  static bool worth_streaming(const PassLoops& loops) {
    double bytes = 0;
    bool any = false;
    for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
      bytes += loops.walk.operands[k].weight;
      if (!is_streamed(loops.form, k)) continue;
      any = true;
      const auto size = static_cast<std::int64_t>(itemsize(loops.form.arrays[k]));
      for (std::size_t d = 0; d + 1 < loops.form.rank; ++d) {
        if (loops.walk.operands[k].strides[d] * size % kLine != 0) return false;
      }
    }
    return any && bytes > static_cast<double>(last_level_cache());
  }

  static bool is_streamed(const PassForm& form, std::size_t array) {
    return array >= form.array_of(0) && form.reach[array] == Reach::unit;
  }

  /// Elements before the first multiple of a cache line, the same for all streamed results; -1 if
  /// there is no such number, or not along the only axis.
  [[nodiscard]] std::int64_t head_of(const PassCall& call) const {
    const PassLoops& loops = main_.loops;
    std::int64_t head = 0;
    bool known = false;
    for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
      if (!is_streamed(loops.form, k)) continue;
      const auto address = reinterpret_cast<std::uintptr_t>(
          moved(call.arrays[k], loops.walk.operands[k].base, loops.form.arrays[k]));
      const auto size = static_cast<std::int64_t>(itemsize(loops.form.arrays[k]));
      const auto beyond = static_cast<std::int64_t>(address % std::uintptr_t{kLine});
      const std::int64_t bytes = (kLine - beyond) % kLine;
      if (bytes % size != 0 || (known && bytes / size != head)) return -1;
      head = bytes / size;
      known = true;
    }
    return head == 0 || loops.form.rank == 1 ? head : -1;
  }

  [[nodiscard]] bool aligned(const PassCall& call, const WalkBox& box) const {
    const PassLoops& loops = main_.loops;
    for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
      if (!is_streamed(loops.form, k)) continue;
      const auto address = reinterpret_cast<std::uintptr_t>(
          moved(call.arrays[k], loops.offset(k, box), loops.form.arrays[k]));
      if (address % kLine != 0) return false;
    }
    return true;
  }

  /// The main walk without streaming.
  const Compiled& plain() const {
    return plain_.get([&] {
      PassLoops loops = main_.loops;
      loops.form.stream = false;
      loops.form.alignment.clear();
      return Compiled(std::move(loops), backend_);
    });
  }

  /// All items; with a head, the first elements by `compiled` and the rest, then aligned, streamed.
  void run_items(const Compiled& compiled, const PassCall& call, std::int64_t head,
                 bool stream_rest) const {
    const Compiled& rest = stream_rest ? main_ : compiled;
    const auto run_range = [&](std::int64_t begin, std::int64_t end, int copy) {
      for (std::int64_t item = begin; item < end; ++item) {
        WalkBox box = split_.item(rest.loops.walk, item, head);
        if (box.extent.back() > 0) run_tiles(rest, call, std::move(box), copy);
      }
    };
    if (head > 0) {
      WalkBox box{Dims(1, std::int64_t{0}), Dims(1, std::int64_t{0})};
      box.extent[0] = std::min(head, rest.loops.walk.axes[0].extent);
      run_box(compiled, call, box, 0);
    }
    const std::int64_t items = split_.items;
    if (split_.copies > 1) {  // whose partial results are whose must not depend on who is faster
      parallel_for(split_.copies, 1, threads_, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t copy = begin; copy < end; ++copy) {
          run_range(copy * items / split_.copies, (copy + 1) * items / split_.copies,
                    static_cast<int>(copy));
        }
      });
      return;
    }
    parallel_for(items, 1, split_.small ? 1 : threads_,
                 [&](std::int64_t begin, std::int64_t end, int) { run_range(begin, end, 0); });
  }

  /// A box in pieces of its last axis, so that lines of memory that strided operands touch are
  /// still in the cache when the next row comes by.
  void run_tiles(const Compiled& compiled, const PassCall& call, WalkBox box, int copy) const {
    if (split_.tile == 0 || box.extent.back() <= split_.tile) {
      return run_box(compiled, call, box, copy);
    }
    const std::int64_t end = box.first.back() + box.extent.back();
    for (std::int64_t at = box.first.back(); at < end; at += split_.tile) {
      box.first.back() = at;
      box.extent.back() = std::min(split_.tile, end - at);
      run_box(compiled, call, box, copy);
    }
  }

  void run_box(const Compiled& compiled, const PassCall& call, const WalkBox& box, int copy) const {
    const PassLoops& loops = compiled.loops;
    const PassForm& form = loops.form;
    std::array<std::int64_t, kMostIntegers> integers;
    loops.put_varying(box, integers.data());
    std::copy(compiled.fixed.begin(), compiled.fixed.end(), integers.begin() + compiled.varying);
    std::array<void*, kMostPointers> pointers;
    for (std::size_t k = 0; k < form.arrays.size(); ++k) {
      pointers[k] = form.reach[k] == Reach::periodic
                        ? static_cast<char*>(call.workspace) + rounds_[k]
                        : moved(call.arrays[k], loops.offset(k, box), form.arrays[k]);
    }
    std::size_t at = form.arrays.size();
    for (std::size_t i = 0; i < finishes_.size(); ++i) {
      const Finish& finish = finishes_[i];
      const std::int64_t offset = copy * finish.kept + loops.offset(form.first_partial() + i, box);
      for (std::size_t s = 0; s < finish.slots.size(); ++s) {
        pointers[at++] = moved(static_cast<char*>(call.workspace) + finish.slots[s], offset,
                               finish.plan.reduction.slots[s]);
      }
    }
    const KernelScalars scalars(*problem_.function, call.scalars);
    compiled.kernel->run(pointers.data(), integers.data(), scalars.data());
  }

  void add_finish(std::size_t reduction) {
    Finish finish{.plan = plan_finish(main_.loops, reduction), .kernel = {}, .slots = {}};
    for (const auto extent : finish.plan.walk.extents()) finish.kept *= extent;
    finish.kernel = host_kernel([&](const Target& target) { return finish.plan.kernel(target); },
                                finish.kept < kFewKept ? HostBackend::interpreter : backend_);
    finishes_.push_back(std::move(finish));
  }

  void book() {
    const PassForm& form = main_.loops.form;
    std::size_t total = 0;
    const auto take = [&](std::size_t bytes) {
      const std::size_t at = total;
      total += round_up(bytes);
      return at;
    };
    rounds_.resize(form.arrays.size());
    const std::int64_t lanes = main_.kernel->kernel().lanes;
    for (std::size_t k = 0; k < form.arrays.size(); ++k) {
      if (form.reach[k] != Reach::periodic) continue;
      rounds_[k] = take(static_cast<std::size_t>(main_.loops.walk.period + lanes) *
                        itemsize(form.arrays[k]));
    }
    const std::int64_t copies = std::max<std::int64_t>(split_.copies, threads_);
    std::size_t pointers = form.arrays.size();
    for (auto& finish : finishes_) {
      for (const DType slot : finish.plan.reduction.slots) {
        finish.slots.push_back(
            take(static_cast<std::size_t>(copies * finish.kept) * itemsize(slot)));
        ++pointers;
      }
    }
    workspace_bytes_ = total;
    require(pointers <= kMostPointers, ErrorKind::unsupported, "pass: ", pointers,
            " arrays and partial results; at most ", kMostPointers,
            " are supported. Split the expression.");
  }

  void start(const PassCall& call, std::int64_t copies) const {
    const PassLoops& loops = main_.loops;
    for (std::size_t k = 0; k < loops.form.arrays.size(); ++k) {
      if (loops.form.reach[k] == Reach::periodic) copy_round(call, k);
    }
    for (const Finish& finish : finishes_) {
      for (std::size_t s = 0; s < finish.slots.size(); ++s) {
        fill(static_cast<char*>(call.workspace) + finish.slots[s], copies * finish.kept,
             finish.plan.reduction, s);
      }
    }
  }

  /// A short row, and its beginning once more, so that lanes may start anywhere in it.
  void copy_round(const PassCall& call, std::size_t array) const {
    const PassLoops& loops = main_.loops;
    const std::int64_t period = loops.walk.period;
    const std::int64_t lanes = main_.kernel->kernel().lanes;
    const WalkOperand& operand = loops.walk.operands[array];
    const DType dtype = loops.form.arrays[array];
    char* to = static_cast<char*>(call.workspace) + rounds_[array];
    std::int64_t column = 0;
    for (std::int64_t i = 0; i < period + lanes; ++i) {
      std::memcpy(moved(to, i, dtype),
                  moved(call.arrays[array], operand.base + column * operand.column_stride, dtype),
                  itemsize(dtype));
      if (++column == period) column = 0;
    }
  }

  void fill(char* to, std::int64_t count, const Reduction& reduction, std::size_t slot) const {
    const std::uint64_t bits = identity_bits(reduction, slot);
    const DType dtype = reduction.slots[slot];
    const auto size = static_cast<std::int64_t>(itemsize(dtype));
    parallel_for(count, kManyKept, threads_, [&](std::int64_t begin, std::int64_t end, int) {
      if (bits == 0) {
        std::memset(to + begin * size, 0, static_cast<std::size_t>((end - begin) * size));
      } else if (size == 8) {
        std::fill_n(reinterpret_cast<std::uint64_t*>(to) + begin, end - begin, bits);
      } else {
        for (std::int64_t i = begin; i < end; ++i) {
          std::memcpy(to + i * size, &bits, static_cast<std::size_t>(size));
        }
      }
    });
  }

  void finish(const PassCall& call, std::int64_t copies) const {
    for (const Finish& finish : finishes_) {
      const Walk& walk = finish.plan.walk;
      const Dims integers = finish.plan.integers(copies);
      const std::size_t array = main_.loops.form.array_of(finish.plan.reduction.output);
      const std::int64_t rows = walk.axes[0].extent;
      const std::int64_t grain =
          std::max<std::int64_t>(1, kManyKept * rows / std::max<std::int64_t>(finish.kept, 1));
      parallel_for(rows, grain, threads_, [&](std::int64_t begin, std::int64_t end, int) {
        Dims part = integers;
        part[0] = end - begin;
        std::array<void*, kMostPointers> pointers{
            moved(call.arrays[array], walk.operands[0].base + begin * walk.operands[0].strides[0],
                  finish.plan.output)};
        for (std::size_t s = 0; s < finish.slots.size(); ++s) {
          pointers[1 + s] = moved(static_cast<char*>(call.workspace) + finish.slots[s],
                                  walk.operands[1].base + begin * walk.operands[1].strides[0],
                                  finish.plan.reduction.slots[s]);
        }
        finish.kernel->run(pointers.data(), part.data(), nullptr);
      });
    }
  }

  static constexpr std::size_t kMostPointers = 64;

  PassProblem problem_;
  int threads_;
  HostBackend backend_;
  Compiled main_;
  Lazily plain_, any_box_;
  Split split_;
  std::vector<Finish> finishes_;
  std::vector<std::size_t> rounds_;  ///< where the copies of short rows are, by array
  std::size_t workspace_bytes_ = 0;
};

}  // namespace

PassPtr make_host_pass(const PassProblem& problem, int threads, HostBackend backend) {
  return std::make_shared<HostPass>(problem, threads, backend);
}

}  // namespace mw::codegen
