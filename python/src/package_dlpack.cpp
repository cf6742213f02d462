// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Arrays of any package, through DLPack's Python protocol: JAX, and packages nobody here has heard
// of. Their results are made of the library's own memory and handed over by the package's
// from_dlpack.
#include "package_dlpack.hpp"

#include "base/dlpack_type.hpp"
#include "base/layout.hpp"
#include "exporter.hpp"

namespace mw::py {

namespace {

std::string dtype_text(const dlpack::DataType& type) {
  return text("of DLPack code ", static_cast<int>(type.code), ", ", static_cast<int>(type.bits),
              " bits, ", type.lanes, " lanes");
}

/// What a capsule holds belongs to this object from now on; it goes with the last view of it.
template <class Managed>
nb::object take_over(Managed* managed) {
  const auto release = [](PyObject* capsule) {
    auto* held = static_cast<Managed*>(PyCapsule_GetPointer(capsule, nullptr));
    if (held->deleter) held->deleter(held);
  };
  return nb::steal(PyCapsule_New(managed, nullptr, release));
}

template <class Managed>
Managed* consume(nb::handle capsule, const char* used_name) {
  const char* fresh_name = PyCapsule_GetName(capsule.ptr());
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), fresh_name));
  if (!managed || PyCapsule_SetName(capsule.ptr(), used_name) < 0) nb::raise_python_error();
  return managed;
}

/// The stream a producer shall make its data ready for, as DLPack numbers it: none on the host; 1
/// is the legacy default stream of a CUDA device.
nb::object consumer_stream(dlpack::Device device, Stream stream) {
  if (device.type != dlpack::cuda && device.type != dlpack::cuda_managed) return nb::none();
  if (!stream.handle) return nb::int_(1);
  return nb::int_(reinterpret_cast<std::uintptr_t>(stream.handle));
}

/// Calls array.__dlpack__, asking for what 1.0 added, and again without it for older producers.
nb::object call_dlpack(nb::handle array, const Who& who, const nb::object& stream, bool writes) {
  try {
    const nb::object exporter = array.attr("__dlpack__");
    try {
      const nb::tuple version = nb::make_tuple(1, 0);
      return writes ? exporter(nb::arg("stream") = stream, nb::arg("max_version") = version,
                               nb::arg("copy") = false)
                    : exporter(nb::arg("stream") = stream, nb::arg("max_version") = version);
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    return stream.is_none() ? exporter() : exporter(nb::arg("stream") = stream);
  } catch (const nb::python_error& error) {
    fail_as("OperandTypeError", ErrorKind::invalid_argument, who.operation, ": operand ",
            who.operand, " of type ", name_of_type(array),
            " cannot be exported: ", nb::cast<std::string>(nb::str(error.value())));
  }
}

dlpack::Device device_of(nb::handle array) {
  if (!nb::hasattr(array, "__dlpack_device__")) return {dlpack::cpu, 0};
  const nb::tuple pair = nb::borrow<nb::tuple>(array.attr("__dlpack_device__")());
  return {static_cast<std::int32_t>(nb::cast<int>(nb::int_(pair[0]))),
          static_cast<std::int32_t>(nb::cast<int>(nb::int_(pair[1])))};
}

}  // namespace

TensorRef view_of_dlpack(const dlpack::Tensor& tensor, const Who& who) {
  TensorRef view;
  switch (tensor.device.type) {
    case dlpack::cpu:
    case dlpack::cuda_host: view.device = Device::cpu(); break;
    case dlpack::cuda:
    case dlpack::cuda_managed: view.device = Device::cuda(tensor.device.id); break;
    default:
      fail(ErrorKind::invalid_argument, who.operation, ": operand ", who.operand,
           " is on a device of DLPack type ", tensor.device.type,
           "; host or CUDA memory is wanted. Move it.");
  }
  const auto dtype = dtype_from_dlpack({tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes});
  if (!dtype) {
    fail(ErrorKind::invalid_argument, who.operation, ": operand ", who.operand, " has a dtype ",
         dtype_text(tensor.dtype), ", which is unsupported. Convert it.");
  }
  view.dtype = *dtype;
  view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank > 0) view.shape = Dims(tensor.shape, tensor.shape + rank);
  view.strides = tensor.strides && rank > 0 ? Dims(tensor.strides, tensor.strides + rank)
                                            : contiguous_strides(view.shape);
  normalize_unit_axes(view);
  return view;
}

