// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Random views for tests of copies: any rank, order, gaps, signs, and (where asked) zero strides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <mathwright/tensor.hpp>

namespace mw::test {

/// A view and the memory around it.
struct Sample {
  std::vector<std::byte> storage;
  std::size_t origin = 0;  ///< of element (0, …, 0) in the storage, in bytes
  TensorRef view;

  Sample() = default;
  Sample(const Sample& other) : storage(other.storage), origin(other.origin), view(other.view) {
    view.data = storage.data() + origin;
  }
  Sample& operator=(const Sample&) = delete;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  std::int64_t in(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool one_in(std::int64_t n) { return in(1, n) == 1; }

  /// A shape of the rank with about `size` elements at most.
  Dims shape(std::size_t rank, std::int64_t size) {
    Dims made;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t extent = one_in(6) ? 1 : in(1, std::max<std::int64_t>(size, 1));
      made.push_back(extent);
      size /= extent;
    }
    std::shuffle(made.begin(), made.end(), engine_);
    return made;
  }

  struct Freedom {
    bool zero_strides = false;
    bool misaligned = false;
  };
  /// A view filled with random bytes, in storage that has room (and random bytes) around it.
  Sample sample(DType dtype, const Dims& shape, Freedom freedom) {
    Sample made;
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!one_in(3)) std::shuffle(order.begin(), order.end(), engine_);
    const bool gaps = one_in(2);
    Dims strides(shape.size());
    std::int64_t step = gaps && one_in(3) ? in(1, 3) : 1;
    std::int64_t origin = in(0, 3);
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t axis = order[i];
      if (freedom.zero_strides && one_in(4)) continue;
      strides[axis] = step;
      if (one_in(4)) {
        origin += step * (shape[axis] - 1);
        strides[axis] = -step;
      }
      step *= shape[axis];
      if (gaps && one_in(3)) step += in(0, 3);
    }
    const std::size_t item = itemsize(dtype);
    const std::size_t shift = freedom.misaligned ? static_cast<std::size_t>(in(0, 15)) : 0;
    made.storage.resize((static_cast<std::size_t>(step + origin) + 4) * item + shift);
    auto noise = static_cast<std::uint32_t>(in(1, 1 << 30));
    for (auto& byte : made.storage) {
      noise = noise * 1664525U + 1013904223U;
      byte = static_cast<std::byte>(noise >> 24);
    }
    made.origin = static_cast<std::size_t>(origin) * item + shift;
    made.view = TensorRef(made.storage.data() + made.origin, dtype, shape, strides);
    return made;
  }

 private:
  std::mt19937 engine_;
};

/// The specification of copy(): one element after another, conjugated by its sign bit.
inline void plain_copy(const TensorRef& source, const TensorRef& target) {
  const std::size_t item = itemsize(target.dtype);
  const bool conjugates = source.conjugate != target.conjugate && is_complex(target.dtype);
  Dims index(target.rank());
  for (std::int64_t n = target.size(); n > 0; --n) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      from += index[d] * source.strides[d];
      to += index[d] * target.strides[d];
    }
    auto* element = static_cast<std::byte*>(target.data) + to * static_cast<std::int64_t>(item);
    std::memcpy(element,
                static_cast<const std::byte*>(source.data) + from * static_cast<std::int64_t>(item),
                item);
    if (conjugates) element[item - 1] ^= std::byte{0x80};
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < target.shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace mw::test
