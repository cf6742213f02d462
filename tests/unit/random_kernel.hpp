// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Random kernels and awkward data, on which all back ends must agree bit for bit (NaNs of any
// payload are equal). A kernel reads one array of each memory type and writes one of each:
//
//   const RandomKernel random(seed, lanes);
//   const Arrays a = random.run(*interpret(random.kernel(), ""), n);
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "codegen/builder.hpp"
#include "codegen/host.hpp"
#include "codegen/ir_scalar.hpp"

namespace mw::codegen::test {

inline constexpr std::array kMemoryTypes = {
    DType::bool_,   DType::int8,    DType::int16,    DType::int32,         DType::int64,
    DType::uint8,   DType::uint16,  DType::uint32,   DType::uint64,        DType::float32,
    DType::float64, DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2};
inline constexpr std::array kValueTypes = {
    DType::bool_,  DType::int8,   DType::int16,  DType::int32,   DType::int64,  DType::uint8,
    DType::uint16, DType::uint32, DType::uint64, DType::float32, DType::float64};

/// The bytes of each array.
using Arrays = std::vector<std::vector<std::byte>>;

class RandomKernel {
 public:
  RandomKernel(unsigned seed, int lanes) : random_(seed), kernel_(make(lanes)) {}

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  /// What the kernel writes for n elements, canaries behind them included.
  [[nodiscard]] static Arrays run(const HostKernel& kernel, std::int64_t n) {
    std::mt19937 data(static_cast<unsigned>(n) + 17);
    Arrays in, out;
    std::vector<void*> pointers;
    for (const DType type : kMemoryTypes) in.push_back(awkward(type, 4 * n + kSpare, data));
    for (const DType type : kMemoryTypes)
      out.emplace_back(static_cast<std::size_t>(2 * n + kSpare) * itemsize(type), std::byte{0x5A});
    for (auto& array : in) pointers.push_back(array.data());
    for (auto& array : out) pointers.push_back(array.data());
    const std::int64_t integers[] = {n, 2};
    const double scalars[] = {0.75};
    kernel.run(pointers.data(), integers, scalars);
    return out;
  }

  /// Equal, but for what a NaN holds.
  [[nodiscard]] static bool agree(DType type, const std::byte* a, const std::byte* b) {
    return std::memcmp(a, b, itemsize(type)) == 0 || (is_nan(type, a) && is_nan(type, b));
  }

 private:
  static constexpr std::int64_t kSpare = 16;

  static std::vector<std::byte> awkward(DType type, std::int64_t count, std::mt19937& random) {
    std::vector<std::byte> out(static_cast<std::size_t>(count) * itemsize(type));
    for (auto& byte : out) byte = static_cast<std::byte>(random());
    const auto put = [&](std::size_t at, const auto& values) {
      const auto value = values[random() % std::size(values)];
      std::memcpy(out.data() + at, &value, sizeof value);
    };
    const bool real = dtype_class(type) == DTypeClass::real;
    for (std::size_t at = 0; at < out.size(); at += itemsize(type)) {
      if (type == DType::bool_) out[at] &= std::byte{1};
      if (random() % 3 == 0 || !real) continue;
      using F = std::numeric_limits<float>;
      using D = std::numeric_limits<double>;
      if (type == DType::float32)
        put(at, std::array{0.F, -0.F, 1.F, -1.5F, F::infinity(), -F::infinity(), F::quiet_NaN(),
                           F::denorm_min(), F::max(), 3e9F, 255.5F, -.5F, 2.5F});
      if (type == DType::float64)
        put(at, std::array{0., -0., 1., -2.5, D::infinity(), D::quiet_NaN(), D::denorm_min(),
                           D::max(), 1e19, -9.3e18, 0.5, 65504.});
    }
    return out;
  }

