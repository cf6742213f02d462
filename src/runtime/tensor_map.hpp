// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A device's description of an array of three axes, by which its tensor memory unit (capability 9.0
// on) fetches boxes of it. Boxes are laid out in the 128-byte swizzle; what lies outside the array
// is zero.
#pragma once

#include <array>
#include <cstdint>

#include "vendor/cuda/api.hpp"

namespace mw {

inline constexpr std::size_t kTensorMapWords = 16;

struct TensorMapShape {
  cuda::TensorMapType type{};
  std::array<std::uint64_t, 3> extents{1, 1, 1};  ///< fastest axis first; its stride is 1
  std::array<std::uint64_t, 2> strides{};     ///< of the others, bytes: multiples of 16 below 2^40
  std::array<std::uint32_t, 3> box{1, 1, 1};  ///< at most 128 bytes along the first, 256 elements
};

/// Writes the map of an array at `memory`, which is a multiple of 16. About 0.1 µs. Error: vendor.
void encode_tensor_map(const TensorMapShape& shape, void* memory, std::uint64_t* words);

}  // namespace mw