Adopted adopt_dlpack(nb::handle array, const Who& who, const nb::object& stream, bool writes) {
  const nb::object capsule = call_dlpack(array, who, stream, writes);
  Adopted adopted;
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::kVersionedCapsule)) {
    auto* managed = consume<dlpack::ManagedTensorVersioned>(capsule, dlpack::kUsedVersionedCapsule);
    adopted.keeper = take_over(managed);
    require(managed->version.major == 1, ErrorKind::unsupported, who.operation, ": operand ",
            who.operand, " is exported as DLPack ", managed->version.major,
            "; version 1 is wanted. Use another version of its package.");
    adopted.view = view_of_dlpack(managed->tensor, who);
    adopted.view.readonly = (managed->flags & dlpack::kReadOnly) != 0;
  } else if (PyCapsule_IsValid(capsule.ptr(), dlpack::kCapsule)) {
    auto* managed = consume<dlpack::ManagedTensor>(capsule, dlpack::kUsedCapsule);
    adopted.keeper = take_over(managed);
    adopted.view = view_of_dlpack(managed->tensor, who);
  } else {
    fail(ErrorKind::type_mismatch, who.operation, ": operand ", who.operand, " of type ",
         name_of_type(array), " gave ", shown(capsule),
         " for __dlpack__; a fresh DLPack capsule is wanted");
  }
  return adopted;
}

const dlpack::ExchangeApi* exchange_api(nb::handle array_type) {
  const nb::object capsule = nb::getattr(array_type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), dlpack::kExchangeApiCapsule)) return nullptr;
  auto* header = static_cast<dlpack::ExchangeApiHeader*>(
      PyCapsule_GetPointer(capsule.ptr(), dlpack::kExchangeApiCapsule));
  while (header && header->version.major > 1) header = header->previous;
  if (!header || header->version.major != 1) return nullptr;
  const auto* api = reinterpret_cast<const dlpack::ExchangeApi*>(header);
  return api->view_of_object ? api : nullptr;
}

Adopted adopt_by_api(const dlpack::ExchangeApi& api, nb::handle array, const Who& who) {
  dlpack::Tensor described{};
  if (api.view_of_object(array.ptr(), &described) != 0) {
    const nb::python_error error;
    fail_as("OperandTypeError", ErrorKind::invalid_argument, who.operation, ": operand ",
            who.operand, " of type ", name_of_type(array),
            " cannot be exported: ", nb::cast<std::string>(nb::str(error.value())));
  }
  return {view_of_dlpack(described, who), nb::borrow(array)};
}

Stream current_stream_by_api(const dlpack::ExchangeApi& api, Device device) {
  void* handle = nullptr;
  if (!device.is_cuda() || !api.current_stream) return {};
  if (api.current_stream(dlpack::cuda, device.id, &handle) != 0) nb::raise_python_error();
  return {handle};
}

DlpackPackage::DlpackPackage(std::string package_name, nb::handle array_type)
    : Package(std::move(package_name)),
      api_(exchange_api(array_type)),
      api_type_(nb::borrow(array_type)) {
  const nb::dict modules = nb::borrow<nb::dict>(PyImport_GetModuleDict());
  for (const std::string& place :
       {this->name() + ".dlpack", this->name(), this->name() + ".numpy"}) {
    const nb::str key(place.c_str());
    if (!modules.contains(key) || !nb::hasattr(modules[key], "from_dlpack")) continue;
    from_dlpack_ = modules[key].attr("from_dlpack");
    return;
  }
}

Adopted DlpackPackage::adopt(nb::handle array, const Who& who, Stream consumer, bool writes) const {
  // The table orders no streams: it will do where the work goes to the package's own stream. It
  // cannot say "read-only" either, which matters where the array is written.
  const bool by_table = api_ && array.type().is(api_type_);
  if (by_table && !consumer.handle && !writes) return adopt_by_api(*api_, array, who);
  Adopted adopted = adopt_dlpack(array, who, consumer_stream(device_of(array), consumer), writes);
  // JAX's arrays are immutable, and not every export of it says so.
  if (name() == "jax") adopted.view.readonly = true;
  return adopted;
}

Produced DlpackPackage::empty(const ResultSpec& spec, const Queue& queue) const {
  if (!from_dlpack_.is_valid()) {
    fail(ErrorKind::unsupported, "results for package ", name(),
         ", which has no from_dlpack; pass out=, or NumPy arrays as operands");
  }
  Produced produced;
  produced.memory = Tensor::empty(spec.dtype, spec.shape, spec.device, queue.stream);
  produced.data = produced.memory.ref().data;
  return produced;
}

nb::object DlpackPackage::finish(Produced& produced, const ResultSpec&, const Queue& queue) const {
  return from_dlpack_(export_tensor(std::move(produced.memory), queue.stream));
}

Stream DlpackPackage::current_stream(Device device) const {
  return api_ ? current_stream_by_api(*api_, device) : Stream{};
}

std::unique_ptr<Package> make_dlpack_package(std::string name, nb::handle array_type) {
  return std::make_unique<DlpackPackage>(std::move(name), array_type);
}

}  // namespace mw::py
