// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/symbols.hpp"

#include <array>
#include <cmath>
#include <cstring>

namespace mw::codegen::llvm_backend {

namespace {

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

using Float1 = float(float);
using Float2 = float(float, float);
using Float3 = float(float, float, float);
using Double1 = double(double);
using Double2 = double(double, double);
using Double3 = double(double, double, double);

// A row for each type: our name for `call`, the C library's for what LLVM calls by itself.
#define MW_MATH1(name)                                                   \
  Symbol{"mathwright_" #name "f", address<Float1>(&::name##f)}, Symbol { \
    "mathwright_" #name, address<Double1>(&::name)                       \
  }
#define MW_OWN1(name) \
  Symbol{#name "f", address<Float1>(&::name##f)}, Symbol { #name, address < Double1>(&::name) }

const std::array kSymbols = {
    MW_MATH1(exp),
    MW_MATH1(expm1),
    MW_MATH1(log),
    MW_MATH1(log1p),
    MW_MATH1(sin),
    MW_MATH1(cos),
    MW_MATH1(tanh),
    MW_MATH1(erf),
    Symbol{"mathwright_powf", address<Float2>(&::powf)},
    Symbol{"mathwright_pow", address<Double2>(&::pow)},
    // Remainders, and what processors before FMA and SSE 4.1 have no instruction for.
    Symbol{"fmodf", address<Float2>(&::fmodf)},
    Symbol{"fmod", address<Double2>(&::fmod)},
    Symbol{"fmaf", address<Float3>(&::fmaf)},
    Symbol{"fma", address<Double3>(&::fma)},
    MW_OWN1(floor),
    MW_OWN1(ceil),
    MW_OWN1(trunc),
    MW_OWN1(nearbyint),
    Symbol{"memcpy", address<void*(void*, const void*, std::size_t)>(&std::memcpy)},
    Symbol{"memmove", address<void*(void*, const void*, std::size_t)>(&std::memmove)},
    Symbol{"memset", address<void*(void*, int, std::size_t)>(&std::memset)},
};
#undef MW_MATH1
#undef MW_OWN1

constexpr std::array kMathNames = {"exp", "expm1", "log", "log1p", "sin",
                                   "cos", "tanh",  "erf", "pow"};

}  // namespace

std::span<const Symbol> symbols() { return kSymbols; }

std::string math_symbol(MathCall call, bool single) {
  return std::string("mathwright_") + kMathNames[static_cast<std::size_t>(call)] +
         (single ? "f" : "");
}

}  // namespace mw::codegen::llvm_backend
