// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#define MW_LOOPS_ISA baseline
#define MW_LOOPS_ALL true
#include "codegen/interpreter_loops.inc.hpp"
#include "codegen/interpreter_memory.inc.hpp"

namespace mw::codegen::interpreter {

namespace {

namespace s = scalar;
using baseline::slot;

// ---- arguments --------------------------------------------------------------------------------

void integer_argument(const Step& step, const Frame& frame) {
  *slot<std::int64_t>(frame, step.out) = frame.integers[step.index];
}
void scalar_argument(const Step& step, const Frame& frame) {
  *slot<double>(frame, step.out) = frame.scalars[step.index];
}
void lane_numbers(const Step& step, const Frame& frame) {
  auto* out = slot<std::int64_t>(frame, step.out);
  for (int lane = 0; lane < step.padded; ++lane) out[lane] = lane;
}

// ---- across lanes: of the kernel's own, not those that fill the group --------------------------

void any(const Step& step, const Frame& frame) {
  const auto* in = slot<std::uint8_t>(frame, step.in[0]);
  std::uint8_t found = 0;
  for (int lane = 0; lane < step.lanes; ++lane) found |= in[lane];
  *slot<std::uint8_t>(frame, step.out) = found;
}

/// Eight partial results, so that additions of neighbours do not wait for each other.
template <class F, class T>
void across(const Step& step, const Frame& frame) {
  constexpr int kParts = 8;
  const T* in = slot<T>(frame, step.in[0]);
  T result = in[0];
  int lane = 1;
  if (step.lanes >= 2 * kParts) {
    T parts[kParts];
    for (int i = 0; i < kParts; ++i) parts[i] = in[i];
    for (lane = kParts; lane + kParts <= step.lanes; lane += kParts) {
      for (int i = 0; i < kParts; ++i) parts[i] = F::of(parts[i], in[lane + i]);
    }
    result = parts[0];
    for (int i = 1; i < kParts; ++i) result = F::of(result, parts[i]);
  }
  for (; lane < step.lanes; ++lane) result = F::of(result, in[lane]);
  *slot<T>(frame, step.out) = result;
}

Loop across_loop(const LoopKey& key) {
  if (key.code == Code::any) return &any;
  return s::visit_value(key.operand, [&]<class T>(TypeTag<T>) -> Loop {
    if constexpr (!std::same_as<T, bool>) {
      if (key.code == Code::sum_lanes) return &across<baseline::Add, T>;
      if (key.code == Code::min_lanes) return &across<baseline::Min, T>;
      if (key.code == Code::max_lanes) return &across<baseline::Max, T>;
    }
    return nullptr;
  });
}

// ---- calls
// ------------------------------------------------------------------------------------------

template <MathCall kCall, class T>
T called(T a, T b) {
  switch (kCall) {
    case MathCall::exp: return std::exp(a);
    case MathCall::expm1: return std::expm1(a);
    case MathCall::log: return std::log(a);
    case MathCall::log1p: return std::log1p(a);
    case MathCall::sin: return std::sin(a);
    case MathCall::cos: return std::cos(a);
    case MathCall::tanh: return std::tanh(a);
    case MathCall::erf: return std::erf(a);
    case MathCall::pow: return std::pow(a, b);
    case MathCall::rsqrt: return 1 / std::sqrt(a);
  }
  return a;
}

template <MathCall kCall, class T>
void call(const Step& step, const Frame& frame) {
  const T* a = slot<T>(frame, step.in[0]);
  const T* b = slot<T>(frame, step.in[step.in[1] != 0 ? 1 : 0]);
  const int a_step = (step.uniform & 1) != 0 ? 0 : 1;
  const int b_step = step.in[1] == 0 ? a_step : (step.uniform & 2) != 0 ? 0 : 1;
  T* out = slot<T>(frame, step.out);
  for (int lane = 0; lane < step.lanes; ++lane) {
    out[lane] = called<kCall, T>(a[lane * a_step], b[lane * b_step]);
  }
}

template <class T>
Loop call_loop(MathCall function) {
  static constexpr Loop kLoops[] = {&call<MathCall::exp, T>,  &call<MathCall::expm1, T>,
                                    &call<MathCall::log, T>,  &call<MathCall::log1p, T>,
                                    &call<MathCall::sin, T>,  &call<MathCall::cos, T>,
                                    &call<MathCall::tanh, T>, &call<MathCall::erf, T>,
                                    &call<MathCall::pow, T>,  &call<MathCall::rsqrt, T>};
  return kLoops[static_cast<std::size_t>(function)];
}

}  // namespace

Loop baseline_loop(const LoopKey& key) {
  switch (key.code) {
    case Code::integer_arg: return &integer_argument;
    case Code::scalar_arg: return &scalar_argument;
    case Code::lane: return &lane_numbers;
    case Code::any:
    case Code::sum_lanes:
    case Code::min_lanes:
    case Code::max_lanes: return across_loop(key);
    case Code::call: {
      const auto function = static_cast<MathCall>(key.integer);
      return key.type == DType::float32 ? call_loop<float>(function) : call_loop<double>(function);
    }
    default: return baseline::find(key);
  }
}

}  // namespace mw::codegen::interpreter
