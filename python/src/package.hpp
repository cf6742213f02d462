// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Package: an array package (NumPy, PyTorch, CuPy, JAX, whatever speaks DLPack) as the library sees
// it: how to read its arrays, how to make new ones, and which stream it is working on.
//
// No package is imported here: an operand of its type exists, so it has been.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include <mathwright/tensor.hpp>

#include "errors.hpp"

namespace mw::py {

/// Whose operand is being read, for messages.
struct Who {
  const char* operation;
  const char* operand;
};

/// An operand as read: a view, and the object that keeps its memory alive.
struct Adopted {
  TensorRef view;
  nb::object keeper;
};

/// The stream of a call, and whether the caller named it (else it is the package's current one).
struct Queue {
  Stream stream;
  bool named = false;
};

/// What a result shall be.
struct ResultSpec {
  DType dtype = DType::float32;
  Dims shape;
  Dims strides;
  Device device;
  bool contiguous = true;     ///< C order
  mutable nb::object recipe;  ///< a package may keep here what it needs for every result
};

/// A result to be written: its address now, the array itself now or after finish().
struct Produced {
  nb::object array;
  void* data = nullptr;
  Tensor memory;  ///< ours, until the array is made of it
};

class Package {
 public:
  explicit Package(std::string package_name) : name_(std::move(package_name)) {}
  Package(const Package&) = delete;
  Package& operator=(const Package&) = delete;
  virtual ~Package();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Reads an array. `writes` asks for the array's own memory, never a copy of it. Errors:
  /// invalid_argument naming the operand and the remedy.
  [[nodiscard]] virtual Adopted adopt(nb::handle array, const Who& who, Stream consumer,
                                      bool writes) const = 0;
  /// The address of an array's first element, unchecked.
  [[nodiscard]] virtual void* address(nb::handle array, const Who& who) const;
  /// A new array in the order of the queue.
  [[nodiscard]] virtual Produced empty(const ResultSpec& spec, const Queue& queue) const = 0;
  /// The array, after its memory was written (or the writing queued).
  [[nodiscard]] virtual nb::object finish(Produced& produced, const ResultSpec& spec,
                                          const Queue& queue) const;
  /// The stream its own work goes to.
  [[nodiscard]] virtual Stream current_stream(Device device) const;
  /// Whether its arrays can have any strides.
  [[nodiscard]] virtual bool any_strides() const { return true; }
  /// Whether they can be of complex32.
  [[nodiscard]] virtual bool has_complex32() const { return true; }

 private:
  std::string name_;
};

/// The package of an array; the same object for all arrays of one package. Errors: TypeError and
/// ValueError in one, for what is no array.
[[nodiscard]] const Package& package_of(nb::handle array, const Who& who);
/// The same for another operand of a call: one package is wanted for all of them.
void require_package(nb::handle array, const Package& wanted, const Who& who);

/// The constructors of the known packages.
[[nodiscard]] std::unique_ptr<Package> make_numpy_package();
[[nodiscard]] std::unique_ptr<Package> make_torch_package(nb::handle array_type);
[[nodiscard]] std::unique_ptr<Package> make_cupy_package();
[[nodiscard]] std::unique_ptr<Package> make_dlpack_package(std::string name, nb::handle array_type);

/// True for numpy.ndarray and its subclasses: the first question asked of every operand.
[[nodiscard]] bool is_numpy(nb::handle object);
/// The dtype of a NumPy array or dtype object, if it is one of NumPy's own types in native order:
/// no code of Python's is run, which the name of a dtype takes.
[[nodiscard]] std::optional<DType> numpy_dtype(nb::handle object);
/// The dtype of a NumPy dtype object. Errors: invalid_argument (unknown to the library,
/// byte-swapped).
[[nodiscard]] DType dtype_of_numpy(nb::handle descriptor, const Who& who);

/// Strides in elements from strides in bytes. Errors: invalid_argument if they are no multiples.
[[nodiscard]] Dims element_strides(const Dims& bytes, const Dims& shape, DType dtype,
                                   const Who& who);
/// Axes of extent 1 get the stride C order would give them, so that equal layouts compare equal.
void normalize_unit_axes(TensorRef& view);
/// A Python tuple of integers as Dims and back.
[[nodiscard]] Dims dims_from(nb::handle tuple);
[[nodiscard]] nb::tuple tuple_from(const Dims& dims);
/// The same as tuple_from with every number multiplied by the item's bytes.
[[nodiscard]] nb::tuple byte_strides(const Dims& strides, DType dtype);

}  // namespace mw::py
