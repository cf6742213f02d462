// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Thousands of random functions on awkward numbers (NaN, infinities, denormals, the ends of integer
// ranges) of every dtype: the specification (expr/evaluate.hpp), the interpreter, LLVM, and the
// texts in C agree bit for bit; NaNs are equal. Even seeds make functions of exact operations, the
// only ones that the specification has the same bits for; odd seeds make any.
//
//   MATHWRIGHT_TEST_FUNCTIONS=100000 unit_tests --gtest_filter='CodegenProperty.*'    more of them
//   MATHWRIGHT_TEST_SEED=1234 unit_tests --gtest_filter='CodegenProperty.*'           this one
//   alone
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

#include "codegen/c_family.hpp"
#include "codegen/llvm_library.hpp"
#include "expr/evaluate.hpp"
#include "expr/print.hpp"
#include "runtime/copy.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/device_program.hpp"
#include "runtime/memory.hpp"
#include "unit/codegen_lowered.hpp"

namespace mw::codegen {
namespace {

using expr::Number;
using lowered::CompiledC;
using lowered::Data;
using lowered::kernel_of;
using lowered::kPoints;
using lowered::PointInputs;
using lowered::Sample;

constexpr unsigned kFunctions = 2500;  ///< 10 ms each, by LLVM or by a C compiler
constexpr int kOperations = 5;         ///< of each
/// Functions of one kernel. A compilation costs milliseconds before its first instruction, and more
/// than in proportion to its length; so many are cheapest.
constexpr std::size_t kTogether = 16;

std::optional<unsigned> number_from(const char* variable) {
  const char* const given = std::getenv(variable);
  if (given == nullptr) return std::nullopt;
  const std::string_view word = given;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  require(error == std::errc() && end == word.data() + word.size(), ErrorKind::invalid_argument,
          variable, "=", word, ": a whole number is wanted");
  return number;
}

bool has_exact_operations(unsigned seed) { return seed % 2 == 0; }

Sample sample_of(unsigned seed) {
  return {seed, expr::RandomExpressions(seed, has_exact_operations(seed)).function(kOperations)};
}

/// Groups of functions, each to become one kernel; `by_default` functions in all.
std::vector<std::vector<Sample>> groups(unsigned by_default) {
  if (const auto seed = number_from("MATHWRIGHT_TEST_SEED")) return {{sample_of(*seed)}};
  const unsigned count = number_from("MATHWRIGHT_TEST_FUNCTIONS").value_or(by_default);
  std::vector<std::vector<Sample>> all;
  for (unsigned seed = 0; seed < count; ++seed) {
    if (all.empty() || all.back().size() == kTogether) all.emplace_back();
    all.back().push_back(sample_of(seed));
  }
  return all;
}

std::vector<Sample> exact_of(const std::vector<Sample>& group) {
  std::vector<Sample> exact;
  std::ranges::copy_if(group, std::back_inserter(exact),
                       [](const Sample& sample) { return has_exact_operations(sample.seed); });
  return exact;
}

std::string show(const Number& number) {
  std::ostringstream out;
  const DTypeClass kind = dtype_class(number.dtype);
  out << name(number.dtype) << " " << std::hexfloat;
  if (kind == DTypeClass::real || kind == DTypeClass::complex) {
    out << number.real;
    if (kind == DTypeClass::complex) out << " + " << number.imag << "i";
  } else {
    out << number.integer;
  }
  return out.str();
}

/// What went wrong, on what numbers, and how to see it again.
std::string report(const Data& data, std::span<const Sample> samples, std::size_t s,
                   std::int64_t point, const Number& seen, const Number& wanted) {
  std::ostringstream out;
  out << "point " << point << ": " << show(seen) << ", wanted " << show(wanted) << "\n";
  const PointInputs in(data, samples, s, point);
  for (const auto* list : {&in.elements, &in.tensors, &in.scalars}) {
    for (const Number& number : *list) out << "  of " << show(number) << "\n";
  }
  out << expr::to_text(samples[s].function) << "\nrerun: MATHWRIGHT_TEST_SEED=" << samples[s].seed
      << " unit_tests --gtest_filter='"
      << testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() << "."
      << testing::UnitTest::GetInstance()->current_test_info()->name() << "'";
  return out.str();
}

/// `wanted(sample, output, point)` against what the kernel wrote; the first difference fails.
template <class Wanted>
void compare(const Data& data, std::span<const Sample> samples, const Wanted& wanted) {
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::size_t inputs = samples[s].inputs().size();
    for (std::size_t k = 0; k < samples[s].function.outputs.size(); ++k) {
      const DType dtype = samples[s].function.outputs[k].dtype;
      for (std::int64_t i = 0; i < kPoints; ++i) {
        const Number seen = data.get(s, inputs + k, dtype, i);
        const Number right = wanted(s, k, i);
        if (!expr::identical(seen, right)) {
          FAIL() << report(data, samples, s, i, seen, right);
        }
      }
    }
  }
}

void compare(const Data& data, const Data& oracle, std::span<const Sample> samples) {
  compare(data, samples, [&](std::size_t s, std::size_t k, std::int64_t i) {
    return oracle.get(s, samples[s].inputs().size() + k, samples[s].function.outputs[k].dtype, i);
  });
}

Data interpreted(std::span<const Sample> samples, const Target& target) {
  Data data(samples);
  data.run(*interpret(kernel_of(samples, target, "oracle"), "test"));
  return data;
}

TensorRef bytes_at(void* data, std::size_t count, Device device) {
  return {data, DType::uint8, {static_cast<std::int64_t>(count)}, {1}, device};
}

/// The kernel by NVRTC, on copies of the arrays, which come back.
void run_on_device(const Kernel& kernel, Device device,
                   const std::vector<std::vector<std::byte>*>& arrays, std::int64_t n,
                   const std::vector<double>& scalars) {
  const CudaScope scope(device.id);
  std::vector<Buffer> there;
  std::vector<std::uint64_t> words;  // pointers, integers, scalars: what the text takes by value
  for (auto* array : arrays) {
    const Buffer& buffer = there.emplace_back(memory_of(device), array->size());
    copy(bytes_at(array->data(), array->size(), Device::cpu()),
         bytes_at(buffer.data(), array->size(), device));
    words.push_back(reinterpret_cast<std::uintptr_t>(buffer.data()));
  }
  words.push_back(static_cast<std::uint64_t>(n));
  for (const double scalar : scalars) words.push_back(std::bit_cast<std::uint64_t>(scalar));
  const cuda::Kernel compiled =
      device_kernel(device.id, {.source = to_cuda(kernel), .name = kernel.name, .options = {}});
  void* arguments[] = {words.data()};
  cuda::call(cuda::api().cuLaunchKernel, compiled, 1U, 1U, 1U, 1U, 1U, 1U, 0U, nullptr, arguments,
             nullptr);
  synchronize(device, {});
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    copy(bytes_at(there[i].data(), arrays[i]->size(), device),
         bytes_at(arrays[i]->data(), arrays[i]->size(), Device::cpu()));
  }
  synchronize(device, {});
}