  static bool is_nan(DType type, const std::byte* at) {
    if (type == DType::float64) {
      double value = 0;
      std::memcpy(&value, at, sizeof value);
      return std::isnan(value);
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, itemsize(type));
    if (type == DType::float32) return std::isnan(std::bit_cast<float>(bits));
    const auto* format = scalar::narrow_format(type);
    if (format == nullptr) return false;
    const std::uint32_t magnitude = bits & ((1U << (format->bytes * 8 - 1)) - 1);
    return format->infinite ? magnitude > format->top() : magnitude == format->top();
  }

  [[nodiscard]] unsigned draw(std::size_t below) {
    return static_cast<unsigned>(random_() % below);
  }
  DType any_type() { return kValueTypes[draw(kValueTypes.size())]; }
  static bool is_real(DType type) { return dtype_class(type) == DTypeClass::real; }

  /// A value of this type made so far.
  Value pick(DType type) {
    const Value value = values_[draw(values_.size())];
    return build_->convert(value, type);
  }

  Kernel make(int lanes) {
    Target target;
    target.lanes = lanes;
    Builder builder("random", target);
    build_ = &builder;
    for (std::size_t k = 0; k < 2 * kMemoryTypes.size(); ++k)
      builder.pointer(std::string(k < kMemoryTypes.size() ? "in" : "out") + std::to_string(k));
    const Value n = builder.integer("n"), stride = builder.integer("stride");
    const Value scale = builder.scalar("scale");
    const Value i =
        builder.begin_for(builder.constant_integer(0), n, builder.constant_integer(lanes));
    const Value count = builder.sub(n, i);
    values_ = {builder.lane(),
               builder.convert(builder.constant(DType::float32, 1.5), DType::float64), scale, i};
    for (std::size_t k = 0; k < kMemoryTypes.size(); ++k)
      values_.push_back(read(static_cast<int>(k), i, count, stride));
    for (int k = 0; k < 14; ++k) values_.push_back(operation());
    branch();
    loop(lanes);
    for (int k = 0; k < 8; ++k) values_.push_back(operation());
    for (std::size_t k = 0; k < kMemoryTypes.size(); ++k)
      write(static_cast<int>(k), i, count, stride);
    builder.end_for();
    return builder.finish();
  }

  Value read(int which, Value i, Value count, Value stride) {
    Builder& b = *build_;
    const DType type = kMemoryTypes[static_cast<std::size_t>(which)];
    Access from{.pointer = which, .memory = type, .offset = i, .count = count};
    switch (draw(6)) {
      case 0: from.stride = stride; break;
      case 1: from.stride = b.constant_integer(2); break;
      case 2: return b.load({.pointer = which, .memory = type, .offset = i}, false);
      case 3: {
        const Value offsets = b.add(b.mul(b.lane(), b.constant_integer(2)), i);
        return b.gather(which, type, offsets, count);
      }
      default: break;
    }
    return b.load(from, true);
  }

  void write(int which, Value i, Value count, Value stride) {
    Builder& b = *build_;
    const DType memory = kMemoryTypes[static_cast<std::size_t>(which)];
    const DType type = scalar::narrow_format(memory) != nullptr ? DType::float32 : memory;
    Value value = pick(type);
    if (!value.vector) value = b.broadcast(value);
    Access to{.pointer = which + static_cast<int>(kMemoryTypes.size()),
              .memory = memory,
              .offset = i,
              .count = count};
    const unsigned way = draw(4);
    if (way == 0) {
      to.stride = stride;
      to.offset = b.mul(i, stride);
    }
    b.store(to, value, way == 1);
  }

  /// if (any(x < y)) v = …; else v = …;
  void branch() {
    Builder& b = *build_;
    const DType type = any_type();
    const Value condition = b.op(Code::lt, pick(DType::float32), pick(DType::float32));
    const Value v = b.variable(pick(type), true);
    b.begin_if(condition.vector ? b.op(Code::any, condition) : condition);
    b.set(v, convert_vector(operation(), type));
    if (draw(2) == 0) {
      b.begin_else();
      b.set(v, convert_vector(operation(), type));
    }
    b.end_if();
    values_.push_back(b.get(v));
  }

