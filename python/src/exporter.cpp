// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "exporter.hpp"

#include "bindings.hpp"

#include "base/dlpack_type.hpp"
#include "dlpack.hpp"
#include "errors.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::py {

namespace {

/// What the deleter of an exported tensor frees: the tensor, and the arrays DLPack points to.
struct Export {
  Tensor tensor;
  Dims shape;
  Dims strides;
};

dlpack::Tensor describe(Export& exported) {
  const TensorRef& view = exported.tensor.ref();
  exported.shape = view.shape;
  exported.strides = view.strides;
  const DlpackType type = dlpack_type(view.dtype);
  return {.data = view.data,
          .device = {view.device.is_cpu() ? dlpack::cpu : dlpack::cuda,
                     static_cast<std::int32_t>(view.device.id)},
          .ndim = static_cast<std::int32_t>(view.rank()),
          .dtype = {type.code, type.bits, type.lanes},
          .shape = exported.shape.data(),
          .strides = exported.strides.data(),
          .byte_offset = 0};
}

template <class Managed>
nb::object capsule_of(Tensor tensor, const char* fresh_name) {
  auto exported = std::make_unique<Export>(Export{std::move(tensor), {}, {}});
  auto managed = std::make_unique<Managed>();
  managed->tensor = describe(*exported);
  managed->context = exported.release();
  managed->deleter = [](Managed* self) {
    delete static_cast<Export*>(self->context);
    delete self;
  };
  if constexpr (requires { managed->version; }) {
    managed->version = {1, 0};
    managed->flags = 0;
  }
  // Only a capsule nobody consumed still has its fresh name, and is ours to delete.
  const auto release = [](PyObject* capsule) {
    constexpr const char* kFresh = std::is_same_v<Managed, dlpack::ManagedTensor>
                                       ? dlpack::kCapsule
                                       : dlpack::kVersionedCapsule;
    if (!PyCapsule_IsValid(capsule, kFresh)) return;
    auto* held = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kFresh));
    held->deleter(held);
  };
  return nb::steal(PyCapsule_New(managed.release(), fresh_name, release));
}

class Exporter {
 public:
  Exporter(Tensor tensor, Stream stream) : tensor_(std::move(tensor)), written_(stream) {}

  nb::object dlpack(nb::handle stream, nb::handle max_version) const {
    order_after_write(stream);
    const bool versioned = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1;
    return versioned
               ? capsule_of<dlpack::ManagedTensorVersioned>(tensor_, dlpack::kVersionedCapsule)
               : capsule_of<dlpack::ManagedTensor>(tensor_, dlpack::kCapsule);
  }

  nb::typed<nb::tuple, int, int> device() const {
    const Device device = tensor_.device();
    const int type = device.is_cpu() ? dlpack::cpu : dlpack::cuda;
    return nb::borrow<nb::typed<nb::tuple, int, int>>(nb::make_tuple(type, device.id));
  }

 private:
  /// Makes the consumer's stream wait for the write. DLPack numbers: none and 1 the legacy default
  /// stream, 2 the per-thread one, −1 no ordering, else a handle.
  void order_after_write(nb::handle stream) const {
    if (tensor_.device().is_cpu()) return;
    const auto number = stream.is_none() ? 1 : nb::cast<std::intptr_t>(stream);
    require(
        number != 0, ErrorKind::invalid_argument,
        "__dlpack__: stream 0 is ambiguous on CUDA; 1 (legacy default), 2 (per-thread default), -1 "
        "(no ordering) or a handle is wanted");
    if (number == -1) return;
    const Stream consumer{number == 1 ? nullptr : reinterpret_cast<void*>(number)};
    if (consumer == written_) return;
    CudaEvent written;
    written.record(tensor_.device().id, written_);
    written.make_wait(consumer);
  }

  Tensor tensor_;
  Stream written_;
};

}  // namespace

nb::object export_tensor(Tensor tensor, Stream written) {
  return nb::cast(Exporter(std::move(tensor), written));
}

void init_exporter(nb::module_& m) {
  nb::class_<Exporter>(m, "Exporter", "Memory of the library, on its way to another package.")
      .def(
          "__dlpack__",
          [](const Exporter& self, nb::handle stream, nb::handle max_version, nb::handle,
             nb::handle) { return self.dlpack(stream, max_version); },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &Exporter::device);
}

}  // namespace mw::py