TEST(CodegenProperty, TheInterpreterDoesAsSpecified) {
  const Target target = host_target(HostBackend::interpreter);
  for (const auto& group : groups(4 * kFunctions)) {  // nothing is compiled: these are cheap
    const std::vector<Sample> exact = exact_of(group);
    const Data data = interpreted(exact, target);
    std::vector<std::vector<Number>> outputs(exact.size() * std::size_t(kPoints));
    compare(data, exact, [&](std::size_t s, std::size_t k, std::int64_t i) {
      auto& values = outputs[s * std::size_t(kPoints) + std::size_t(i)];
      if (values.empty()) {
        const PointInputs in(data, exact, s, i);
        const std::int64_t index[] = {i};
        values = expr::evaluate(exact[s].function, {in.elements, in.tensors, in.scalars, index});
      }
      return values[k];
    });
    if (HasFatalFailure()) return;
  }
}

TEST(CodegenProperty, LlvmDoesAsTheInterpreter) {
  const auto target = llvm_target();
  if (!target) GTEST_SKIP() << target.refusal().reason;
  setenv("MATHWRIGHT_CACHE_DIR", "off", 1);  // compiled here, not in an earlier run
  for (const auto& group : groups(kFunctions)) {
    const auto kernel = compile_with_llvm(kernel_of(group, target.value(), "property"));
    ASSERT_TRUE(kernel) << kernel.refusal().reason;
    Data data(group);
    data.run(*kernel.value());
    compare(data, interpreted(group, target.value()), group);
    if (HasFatalFailure()) return;
  }
}

/// One lane: every further one is as much text again.
TEST(CodegenProperty, CTextDoesAsTheInterpreter) {
  if (!lowered::has_c_compiler()) GTEST_SKIP() << "no C compiler";
  const auto all = groups(kFunctions);
  std::vector<Kernel> kernels;
  for (std::size_t g = 0; g < all.size(); ++g) {
    kernels.push_back(kernel_of(all[g], {.lanes = 1}, "k" + std::to_string(g)));
  }
  const CompiledC compiled(kernels, "property");
  for (std::size_t g = 0; g < all.size(); ++g) {
    const auto run = compiled.find(kernels[g].name);
    ASSERT_NE(run, nullptr) << kernels[g].name << " was not compiled";
    Data data(all[g]);
    data.run(run);
    compare(data, interpreted(all[g], {.lanes = 8}), all[g]);
    if (HasFatalFailure()) return;
  }
}

/// On one thread of the device. Its transcendental functions are the vendor's: exact operations
/// only.
TEST(CodegenProperty, CudaTextDoesAsTheInterpreter) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  const Device device = Device::cuda(0);
  for (const auto& group : groups(kFunctions / 5)) {  // NVRTC takes its time
    const std::vector<Sample> exact = exact_of(group);
    if (exact.empty()) continue;
    const Kernel kernel = kernel_of(exact, {.lanes = 1, .device = true}, "property");
    Data data(exact);
    data.run_with([&](const std::vector<std::vector<std::byte>*>& arrays, std::int64_t n,
                      const std::vector<double>& scalars) {
      run_on_device(kernel, device, arrays, n, scalars);
    });
    compare(data, interpreted(exact, {.lanes = 8}), exact);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mw::codegen
