// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/many.hpp"

#include <algorithm>

namespace mw {

namespace {

// A line of memory is fetched for one element of eight or sixteen bytes.
constexpr double kScattered = 4;

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

double bytes_of(const OperandLayout& layout) {
  double bytes = static_cast<double>(itemsize(layout.dtype));
  for (const auto extent : layout.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

/// The axes (slowest first) as nested extents of one side, if they are.
std::optional<ManySide> nested(const OperandLayout& layout, const Dims& axes) {
  const auto last = at(axes.back());
  ManySide side;
  side.embed = Dims(axes.size());
  side.stride = layout.shape[last] == 1 ? 1 : layout.strides[last];
  if (side.stride < 1) return std::nullopt;
  std::int64_t step = side.stride;
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    const std::int64_t outer = layout.strides[at(axes[i - 1])];
    side.embed[i] = outer / step;
    if (outer % step != 0 || side.embed[i] < layout.shape[at(axes[i])]) return std::nullopt;
    step = outer;
  }
  side.embed[0] = layout.shape[at(axes[0])];
  return side;
}

/// `axes` sorted by falling strides; the last keeps its place if it is halved.
Dims sorted_axes(Dims axes, const OperandLayout& layout, bool halved) {
  std::stable_sort(axes.begin(), axes.end() - (halved ? 1 : 0),
                   [&](std::int64_t a, std::int64_t b) {
                     return layout.strides[at(a)] > layout.strides[at(b)];
                   });
  return axes;
}

/// Both sides nested in a common order of axes.
struct Nesting {
  Dims axes;
  ManySide in;
  ManySide out;
};
std::optional<Nesting> common_nesting(const Dims& axes, const OperandLayout& in,
                                      const OperandLayout& out, bool halved) {
  for (const OperandLayout* leader : {&in, &out}) {
    const Dims order = sorted_axes(axes, *leader, halved);
    const auto in_side = nested(in, order);
    const auto out_side = nested(out, order);
    if (in_side && out_side) return Nesting{order, *in_side, *out_side};
  }
  return std::nullopt;
}

bool loops_start_on_pairs(const ManyPass& pass) {
  const auto even = [](std::int64_t stride) { return stride % 2 == 0; };
  return (pass.type != FFTType::r2c || std::ranges::all_of(pass.loops.strides[0], even)) &&
         (pass.type != FFTType::c2r || std::ranges::all_of(pass.loops.strides[1], even));
}

/// The pass with batch axis `chosen` given to the library.
ManyPass with_batch(ManyPass pass, const LoopNest& batch, std::size_t chosen) {
  pass.loops = batch;
  pass.batch = batch.extents[chosen];
  pass.in.distance = batch.strides[0][chosen];
  pass.out.distance = batch.strides[1][chosen];
  pass.loops.extents.erase(chosen);
  pass.loops.strides[0].erase(chosen);
  pass.loops.strides[1].erase(chosen);
  return pass;
}

double pass_seconds(const ManyPass& pass, const OperandLayout& in, const OperandLayout& out,
                    const Rates& rate) {
  const double moved = bytes_of(in) * (pass.scattered_in() ? kScattered : 1) +
                       bytes_of(out) * (pass.scattered_out() ? kScattered : 1);
  return static_cast<double>(pass.calls()) * rate.call + moved / rate.bandwidth;
}

/// The axes whose transform does something, in groups of at most `most`, the fastest first. The
/// halved axis is in the first group: as its last axis for r2c, by itself for c2r.
std::vector<Dims> grouped_axes(const FFTProblem& problem, std::size_t most) {
  Dims rest;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const bool halved = problem.is_real() && i + 1 == problem.axes.size();
    if (!halved && problem.length(i) > 1) rest.push_back(problem.axes[i]);
  }
  const auto& order = problem.type == FFTType::c2r ? problem.input() : problem.result();
  rest = sorted_axes(rest, order, false);
  if (rest.empty() || problem.is_real()) rest.push_back(problem.axes.back());
  std::vector<Dims> groups;
  while (!rest.empty()) {
    const bool alone = groups.empty() && problem.type == FFTType::c2r;
    const std::size_t count = std::min(alone ? std::size_t{1} : most, rest.size());
    groups.emplace_back(rest.end() - count, rest.end());
    rest.resize(rest.size() - count);
  }
  return groups;
}

/// The imaginary parts at index 0 and, for an even length, n/2 of the halved axis.
std::vector<ManyReals> imaginary_edges(const FFTProblem& problem, const OperandLayout& copy) {
  const std::size_t axis = problem.halved_axis();
  const std::int64_t n = problem.shape[axis];
  OperandLayout reals = copy;
  reals.dtype = real_dtype(copy.dtype);
  reals.shape[axis] = 1;
  for (auto& stride : reals.strides) stride *= 2;
  std::vector<ManyReals> edges = {{reals, 1}};
  if (n % 2 == 0) edges.push_back({reals, 1 + n / 2 * reals.strides[axis]});
  return edges;
}

/// One choice of layouts: the two as the library sees them, and whether they need a copy.
struct Choice {
  OperandLayout input;
  OperandLayout result;
  bool input_copied = false;
  bool result_copied = false;
};

Outcome<ManyRecipe> recipe_for(const FFTProblem& problem, const Choice& choice,
                               bool copy_in_workspace, const ManyRules& rules, const Rates& rate) {
  ManyRecipe recipe;
  if (copy_in_workspace) {
    recipe.copy = choice.input;
    recipe.zeroed = imaginary_edges(problem, choice.input);
    recipe.seconds += rate.call * static_cast<double>(recipe.zeroed.size());
  }
  const auto add_copy = [&](const OperandLayout& layout) {
    recipe.seconds += rate.call + 2 * bytes_of(layout) / rate.bandwidth;
  };
  if (choice.input_copied) add_copy(choice.input);
  if (choice.result_copied) add_copy(choice.result);
  auto groups = grouped_axes(problem, rules.most_axes);
  const bool backward = problem.type == FFTType::c2r;
  if (backward) std::ranges::reverse(groups);
  const ManyPlace source = copy_in_workspace ? ManyPlace::copy : ManyPlace::input;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool ends = backward ? i + 1 == groups.size() : i == 0;  // the pass from input to result
    const OperandLayout& in = ends || backward ? choice.input : choice.result;
    const OperandLayout& out = ends || !backward ? choice.result : choice.input;
    auto pass = make_many_pass(ends ? problem.type : FFTType::c2c, groups[i], in, out, rules, rate);
    if (!pass) return pass.refusal();
    pass->from = ends || backward ? source : ManyPlace::result;
    pass->to = ends || !backward ? ManyPlace::result : source;
    recipe.seconds += pass_seconds(*pass, in, out, rate);
    recipe.passes.push_back(std::move(*pass));
  }
  return recipe;
}

OperandLayout dense_in_order(OperandLayout layout, const Dims& order) {
  layout.strides = dense_strides(layout.shape, order);
  layout.alignment = 16;
  layout.conjugate = false;
  return layout;
}

/// The layout that suits these libraries best: the transformed axes innermost.
OperandLayout canonical(const FFTProblem& problem, const OperandLayout& layout) {
  Dims order = problem.batch_axes();
  for (const auto axis : problem.axes) order.push_back(axis);
  return dense_in_order(layout, order);
}

/// The layouts worth trying, the ones as given first.
std::vector<Choice> choices(const FFTProblem& problem) {
  const OperandLayout& input = problem.input();
  const OperandLayout& result = problem.result();
  const auto like = [](const OperandLayout& layout, const OperandLayout& other) {
    return dense_in_order(layout, memory_order(other.shape, other.strides));
  };
  const auto canonical_input = canonical(problem, input);
  const auto canonical_result = canonical(problem, result);
  return {{input, result, false, false},
          {like(input, result), result, true, false},
          {input, like(result, input), false, true},
          {canonical_input, result, true, false},
          {input, canonical_result, false, true},
          {canonical_input, canonical_result, true, true}};
}

bool starts_on_pair(const OperandLayout& layout) {
  const std::size_t pair =
      is_complex(layout.dtype) ? itemsize(layout.dtype) : 2 * itemsize(layout.dtype);
  return layout.alignment >= std::min<std::size_t>(pair, 16);
}

/// Whether the library may read the operand, and write the result, where they are.
bool acceptable(const Choice& choice, const ManyRules& rules) {
  const auto fine = [&](const OperandLayout& layout) {
    return !rules.pairs_of_reals || starts_on_pair(layout);
  };
  return !choice.input.conjugate && fine(choice.input) && fine(choice.result);
}

Relayout relayout_to(const Choice& choice, bool input_too) {
  Relayout relayout{.reason = "the library's layouts do not include this one", .entries = {}};
  if (input_too && choice.input_copied) relayout.entries.push_back({0, choice.input});
  if (choice.result_copied) relayout.entries.push_back({1, choice.result});
  return relayout;
}

}  // namespace

