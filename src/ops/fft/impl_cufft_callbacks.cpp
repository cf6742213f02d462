// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A transform with functions at its ends by cuFFT alone: the functions become its load and store
// callbacks, compiled to LTO-IR by NVRTC and linked by cuFFT into its kernels when it plans. Memory
// sees the user's arrays only. Cropping, padding, factors and other dtypes are functions too
// (parts.hpp).
//
// cuFFT is told that the values between the functions lie dense in the order of the input; the
// callbacks know where everything really is (codegen/device_callback.hpp).
#include <algorithm>
#include <array>
#include <bit>

#include "codegen/device_callback.hpp"
#include "kernels/fft/factor.hpp"
#include "ops/fft/candidates.hpp"
#include "ops/fft/cufft_plans.hpp"
#include "ops/fft/parts.hpp"
#include "ops/fft/trig.hpp"
#include "plan/rates.hpp"
#include "plan/select.hpp"
#include "runtime/device_program.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {

namespace {

using codegen::CallbackForm;

/// One end: the callback's text, and what its arguments are for each call.
struct End {
  CallbackForm form;
  cufft::CallbackType type{};
  std::string code;
  std::vector<std::size_t> operands;  ///< whose addresses are the first words
  std::vector<std::size_t> scalars;   ///< of the call, two words each
};

/// An operand over a space of `rank` axes, by the rules of broadcasting.
codegen::CallbackArray callback_array(const OperandLayout& operand, std::size_t rank) {
  codegen::CallbackArray array{operand.dtype, Dims(rank, 0)};
  const std::size_t lacking = rank - operand.shape.size();
  for (std::size_t i = 0; i < operand.shape.size(); ++i) {
    if (operand.shape[i] != 1) array.strides[lacking + i] = operand.strides[i];
  }
  return array;
}

/// `arrays`: the operands that the function's element, tensors and outputs are.
End make_end(const FFTProblem& problem, const expr::FunctionPtr& function,
             const std::vector<std::size_t>& arrays, std::size_t main, bool store) {
  End end;
  CallbackForm& form = end.form;
  form.function = function;
  form.store = store;
  form.name = store ? "mw_store" : "mw_load";
  form.main = main;
  const std::size_t tensors = function->tensors.size(), rank = problem.shape.size();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const bool is_main = i == 1 + tensors + main;
    auto& list = i <= tensors ? form.tensors : form.outputs;
    list.push_back(is_main ? codegen::CallbackArray{}
                           : callback_array(problem.operands[arrays[i]], rank));
    if (!is_main) end.operands.push_back(arrays[i]);
  }
  form.array = callback_array(store ? problem.result() : problem.input(), rank);
  return end;
}

cufft::CallbackType callback_type(DType dtype, bool store) {
  const int number =
      (store ? 4 : 0) + (is_complex(dtype) ? 0 : 2) + (real_dtype(dtype) == DType::float64 ? 1 : 0);
  return static_cast<cufft::CallbackType>(number);
}

/// The transform that cuFFT sees, and the functions around it.
struct Build {
  FFTProblem core;
  CufftTypes types{};
  std::vector<End> ends;
};

Build build_of(const FFTProblem& problem) {
  const FFTParts parts = parts_of(problem);
  const auto given = [](OperandLayout layout, const Dims& shape) {
    layout.shape = shape;
    return layout;
  };
  const OperandLayout x = parts.prolog ? between_layout(problem, parts.x, problem.shape_in())
                                       : given(problem.input(), problem.shape_in());
  const OperandLayout y = parts.epilog ? between_layout(problem, parts.y, problem.shape_out())
                                       : given(problem.result(), problem.shape_out());
  Build build;
  build.core = plain_transform(problem, x, y);
  const DType complex = problem.type == FFTType::r2c ? parts.y : parts.x;
  build.types = {.real = real_dtype(complex), .complex = complex};
  std::size_t scalar = 2;
  const auto add = [&](End end, DType library, const OperandLayout& layout, const Dims& used) {
    end.form.library = library;
    end.form.shape = layout.shape;
    end.form.strides = layout.strides;
    end.form.used = used;
    end.type = callback_type(library, end.form.store);
    for (std::size_t i = 0; i < end.form.function->scalars.size(); ++i) {
      end.scalars.push_back(scalar + i);
    }
    build.ends.push_back(std::move(end));
  };
  if (parts.prolog) {
    add(make_end(problem, parts.before, parts.before_arrays, problem.prolog.main, false), parts.x,
        x, problem.shape_used());
  }
  scalar += problem.prolog.scalars();
  if (parts.epilog) {
    add(make_end(problem, parts.after, parts.after_arrays, problem.epilog.main, true), parts.y, y,
        y.shape);
    if (problem.scaled) build.ends.back().scalars.back() = 1;  // the factor
  }
  return build;
}

class CufftCallbacksPlan final : public Plan {
 public:
  CufftCallbacksPlan(const FFTProblem& problem, Build build, ManyRecipe recipe, Device device)
      : ends_(std::move(build.ends)),
        types_(build.types),
        pass_(recipe.passes.front()),
        seconds_(recipe.seconds),
        result_(problem.operands.size() - 1) {
    std::vector<CufftCallback> callbacks;
    for (const End& end : ends_) {
      callbacks.push_back({end.form.name, end.code, end.type, words_});
      words_ += codegen::callback_words(end.form);
    }
    pool_ = std::make_unique<CufftPlanPool>(device.id, std::move(recipe.passes), types_,
                                            std::move(callbacks), words_);
    ledger_.book(pool_->workspace_bytes());
  }

