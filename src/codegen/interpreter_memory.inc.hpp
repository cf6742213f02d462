// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The interpreter's loops that touch memory or look across lanes, and the choice of a loop for a
// key. Included by the files of the instruction sets after interpreter_loops.inc.hpp.

namespace mw::codegen::interpreter::MW_LOOPS_ISA {

namespace {

/// How an element of memory becomes a value, and back.
template <class Stored, class T>
struct Plain {
  using Memory = Stored;
  using Value = T;
  [[gnu::always_inline]] static inline T in(Stored x) {
    if constexpr (std::same_as<T, bool>)
      return x != 0;
    else
      return x;
  }
  [[gnu::always_inline]] static inline Stored out(T x) { return static_cast<Stored>(x); }
};
template <s::NarrowFormat kFormat>
struct Coded {
  using Memory = std::conditional_t<kFormat.bytes == 1, std::uint8_t, std::uint16_t>;
  using Value = float;
  [[gnu::always_inline]] static inline float in(Memory x) { return s::decode<kFormat>(x); }
  [[gnu::always_inline]] static inline Memory out(float x) {
    return static_cast<Memory>(s::encode<kFormat>(x));
  }
};

/// Operands of a load or store: offset, stride, count.
struct Place {
  Place(const Step& step, const Frame& frame)
      : offset(number<std::int64_t>(frame, step.in[0])),
        stride(step.in[1] != 0 ? number<std::int64_t>(frame, step.in[1]) : 1),
        active(step.lanes) {
    if (step.in[2] == 0) return;
    const auto count = number<std::int64_t>(frame, step.in[2]);
    active = static_cast<int>(count < 0 ? 0 : count < step.lanes ? count : step.lanes);
  }
  std::int64_t offset, stride;
  int active;
};

template <class M>
typename M::Memory* memory(const Step& step, const Frame& frame) {
  return static_cast<typename M::Memory*>(frame.pointers[step.index]);
}

template <class M>
void load(const Step& step, const Frame& frame) {
  using T = typename M::Value;
  const Place place(step, frame);
  const auto* from = memory<M>(step, frame) + place.offset;
  T* out = slot<T>(frame, step.out);
  if (place.stride == 1 && std::same_as<typename M::Memory, T>) {
    std::memcpy(out, from, std::size_t(place.active) * sizeof(T));
  } else if (place.stride == 1) {
    for (int lane = 0; lane < place.active; ++lane) out[lane] = M::in(from[lane]);
  } else {
    for (int lane = 0; lane < place.active; ++lane) out[lane] = M::in(from[lane * place.stride]);
  }
  if (place.active < step.padded) {
    std::memset(out + place.active, 0, std::size_t(step.padded - place.active) * sizeof(T));
  }
}

template <class M>
void load_one(const Step& step, const Frame& frame) {
  const auto offset = number<std::int64_t>(frame, step.in[0]);
  *slot<typename M::Value>(frame, step.out) = M::in(memory<M>(step, frame)[offset]);
}

template <class M>
void gather(const Step& step, const Frame& frame) {
  using T = typename M::Value;
  int active = step.lanes;
  if (step.in[1] != 0) {
    const auto count = number<std::int64_t>(frame, step.in[1]);
    active = static_cast<int>(count < 0 ? 0 : count < step.lanes ? count : step.lanes);
  }
  const auto* offsets = slot<std::int64_t>(frame, step.in[0]);
  const auto* from = memory<M>(step, frame);
  T* out = slot<T>(frame, step.out);
  for (int lane = 0; lane < active; ++lane) out[lane] = M::in(from[offsets[lane]]);
  std::memset(out + active, 0, std::size_t(step.padded - active) * sizeof(T));
}

/// Contiguous values around the caches, sixteen bytes at a time.
inline void stream_out(std::byte* to, const std::byte* from, std::size_t bytes) {
  using Vector = Unsigned<8>::vector;
  std::size_t done = 0;
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) == 0) {
    for (; done + sizeof(Vector) <= bytes; done += sizeof(Vector)) {
      stream(to + done, mw::load<Vector>(from + done));
    }
  }
  std::memcpy(to + done, from + done, bytes - done);
}

template <class M, bool kStream>
void store(const Step& step, const Frame& frame) {
  using T = typename M::Value;
  const Place place(step, frame);
  auto* to = memory<M>(step, frame) + place.offset;
  const T* value = slot<T>(frame, step.in[3]);
  if (place.stride == 1 && sizeof(typename M::Memory) == sizeof(T)) {
    const auto bytes = std::size_t(place.active) * sizeof(T);
    if constexpr (kStream) {
      stream_out(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(value),
                 bytes);
    } else {
      std::memcpy(to, value, bytes);
    }
  } else if (place.stride == 1) {
    for (int lane = 0; lane < place.active; ++lane) to[lane] = M::out(value[lane]);
  } else {
    for (int lane = 0; lane < place.active; ++lane) to[lane * place.stride] = M::out(value[lane]);
  }
}

template <class M>
void store_one(const Step& step, const Frame& frame) {
  const auto offset = number<std::int64_t>(frame, step.in[0]);
  memory<M>(step, frame)[offset] = M::out(number<typename M::Value>(frame, step.in[3]));
}

template <class M>
Loop memory_loop(const LoopKey& key) {
  switch (key.code) {
    case Code::load: return key.vector ? &load<M> : &load_one<M>;
    case Code::gather: return &gather<M>;
    case Code::store: return key.vector ? &store<M, false> : &store_one<M>;
    case Code::store_stream: return key.vector ? &store<M, true> : &store_one<M>;
    default: return nullptr;
  }
}

Loop memory_loop_of(const LoopKey& key) {
  if (s::narrow_format(key.memory) != nullptr) {
    return s::visit_narrow(key.memory, [&]<s::NarrowFormat kFormat>(s::FormatTag<kFormat>) -> Loop {
      return memory_loop<Coded<kFormat>>(key);
    });
  }
  // Plain moves are memcpy's, which has instruction sets of its own.
  if constexpr (!kAll) return nullptr;
  return s::visit_value(key.memory, [&]<class T>(TypeTag<T>) -> Loop {
    using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
    return memory_loop<Plain<Stored, T>>(key);
  });
}

/// The loop of a key among those of this instruction set.
Loop find(const LoopKey& key) {
  if (touches_memory(key.code)) return memory_loop_of(key);
  return s::visit_value(key.operand, [&]<class T>(TypeTag<T>) -> Loop {
    if constexpr (kHere<T>) {
      if (const Loop loop = move_loop<T>(key)) return loop;
      if (const Loop loop = comparison_loop<T>(key)) return loop;
      if (const Loop loop = bits_loop<T>(key)) return loop;
      if constexpr (!std::same_as<T, bool>) return number_loop<T>(key);
    }
    return nullptr;
  });
}

}  // namespace

}  // namespace mw::codegen::interpreter::MW_LOOPS_ISA
