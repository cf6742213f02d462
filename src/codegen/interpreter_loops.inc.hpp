// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The interpreter's loops: each function of ir_scalar.hpp over lanes. Included by one file per
// instruction set, which defines
//
//   MW_LOOPS_ISA     the namespace
//   MW_LOOPS_ALL     whether every type has loops here; else the frequent ones
//
// Slots are aligned to 64 bytes, a multiple of kGroup lanes long, and either the same or apart, so
// that every loop is vectorised without remainder, alignment or overlap checks.
#include <cstring>

#include "codegen/interpreter.hpp"
#include "codegen/ir_scalar.hpp"
#include "runtime/simd.hpp"

namespace mw::codegen::interpreter::MW_LOOPS_ISA {

namespace {

namespace s = scalar;

inline constexpr bool kAll = MW_LOOPS_ALL;

template <class T>
inline constexpr bool kFrequent = sizeof(T) >= 4;
template <class T>
inline constexpr bool kHere =
    kAll || kFrequent<T> || std::same_as<T, bool> || std::same_as<T, std::uint8_t>;

template <class T>
T* slot(const Frame& frame, std::uint32_t place) {
  return reinterpret_cast<T*>(frame.arena + place);
}
template <class T>
T number(const Frame& frame, std::uint32_t place) {
  return *slot<T>(frame, place);
}

/// An operand: a slot of lanes, or one number.
template <class T, bool kUniform>
class In {
 public:
  In(const Frame& frame, std::uint32_t place)
      : lanes_(static_cast<const T*>(
            __builtin_assume_aligned(frame.arena + place, kUniform ? 8 : 64))),
        one_(kUniform ? *lanes_ : T()) {}
  T operator[](int i) const {
    if constexpr (kUniform)
      return one_;
    else
      return lanes_[i];
  }

