// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Transforms with functions at their ends, factors, cropping, padding and narrow dtypes: every host
// candidate against the reference, on random problems.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/layout.hpp"
#include "expr/number.hpp"
#include "ops/fft/boxes.hpp"
#include "ops/fft/problem.hpp"
#include "plan/select.hpp"

namespace mw {
namespace {

using expr::Number;

constexpr DType kOperands[] = {DType::float16,    DType::bfloat16,  DType::float32,
                               DType::float64,    DType::complex32, DType::complex64,
                               DType::complex128, DType::int16,     DType::int64};

/// Memory for a strided array, filled.
class Memory {
 public:
  Memory(DType dtype, const Dims& shape, const Dims& strides, std::mt19937& random)
      : dtype_(dtype), shape_(shape), strides_(strides) {
    std::int64_t low = 0, high = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t reach = (std::max<std::int64_t>(shape[i], 1) - 1) * strides[i];
      (reach < 0 ? low : high) += reach;
    }
    first_ = -low;
    bytes_.resize(static_cast<std::size_t>(high - low + 1) * itemsize(dtype));
    std::uniform_real_distribution<double> values(-1, 1);
    for (std::size_t i = 0; i < bytes_.size() / itemsize(dtype); ++i) {
      const DTypeClass kind = dtype_class(dtype);
      const Number number = kind == DTypeClass::real ? Number::of_real(values(random))
                            : kind == DTypeClass::complex
                                ? Number::of_complex({values(random), values(random)})
                                : Number::of_integer(static_cast<int>(values(random) * 90));
      expr::store(bytes_.data() + i * itemsize(dtype), expr::convert(number, dtype));
    }
  }
  [[nodiscard]] void* origin() {
    return bytes_.data() + first_ * static_cast<std::int64_t>(itemsize(dtype_));
  }
  [[nodiscard]] TensorRef view() { return {origin(), dtype_, shape_, strides_}; }
  [[nodiscard]] std::vector<char>& bytes() { return bytes_; }

 private:
  DType dtype_;
  Dims shape_, strides_;
  std::int64_t first_ = 0;
  std::vector<char> bytes_;
};

Dims random_strides(const Dims& shape, std::mt19937& random) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  Dims order;
  for (std::int64_t i = 0; i < rank; ++i) order.push_back(i);
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  Dims larger = shape;
  if (random() % 3 == 0) larger[random() % shape.size()] += 3;
  Dims strides = dense_strides(larger, order);
  if (random() % 3 == 0) {
    auto& turned = strides[random() % shape.size()];
    turned = -turned;
  }
  return strides;
}

/// A problem, with what its operands need.
struct Made {
  std::string words;
  FFTOptions options;
  FFTRequest request;
  std::vector<Memory> memory;  ///< of the inputs
  double tolerance = 0;
};

std::vector<Fusion> prologs(const TensorRef& row) {
  return {{},
          fuse([](Scalar x, Scalar w, Scalar s) { return x * w * s; }, {row}, {0.75}),
          fuse([](Scalar x) {
            return Outputs{{"result", x * 0.5}, {"energy", sum(abs(x))}};
          }),
          fuse([](Scalar x) { return x * (1.0 + 0.25 * index(-1).astype(DType::float64)); }),
          fuse([](Scalar x) { return x * 1.0; })};
}

std::vector<Fusion> epilogs(const TensorRef& row, bool complex) {
  const auto power = [](const Scalar& z) { return square(real(z)) + square(imag(z)); };
  if (!complex) {
    return {{}, fuse([](Scalar x, Scalar w) { return x * w + 1.0; }, {row}), fuse([](Scalar x) {
              return Outputs{{"result", relu(x)}, {"top", max(x, {-1})}};
            })};
  }
  return {{},
          fuse([](Scalar z, Scalar w, Scalar s) { return z * w * s; }, {row}, {1.5}),
          fuse([power](Scalar z) { return power(z); }),
          fuse([power](Scalar z) {
            return Outputs{{"whole", z}, {"result", sum(power(z), {-1})}};
          }),
          fuse([](Scalar z) { return real(z) * (1.0 + index(-1).astype(DType::float64)); })};
}

