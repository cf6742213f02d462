// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Functions of the expression language as one kernel over plain arrays, with awkward data to run it
// on and the system's C compiler to read its text:
//
//   const std::vector<Sample> samples = {{seed, function}, …};
//   Data data(samples);
//   data.run(*interpret(kernel_of(samples, {.lanes = 8}, "k"), ""));
//   data.get(sample, array, dtype, point);
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "codegen/c_family.hpp"
#include "codegen/c_prelude.hpp"
#include "codegen/host.hpp"
#include "codegen/lower.hpp"
#include "unit/expr_random.hpp"

namespace mw::codegen::lowered {

/// Points of the space: not a multiple of any number of lanes.
inline constexpr std::int64_t kPoints = 77;

struct Sample {
  unsigned seed = 0;  ///< of its data
  expr::Function function;

  /// Elements, then tensors.
  [[nodiscard]] std::vector<DType> inputs() const {
    std::vector<DType> list;
    for (const auto& p : function.elements) list.push_back(p.dtype);
    for (const auto& p : function.tensors) list.push_back(p.dtype);
    return list;
  }
  [[nodiscard]] std::size_t arrays() const { return inputs().size() + function.outputs.size(); }
};

/// The arguments of one function in a kernel: where they start in its lists.
struct Place {
  int pointer = 0;
  std::vector<Value> scalars;
};

/// outputs(i) = function(inputs(i)) for all i < n.
inline void append_loop(Builder& b, const Sample& sample, const Place& place, Value n) {
  const expr::Function& function = sample.function;
  const Value i = b.begin_for(b.constant_integer(0), n, b.constant_integer(b.target().lanes));
  const Value left = b.sub(n, i);
  const auto access = [&](std::size_t array, DType dtype, int part) {
    Access a{.pointer = place.pointer + static_cast<int>(array),
             .memory = real_dtype(dtype),
             .offset = i,
             .count = left};
    if (is_complex(dtype)) {
      a.offset = b.add(b.mul(i, b.constant_integer(2)), b.constant_integer(part));
      a.stride = b.constant_integer(2);
    }
    return a;
  };
  const std::vector<DType> inputs = sample.inputs();
  const auto read = [&](std::size_t k) {
    const DType d = inputs[k];
    return Pair{b.load(access(k, d, 0), true),
                is_complex(d) ? b.load(access(k, d, 1), true) : Value()};
  };
  const auto at = [](std::int64_t which) { return static_cast<std::size_t>(which); };
  const Leaves leaves = {
      [&](std::int64_t which) { return read(at(which)); },
      [&](std::int64_t which) { return read(function.elements.size() + at(which)); },
      [&](std::int64_t which) {
        return Pair{place.scalars[at(which)], {}};
      },
      [&](std::int64_t) { return b.add(b.lane(), i); },
  };
  const auto values = lower(b, function, leaves);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const DType d = function.outputs[k].dtype;
    const std::size_t array = inputs.size() + k;
    b.store(access(array, d, 0), b.broadcast(values[k].re));
    if (is_complex(d)) b.store(access(array, d, 1), b.broadcast(values[k].im));
  }
  b.end_for();
}

/// One loop for each function. Each has its own arrays: elements, tensors, outputs.
inline Kernel kernel_of(std::span<const Sample> samples, const Target& target,
                        const std::string& name) {
  Builder b(name, target);
  std::vector<Place> places(samples.size());
  int pointers = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const expr::Function& f = samples[s].function;
    places[s].pointer = pointers;
    for (const auto* list : {&f.elements, &f.tensors}) {
      for (const auto& p : *list) pointers = b.pointer(p.name) + 1;
    }
    for (const auto& p : f.outputs) pointers = b.pointer(p.name) + 1;
    for (const auto& p : f.scalars) places[s].scalars.push_back(b.scalar(p.name));
  }
  const Value n = b.integer("n");
  for (std::size_t s = 0; s < samples.size(); ++s) append_loop(b, samples[s], places[s], n);
  return b.finish();
}

