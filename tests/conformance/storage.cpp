// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/storage.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {

namespace {

constexpr std::size_t kAlignment = 64;

// ---- elements
// ---------------------------------------------------------------------------------------

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Round to nearest, ties to even; no NaN comes here.
std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

double from_float16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// For magnitudes below 65504: round to nearest, ties to even, through the scaled integer.
std::uint16_t to_float16(double value) {
  if (std::isnan(value)) return 0x7e00;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7c00);
  const double magnitude = std::abs(value);
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const auto scaled = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A subnormal has scaled < 1024 and exponent field 0; the addition carries into the exponent.
  const int field = exponent + 14;
  return static_cast<std::uint16_t>(sign | (field * 1024 + scaled));
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void encode(DType dtype, std::complex<double> value, std::byte* at) {
  const auto put = [&](auto element) { std::memcpy(at, &element, sizeof element); };
  switch (dtype) {
    case DType::uint8: return put(static_cast<std::uint8_t>(value.real()));
    case DType::float16: return put(to_float16(value.real()));
    case DType::bfloat16: return put(to_bfloat16(static_cast<float>(value.real())));
    case DType::float32: return put(static_cast<float>(value.real()));
    case DType::float64: return put(value.real());
    case DType::complex64: return put(std::complex<float>(value));
    default: return put(value);
  }
}

/// The same numbers in [−1, 1) every time, differing from operand to operand.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) * 0x1p-52;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

bool Unwritten::holds() {
  return std::ranges::all_of(watched_, [](auto& entry) {
    entry.first->get();
    return entry.first->bytes() == entry.second;
  });
}

Dims strides_of(const std::optional<std::string>& given, const Dims& shape) {
  const Dims c_order = contiguous_strides(shape);
  if (!given || *given == "C") return c_order;
  Dims strides = c_order;
  if (*given == "F") {
    if (shape.size() < 2) return strides;
    const std::size_t row = shape.size() - 2;
    strides[row] = 1;
    strides[row + 1] = std::max<std::int64_t>(shape[row], 1);
  } else if (*given == "padded") {
    Dims larger = shape;
    for (auto& extent : larger) extent += 3;
    strides = contiguous_strides(larger);
  } else if (*given == "reversed") {
    for (auto& stride : strides) stride = -stride;
  } else if (*given == "repeated") {
    strides = Dims(shape.size(), 0);
  } else {
    strides = parse_dims(*given);
    require(strides.size() == shape.size(), ErrorKind::invalid_argument, "strides ", *given,
            " do not fit shape ", shape);
  }
  return strides;
}

void fill(Storage& storage, std::uint64_t seed, double scale) {
  Numbers numbers(seed);
  const bool complex = is_complex(storage.host().dtype);
  for (std::int64_t i = 0; i < storage.host().size(); ++i) {
    const double real = numbers.next() * scale;
    storage.set(i, {real, complex ? numbers.next() * scale : 0});
  }
}

void fill_exactly(Storage& storage, std::uint64_t seed, double scale) {
  Numbers numbers(seed);
  const DType dtype = storage.host().dtype;
  const auto draw = [&] {
    const double number = numbers.next();
    return dtype == DType::uint8 ? std::floor(128 + 128 * number)
                                 : std::nearbyint(6 * number) / 4 * scale;
  };
  for (std::int64_t i = 0; i < storage.host().size(); ++i) {
    const double real = draw();
    storage.set(i, {real, is_complex(dtype) ? draw() : 0});
  }
}

double denormal_scale(DType dtype) {
  switch (real_dtype(dtype)) {
    case DType::float16: return 0x1p-20;
    case DType::bfloat16: return 0x1p-128;
    case DType::float32: return 0x1p-140;
    default: return 0x1p-1064;
  }
}

void fill_with(Storage& storage, double value) {
  const bool complex = is_complex(storage.host().dtype);
  for (std::int64_t i = 0; i < storage.host().size(); ++i) {
    storage.set(i, {value, complex && std::isnan(value) ? value : 0});
  }
}

std::complex<double> decode(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::uint8: return read<std::uint8_t>(at);
    case DType::float16: return from_float16(read<std::uint16_t>(at));
    case DType::bfloat16: return from_bfloat16(read<std::uint16_t>(at));
    case DType::float32: return read<float>(at);
    case DType::float64: return read<double>(at);
    case DType::complex64: return std::complex<double>(read<std::complex<float>>(at));
    default: return read<std::complex<double>>(at);
  }
}

// ---- storage
// ----------------------------------------------------------------------------------------

Storage::Storage(DType dtype, const Dims& shape, const Dims& strides, std::int64_t shift) {
  const auto [low, high] = offset_range(shape, strides);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  low_ = low;
  bytes_.resize(static_cast<std::size_t>((high - low + 1) * size + shift) + kAlignment);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  start_ = (kAlignment - address % kAlignment) % kAlignment + static_cast<std::size_t>(shift);
  host_ = TensorRef(bytes_.data() + start_ - low * size, dtype, shape, strides);
}

std::int64_t Storage::offset(std::int64_t index) const {
  std::int64_t offset = 0;
  for (std::size_t axis = host_.rank(); axis-- > 0;) {
    offset += index % host_.shape[axis] * host_.strides[axis];
    index /= host_.shape[axis];
  }
  return (offset - low_) * static_cast<std::int64_t>(itemsize(host_.dtype)) +
         static_cast<std::int64_t>(start_);
}

std::complex<double> Storage::at(std::int64_t index) const {
  return decode(host_.dtype, bytes_.data() + offset(index));
}

void Storage::set(std::int64_t index, std::complex<double> value) {
  encode(host_.dtype, value, bytes_.data() + offset(index));
}

TensorRef Storage::whole(void* data, Device device) const {
  const auto size = static_cast<std::int64_t>(bytes_.size());
  return {data, DType::uint8, {size}, {1}, device};
}

TensorRef Storage::put(Device device) {
  if (device.is_cpu()) return host_;
  device_ = device;
  // The same distance from an aligned address as on the host.
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(bytes_.data()) % kAlignment;
  there_ = Buffer(memory_of(device), bytes_.size() + lead);
  auto* const start = static_cast<std::byte*>(there_.data()) + lead;
  copy(whole(bytes_.data(), Device::cpu()), whole(start, device));
  TensorRef view = host_;
  view.device = device;
  view.data = start + (static_cast<std::byte*>(host_.data) - bytes_.data());
  return view;
}

void Storage::get() {
  if (device_.is_cpu()) return;
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(bytes_.data()) % kAlignment;
  copy(whole(static_cast<std::byte*>(there_.data()) + lead, device_),
       whole(bytes_.data(), Device::cpu()));
  synchronize(device_, {});
}

Storage exact_storage(DType dtype, const Dims& shape, const std::string& strides,
                      std::uint64_t seed, double scale) {
  Storage storage(dtype, shape, strides_of(strides, shape), 0);
  fill_exactly(storage, seed, scale);
  return storage;
}

}  // namespace mw::conformance
