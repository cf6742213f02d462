// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/jit.hpp"

#include <stdexcept>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#if LLVM_VERSION_MAJOR >= 20
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#endif

#include "codegen/llvm/machine.hpp"
#include "codegen/llvm/symbols.hpp"

namespace mw::codegen::llvm_backend {

namespace {

namespace orc = llvm::orc;

auto absolute(void* address) {
#if LLVM_VERSION_MAJOR >= 17
  return orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(address),
                                llvm::JITSymbolFlags::Exported);
#else
  return llvm::JITEvaluatedSymbol::fromPointer(address, llvm::JITSymbolFlags::Exported);
#endif
}

void* address(orc::ExecutionSession& session, orc::JITDylib& library, const std::string& name) {
#if LLVM_VERSION_MAJOR >= 17
  return must(session.lookup({&library}, name)).getAddress().toPtr<void*>();
#else
  return reinterpret_cast<void*>(must(session.lookup({&library}, name)).getAddress());
#endif
}

/// Links on the calling thread: there is no other, so a forked child can go on with it.
class Linker {
 public:
  Linker()
      : session_(must(orc::SelfExecutorProcessControl::Create(
            nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()))),
        layer_(session_),
        runtime_(session_.createBareJITDylib("runtime")) {
    session_.setErrorReporter(
        [this](llvm::Error error) { reported_ += llvm::toString(std::move(error)); });
    orc::SymbolMap known;
    for (const Symbol& symbol : symbols())
      known[session_.intern(symbol.name)] = absolute(symbol.address);
    must(runtime_.define(orc::absoluteSymbols(std::move(known))));
  }

  Code load(const std::string& object, const std::string& function) {
    // Each object in a library of its own: names of kernels may repeat.
    auto& library = session_.createBareJITDylib(function + "." + std::to_string(count_++));
    library.addToLinkOrder(runtime_);
    reported_.clear();
    try {
      must(layer_.add(library, llvm::MemoryBuffer::getMemBufferCopy(object, function)));
      auto* entry = address(session_, library, function);
      return {reinterpret_cast<LlvmFunction*>(entry), &library};
    } catch (const std::runtime_error& error) {
      llvm::consumeError(session_.removeJITDylib(library));
      throw std::runtime_error(reported_.empty() ? error.what() : reported_);
    }
  }

  void free(void* owner) {
    llvm::consumeError(session_.removeJITDylib(*static_cast<orc::JITDylib*>(owner)));
  }

 private:
  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib& runtime_;
  unsigned long count_ = 0;
  std::string reported_;
};

Linker& linker() {
  static auto& one = *new Linker;  // never destroyed: code may still run while the process ends
  return one;
}

}  // namespace

Code load_object(const std::string& object, const std::string& function) {
  return linker().load(object, function);
}

void free_object(void* owner) { linker().free(owner); }

}  // namespace mw::codegen::llvm_backend