/// Which axes, how long, with which factor.
FFTOptions random_options(const Dims& shape, std::mt19937& random) {
  FFTOptions options;
  Dims all;
  for (std::size_t i = 0; i < shape.size(); ++i) all.push_back(static_cast<std::int64_t>(i));
  std::shuffle(all.begin(), all.end(), random);
  options.axes = Dims(all.begin(), all.begin() + 1 + random() % shape.size());
  options.last_axis_parity = random() % 2 ? FFTParity::even : FFTParity::odd;
  options.norm = static_cast<FFTNorm>(random() % 4);
  if (random() % 3 == 0) options.scale = 0.375;
  if (random() % 3 == 0) {
    for (const auto axis : options.axes) {
      const std::int64_t n =
          shape[static_cast<std::size_t>(axis)] + static_cast<int>(random() % 7) - 3;
      options.lengths.push_back(std::max<std::int64_t>(n, 1));
    }
  }
  return options;
}

Made random_problem(std::mt19937& random) {
  Made made;
  const DType dtype = kOperands[random() % std::size(kOperands)];
  const std::size_t rank = 1 + random() % 3;
  Dims shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t extents[] = {1, 2, 3, 4, 6, 8, 13, 17};
    shape.push_back(extents[random() % std::size(extents)]);
  }
  FFTOptions& options = made.options = random_options(shape, random);
  const Dims& axes = options.axes;
  made.memory.reserve(3);
  made.memory.emplace_back(dtype, shape, random_strides(shape, random), random);
  Memory& operand = made.memory[0];
  const bool integer = dtype_class(dtype) == DTypeClass::integer;

  // A tensor along the last axis of what each function sees; both kinds of transform in turns.
  const Dims used_row{std::min(shape.back(), [&] {
    for (std::size_t i = 0; i < options.lengths.size(); ++i) {
      if (axes[i] + 1 == static_cast<std::int64_t>(rank)) return options.lengths[i];
    }
    return shape.back();
  }())};
  const bool c2r = is_complex(dtype) && random() % 2;
  if (c2r) options.type = FFTType::c2r;
  if (c2r && shape[static_cast<std::size_t>(axes.back())] == 1) {
    options.last_axis_parity = FFTParity::odd;
  }
  const bool awkward_row = c2r && axes.back() + 1 == static_cast<std::int64_t>(rank);
  made.memory.emplace_back(DType::float32, awkward_row ? Dims{1} : used_row, Dims{1}, random);
  const auto before = prologs(made.memory[1].view());
  options.prolog = before[integer ? 1 + random() % (before.size() - 1) : random() % before.size()];
  const DType transformed = transformed_dtype(dtype, traced_ends(dtype, options).prolog.function);
  const FFTType type = resolved_type(transformed, options);
  made.memory.emplace_back(DType::float64, Dims{1}, Dims{1}, random);
  const auto after = epilogs(made.memory[2].view(), type != FFTType::c2r);
  options.epilog = after[random() % after.size()];
  if (type == FFTType::c2c && !options.prolog && !options.epilog && options.lengths.empty()) {
    options.in_place = random() % 2;
  }
  const FFTDirections all_directions = planned_directions(type, std::nullopt);
  made.request = make_fft(operand.view(), options, all_directions, traced_ends(dtype, options));
  const FFTProblem& problem = made.request.problem;
  const bool single = real_dtype(transform_dtypes(transformed, type).in) == DType::float32;
  const DType stored = real_dtype(problem.result().dtype);
  const double narrow = stored == DType::float16 ? 0x1p-10 : stored == DType::bfloat16 ? 0x1p-7 : 0;
  made.tolerance = (single ? 0x1p-23 : 0x1p-52) * 40 + 2 * narrow;
  made.words =
      text(problem.title(), "; operand ", dtype, " ", shape, " strides ", problem.input().strides,
           ", lengths ", options.lengths, ", norm ", static_cast<int>(options.norm));
  return made;
}

/// The plan and its variants; none if the candidates refuse.
std::vector<PlanPtr> plans_of(const Made& made, std::vector<std::string> candidates,
                              std::string& why) {
  set_candidates(std::move(candidates));
  std::vector<PlanPtr> plans;
  try {
    const ProblemOf<FFTProblem> problem(made.request.problem);
    plans.push_back(select(problem, {.memory = {}, .context = {{}, 2}}).plan);
  } catch (const Error& error) {
    why = error.what();
    return {};
  }
  const auto more = plans.front()->variants(3);
  plans.insert(plans.end(), more.begin(), more.end());
  return plans;
}

