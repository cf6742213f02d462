// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Operands of a case: memory with any layout, filled with numbers that a driver asks for.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mathwright/tensor.hpp>

#include "conformance/case_file.hpp"
#include "runtime/memory.hpp"

namespace mw::conformance {

/// The element at an address, of any dtype of a product.
[[nodiscard]] std::complex<double> decode(DType dtype, const std::byte* at);

/// A tensor's memory on the host, gaps included, and where it stands for the operation under test.
class Storage {
 public:
  Storage() = default;
  Storage(DType dtype, const Dims& shape, const Dims& strides, std::int64_t shift);

  /// The view of the host memory.
  [[nodiscard]] const TensorRef& host() const { return host_; }
  /// Copies all of it to the device (or keeps to the host) and gives the same view of it there.
  TensorRef put(Device device);
  /// Copies it back.
  void get();

  /// Element number `index` in C order, and changing it.
  [[nodiscard]] std::complex<double> at(std::int64_t index) const;
  void set(std::int64_t index, std::complex<double> value);
  /// The bytes, gaps included.
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  [[nodiscard]] std::int64_t offset(std::int64_t index) const;
  [[nodiscard]] TensorRef whole(void* data, Device device) const;

  std::vector<std::byte> bytes_;
  std::size_t start_ = 0;  ///< of the lowest element, in bytes
  std::int64_t low_ = 0;   ///< offset of the lowest element from element (0, …, 0), in elements
  TensorRef host_;
  Buffer there_;
  Device device_;
};

/// Inputs as they were before an execution, gaps included.
class Unwritten {
 public:
  /// The storage must outlive this and stay where it is.
  void watch(Storage& storage) { watched_.emplace_back(&storage, storage.bytes()); }
  /// Whether they still are.
  [[nodiscard]] bool holds();

 private:
  std::vector<std::pair<Storage*, std::vector<std::byte>>> watched_;
};

/// Strides in elements, or the words C, F, padded, reversed, repeated of case lines. Errors:
/// invalid_argument for another number of them.
[[nodiscard]] Dims strides_of(const std::optional<std::string>& given, const Dims& shape);

/// Numbers in [−scale, scale), the same every time, differing from seed to seed.
void fill(Storage& storage, std::uint64_t seed, double scale);
/// Quarters from −1.5 to 1.5, scaled; bytes: any.
void fill_exactly(Storage& storage, std::uint64_t seed, double scale);
/// One value everywhere.
void fill_with(Storage& storage, double value);

/// A tensor of small multiples of a power of two: sums of their products are exact. `strides` as
/// in a case line; `scale` is a power of two.
[[nodiscard]] Storage exact_storage(DType dtype, const Dims& shape, const std::string& strides,
                                    std::uint64_t seed, double scale = 1);
/// The scale for which such numbers, and their products with unscaled ones, are denormal and exact.
[[nodiscard]] double denormal_scale(DType dtype);

}  // namespace mw::conformance
