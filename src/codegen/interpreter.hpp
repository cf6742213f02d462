// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The blocked interpreter: instructions run one after another, each over all lanes of a kernel, so
// that reading an instruction costs little beside its loop. Values live in slots of an arena that
// stays in the first-level cache.
//
// A kernel is decoded once into steps: a loop (one instruction over lanes, compiled ahead for every
// type) and the places of its operands. interpreter_decode.cpp makes the steps, the loops are in
// interpreter_loops.inc.hpp, compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/host.hpp"

namespace mw::codegen {

/// 2 KiB per float32 vector: a dozen live ones fit the first-level cache, and an instruction's
/// overhead (5 ns) is a tenth of its loop.
inline constexpr int kInterpreterLanes = 512;

namespace interpreter {

/// Loops run over a multiple of so many lanes: vectorised without a remainder. What the lanes
/// beyond the kernel's hold is never stored.
inline constexpr int kGroup = 64;

/// What a step works on while it runs.
struct Frame {
  std::byte* arena;
  void* const* pointers;
  const std::int64_t* integers;
  const double* scalars;
};

enum class StepKind : std::uint8_t { loop, for_begin, for_end, if_begin, jump };

struct Step {
  void (*loop)(const Step&, const Frame&) = nullptr;
  StepKind kind = StepKind::loop;
  std::uint8_t uniform = 0;  ///< bit i: operand i is one number for all lanes
  std::int32_t lanes = 1;
  std::int32_t padded = 1;             ///< lanes, up to a multiple of kGroup
  std::int32_t jump = 0;               ///< where a structural step goes to
  std::int32_t index = 0;              ///< of a pointer, integer or scalar argument
  std::uint32_t out = 0;               ///< places in the arena, in bytes
  std::uint32_t in[4] = {0, 0, 0, 0};  ///< 0: none
};

using Loop = void (*)(const Step&, const Frame&);

/// What tells one loop from another.
struct LoopKey {
  Code code = Code::constant;
  DType type = DType::float32;     ///< of the result; of a store: of the value
  DType operand = DType::float32;  ///< of the last operand
  DType memory = DType::float32;
  std::int64_t integer = 0;  ///< the MathCall
  bool vector = false;
  std::uint8_t uniform = 0;
};

/// The loop for a key; null if this instruction set has none of its own (the baseline's serves) or
/// no loop takes uniform operands there (they must be spread first).
[[nodiscard]] Loop baseline_loop(const LoopKey& key);
#if defined(__x86_64__)
[[nodiscard]] Loop avx2_loop(const LoopKey& key);
#endif

struct Program {
  std::vector<Step> steps;
  std::vector<std::byte> image;  ///< the arena's first bytes: constants in their places
  std::size_t arena_bytes = 0;
  bool streams = false;  ///< has stores around the caches
};

/// Decodes a checked kernel.
[[nodiscard]] Program decode(const Kernel& kernel);

}  // namespace interpreter

}  // namespace mw::codegen
