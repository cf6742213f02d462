// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/host.hpp"

#include <list>
#include <mutex>
#include <unordered_map>

#include "base/text.hpp"
#include "codegen/interpreter.hpp"
#include "codegen/llvm_library.hpp"

namespace mw::codegen {

namespace {

/// Kernels by value, the least recently used dropped beyond a number: code is some kilobytes a
/// kernel, so a thousand of them are small beside what they work on.
class KernelCache {
 public:
  static KernelCache& instance() {
    static KernelCache& cache = *new KernelCache;  // threads may compile while the process exits
    return cache;
  }

  HostKernelPtr find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->kernel;
  }

  /// What is in the cache afterwards: of two threads that compile the same, the first.
  HostKernelPtr insert(const Key& key, HostKernelPtr kernel) {
    HostKernelPtr dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) return found->second->kernel;
    entries_.push_front({key, kernel});
    index_.emplace(key, entries_.begin());
    if (entries_.size() > kLimit) {
      dropped = std::move(entries_.back().kernel);
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    return kernel;
  }

 private:
  static constexpr std::size_t kLimit = 1024;
  struct Entry {
    Key key;
    HostKernelPtr kernel;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> index_;
};

Target interpreter_target() {
  Target target;
  target.lanes = kInterpreterLanes;
  return target;
}

}  // namespace

HostKernel::~HostKernel() = default;

Target host_target(HostBackend backend) {
  if (backend == HostBackend::interpreter) return interpreter_target();
  auto target = llvm_target();
  if (target) return *target;
  require(backend != HostBackend::llvm, ErrorKind::not_found,
          "host kernels: LLVM was asked for and ", target.refusal().reason,
          ". Leave the choice open, and the interpreter runs them.");
  return interpreter_target();
}

HostKernelPtr host_kernel(FunctionRef<Kernel(const Target&)> build, HostBackend backend) {
  std::string why = "asked for";
  if (backend != HostBackend::interpreter) {
    auto target = llvm_target();
    if (target) {
      const Kernel kernel = build(*target);
      Key key = Key::of(kernel);
      key.add('l');
      if (auto known = KernelCache::instance().find(key)) return known;
      auto compiled = compile_with_llvm(kernel);
      if (compiled) return KernelCache::instance().insert(key, *compiled);
      why = compiled.refusal().reason;
    } else {
      why = target.refusal().reason;
    }
    require(backend != HostBackend::llvm, ErrorKind::not_found,
            "host kernels: LLVM was asked for and ", why,
            ". Leave the choice open, and the interpreter runs them.");
  }
  Kernel kernel = build(interpreter_target());
  Key key = Key::of(kernel);
  key.add('i');
  if (auto known = KernelCache::instance().find(key)) return known;
  return KernelCache::instance().insert(key, interpret(std::move(kernel), std::move(why)));
}

Outcome<std::string> llvm_version() { return llvm_description(); }

}  // namespace mw::codegen