LoopNest batch_loops(const Dims& axes, const OperandLayout& in, const OperandLayout& out) {
  Dims shape;
  Dims in_strides;
  Dims out_strides;
  for (std::size_t i = 0; i < in.shape.size(); ++i) {
    if (std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end()) continue;
    shape.push_back(in.shape[i]);
    in_strides.push_back(in.strides[i]);
    out_strides.push_back(out.strides[i]);
  }
  return fuse_loops(shape, in_strides, &out_strides);
}

std::int64_t count_of(const LoopNest& loops) {
  std::int64_t count = 1;
  for (const auto extent : loops.extents) count *= extent;
  return count;
}

LoopStart start_of(const LoopNest& loops, std::int64_t iteration) {
  LoopStart start;
  for (std::size_t i = loops.extents.size(); i-- > 0;) {
    const std::int64_t index = iteration % loops.extents[i];
    start.in += index * loops.strides[0][i];
    start.out += index * loops.strides[1][i];
    iteration /= loops.extents[i];
  }
  return start;
}

Outcome<ManyPass> make_many_pass(FFTType type, const Dims& axes, const OperandLayout& in,
                                 const OperandLayout& out, const ManyRules& rules,
                                 const Rates& rate) {
  const bool real = type != FFTType::c2c;
  const auto nesting = common_nesting(axes, in, out, real);
  if (!nesting) {
    return refuse("axes ", axes, " with strides ", in.strides, " and ", out.strides,
                  " do not nest in one order");
  }
  ManyPass pass{.type = type, .lengths = {}, .in = nesting->in, .out = nesting->out, .loops = {}};
  const OperandLayout& full = type == FFTType::c2r ? out : in;
  for (const auto axis : nesting->axes) pass.lengths.push_back(full.shape[at(axis)]);
  const std::int64_t real_stride = type == FFTType::c2r ? pass.out.stride : pass.in.stride;
  if (rules.unit_real_stride && real && real_stride != 1) {
    return refuse("the real side has stride ", real_stride, "; 1 is wanted");
  }

  const LoopNest batch = batch_loops(nesting->axes, in, out);
  std::vector<ManyPass> ways;
  ways.push_back(pass);
  ways.back().loops = batch;
  for (std::size_t i = 0; i < batch.extents.size(); ++i) {
    if (batch.strides[0][i] > 0 && batch.strides[1][i] > 0) {
      ways.push_back(with_batch(pass, batch, i));
    }
  }
  const ManyPass* best = nullptr;
  for (const ManyPass& way : ways) {
    if (rules.pairs_of_reals && !loops_start_on_pairs(way)) continue;
    if (!best || pass_seconds(way, in, out, rate) < pass_seconds(*best, in, out, rate)) best = &way;
  }
  if (!best) return refuse("the batch's real lines do not start at multiples of two elements");
  return *best;
}

std::variant<ManyRecipe, Relayout, Refusal> make_many_recipe(const FFTProblem& problem,
                                                             const ManyRules& rules,
                                                             const Rates& rate) {
  const bool own_copy = problem.type == FFTType::c2r;
  std::optional<ManyRecipe> best;
  Choice best_choice;
  std::optional<Refusal> why;
  for (Choice& choice : choices(problem)) {
    if (own_copy && !choice.input_copied) {  // a copy costs the same whatever its layout
      choice.input =
          dense_in_order(choice.input, memory_order(choice.input.shape, choice.input.strides));
      choice.input_copied = true;
    }
    if (!acceptable(choice, rules)) continue;
    auto recipe = recipe_for(problem, choice, own_copy, rules, rate);
    if (!recipe) {
      if (!why) why = recipe.refusal();
      continue;
    }
    if (best && best->seconds <= recipe->seconds) continue;
    best = std::move(*recipe);
    best_choice = choice;
  }
  if (!best) return why.value_or(refuse("no layout of the operands suits the library"));
  if (auto relayout = relayout_to(best_choice, !own_copy); !relayout.entries.empty()) {
    return relayout;
  }
  return *std::move(best);
}

}  // namespace mw
