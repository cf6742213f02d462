// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/tensor.hpp>

#include <algorithm>

#include "base/layout.hpp"
#include "base/text.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/memory.hpp"

namespace mw {

namespace {

// Returns the block when the last owner goes: on a device, in the order of the stream it came on.
struct Return {
  MemoryResource* resource;
  std::size_t bytes;
  Stream stream;
  void operator()(void* memory) const noexcept { resource->deallocate(memory, bytes, stream); }
};

std::size_t checked_bytes(DType dtype, const Dims& shape) {
  require(std::all_of(shape.begin(), shape.end(), [](auto extent) { return extent >= 0; }),
          ErrorKind::invalid_argument, "tensor: shape ", shape,
          " has a negative extent; extents of at least 0 are wanted.");
  const auto size = checked_size(shape);
  std::int64_t bytes = 0;
  const bool overflow =
      !size || __builtin_mul_overflow(*size, static_cast<std::int64_t>(itemsize(dtype)), &bytes);
  require(!overflow, ErrorKind::out_of_memory, "tensor: shape ", shape, " of ", name(dtype),
          " has more bytes than 63 bits can count; use a smaller shape.");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Tensor Tensor::empty(DType dtype, Dims shape, Device device, Stream stream) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  std::shared_ptr<void> owner;
  if (bytes > 0) {
    MemoryResource& resource = memory_of(device);
    owner.reset(resource.allocate(bytes, stream), Return{&resource, bytes, stream});
  }
  Dims strides = contiguous_strides(shape);
  TensorRef ref(owner.get(), dtype, std::move(shape), std::move(strides), device);
  return {std::move(ref), std::move(owner)};
}

Tensor Tensor::zeros(DType dtype, Dims shape, Device device, Stream stream) {
  Tensor made = empty(dtype, std::move(shape), device, stream);
  fill_zero(made, stream);
  return made;
}

Tensor Tensor::copy(const TensorRef& source, Device device, Stream stream) {
  const bool peers = source.device.is_cuda() && device.is_cuda() && source.device != device;
  // From one device to another the elements go by way of the host; the stream is the source's.
  if (peers) return copy(copy(source, Device::cpu(), stream), device, {});
  Tensor made = empty(source.dtype, source.shape, device, stream);
  mw::copy(source, made, stream);
  synchronize(device, stream);
  return made;
}

void Tensor::check_span(DType wanted) const {
  require(ref_.device.is_cpu(), ErrorKind::invalid_argument, "span: the tensor is on ", ref_.device,
          "; host memory is wanted. Use Tensor::copy first.");
  require(ref_.dtype == wanted, ErrorKind::invalid_argument, "span: the tensor is ",
          name(ref_.dtype), ", not ", name(wanted), ". Ask for its own element type.");
  require(!ref_.conjugate, ErrorKind::invalid_argument,
          "span: the elements stand for their conjugates. Use Tensor::copy first.");
  require(is_contiguous(ref_.shape, ref_.strides), ErrorKind::invalid_argument, "span: strides ",
          ref_.strides, " of shape ", ref_.shape, " are not C order. Use Tensor::copy first.");
}

}  // namespace mw
