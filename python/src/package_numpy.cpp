// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// NumPy arrays, read from their own C structure: DLPack would refuse read-only arrays, ml_dtypes
// and some strides, and cost more than the rest of a small call.
//
// Subclasses are read as the arrays they are (numpy.matrix, memmap, …) and results are plain
// ndarrays.
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <nanobind/nanobind.h>

#include <array>

#include <numpy/arrayobject.h>

#include "package.hpp"

#include "runtime/memory.hpp"

namespace mw::py {

namespace {

/// Results from here on come from the library's pool: fresh pages cost more than the work on them.
constexpr std::size_t kPoolBytes = 1 << 20;
/// What OperandLayout takes for granted of new memory.
constexpr std::size_t kAlignment = 16;

struct TypeRow {
  DType dtype;
  int number;
};
constexpr TypeRow kTypes[] = {
    {DType::bool_, NPY_BOOL},          {DType::int8, NPY_INT8},
    {DType::int16, NPY_INT16},         {DType::int32, NPY_INT32},
    {DType::int64, NPY_INT64},         {DType::uint8, NPY_UINT8},
    {DType::uint16, NPY_UINT16},       {DType::uint32, NPY_UINT32},
    {DType::uint64, NPY_UINT64},       {DType::float16, NPY_FLOAT16},
    {DType::float32, NPY_FLOAT32},     {DType::float64, NPY_FLOAT64},
    {DType::complex64, NPY_COMPLEX64}, {DType::complex128, NPY_COMPLEX128},
    {DType::int64, NPY_LONGLONG},      {DType::uint64, NPY_ULONGLONG},
};

/// Looked up by type number; −1 where there is none.
constexpr auto kDTypeOfNumber = [] {
  std::array<std::int8_t, 32> table{};
  table.fill(-1);
  for (const auto& row : kTypes) {
    table[static_cast<std::size_t>(row.number)] = static_cast<std::int8_t>(row.dtype);
  }
  return table;
}();

/// NumPy's number of a dtype; −1 if it has none of its own (bfloat16, …).
int number_of(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) return row.number;
  }
  return -1;
}

