// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/masks.hpp"

#include "base/layout.hpp"
#include "ops/matmul/batches.hpp"
#include "runtime/thread_pool.hpp"

namespace mw::matmul_impl {

namespace {

constexpr std::int64_t kGrain = 64;  // columns; some 10 µs of work at 1000 rows

/// Calls body(bytes, bools) for every column of every mask of the batch.
template <class Body>
void for_each_column(const MatmulProblem& problem, const OperandLayout& mask, int threads,
                     Body&& body) {
  const std::int64_t n = problem.n();
  parallel_for(
      problem.batch() * n, kGrain, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t offset = line % n * mask.strides.back() + batch_offset(mask, line / n);
          body(offset, line * problem.m());
        }
      });
}

}  // namespace

std::optional<std::size_t> mask_operand(const MatmulProblem& problem) {
  if (!named_epilog(problem.named)) return std::nullopt;
  for (std::size_t i = problem.first_tensor(); i < problem.d_index(); ++i) {
    if (std::string_view(problem.operand_name(i)) == "relu_aux") return i;
  }
  return std::nullopt;
}

OperandLayout bool_layout(const MatmulProblem& problem) {
  OperandLayout layout{.dtype = DType::bool_, .shape = problem.d().shape, .strides = {}};
  Dims turned = layout.shape;
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  layout.strides = contiguous_strides(turned);
  std::swap(layout.strides[turned.size() - 1], layout.strides[turned.size() - 2]);
  return layout;
}

void unpack_mask(const MatmulProblem& problem, const OperandLayout& mask, const void* bits,
                 bool* bools, int threads) {
  const auto* bytes = static_cast<const unsigned char*>(bits);
  for_each_column(problem, mask, threads, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = 0; i < problem.m(); ++i) {
      bools[to + i] = (bytes[from + i / 8] >> (i % 8) & 1) != 0;
    }
  });
}

void pack_mask(const MatmulProblem& problem, const OperandLayout& mask, const bool* bools,
               void* bits, int threads) {
  auto* bytes = static_cast<unsigned char*>(bits);
  const std::int64_t rows = mask.shape[mask.shape.size() - 2];
  for_each_column(problem, mask, threads, [&](std::int64_t to, std::int64_t from) {
    for (std::int64_t byte = 0; byte < rows; ++byte) {
      unsigned value = 0;
      const std::int64_t last = std::min<std::int64_t>(problem.m() - byte * 8, 8);
      for (std::int64_t bit = 0; bit < last; ++bit) {
        value |= static_cast<unsigned>(bools[from + byte * 8 + bit]) << bit;
      }
      bytes[to + byte] = static_cast<unsigned char>(value);
    }
  });
}

}  // namespace mw::matmul_impl
