// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Block-scaled products on the host: a and b widened to float32 in workspace, the product by
// whichever candidate is best for that, a narrow result quantised block by block. The elements'
// products with their scales are exact in float32 but for the ends of its range.
#include <array>
#include <cmath>
#include <cstring>

#include "expr/number.hpp"
#include "ops/matmul/batches.hpp"
#include "ops/matmul/block_scaling.hpp"
#include "ops/matmul/implementations.hpp"
#include "plan/select.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::matmul_impl {

namespace {

using Table = std::array<float, 256>;

/// The value of every byte of an 8-bit float.
Table values_of(DType dtype) {
  Table table;
  for (unsigned i = 0; i < table.size(); ++i) {
    const auto byte = static_cast<unsigned char>(i);
    table[i] = static_cast<float>(expr::load(&byte, dtype).real);
  }
  return table;
}

constexpr std::array<float, 16> kFloat4 = {0.F,  0.5F,  1.F,  1.5F,  2.F,  3.F,  4.F,  6.F,
                                           -0.F, -0.5F, -1.F, -1.5F, -2.F, -3.F, -4.F, -6.F};

Table scale_values(BlockFormat format) {
  if (format == BlockFormat::nvfp4) return values_of(DType::float8_e4m3fn);
  Table table;
  for (int i = 0; i < 256; ++i) table[static_cast<unsigned>(i)] = std::ldexp(1.F, i - 127);
  table[255] = std::numeric_limits<float>::quiet_NaN();  // UE8M0 has no infinity
  return table;
}

/// Nearest float4, ties to even; NaN becomes the largest.
unsigned to_float4(float value) {
  const float magnitude = std::fabs(value);
  constexpr std::array<float, 7> kMiddles = {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.F};
  unsigned code = 0;
  for (unsigned below = 0; below < kMiddles.size(); ++below) {
    code += below % 2 != 0 ? magnitude >= kMiddles[below] : magnitude > kMiddles[below];
  }
  if (std::isnan(value)) return 7;
  return code | (std::signbit(value) ? 8U : 0U);
}

/// A matrix of a batch that is blocked along one axis: where its lines begin.
struct Lines {
  OperandLayout layout;
  std::size_t along;  ///< the blocked axis
  std::size_t other;

  Lines(OperandLayout given, bool by_rows)
      : layout(std::move(given)),
        along(layout.shape.size() - (by_rows ? 1 : 2)),
        other(layout.shape.size() - (by_rows ? 2 : 1)) {}
  [[nodiscard]] std::int64_t rows() const { return layout.shape[other]; }
  [[nodiscard]] std::int64_t batch() const {
    std::int64_t count = 1;
    for (std::size_t i = 0; i + 2 < layout.shape.size(); ++i) count *= layout.shape[i];
    return count;
  }
  [[nodiscard]] std::int64_t step() const { return layout.strides[along]; }
  /// Offset of a line: batch·rows + row counts them.
  [[nodiscard]] std::int64_t start(std::int64_t line) const {
    return line % rows() * layout.strides[other] + batch_offset(layout, line / rows());
  }
};

class BlockScaledPlan final : public Plan {
 public:
  BlockScaledPlan(const MatmulProblem& problem, PlanPtr inner, int threads)
      : problem_(problem),
        inner_(std::move(inner)),
        threads_(threads),
        element_(values_of(problem.block == BlockFormat::nvfp4 ? DType::float8_e4m3fn
                                                               : problem.a().dtype)),
        element_b_(problem.block == BlockFormat::nvfp4 ? element_ : values_of(problem.b().dtype)),
        scale_(scale_values(problem.block)),
        narrow_(problem.d().dtype != problem.inner->d().dtype) {
    for (std::size_t i : {0U, 1U}) wide_[i] = ledger_.book(bytes_of(problem.inner->operands[i]));
    if (narrow_) wide_d_ = ledger_.book(bytes_of(problem.inner->d()));
    inner_workspace_ = ledger_.book(inner_->workspace_bytes());
  }

