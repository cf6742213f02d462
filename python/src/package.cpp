// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "package.hpp"

#include <deque>
#include <unordered_map>

#include "base/layout.hpp"

namespace mw::py {

Package::~Package() = default;  // the vtable's home

void* Package::address(nb::handle array, const Who& who) const {
  return adopt(array, who, {}, false).view.data;
}

nb::object Package::finish(Produced& produced, const ResultSpec&, const Queue&) const {
  return std::move(produced.array);
}

Stream Package::current_stream(Device) const { return {}; }

namespace {

constexpr const char* kAccepted =
    "a NumPy array, a PyTorch or CuPy tensor, a JAX array, or any object with __dlpack__ is wanted";

std::string first_component(const std::string& module) {
  return module.substr(0, module.find('.'));
}

std::string root_module(nb::handle type) {
  const nb::object module = nb::getattr(type, "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module)) return "";
  return first_component(nb::cast<std::string>(module));
}

/// The packages seen so far, and which of them each type belongs to. A type is held, so that its
/// address is not given to another one.
class Registry {
 public:
  static Registry& instance() {
    static Registry& registry = *new Registry;  // outlives the interpreter's last arrays
    return registry;
  }

  const Package& numpy() const { return *packages_.front(); }

  const Package* find(nb::handle type) {
    const nb::ft_lock_guard lock(mutex_);
    const auto found = types_.find(type.ptr());
    return found == types_.end() ? nullptr : found->second;
  }

  const Package& add(nb::handle type, const std::string& name) {
    // Making a package runs Python code, which may come back here: no lock is held meanwhile.
    auto made = make(type, name);
    const nb::ft_lock_guard lock(mutex_);
    const Package* package = nullptr;
    for (const auto& known : packages_) {
      if (known->name() == name) package = known.get();
    }
    if (!package) package = packages_.emplace_back(std::move(made)).get();
    if (types_.emplace(type.ptr(), package).second) type.inc_ref();
    return *package;
  }

 private:
  Registry() { packages_.push_back(make_numpy_package()); }

  static std::unique_ptr<Package> make(nb::handle type, const std::string& name) {
    if (name == "torch") return make_torch_package(type);
    if (name == "cupy") return make_cupy_package();
    return make_dlpack_package(name, type);
  }

  nb::ft_mutex mutex_;
  std::deque<std::unique_ptr<Package>> packages_;
  std::unordered_map<PyObject*, const Package*> types_;
};

/// The package a type belongs to: that of the nearest base defined in a package known by name (a
/// user's subclass of torch.Tensor is a torch tensor), or its own.
std::string package_name(nb::handle type) {
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    const std::string root = root_module(base);
    if (root == "torch" || root == "cupy") return root;
    if (root == "jax" || root == "jaxlib") return "jax";
  }
  return root_module(type);
}

const Package& register_type(nb::handle array, const Who& who) {
  const nb::handle type = array.type();
  if (!nb::hasattr(type, "__dlpack__")) {
    const bool sequence = nb::isinstance<nb::list>(array) || nb::isinstance<nb::tuple>(array);
    fail_as("OperandTypeError", ErrorKind::type_mismatch, who.operation, ": operand ", who.operand,
            " is of type ", name_of_type(array), "; ", kAccepted,
            sequence
                ? ". Convert it with numpy.asarray (a sequence of problems needs every operand "
                  "to be a sequence of arrays)."
                : ".");
  }
  return Registry::instance().add(type, package_name(type));
}

}  // namespace

const Package& package_of(nb::handle array, const Who& who) {
  Registry& registry = Registry::instance();
  if (is_numpy(array)) return registry.numpy();
  if (const Package* known = registry.find(array.type())) return *known;
  return register_type(array, who);
}

void require_package(nb::handle array, const Package& wanted, const Who& who) {
  const Package& seen = package_of(array, who);
  require(&seen == &wanted, ErrorKind::type_mismatch, who.operation, ": operand ", who.operand,
          " is of package ", seen.name(), "; ", wanted.name(),
          " is wanted, as for the other operands. Convert one of them.");
}

Dims element_strides(const Dims& bytes, const Dims& shape, DType dtype, const Who& who) {
  Dims strides = bytes;
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (shape[i] > 1 && strides[i] % item != 0) {
      fail(ErrorKind::invalid_argument, who.operation, ": operand ", who.operand,
           " has a stride of ", strides[i], " bytes along axis ", i,
           "; a multiple of its item size ", item, " is wanted. Pass a copy (.copy()).");
    }
    strides[i] /= item;
  }
  return strides;
}

void normalize_unit_axes(TensorRef& view) {
  std::int64_t next = 1;
  for (std::size_t i = view.rank(); i-- > 0;) {
    if (view.shape[i] <= 1) view.strides[i] = next;
    next = view.strides[i] * std::max<std::int64_t>(view.shape[i], 1);
  }
}

Dims dims_from(nb::handle tuple) {
  Dims dims;
  for (const nb::handle item : nb::borrow<nb::tuple>(tuple))
    dims.push_back(nb::cast<std::int64_t>(item));
  return dims;
}

namespace {

nb::tuple scaled_tuple(const Dims& dims, std::int64_t factor) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(dims.size())));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     PyLong_FromLongLong(dims[i] * factor));
  }
  return nb::borrow<nb::tuple>(tuple);
}

}  // namespace

nb::tuple tuple_from(const Dims& dims) { return scaled_tuple(dims, 1); }

nb::tuple byte_strides(const Dims& strides, DType dtype) {
  return scaled_tuple(strides, static_cast<std::int64_t>(itemsize(dtype)));
}

}  // namespace mw::py