  void execute(const Call& call) const override {
    const bool capturing = is_capturing(call.stream);
    auto plans = pool_->take(capturing);
    plans->use(call.stream, Ledger::grant(call.workspace, 0));
    if (words_ > 0) put_arguments(*plans, call, capturing);
    run_cufft(pass_, (*plans)[0], types_, call.operands[0], call.operands[result_],
              direction_of(call));
    if (capturing) return CufftPlanPool::leave_to_graph(std::move(plans));
    if (words_ > 0) plans->mark(call.stream);
    pool_->give_back(std::move(plans));
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }
  // Measured on an H200 with cuFFT 12.0 for lines of 4096 complex64: 1.45 of the bare transform
  // with an epilog inside, 3.0 with a prolog, whatever they compute.
  double estimate() const override {
    double factor = 1;
    for (const End& end : ends_) factor *= end.form.store ? 1.45 : 3.0;
    return factor * seconds_;
  }
  std::size_t resident_bytes() const override { return 1 << 16; }
  std::string library() const override { return cufft_name(); }
  std::string describe() const override {
    std::string words = library();
    for (const End& end : ends_) words += end.form.store ? ", epilog inside" : ", prolog inside";
    return words;
  }

 private:
  static constexpr std::size_t kMostWords = 3 * kMostOperands;

  void put_arguments(CufftPlanSet& plans, const Call& call, bool capturing) const {
    std::array<std::uint64_t, kMostWords> words{};
    std::size_t at = 0;
    for (const End& end : ends_) {
      for (const std::size_t operand : end.operands) {
        words[at++] = std::bit_cast<std::uint64_t>(call.operands[operand]);
      }
      for (const std::size_t scalar : end.scalars) {
        words[at++] = std::bit_cast<std::uint64_t>(call.scalars[scalar].real());
        words[at++] = std::bit_cast<std::uint64_t>(call.scalars[scalar].imag());
      }
    }
    plans.put_arguments(std::span(words).first(words_), call.stream, capturing);
  }

  std::vector<End> ends_;
  CufftTypes types_;
  ManyPass pass_;
  double seconds_;
  std::size_t result_;
  std::size_t words_ = 0;
  Ledger ledger_;
  std::unique_ptr<CufftPlanPool> pool_;
};

/// cuFFT 12.3 computes wrong results where a callback is on the real side, the last axis is even
/// and long and has a prime factor above 127.
bool is_known_wrong(const FFTProblem& problem, const Build& build, int version) {
  if (version / 100 != 123 || !problem.is_real()) return false;
  const bool real_side = std::ranges::any_of(
      build.ends, [&](const End& end) { return end.form.store == (problem.type == FFTType::c2r); });
  const std::int64_t n = problem.length(problem.axes.size() - 1);
  const std::int64_t least = build.types.real == DType::float64 ? 4096 : 8192;
  constexpr std::int64_t kMostFactor = 127;
  return real_side && n % 2 == 0 && n >= least &&
         kernels::fft::prime_factors(n).back() > kMostFactor;
}

std::optional<Refusal> refuse_problem(const FFTProblem& problem) {
  if (is_trig(problem.type)) return refuse("it has no cosine and sine transforms");
  if (problem.is_plain() && !problem.scaled && !problem.prolog.function && !problem.epilog.function)
    return refuse("there is nothing around the transform");
  if (problem.in_place) return refuse("not in place");
  for (const OperandLayout& operand : problem.operands) {
    if (operand.conjugate) return refuse("lazily conjugated operands go another way");
    if (operand.alignment < std::min<std::size_t>(itemsize(operand.dtype), 16)) {
      return refuse("every operand must be aligned to its elements");
    }
  }
  return std::nullopt;
}

}  // namespace

Answer try_cufft_callbacks(const FFTProblem& problem, const Context& context) {
  if (auto why = refuse_problem(problem)) return *std::move(why);
  const auto api = cufft::load();
  if (!api) return api.refusal();
  if (!cufft::api().cufftXtSetJITCallback) return refuse("cuFFT of CUDA 12.6 or later is needed");
  if (const auto compiler = nvrtc::load(); !compiler) return compiler.refusal();
  Build build = build_of(problem);
  const bool loads =
      std::ranges::any_of(build.ends, [](const End& end) { return !end.form.store; });
  if (loads && !asked_for_by_name("cufft_callbacks")) {
    return refuse(
        "a prolog inside makes cuFFT three times slower; it takes part when asked for by name");
  }
  const Rates rate = rates(context.device, context.threads, build.types.complex);
  auto recipe = make_many_recipe(build.core, {.most_axes = 3, .pairs_of_reals = true}, rate);
  auto* chosen = std::get_if<ManyRecipe>(&recipe);
  if (chosen == nullptr || chosen->copy || !chosen->zeroed.empty() || chosen->passes.size() != 1 ||
      chosen->passes.front().calls() != 1) {
    return refuse("one call of the library, from the input to the result, only");
  }
  if (is_known_wrong(problem, build, cufft_version())) {
    return refuse(cufft_name(), " computes wrong results for callbacks of such real lengths");
  }
  try {
    for (End& end : build.ends) {
      auto source = codegen::device_callback(end.form);
      if (!source) return source.refusal();
      end.code = compile_device_functions(
          {.source = *std::move(source), .name = end.form.name, .options = {"--fmad=false"}},
          cuda_device_info(context.device.id).capability);
    }
    return PlanPtr(std::make_shared<CufftCallbacksPlan>(problem, std::move(build),
                                                        std::move(*chosen), context.device));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::out_of_memory) throw;
    return refuse(error.what());
  }
}

}  // namespace mw