  void execute(const Call& call) const override {
    widen(call, 0, true, element_);
    widen(call, 1, false, element_b_);
    std::array<void*, kMostOperands> operands{};
    const MatmulProblem& inner = *problem_.inner;
    operands[0] = at(call, wide_[0]);
    operands[1] = at(call, wide_[1]);
    const std::size_t inputs = inner.first_aux();
    for (std::size_t i = 2; i < inputs; ++i) operands[i] = call.operands[i];
    for (std::size_t i = inputs; i < inner.d_index(); ++i) operands[i] = call.operands[i + 2];
    operands[inner.d_index()] = narrow_ ? at(call, wide_d_) : call.operands[problem_.d_index()];
    inner_->execute({.operands = operands.data(),
                     .scalars = call.scalars,
                     .workspace = at(call, inner_workspace_),
                     .stream = call.stream});
    if (narrow_) quantise(call);
  }

  std::size_t workspace_bytes() const override { return ledger_.total(); }

  double estimate() const override {
    constexpr double kElementsPerSecond = 5e8;
    double elements = 0;
    for (std::size_t i : {0U, 1U})
      elements += static_cast<double>(count(problem_.inner->operands[i]));
    if (narrow_) elements += 4 * static_cast<double>(count(problem_.inner->d()));
    return inner_->estimate() + elements / kElementsPerSecond / threads_;
  }

  std::string describe() const override {
    return text("operands widened to float32, then ", inner_->describe());
  }

 private:
  static std::int64_t count(const OperandLayout& layout) {
    std::int64_t product = 1;
    for (const std::int64_t extent : layout.shape) product *= extent;
    return product;
  }
  static std::size_t bytes_of(const OperandLayout& layout) {
    return static_cast<std::size_t>(count(layout)) * sizeof(float);
  }
  static void* at(const Call& call, std::size_t offset) {
    return Ledger::grant(call.workspace, offset);
  }

  /// One operand, line by line along k.
  void widen(const Call& call, std::size_t operand, bool by_rows, const Table& element) const {
    const Lines from(problem_.operands[operand], by_rows);
    const Lines to(problem_.inner->operands[operand], by_rows);
    const auto* bytes = static_cast<const unsigned char*>(call.operands[operand]);
    const auto* scales =
        static_cast<const unsigned char*>(call.operands[problem_.inner->first_aux() + operand]);
    auto* wide = static_cast<float*>(at(call, wide_[operand]));
    const std::int64_t block = block_length(problem_.block);
    const std::int64_t blocks = to.layout.shape[to.along] / block;
    const bool packed = problem_.block == BlockFormat::nvfp4;
    parallel_for(
        to.batch() * to.rows(), 16, threads_, [&](std::int64_t begin, std::int64_t end, int) {
          for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t source = from.start(line), target = to.start(line);
            const auto* own = scales + line / to.rows() * to.rows() * blocks;
            for (std::int64_t l = 0; l < blocks * block; ++l) {
              const float factor =
                  scale_[own[block_scale_offset(line % to.rows(), l / block, blocks)]];
              const unsigned char byte = bytes[source + (packed ? l / 2 : l) * from.step()];
              const float value =
                  packed ? kFloat4[l % 2 != 0 ? byte >> 4 : byte & 15] : element[byte];
              wide[target + l * to.step()] = value * factor;
            }
          }
        });
  }

