// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// CuPy arrays, read from their attributes: cheaper than a capsule, and ml_dtypes pass too.
#include "package.hpp"

#include "base/layout.hpp"

namespace mw::py {

namespace {

nb::module_ cupy() { return nb::module_::import_("cupy"); }

/// A CuPy context manager (a device, a stream) for a scope of C++.
class Entered {
 public:
  explicit Entered(nb::object manager) : manager_(std::move(manager)) {
    manager_.attr("__enter__")();
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() {
    try {
      manager_.attr("__exit__")(nb::none(), nb::none(), nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("leaving a CuPy context");
    }
  }

 private:
  nb::object manager_;
};

class CupyPackage final : public Package {
 public:
  CupyPackage()
      : Package("cupy"),
        array_type_(cupy().attr("ndarray")),
        current_stream_(cupy().attr("cuda").attr("get_current_stream")),
        current_device_(cupy().attr("cuda").attr("runtime").attr("getDevice")) {}

  Adopted adopt(nb::handle array, const Who& who, Stream, bool) const override {
    Adopted adopted;
    TensorRef& view = adopted.view;
    const nb::object memory = array.attr("data");
    view.dtype = dtype_of_numpy(array.attr("dtype"), who);
    view.shape = dims_from(array.attr("shape"));
    view.strides = element_strides(dims_from(array.attr("strides")), view.shape, view.dtype, who);
    view.data = PyLong_AsVoidPtr(nb::object(memory.attr("ptr")).ptr());
    view.device = Device::cuda(nb::cast<int>(memory.attr("device_id")));
    normalize_unit_axes(view);
    adopted.keeper = nb::borrow(array);
    return adopted;
  }

  void* address(nb::handle array, const Who&) const override {
    return PyLong_AsVoidPtr(nb::object(array.attr("data").attr("ptr")).ptr());
  }

  bool has_complex32() const override { return false; }
  Produced empty(const ResultSpec& spec, const Queue& queue) const override {
    std::optional<Entered> device;
    std::optional<Entered> stream;
    if (nb::cast<int>(current_device_()) != spec.device.id) {
      device.emplace(cupy().attr("cuda").attr("Device")(spec.device.id));
    }
    if (queue.named && !(current_stream(spec.device) == queue.stream)) {
      // CuPy reuses a freed block in the order of the stream it was allocated on.
      stream.emplace(stream_of(queue.stream));
    }
    if (!spec.recipe.is_valid()) spec.recipe = arguments_for(spec);
    Produced produced;
    if (spec.contiguous) {
      produced.array = nb::steal(PyObject_Call(array_type_.ptr(), spec.recipe.ptr(), nullptr));
      if (!produced.array.is_valid()) nb::raise_python_error();
    } else {
      const auto [low, high] = offset_range(spec.shape, spec.strides);
      const auto bytes = static_cast<std::size_t>(high - low + 1) * itemsize(spec.dtype);
      produced.array =
          array_type_(spec.recipe[0], spec.recipe[1], cupy().attr("cuda").attr("alloc")(bytes),
                      byte_strides(spec.strides, spec.dtype));
    }
    produced.data = address(produced.array, {"", ""});
    return produced;
  }

  Stream current_stream(Device device) const override {
    if (device.is_cpu()) return {};
    return {PyLong_AsVoidPtr(nb::object(current_stream_(device.id).attr("ptr")).ptr())};
  }

 private:
  /// A CuPy stream for somebody's handle.
  static nb::object stream_of(Stream stream) {
    const nb::object type = cupy().attr("cuda").attr("Stream");
    const auto handle = reinterpret_cast<std::uintptr_t>(stream.handle);
    if (!nb::hasattr(type, "from_external")) {  // before CuPy 14
      return cupy().attr("cuda").attr("ExternalStream")(handle);
    }
    return type.attr("from_external")(
        nb::module_::import_("mathwright.memory").attr("StreamRef")(handle));
  }

  static nb::object arguments_for(const ResultSpec& spec) {
    const nb::object numpy = nb::module_::import_("numpy");
    const std::string type(mw::name(spec.dtype));
    require(spec.dtype != DType::complex32, ErrorKind::type_mismatch,
            "a result of dtype complex32, which CuPy does not have; pass the operand as a PyTorch "
            "tensor");
    const nb::object dtype = spec.dtype == DType::bfloat16
                                 ? nb::module_::import_("ml_dtypes").attr("bfloat16")
                                 : numpy.attr("dtype")(type.c_str());
    return nb::make_tuple(tuple_from(spec.shape), dtype);
  }

  nb::object array_type_, current_stream_, current_device_;
};

}  // namespace

std::unique_ptr<Package> make_cupy_package() { return std::make_unique<CupyPackage>(); }

}  // namespace mw::py
