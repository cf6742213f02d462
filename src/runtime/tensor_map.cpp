// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_map.hpp"

#include <algorithm>

namespace mw {

void encode_tensor_map(const TensorMapShape& shape, void* memory, std::uint64_t* words) {
  constexpr std::uint32_t kEvery[] = {1, 1, 1};
  cuda::TensorMap map;
  cuda::call(cuda::api().cuTensorMapEncodeTiled, &map, shape.type, 3U, memory, shape.extents.data(),
             shape.strides.data(), shape.box.data(), kEvery, cuda::TensorMapInterleave::none,
             cuda::TensorMapSwizzle::bytes_128, cuda::TensorMapPromotion::bytes_256,
             cuda::TensorMapFill::zero);
  std::ranges::copy(map.words, words);
}

}  // namespace mw