  /// D and its scales from the product in float32.
  void quantise(const Call& call) const {
    const OperandLayout& layout = problem_.inner->d();
    const bool by_rows = layout.strides.back() == 1;
    const Lines from(layout, by_rows);
    const Lines to(problem_.d(), by_rows);
    const std::int64_t block = block_length(problem_.block);
    const std::int64_t blocks = layout.shape[from.along] / block;
    const auto* wide = static_cast<const float*>(at(call, wide_d_));
    auto* bytes = static_cast<unsigned char*>(call.operands[problem_.d_index()]);
    auto* scales = static_cast<unsigned char*>(call.operands[problem_.d_index() - 1]);
    parallel_for(
        from.batch() * from.rows(), 16, threads_, [&](std::int64_t begin, std::int64_t end, int) {
          for (std::int64_t line = begin; line < end; ++line) {
            auto* own = scales + line / from.rows() * from.rows() * blocks;
            for (std::int64_t j = 0; j < blocks; ++j) {
              const float* first = wide + from.start(line) + j * block * from.step();
              own[block_scale_offset(line % from.rows(), j, blocks)] =
                  one_block(first, from.step(), bytes + to.start(line), j * block, to.step());
            }
          }
        });
  }

  /// Stores the elements of one block and returns its scale.
  unsigned char one_block(const float* from, std::int64_t from_step, unsigned char* to,
                          std::int64_t first, std::int64_t to_step) const {
    const std::int64_t block = block_length(problem_.block);
    float largest = 0;
    for (std::int64_t i = 0; i < block; ++i) {
      const float magnitude = std::fabs(from[i * from_step]);
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    const unsigned char scale = scale_of(largest);
    const float factor = scale_[scale];
    for (std::int64_t i = 0; i < block; ++i) {
      const float value = factor == 0 ? 0 : from[i * from_step] / factor;
      if (problem_.block == BlockFormat::mxfp8) {
        const auto most = static_cast<float>(*float8_max(problem_.d().dtype));
        const float inside = value > most ? most : value < -most ? -most : value;
        expr::store(to + (first + i) * to_step,
                    expr::convert(expr::Number::of_real(inside), problem_.d().dtype));
      } else {
        unsigned char& byte = to[(first + i) / 2 * to_step];
        const unsigned code = to_float4(value);
        byte = static_cast<unsigned char>(i % 2 == 0 ? code : byte | code << 4);
      }
    }
    return scale;
  }

  /// MXFP8: the least power of two that brings the largest into range. NVFP4: a sixth of it, in
  /// float8, saturated.
  [[nodiscard]] unsigned char scale_of(float largest) const {
    if (problem_.block == BlockFormat::mxfp8) {
      if (largest == 0) return 127;
      int exponent = 0;
      const double ratio = largest / *float8_max(problem_.d().dtype);
      const double fraction = std::frexp(ratio, &exponent);  // ratio = fraction · 2^exponent
      if (fraction == 0.5) --exponent;
      return static_cast<unsigned char>(std::min(std::max(exponent + 127, 0), 254));
    }
    unsigned char byte = 0;
    const double wanted = std::min(static_cast<double>(largest) / 6, 448.0);
    expr::store(&byte, expr::convert(expr::Number::of_real(wanted), DType::float8_e4m3fn));
    return byte;
  }

  MatmulProblem problem_;
  PlanPtr inner_;
  int threads_;
  Table element_, element_b_, scale_;
  bool narrow_;
  Ledger ledger_;
  std::array<std::size_t, 2> wide_{};
  std::size_t wide_d_ = 0, inner_workspace_ = 0;
};

}  // namespace

Answer try_block_scaled(const MatmulProblem& problem, const Context& context) {
  if (!problem.inner) return refuse("the operands have no block scales");
  if (!context.device.is_cpu()) {
    return refuse(problem.block == BlockFormat::nvfp4 ? "NVFP4" : "MXFP8",
                  " on a device needs compute capability 10.0 or later, and this runs on the host "
                  "only; pass execution=\"cpu\", or operands in host memory");
  }
  const Selection inner = select(ProblemOf<MatmulProblem>(*problem.inner),
                                 {.memory = context.device, .context = context});
  return std::make_shared<BlockScaledPlan>(problem, inner.plan, context.threads);
}

}  // namespace mw::matmul_impl