/// The arguments of a kernel and what it wrote.
class Data {
 public:
  explicit Data(std::span<const Sample> samples) {
    for (const Sample& sample : samples) {
      first_.push_back(arrays_.size());
      expr::RandomExpressions random(sample.seed);
      for (const DType dtype : sample.inputs()) {
        auto& array = arrays_.emplace_back(kPoints * itemsize(dtype));
        for (std::size_t i = 0; i < std::size_t(kPoints); ++i) {
          expr::store(&array[i * itemsize(dtype)], random.number(dtype));
        }
      }
      for (const auto& p : sample.function.outputs)
        arrays_.emplace_back(kPoints * itemsize(p.dtype));
      scalars_.resize(scalars_.size() + sample.function.scalars.size(), kScalar);
    }
  }

  static constexpr double kScalar = 0.75;  ///< every run-time scalar

  using Run = void (*)(void* const*, const std::int64_t*, const double*);
  void run(const HostKernel& kernel) {
    call([&](auto... arguments) { kernel.run(arguments...); });
  }
  void run(Run kernel) { call(kernel); }

  /// By something that takes the arrays' memory, the number of points and the scalars.
  template <class Function>
  void run_with(const Function& function) {
    std::vector<std::vector<std::byte>*> arrays;
    for (auto& array : arrays_) arrays.push_back(&array);
    function(arrays, kPoints, scalars_);
  }

  [[nodiscard]] expr::Number get(std::size_t sample, std::size_t array, DType dtype,
                                 std::int64_t i) const {
    return expr::load(&arrays_[first_[sample] + array][std::size_t(i) * itemsize(dtype)], dtype);
  }

 private:
  template <class Kernel>
  void call(const Kernel& kernel) {
    std::vector<void*> pointers;
    for (auto& array : arrays_) pointers.push_back(array.data());
    const std::int64_t n = kPoints;
    kernel(pointers.data(), &n, scalars_.data());
  }

  std::vector<std::vector<std::byte>> arrays_;
  std::vector<std::size_t> first_;  ///< array of each sample
  std::vector<double> scalars_;
};

/// What the specification needs to know of one point.
struct PointInputs {
  std::vector<expr::Number> elements, tensors, scalars;

  PointInputs(const Data& data, std::span<const Sample> samples, std::size_t sample,
              std::int64_t i) {
    const expr::Function& f = samples[sample].function;
    const auto inputs = samples[sample].inputs();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      (k < f.elements.size() ? elements : tensors).push_back(data.get(sample, k, inputs[k], i));
    }
    scalars.assign(f.scalars.size(), expr::Number::of_real(Data::kScalar));
  }
};

inline bool has_c_compiler() { return std::system("cc --version > /dev/null 2>&1") == 0; }

/// The texts of all kernels in one file behind one prelude, compiled and opened.
class CompiledC {
 public:
  explicit CompiledC(const std::vector<Kernel>& kernels, const std::string& name = "k")
      : folder_(std::filesystem::temp_directory_path() /
                ("mw_c_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream file(folder_ / "k.c");
    file << prelude(Dialect::c,
                    {DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2});
    for (const Kernel& kernel : kernels) {
      const std::string text = to_c(kernel);
      file << text.substr(text.rfind("\nvoid " + kernel.name + "("));
    }
    file.close();
    const std::string command = "cc -std=c11 -O0 -ffp-contract=off -shared -fPIC -o " +
                                (folder_ / "k.so").string() + " " + (folder_ / "k.c").string() +
                                " -lm";
    if (std::system(command.c_str()) == 0) library_ = dlopen((folder_ / "k.so").c_str(), RTLD_NOW);
  }
  CompiledC(const CompiledC&) = delete;
  CompiledC& operator=(const CompiledC&) = delete;
  ~CompiledC() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] Data::Run find(const std::string& name) const {
    return library_ == nullptr ? nullptr
                               : reinterpret_cast<Data::Run>(dlsym(library_, name.c_str()));
  }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
};

}  // namespace mw::codegen::lowered