  /// for (k = 0; k < 3; ++k) sum += lanes of x
  void loop(int lanes) {
    Builder& b = *build_;
    const Value sum = b.variable(b.constant_integer(0), false);
    const Value k =
        b.begin_for(b.constant_integer(0), b.constant_integer(3), b.constant_integer(1));
    const Value x = convert_vector(pick(DType::int64), DType::int64);
    const Code how = std::array{Code::sum_lanes, Code::min_lanes, Code::max_lanes}[draw(3)];
    const Value across = lanes > 1 ? b.op(how, x) : k;
    b.set(sum, b.add(b.get(sum), b.add(across, k)));
    b.end_for();
    values_.push_back(b.get(sum));
  }

  Value convert_vector(Value value, DType type) {
    const Value converted = build_->convert(value, type);
    return converted.vector ? converted : build_->broadcast(converted);
  }

  Value operation() {
    Builder& b = *build_;
    switch (draw(10)) {
      case 0: {
        const DType type = any_type();
        const Code how = std::array{Code::eq, Code::ne, Code::lt, Code::le}[draw(4)];
        return b.op(how, pick(type), pick(type));
      }
      case 1: {
        const DType type = any_type();
        return b.select(pick(DType::bool_), pick(type), pick(type));
      }
      case 2: return pick(any_type());
      case 3: {
        const std::array narrow = {DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                                   DType::float8_e5m2};
        return b.narrow(pick(DType::float32), narrow[draw(4)]);
      }
      case 4: return draw(2) == 0 ? b.bitcast(pick(DType::uint32), DType::float32) : real_bits();
      case 5: {
        const DType type = draw(2) == 0 ? DType::float32 : DType::float64;
        const auto call =
            static_cast<MathCall>(draw(static_cast<std::size_t>(MathCall::rsqrt) + 1));
        return call == MathCall::pow ? b.call(call, pick(type), pick(type))
                                     : b.call(call, pick(type));
      }
      default: return arithmetic(any_type());
    }
  }

  /// The bits of a number that is no NaN, whose sign and payload are anybody's choice.
  Value real_bits() {
    Builder& b = *build_;
    const Value x = pick(DType::float64);
    const Value number = b.select(b.op(Code::eq, x, x), x, b.constant(DType::float64, 1));
    return b.bitcast(number, DType::uint64);
  }

  Value arithmetic(DType type) {
    Builder& b = *build_;
    static constexpr std::array kReal = {Code::add,  Code::sub,   Code::mul,  Code::div,
                                         Code::rem,  Code::neg,   Code::fma,  Code::min,
                                         Code::max,  Code::abs,   Code::sqrt, Code::floor,
                                         Code::ceil, Code::trunc, Code::rint};
    static constexpr std::array kWhole = {Code::add,    Code::sub,     Code::mul,    Code::div,
                                          Code::rem,    Code::neg,     Code::min,    Code::max,
                                          Code::abs,    Code::bit_and, Code::shl,    Code::shr,
                                          Code::bit_or, Code::bit_xor, Code::bit_not};
    static constexpr std::array kTruth = {Code::bit_and, Code::bit_or, Code::bit_xor,
                                          Code::bit_not};
    const Code code = type == DType::bool_ ? kTruth[draw(kTruth.size())]
                      : is_real(type)      ? kReal[draw(kReal.size())]
                                           : kWhole[draw(kWhole.size())];
    const int count = operands(code);
    const Value a = pick(type);
    Value second = count > 1 ? pick(type) : Value{};
    if ((code == Code::shl || code == Code::shr) && draw(2) == 0) {
      second = b.op(Code::bit_and, second, b.constant_integer(15, type));  // mostly inside
    }
    return b.op(code, a, second, count > 2 ? pick(type) : Value{});
  }

  std::mt19937 random_;
  Builder* build_ = nullptr;
  std::vector<Value> values_;
  Kernel kernel_;
};

}  // namespace mw::codegen::test
