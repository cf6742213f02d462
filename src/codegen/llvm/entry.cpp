// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The one symbol of libmathwright_llvm.
#include <chrono>
#include <exception>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/api.hpp"
#include "codegen/llvm/jit.hpp"
#include "codegen/llvm/machine.hpp"

namespace mw::codegen::llvm_backend {

namespace {

/// Seconds since the last call.
class Laps {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A kernel on its way: context first, since it must go last.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> target = make_target_machine();
  std::unique_ptr<llvm::Module> module;

  explicit Compilation(const Kernel& kernel) {
    module = emit(context, kernel, machine().emit);
    module->setDataLayout(target->createDataLayout());
    set_triple();
  }
  void set_triple() {
#if LLVM_VERSION_MAJOR >= 21
    module->setTargetTriple(target->getTargetTriple());
#else
    module->setTargetTriple(target->getTargetTriple().str());
#endif
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    llvm::raw_string_ostream stream(out);
    module->print(stream, nullptr);
    return stream.str();
  }
  /// LLVM's complaints about the module as emitted; empty if there are none.
  [[nodiscard]] std::string complaints() const {
    std::string out;
    llvm::raw_string_ostream stream(out);
    return llvm::verifyModule(*module, &stream) ? stream.str() : std::string();
  }
};

template <class F>
bool guarded(std::string& error, F&& work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  return false;
}

bool compile(const Kernel& kernel, std::string& object, LlvmTimes& times,
             std::string& error) noexcept {
  return guarded(error, [&] {
    Laps laps;
    Compilation work(kernel);
    times.emit = laps.lap();
    optimise(*work.module, *work.target);
    times.optimise = laps.lap();
    object = generate(*work.module, *work.target, false);
    times.generate = laps.lap();
  });
}

LlvmFunction* load(const Kernel& kernel, const std::string& object, void*& code,
                   std::string& error) noexcept {
  Code loaded;
  if (!guarded(error, [&] { loaded = load_object(object, kernel.name); })) return nullptr;
  code = loaded.owner;
  return loaded.function;
}

void free(void* code) noexcept {
  std::string ignored;
  guarded(ignored, [&] { free_object(code); });
}

bool text(const Kernel& kernel, LlvmText which, std::string& out, std::string& error) noexcept {
  return guarded(error, [&] {
    Compilation work(kernel);
    if (auto wrong = work.complaints(); !wrong.empty()) throw std::runtime_error(wrong);
    if (which != LlvmText::emitted) optimise(*work.module, *work.target);
    out = which == LlvmText::assembly ? generate(*work.module, *work.target, true) : work.text();
  });
}

const LlvmApi* table() {
  static const LlvmApi api{.version = LLVM_VERSION_STRING,
                           .cpu = machine().cpu.c_str(),
                           .features = machine().features.c_str(),
                           .lanes = machine().lanes,
                           .registers = machine().registers,
                           .compile = &compile,
                           .load = &load,
                           .free = &free,
                           .text = &text};
  return &api;
}

}  // namespace

}  // namespace mw::codegen::llvm_backend

extern "C" [[gnu::visibility("default")]] const mw::codegen::LlvmApi* mathwright_llvm(
    std::uint64_t abi, std::string& error) noexcept {
  namespace backend = mw::codegen::llvm_backend;
  if (abi != mw::codegen::llvm_abi()) return nullptr;
  const mw::codegen::LlvmApi* api = nullptr;
  backend::guarded(error, [&] { api = backend::table(); });
  return api;
}