PyArrayObject* array_of(nb::handle object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

bool has_native_order(const PyArray_Descr* descriptor) {
  return descriptor->byteorder == '=' || descriptor->byteorder == '|' ||
         descriptor->byteorder == NPY_NATBYTE;
}

/// Of NumPy's own types.
std::optional<DType> dtype_of_number(int number) {
  if (number < 0 || number >= static_cast<int>(kDTypeOfNumber.size())) return std::nullopt;
  const auto found = kDTypeOfNumber[static_cast<std::size_t>(number)];
  return found < 0 ? std::nullopt : std::optional(static_cast<DType>(found));
}

DType dtype_of_descriptor(const PyArray_Descr* descriptor, const Who& who) {
  const int number = descriptor->type_num;
  const nb::handle object(reinterpret_cast<PyObject*>(const_cast<PyArray_Descr*>(descriptor)));
  require(has_native_order(descriptor), ErrorKind::invalid_argument, who.operation, ": operand ",
          who.operand,
          " has a byte-swapped dtype; native byte order is wanted. Convert it with "
          "a.astype(a.dtype.newbyteorder('=')).");
  if (const auto own = dtype_of_number(number)) return *own;
  // ml_dtypes and other packages' types are known by name.
  const std::string name = nb::cast<std::string>(nb::str(object.attr("name")));
  const auto found = number >= NPY_USERDEF ? dtype_from_name(name) : std::nullopt;
  require(found.has_value(), ErrorKind::invalid_argument, who.operation, ": operand ", who.operand,
          " has dtype ", name,
          ", which is unsupported. Convert it, for example with .astype('float64').");
  return *found;
}

/// The NumPy dtype for a result; a new reference.
PyArray_Descr* descriptor_of(DType dtype) {
  const int number = number_of(dtype);
  if (number >= 0) [[likely]]
    return PyArray_DescrFromType(number);
  const nb::dict modules = nb::borrow<nb::dict>(PyImport_GetModuleDict());
  const nb::str package("ml_dtypes");
  const std::string type(name(dtype));
  if (!modules.contains(package) || !nb::hasattr(modules[package], type.c_str())) {
    fail(ErrorKind::type_mismatch, "result of dtype ", dtype,
         ", which NumPy does not have; pass the operand as a PyTorch tensor");
  }
  PyArray_Descr* descriptor = nullptr;
  if (!PyArray_DescrConverter(nb::object(modules[package].attr(type.c_str())).ptr(), &descriptor)) {
    nb::raise_python_error();
  }
  return descriptor;
}

void check_mask(nb::handle array, const Who& who) {
  const nb::dict modules = nb::borrow<nb::dict>(PyImport_GetModuleDict());
  const nb::str masked("numpy.ma");
  if (!modules.contains(masked)) return;
  const nb::object module = modules[masked];
  if (!nb::isinstance(array, module.attr("MaskedArray"))) return;
  require(
      !nb::cast<bool>(nb::bool_(module.attr("is_masked")(array))), ErrorKind::invalid_argument,
      who.operation, ": operand ", who.operand,
      " is a masked array with masked elements, which have no value to compute with; an ordinary "
      "array is wanted. Fill it with .filled(value).");
}

/// Shape and strides, without the general ways' copies: this is a good part of a small call.
void read_layout(PyArrayObject* array, TensorRef& view, const Who& who) {
  const auto rank = static_cast<std::size_t>(PyArray_NDIM(array));
  const auto item = static_cast<std::int64_t>(itemsize(view.dtype));
  const npy_intp* extents = PyArray_DIMS(array);
  const npy_intp* bytes = PyArray_STRIDES(array);
  view.shape.resize(rank);
  view.strides.resize(rank);
  bool whole = true;
  for (std::size_t i = 0; i < rank; ++i) {
    view.shape[i] = extents[i];
    view.strides[i] = bytes[i] / item;
    whole &= view.strides[i] * item == bytes[i] || extents[i] <= 1;
  }
  if (!whole)
    view.strides = element_strides(Dims(bytes, bytes + rank), view.shape, view.dtype, who);
  normalize_unit_axes(view);
}

/// A block of the library's pool as the base of an array.
struct PoolBlock {
  void* memory;
  std::size_t bytes;
};

void release_block(PyObject* capsule) {
  auto* block = static_cast<PoolBlock*>(PyCapsule_GetPointer(capsule, nullptr));
  host_memory().deallocate(block->memory, block->bytes, {});
  delete block;
}

nb::object array_of_pool(PyArray_Descr* descriptor, const ResultSpec& spec, const npy_intp* shape,
                         const npy_intp* strides, std::size_t bytes) {
  auto block = std::make_unique<PoolBlock>(PoolBlock{host_memory().allocate(bytes, {}), bytes});
  nb::object base = nb::steal(PyCapsule_New(block.get(), nullptr, release_block));
  void* data = block.release()->memory;
  nb::object array =
      nb::steal(PyArray_NewFromDescr(&PyArray_Type, descriptor, static_cast<int>(spec.shape.size()),
                                     shape, strides, data, NPY_ARRAY_WRITEABLE, nullptr));
  if (!array.is_valid() || PyArray_SetBaseObject(array_of(array), base.release().ptr()) < 0) {
    nb::raise_python_error();
  }
  return array;
}

class NumpyPackage final : public Package {
 public:
  NumpyPackage() : Package("numpy") {
    if (PyArray_ImportNumPyAPI() < 0) nb::raise_python_error();
  }

  Adopted adopt(nb::handle object, const Who& who, Stream, bool) const override {
    PyArrayObject* array = array_of(object);
    if (!PyArray_CheckExact(object.ptr())) check_mask(object, who);
    Adopted adopted;
    TensorRef& view = adopted.view;
    view.data = PyArray_DATA(array);
    view.dtype = dtype_of_descriptor(PyArray_DESCR(array), who);
    read_layout(array, view, who);
    view.readonly = !PyArray_ISWRITEABLE(array);
    adopted.keeper = nb::borrow(object);
    return adopted;
  }

  void* address(nb::handle object, const Who&) const override {
    return PyArray_DATA(array_of(object));
  }

  bool has_complex32() const override { return false; }
  Produced empty(const ResultSpec& spec, const Queue&) const override {
    const std::size_t rank = spec.shape.size();
    require(rank <= 64, ErrorKind::unsupported, "a result of ", rank,
            " axes; NumPy has at most 64");
    const std::size_t item = itemsize(spec.dtype);
    std::array<npy_intp, 64> shape;
    std::array<npy_intp, 64> strides;
    std::size_t bytes = item;
    for (std::size_t i = 0; i < rank; ++i) {
      shape[i] = spec.shape[i];
      strides[i] = spec.strides[i] * static_cast<npy_intp>(item);
      bytes *= static_cast<std::size_t>(spec.shape[i]);
    }
    const npy_intp* given = spec.contiguous ? nullptr : strides.data();
    PyArray_Descr* descriptor = descriptor_of(spec.dtype);
    Produced produced;
    if (bytes >= kPoolBytes) {
      produced.array = array_of_pool(descriptor, spec, shape.data(), strides.data(), bytes);
    } else {
      produced.array =
          nb::steal(PyArray_NewFromDescr(&PyArray_Type, descriptor, static_cast<int>(rank),
                                         shape.data(), given, nullptr, 0, nullptr));
      if (!produced.array.is_valid()) nb::raise_python_error();
    }
    produced.data = PyArray_DATA(array_of(produced.array));
    if (reinterpret_cast<std::uintptr_t>(produced.data) % kAlignment != 0) [[unlikely]] {
      // A custom NumPy allocator: the plan counts on better.
      produced.array =
          array_of_pool(descriptor_of(spec.dtype), spec, shape.data(), strides.data(), bytes);
      produced.data = PyArray_DATA(array_of(produced.array));
    }
    return produced;
  }
};

}  // namespace

std::unique_ptr<Package> make_numpy_package() { return std::make_unique<NumpyPackage>(); }

bool is_numpy(nb::handle object) {
  // The first question asked of any operand, also before there is a NumpyPackage.
  if (PyArray_ImportNumPyAPI() < 0) [[unlikely]]
    nb::raise_python_error();
  return PyArray_Check(object.ptr());
}

std::optional<DType> numpy_dtype(nb::handle object) {
  const PyArray_Descr* descriptor = nullptr;
  if (is_numpy(object)) {
    descriptor = PyArray_DESCR(array_of(object));
  } else if (PyArray_DescrCheck(object.ptr())) {
    descriptor = reinterpret_cast<PyArray_Descr*>(object.ptr());
  }
  if (descriptor == nullptr || !has_native_order(descriptor)) return std::nullopt;
  return dtype_of_number(descriptor->type_num);
}

DType dtype_of_numpy(nb::handle descriptor, const Who& who) {
  require(PyArray_DescrCheck(descriptor.ptr()), ErrorKind::type_mismatch, who.operation,
          ": operand ", who.operand, " has a dtype of type ", name_of_type(descriptor),
          "; a NumPy dtype is wanted");
  return dtype_of_descriptor(reinterpret_cast<PyArray_Descr*>(descriptor.ptr()), who);
}

}  // namespace mw::py
