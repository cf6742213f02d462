// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// PyTorch tensors. Read through the DLPack function table on their type where PyTorch has one (no
// Python call), through __dlpack__ otherwise. Values only: a tensor that requires grad is read, and
// the result has no graph. Lazy conjugation is kept lazy: the view is marked conjugate.
#include "package_dlpack.hpp"

#include "base/layout.hpp"

namespace mw::py {

namespace {

nb::module_ torch() { return nb::borrow<nb::module_>(nb::module_::import_("torch")); }

bool answers_true(nb::handle array, nb::handle method) {
  const nb::object answer = nb::steal(PyObject_CallMethodNoArgs(array.ptr(), method.ptr()));
  if (!answer.is_valid()) nb::raise_python_error();
  return answer.ptr() == Py_True;
}

class TorchPackage final : public Package {
 public:
  explicit TorchPackage(nb::handle array_type)
      : Package("torch"),
        api_(exchange_api(array_type)),
        empty_(torch().attr("empty")),
        empty_strided_(torch().attr("empty_strided")) {
    const nb::object bindings = torch().attr("_C");
    if (nb::hasattr(bindings, "_cuda_getCurrentRawStream")) {
      raw_stream_ = bindings.attr("_cuda_getCurrentRawStream");
    }
  }

  Adopted adopt(nb::handle array, const Who& who, Stream, bool writes) const override {
    nb::object tensor = nb::borrow(array);
    // The imaginary part of a lazy conjugate is lazily negated, which no other view can say.
    if (answers_true(tensor, names_.is_neg)) tensor = tensor.attr("resolve_neg")();
    const bool conjugate = answers_true(tensor, names_.is_conj);
    if (conjugate) tensor = tensor.attr("conj")();
    Adopted adopted = api_ ? adopt_by_api(*api_, tensor, who) : adopt_by_call(tensor, who, writes);
    adopted.view.conjugate = conjugate;
    return adopted;
  }

  void* address(nb::handle array, const Who& who) const override {
    const nb::object tensor = nb::borrow(array);
    if (answers_true(tensor, names_.is_conj)) return adopt(array, who, {}, false).view.data;
    const nb::object pointer =
        nb::steal(PyObject_CallMethodNoArgs(array.ptr(), names_.data_ptr.ptr()));
    if (!pointer.is_valid()) nb::raise_python_error();
    return PyLong_AsVoidPtr(pointer.ptr());
  }

  Produced empty(const ResultSpec& spec, const Queue& queue) const override {
    Produced produced;
    if (queue.named && spec.device.is_cuda() && !(current_stream(spec.device) == queue.stream)) {
      // PyTorch reuses a freed block in the order of the stream it was allocated on.
      const nb::object cuda = torch().attr("cuda");
      const nb::object stream =
          cuda.attr("ExternalStream")(reinterpret_cast<std::uintptr_t>(queue.stream.handle),
                                      nb::arg("device") = spec.device.id);
      const nb::object scope = cuda.attr("stream")(stream);
      scope.attr("__enter__")();
      try {
        produced.array = allocate(spec);
      } catch (...) {
        scope.attr("__exit__")(nb::none(), nb::none(), nb::none());
        throw;
      }
      scope.attr("__exit__")(nb::none(), nb::none(), nb::none());
    } else {
      produced.array = allocate(spec);
    }
    const nb::object pointer =
        nb::steal(PyObject_CallMethodNoArgs(produced.array.ptr(), names_.data_ptr.ptr()));
    if (!pointer.is_valid()) nb::raise_python_error();
    produced.data = PyLong_AsVoidPtr(pointer.ptr());
    return produced;
  }

  Stream current_stream(Device device) const override {
    if (device.is_cpu()) return {};
    if (api_) return current_stream_by_api(*api_, device);
    if (!raw_stream_.is_valid()) return {};
    return {PyLong_AsVoidPtr(raw_stream_(device.id).ptr())};
  }

 private:
  Adopted adopt_by_call(nb::object tensor, const Who& who, bool writes) const {
    if (nb::cast<bool>(tensor.attr("requires_grad"))) tensor = tensor.attr("detach")();
    const bool on_device = nb::cast<bool>(tensor.attr("is_cuda"));
    // −1: no ordering is wanted, since the work goes to PyTorch's own current stream.
    const nb::object stream = on_device ? nb::object(nb::int_(-1)) : nb::none();
    return adopt_dlpack(tensor, who, stream, writes);
  }

  nb::object allocate(const ResultSpec& spec) const {
    if (!spec.recipe.is_valid()) {
      nb::dict named;
      named["dtype"] = torch().attr(std::string(mw::name(spec.dtype)).c_str());
      named["device"] = spec.device.is_cpu() ? torch().attr("device")("cpu")
                                             : torch().attr("device")("cuda", spec.device.id);
      const nb::tuple arguments =
          spec.contiguous ? nb::make_tuple(tuple_from(spec.shape))
                          : nb::make_tuple(tuple_from(spec.shape), tuple_from(spec.strides));
      spec.recipe = nb::make_tuple(arguments, named);
    }
    const nb::object& maker = spec.contiguous ? empty_ : empty_strided_;
    nb::object array = nb::steal(PyObject_Call(maker.ptr(), PyTuple_GET_ITEM(spec.recipe.ptr(), 0),
                                               PyTuple_GET_ITEM(spec.recipe.ptr(), 1)));
    if (!array.is_valid()) nb::raise_python_error();
    return array;
  }

  struct Names {
    nb::str is_conj{"is_conj"}, is_neg{"is_neg"}, data_ptr{"data_ptr"};
  };
  const dlpack::ExchangeApi* api_;
  nb::object empty_, empty_strided_, raw_stream_;
  Names names_;
};

}  // namespace

std::unique_ptr<Package> make_torch_package(nb::handle array_type) {
  return std::make_unique<TorchPackage>(array_type);
}

}  // namespace mw::py