 private:
  const T* lanes_;
  T one_;
};

/// f over lanes; kUniform says which operands are numbers (bit 0: the first).
template <class F, class Out, class... Ins, std::size_t... i, unsigned kUniform>
void run(const Step& step, const Frame& frame, std::index_sequence<i...>,
         std::integral_constant<unsigned, kUniform>) {
  auto* out = static_cast<Out*>(__builtin_assume_aligned(frame.arena + step.out, 64));
  const std::tuple ins(In<Ins, ((kUniform >> i) & 1u) != 0>(frame, step.in[i])...);
  const int lanes = step.padded & -kGroup;
#pragma GCC ivdep
  for (int lane = 0; lane < lanes; ++lane) out[lane] = F::of(std::get<i>(ins)[lane]...);
}

template <class F, unsigned kUniform, class Out, class... Ins>
void vector_loop(const Step& step, const Frame& frame) {
  run<F, Out, Ins...>(step, frame, std::index_sequence_for<Ins...>(),
                      std::integral_constant<unsigned, kUniform>());
}

template <class F, class Out, class... Ins, std::size_t... i>
void run_once(const Step& step, const Frame& frame, std::index_sequence<i...>) {
  *slot<Out>(frame, step.out) = F::of(number<Ins>(frame, step.in[i])...);
}

template <class F, class Out, class... Ins>
void uniform_loop(const Step& step, const Frame& frame) {
  run_once<F, Out, Ins...>(step, frame, std::index_sequence_for<Ins...>());
}

/// The loop of F for a key. Loops that take numbers beside lanes exist for frequent types only.
template <class F, class Out, class... Ins>
Loop pick(const LoopKey& key) {
  if constexpr (kAll) {
    if (!key.vector) return &uniform_loop<F, Out, Ins...>;
  }
  if (!key.vector) return nullptr;
  if constexpr ((kHere<Ins> && ...) && kHere<Out>) {
    if (key.uniform == 0) return &vector_loop<F, 0, Out, Ins...>;
  }
  if constexpr (sizeof...(Ins) >= 2 && (kFrequent<Ins> && ...)) {
    if (key.uniform == 1) return &vector_loop<F, 1, Out, Ins...>;
    if (key.uniform == 2) return &vector_loop<F, 2, Out, Ins...>;
    if constexpr (sizeof...(Ins) == 3) {
      if (key.uniform == 3) return &vector_loop<F, 3, Out, Ins...>;
      if (key.uniform == 4) return &vector_loop<F, 4, Out, Ins...>;
      if (key.uniform == 5) return &vector_loop<F, 5, Out, Ins...>;
      if (key.uniform == 6) return &vector_loop<F, 6, Out, Ins...>;
    }
  }
  return nullptr;
}

#define MW_LOOP(Name, expression)      \
  struct Name {                        \
    template <class... T>              \
    MW_SCALAR_MEMBER auto of(T... x) { \
      return expression;               \
    }                                  \
  };
#define MW_SCALAR_MEMBER [[gnu::always_inline]] static inline
MW_LOOP(Add, s::add(x...))
MW_LOOP(Sub, s::sub(x...))
MW_LOOP(Mul, s::mul(x...))
MW_LOOP(Div, s::div(x...))
MW_LOOP(Rem, s::rem(x...))
MW_LOOP(Neg, s::neg(x...))
MW_LOOP(Min, s::min(x...))
MW_LOOP(Max, s::max(x...))
MW_LOOP(Abs, s::abs(x...))
MW_LOOP(Sqrt, s::sqrt(x...))
MW_LOOP(Floor, s::floor(x...))
MW_LOOP(Ceil, s::ceil(x...))
MW_LOOP(Trunc, s::trunc(x...))
MW_LOOP(Rint, s::rint(x...))
MW_LOOP(Fma, s::fma(x...))
MW_LOOP(And, s::bit_and(x...))
MW_LOOP(Or, s::bit_or(x...))
MW_LOOP(Xor, s::bit_xor(x...))
MW_LOOP(Not, s::bit_not(x...))
MW_LOOP(Shl, s::shl(x...))
MW_LOOP(Shr, s::shr(x...))
MW_LOOP(Eq, (x == ...))
MW_LOOP(Ne, (x != ...))
MW_LOOP(Lt, (x < ...))
MW_LOOP(Le, (x <= ...))
#undef MW_LOOP

template <class To>
struct Convert {
  template <class From>
  MW_SCALAR_MEMBER To of(From x) {
    return s::convert<To>(x);
  }
};
template <s::NarrowFormat kFormat>
struct Narrow {
  MW_SCALAR_MEMBER float of(float x) { return s::narrow<kFormat>(x); }
};
/// Moves a value: bool, or the bits of a type of its size.
struct Same {
  template <class T>
  MW_SCALAR_MEMBER T of(T x) {
    return x;
  }
};
/// By masks: GCC 12 does not vectorise a choice by bytes of the other widths.
struct Select {
  template <class T>
  MW_SCALAR_MEMBER T of(std::uint8_t condition, T a, T b) {
    const T mask = static_cast<T>(T(0) - T(condition));
    return static_cast<T>((a & mask) | (b & static_cast<T>(~mask)));
  }
};
/// Of bool: 0 or 1.
struct NotBool {
  MW_SCALAR_MEMBER std::uint8_t of(std::uint8_t x) { return x ^ 1; }
};
#undef MW_SCALAR_MEMBER

/// The unsigned type of an integer's size, or the type itself: signs do not matter to a sum.
template <class T>
struct BitsOf {
  using type = T;
};
template <class T>
requires(std::integral<T> && !std::same_as<T, bool>) struct BitsOf<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using Bits = typename BitsOf<T>::type;

template <class T>
Loop number_loop(const LoopKey& key) {
  using B = Bits<T>;
  switch (key.code) {
    case Code::add: return pick<Add, B, B, B>(key);
    case Code::sub: return pick<Sub, B, B, B>(key);
    case Code::mul: return pick<Mul, B, B, B>(key);
    case Code::div: return pick<Div, T, T, T>(key);
    case Code::rem: return pick<Rem, T, T, T>(key);
    case Code::neg: return pick<Neg, B, B>(key);
    case Code::min: return pick<Min, T, T, T>(key);
    case Code::max: return pick<Max, T, T, T>(key);
    case Code::abs: return pick<Abs, T, T>(key);
    default: break;
  }
  if constexpr (std::floating_point<T>) {
    switch (key.code) {
      case Code::fma: return pick<Fma, T, T, T, T>(key);
      case Code::sqrt: return pick<Sqrt, T, T>(key);
      case Code::floor: return pick<Floor, T, T>(key);
      case Code::ceil: return pick<Ceil, T, T>(key);
      case Code::trunc: return pick<Trunc, T, T>(key);
      case Code::rint: return pick<Rint, T, T>(key);
      default: break;
    }
  }
  return nullptr;
}

template <class T>
Loop bits_loop(const LoopKey& key) {
  if constexpr (!std::floating_point<T>) {
    using B = Bits<T>;
    switch (key.code) {
      case Code::bit_and: return pick<And, B, B, B>(key);
      case Code::bit_or: return pick<Or, B, B, B>(key);
      case Code::bit_xor: return pick<Xor, B, B, B>(key);
      case Code::bit_not:
        if constexpr (std::same_as<T, bool>)
          return pick<NotBool, std::uint8_t, std::uint8_t>(key);
        else
          return pick<Not, B, B>(key);
      default: break;
    }
    if constexpr (!std::same_as<T, bool>) {
      if (key.code == Code::shl) return pick<Shl, B, B, B>(key);
      if (key.code == Code::shr) return pick<Shr, T, T, T>(key);
    }
  }
  return nullptr;
}

template <class T>
Loop comparison_loop(const LoopKey& key) {
  switch (key.code) {
    case Code::eq: return pick<Eq, bool, Bits<T>, Bits<T>>(key);
    case Code::ne: return pick<Ne, bool, Bits<T>, Bits<T>>(key);
    case Code::lt: return pick<Lt, bool, T, T>(key);
    case Code::le: return pick<Le, bool, T, T>(key);
    default: return nullptr;
  }
}

template <class T>
void spread(const Step& step, const Frame& frame) {
  const T value = number<T>(frame, step.in[0]);
  T* out = slot<T>(frame, step.out);
  for (int lane = 0; lane < (step.padded & -kGroup); ++lane) out[lane] = value;
}

template <class T>
void copy(const Step& step, const Frame& frame) {
  std::memcpy(slot<T>(frame, step.out), slot<T>(frame, step.in[0]),
              std::size_t(step.padded) * sizeof(T));
}

/// convert, bitcast, select, narrow, and the moves of variables.
template <class T>
Loop move_loop(const LoopKey& key) {
  using Raw = std::conditional_t<
      std::same_as<T, float>, std::uint32_t,
      std::conditional_t<std::same_as<T, double>, std::uint64_t,
                         std::conditional_t<std::same_as<T, bool>, std::uint8_t, Bits<T>>>>;
  switch (key.code) {
    case Code::select:
      if constexpr (kFrequent<T>) {
        if (key.vector && key.uniform == 2)
          return &vector_loop<Select, 2, Raw, std::uint8_t, Raw, Raw>;
        if (key.vector && key.uniform == 4)
          return &vector_loop<Select, 4, Raw, std::uint8_t, Raw, Raw>;
        if (key.vector && key.uniform == 6)
          return &vector_loop<Select, 6, Raw, std::uint8_t, Raw, Raw>;
      }
      return pick<Select, Raw, std::uint8_t, Raw, Raw>(key);
    case Code::bitcast: return pick<Same, Raw, Raw>(key);
    case Code::variable:
    case Code::get:
    case Code::set:
      if (!key.vector) return pick<Same, Raw, Raw>(key);
      return key.uniform != 0 ? &spread<Raw> : &copy<Raw>;
    case Code::convert:
      if (key.vector && key.uniform != 0) return key.type == key.operand ? &spread<Raw> : nullptr;
      return s::visit_value(key.type, [&]<class To>(TypeTag<To>) -> Loop {
        if constexpr (kAll || (kFrequent<To> && kHere<T>)) return pick<Convert<To>, To, T>(key);
        return nullptr;
      });
    case Code::narrow:
      if constexpr (std::same_as<T, float>) {
        return s::visit_narrow(key.memory,
                               [&]<s::NarrowFormat kFormat>(s::FormatTag<kFormat>) -> Loop {
                                 return pick<Narrow<kFormat>, float, float>(key);
                               });
      }
      return nullptr;
    default: return nullptr;
  }
}

}  // namespace

}  // namespace mw::codegen::interpreter::MW_LOOPS_ISA
