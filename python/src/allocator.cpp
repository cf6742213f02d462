// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "allocator.hpp"

#include <mutex>
#include <unordered_map>

#include "errors.hpp"

namespace mw::py {

namespace {

/// Where managers of different packages say the address is.
constexpr const char* kPointerNames[] = {"device_ptr", "device_pointer", "ptr", "pointer"};

class PythonAllocator final : public MemoryResource {
 public:
  PythonAllocator(nb::object manager, Device device)
      : manager_(std::move(manager)),
        stream_ordered_(nb::hasattr(manager_, "memalloc_async")),
        device_(device) {}

  ~PythonAllocator() override {
    const nb::gil_scoped_acquire gil;
    manager_.reset();
    blocks_.clear();
  }

  Device device() const override { return device_; }

  void* allocate(std::size_t bytes, Stream stream) override {
    const nb::gil_scoped_acquire gil;
    nb::object block = stream_ordered_ ? manager_.attr("memalloc_async")(bytes, wrap(stream))
                                       : manager_.attr("memalloc")(bytes);
    for (const char* name : kPointerNames) {
      if (!nb::hasattr(block, name)) continue;
      const nb::object number = nb::int_(nb::object(block.attr(name)));
      void* memory = PyLong_AsVoidPtr(number.ptr());
      const std::lock_guard lock(mutex_);
      blocks_[memory] = std::move(block);
      return memory;
    }
    PyErr_Format(PyExc_AttributeError,
                 "allocator: the block it returned, of type %s, has none of device_ptr, "
                 "device_pointer, ptr, pointer; one of them is wanted",
                 name(name_of_type(block)).c_str());
    nb::raise_python_error();
  }

  void deallocate(void* memory, std::size_t, Stream) noexcept override {
    const nb::gil_scoped_acquire gil;
    nb::object block;  // its finalizer runs after the lock is gone
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    block = std::move(found->second);
    blocks_.erase(found);
  }

 private:
  static nb::object wrap(Stream stream) {
    return nb::module_::import_("mathwright.memory")
        .attr("StreamRef")(reinterpret_cast<std::uintptr_t>(stream.handle));
  }

  nb::object manager_;
  bool stream_ordered_;
  Device device_;
  std::mutex mutex_;
  std::unordered_map<void*, nb::object> blocks_;
};

}  // namespace

void check_allocator(nb::handle allocator, const char* operation) {
  if (allocator.is_none()) return;
  require(nb::hasattr(allocator, "memalloc") || nb::hasattr(allocator, "memalloc_async"),
          ErrorKind::type_mismatch, operation, ": allocator is of type ", name_of_type(allocator),
          "; an object with memalloc(size) or memalloc_async(size, stream) is wanted");
}

std::unique_ptr<MemoryResource> adapt_allocator(nb::handle allocator, Device device,
                                                const char* operation) {
  check_allocator(allocator, operation);
  return std::make_unique<PythonAllocator>(nb::borrow(allocator), device);
}

}  // namespace mw::py
