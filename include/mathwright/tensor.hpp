// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// TensorRef, a view of somebody's memory, and Tensor, memory of our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <mathwright/device.hpp>
#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>

namespace mw {

/// Strides of the C order (last axis fastest), in elements.
MW_API Dims contiguous_strides(const Dims& shape);

/// A view: dtype, device, shape, strides in elements (of any sign; zero repeats an element), and
/// the address of element (0, …, 0). It owns nothing; the memory must outlive every use of the
/// view.
struct TensorRef {
  void* data = nullptr;
  DType dtype = DType::float32;
  Device device;
  Dims shape;
  Dims strides;
  bool readonly = false;
  bool conjugate =
      false;  ///< the elements stand for their complex conjugates (PyTorch's lazy conj)

  TensorRef() = default;
  /// A view of any layout.
  TensorRef(void* memory, DType type, Dims extents, Dims steps, Device where = Device::cpu())
      : data(memory),
        dtype(type),
        device(where),
        shape(std::move(extents)),
        strides(std::move(steps)) {}
  /// A C-ordered host view: `TensorRef(pointer, {rows, columns})`.
  template <class T>
  TensorRef(T* memory, Dims extents)
      : data(const_cast<std::remove_const_t<T>*>(memory)),
        dtype(dtype_of<std::remove_const_t<T>>),
        shape(std::move(extents)),
        strides(contiguous_strides(shape)),
        readonly(std::is_const_v<T>) {}

  [[nodiscard]] std::size_t rank() const { return shape.size(); }
  /// Number of elements; 1 for rank 0.
  [[nodiscard]] std::int64_t size() const {
    std::uint64_t n = 1;  // unsigned, so that an impossible shape is not undefined behaviour
    for (auto extent : shape) n *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(n);
  }
};

/// An owner of memory. Copies share the memory; it is freed with the last of them.
class MW_API Tensor {
 public:
  Tensor() = default;
  Tensor(TensorRef ref, std::shared_ptr<void> owner)
      : ref_(std::move(ref)), owner_(std::move(owner)) {}

  /// Uninitialised C-ordered memory. On a CUDA device it is allocated in the order of `stream`.
  /// Errors: out_of_memory; not_found when the device's driver is missing.
  [[nodiscard]] static Tensor empty(DType dtype, Dims shape, Device device = Device::cpu(),
                                    Stream stream = {});
  /// The same filled with zeros.
  [[nodiscard]] static Tensor zeros(DType dtype, Dims shape, Device device = Device::cpu(),
                                    Stream stream = {});
  /// A C-ordered copy of a view on another (or the same) device. Waits until the copy is complete.
  [[nodiscard]] static Tensor copy(const TensorRef& source, Device device = Device::cpu(),
                                   Stream stream = {});

  operator const TensorRef&() const { return ref_; }
  [[nodiscard]] const TensorRef& ref() const { return ref_; }
  [[nodiscard]] const Dims& shape() const { return ref_.shape; }
  [[nodiscard]] DType dtype() const { return ref_.dtype; }
  [[nodiscard]] Device device() const { return ref_.device; }
  [[nodiscard]] std::int64_t size() const { return ref_.size(); }
  [[nodiscard]] const std::shared_ptr<void>& owner() const { return owner_; }

  /// The elements of a C-ordered host tensor. Errors: invalid_argument if T is not its dtype, or
  /// the memory is not on the host.
  template <class T>
  [[nodiscard]] std::span<T> span() const {
    check_span(dtype_of<T>);
    return {static_cast<T*>(ref_.data), static_cast<std::size_t>(ref_.size())};
  }

 private:
  void check_span(DType wanted) const;

  TensorRef ref_;
  std::shared_ptr<void> owner_;
};

}  // namespace mw