/// Every result, in the order of the operands.
std::vector<Memory> run(Made& made, const PlanPtr& plan, std::mt19937& random) {
  const FFTProblem& problem = made.request.problem;
  std::vector<void*> addresses;
  std::vector<Memory> copies = made.memory;  // in place, the operand is written
  addresses.push_back(copies[0].origin());
  const auto& inputs = made.request.arguments.inputs;
  for (std::size_t i = 1; i < inputs.size(); ++i) addresses.push_back(inputs[i].data);
  std::vector<Memory> results;
  results.reserve(8);
  for (std::size_t i = problem.first_aux(); i < problem.operands.size(); ++i) {
    const OperandLayout& layout = problem.operands[i];
    const bool last = i + 1 == problem.operands.size();
    results.emplace_back(layout.dtype, layout.shape, layout.strides, random);
    addresses.push_back(problem.in_place && last ? copies[0].origin() : results.back().origin());
  }
  std::vector<char> workspace(plan->workspace_bytes() + 256, char{0x7f});  // not zeros
  void* aligned = workspace.data();
  std::size_t room = workspace.size();
  std::align(256, plan->workspace_bytes(), aligned, room);
  plan->execute({addresses.data(), made.request.arguments.scalars.data(), aligned, {}});
  if (problem.in_place) results.back().bytes() = copies[0].bytes();
  return results;
}

/// Σ|seen − wanted|² and Σ|wanted|² over a view.
std::pair<double, double> distance(const TensorRef& seen, const TensorRef& wanted) {
  double error = 0, size = 0;
  const Dims steps = contiguous_strides(seen.shape);
  for (std::int64_t i = 0; i < seen.size(); ++i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < steps.size(); ++d) {
      at += i / steps[d] % seen.shape[d] * seen.strides[d];
    }
    at *= static_cast<std::int64_t>(itemsize(seen.dtype));
    const Number a = expr::load(static_cast<const char*>(seen.data) + at, seen.dtype);
    const Number b = expr::load(static_cast<const char*>(wanted.data) + at, wanted.dtype);
    error += std::pow(a.real - b.real, 2) + std::pow(a.imag - b.imag, 2);
    size += b.real * b.real + b.imag * b.imag;
  }
  return {error, size};
}

TEST(FFTFused, EveryCandidateGivesWhatTheReferenceGives) {
  const std::vector<std::vector<std::string>> ways = {
      {"native"}, {"fused", "native"}, {"fused", "fftw", "mkl"}, {"fused_axes", "fused", "native"}};
  std::vector<int> taken(ways.size(), 0);
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    Made made = random_problem(random);
    SCOPED_TRACE(text("round ", round, ": ", made.words));
    std::string why;
    const auto reference = plans_of(made, {"reference"}, why);
    ASSERT_FALSE(reference.empty()) << why;
    auto wanted = run(made, reference.front(), random);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      for (const PlanPtr& plan : plans_of(made, ways[way], why)) {
        auto seen = run(made, plan, random);
        ++taken[way];
        for (std::size_t i = 0; i < seen.size(); ++i) {
          const auto [error, size] = distance(seen[i].view(), wanted[i].view());
          ASSERT_LE(std::sqrt(error), made.tolerance * std::sqrt(size) + 1e-300)
              << ways[way].front() << " " << plan->variant() << ", result " << i;
        }
      }
    }
  }
  set_candidates({});
  for (std::size_t way = 0; way < ways.size(); ++way) {
    EXPECT_GT(taken[way], way == 2 ? -1 : 5) << ways[way].front() << " was hardly ever asked";
  }
}

TEST(FFTFused, BoxesCoverTheBatchOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Dims shape;
    const std::size_t rank = 1 + random() % 4;
    for (std::size_t i = 0; i < rank; ++i) shape.push_back(1 + static_cast<int>(random() % 9));
    Memory memory(DType::complex64, shape, random_strides(shape, random), random);
    const Dims axes{static_cast<std::int64_t>(random() % rank)};
    const FFTProblem problem =
        make_fft(memory.view(), {.axes = axes}, FFTDirections::forward).problem;
    const Boxes boxes = Boxes::of(problem, 1 + static_cast<int>(random() % 20));
    std::vector<int> seen(static_cast<std::size_t>(memory.view().size()), 0);
    const Dims steps = contiguous_strides(shape);
    for (std::int64_t box = 0; box < boxes.count(); ++box) {
      const Dims first = boxes.first(box);
      Dims extents = boxes.extents(shape);
      if (boxes.is_last(first)) extents[boxes.split_axis()] = boxes.last_extent();
      const TensorRef part(nullptr, DType::complex64, extents, contiguous_strides(extents));
      for (std::int64_t i = 0; i < part.size(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < rank; ++d) {
          at += (first[d] + i / part.strides[d] % extents[d]) * steps[d];
        }
        ASSERT_LT(at, memory.view().size());
        ++seen[static_cast<std::size_t>(at)];
      }
    }
    for (const int times : seen) ASSERT_EQ(times, 1) << text(shape, " axes ", axes);
  }
}

}  // namespace
}  // namespace mw
