// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/machine.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#if LLVM_VERSION_MAJOR >= 20
#include <llvm/Analysis/LastRunTrackingAnalysis.h>
#endif

namespace mw::codegen::llvm_backend {

namespace {

namespace orc = llvm::orc;

const orc::JITTargetMachineBuilder& host_builder() {
  static const auto& builder = *new orc::JITTargetMachineBuilder([] {
    if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter())
      throw std::runtime_error("this LLVM was built for other processors");
    auto host = must(orc::JITTargetMachineBuilder::detectHost());
    // Constants lie beside the code. The default of a JIT lets them lie anywhere, at the price of a
    // register and an instruction for each.
    host.setRelocationModel(llvm::Reloc::PIC_);
    host.setCodeModel(llvm::CodeModel::Small);
    host.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    // Sums and products stay as they are written: fma is an instruction of its own.
    host.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return host;
  }());
  return builder;
}

/// Processors whose 512-bit registers cost no clock rate worth speaking of.
bool wide_registers_pay(std::string_view cpu) {
  constexpr std::array kWide = {"icelake-server", "sapphirerapids", "emeraldrapids",
                                "graniterapids",  "znver4",         "znver5"};
  return std::ranges::any_of(kWide, [&](std::string_view name) { return cpu == name; });
}

Machine look() {
  const auto& host = host_builder();
  Machine machine{.cpu = host.getCPU(), .features = host.getFeatures().getString(), .emit = {}};
  const auto has = [&](const char* feature) {
    return machine.features.find(std::string("+") + feature) != std::string::npos;
  };
#if defined(__x86_64__)
  const bool wide = has("avx512f") && has("avx512vl");
  const bool use_wide = wide && wide_registers_pay(machine.cpu);
  machine.emit.vector_bytes = use_wide ? 64 : has("avx2") ? 32 : 16;
  machine.registers = wide ? 32 : 16;
  machine.emit.float16_convert = has("f16c");
  if (wide) machine.emit.function_prefer = use_wide ? "512" : "256";
#else
  machine.registers = 32;
  machine.emit.float16_convert = true;
#endif
  machine.lanes = machine.emit.vector_bytes / 4;
  return machine;
}

}  // namespace

const Machine& machine() {
  static const auto& seen = *new Machine(look());
  return seen;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine() {
  auto builder = host_builder();
  return must(builder.createTargetMachine());
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  // The analyses that the passes below ask for, registered by hand: LLVM's PassBuilder knows all
  // there are, which triples the library.
  llvm::FunctionAnalysisManager functions;
  llvm::LoopAnalysisManager loops;
  llvm::ModuleAnalysisManager modules;  // asked for a profile, which there is not
  functions.registerPass([&] { return target.getTargetIRAnalysis(); });
  functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  functions.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  functions.registerPass([] { return llvm::AssumptionAnalysis(); });
  functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  functions.registerPass([] { return llvm::LoopAnalysis(); });
  functions.registerPass([] { return llvm::BasicAA(); });
  functions.registerPass([] {
    llvm::AAManager aliases;
    aliases.registerFunctionAnalysis<llvm::BasicAA>();
    return aliases;
  });
  functions.registerPass([] { return llvm::MemorySSAAnalysis(); });
  functions.registerPass([] { return llvm::ScalarEvolutionAnalysis(); });
  functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
  functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
#if LLVM_VERSION_MAJOR >= 20
  functions.registerPass([] { return llvm::LastRunTrackingAnalysis(); });
#endif
  loops.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::string generate(llvm::Module& module, llvm::TargetMachine& target, bool assembly) {
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
#if LLVM_VERSION_MAJOR >= 18
  const auto type =
      assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
#else
  const auto type = assembly ? llvm::CGFT_AssemblyFile : llvm::CGFT_ObjectFile;
#endif
  if (target.addPassesToEmitFile(passes, stream, nullptr, type))
    throw std::runtime_error("this LLVM makes no object files for this processor");
  passes.run(module);
  return std::string(out.data(), out.size());
}

}  // namespace mw::codegen::llvm_backend
