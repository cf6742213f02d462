// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A pass with its arrays, run by a back end and by plain loops.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "base/layout.hpp"
#include "codegen/pass.hpp"
#include "expr/builder.hpp"
#include "ops/fuse/problem.hpp"
#include "ops/fuse/reference.hpp"

namespace mw::codegen::pass_test {

/// Memory of one array; guard bytes around it must stay as they are.
struct Array {
  DType dtype = DType::float32;
  Dims strides;
  std::vector<unsigned char> bytes;
  std::int64_t first = 0;  ///< byte of element (0, …, 0)

  [[nodiscard]] unsigned char* data() { return bytes.data() + first; }
  [[nodiscard]] float f32(std::int64_t element) const {
    float value;
    std::memcpy(&value, bytes.data() + first + 4 * element, 4);
    return value;
  }
  void set_f32(std::int64_t element, float value) {
    std::memcpy(bytes.data() + first + 4 * element, &value, 4);
  }
};

class Case {
 public:
  explicit Case(Dims extents) : shape(std::move(extents)) {}

  expr::Builder f;
  Dims shape;
  std::vector<Array> arrays;
  std::vector<std::complex<double>> scalars;

  /// Another input in C order, or with these strides, filled with small numbers.
  Case& dense(DType dtype) { return strided(dtype, contiguous_strides(shape)); }
  Case& strided(DType dtype, const Dims& strides) {
    add(dtype, strides);
    Array& array = arrays.back();
    const auto size = static_cast<std::int64_t>(itemsize(dtype));
    for (std::int64_t at = array.first % size; at + size <= std::ssize(array.bytes); at += size) {
      store(array.bytes.data() + at, number(dtype));
    }
    return *this;
  }

  /// The next output, in C order or with these strides (of an output that is not reduced).
  Case& out(const Dims& strides = {}) {
    const auto& function = f.function();
    const auto& output = function.outputs[arrays.size() - function.tensors.size()];
    const auto& node = f.node({output.node});
    Dims kept = shape;
    if (expr::is_reduction(node.op)) {
      const auto reduced = reduced_axes(node, shape.size());
      for (std::size_t d = 0; d < shape.size(); ++d) kept[d] = reduced[d] ? 1 : shape[d];
    }
    Dims steps = strides.empty() ? contiguous_strides(kept) : strides;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (kept[d] != shape[d] || (kept[d] == 1 && expr::is_reduction(node.op))) steps[d] = 0;
    }
    add(output.dtype, steps);
    return *this;
  }

  /// Moves the outputs by some elements, off the alignment of their blocks.
  void shift_outputs(std::int64_t elements) {
    for (std::size_t k = f.function().tensors.size(); k < arrays.size(); ++k) {
      arrays[k].first += elements * static_cast<std::int64_t>(itemsize(arrays[k].dtype));
    }
  }

  [[nodiscard]] PassProblem problem() {
    if (!function_) function_ = std::make_shared<const expr::Function>(f.finish());
    PassProblem problem{.function = function_, .shape = shape, .arrays = {}};
    for (const auto& array : arrays) problem.arrays.push_back({array.dtype, array.strides, 1});
    return problem;
  }

  [[nodiscard]] std::vector<void*> addresses() {
    std::vector<void*> list;
    for (auto& array : arrays) list.push_back(array.data());
    return list;
  }

  void run(HostBackend backend, int threads) {
    const PassPtr pass = make_host_pass(problem(), threads, backend);
    std::vector<std::byte> workspace(pass->workspace_bytes() + 64);
    const auto list = addresses();
    pass->run(call(list, workspace));
  }

  void run_parts(HostBackend backend, const std::vector<PassPart>& parts) {
    const PassPtr pass = make_host_pass(problem(), 2, backend);
    std::vector<std::byte> workspace(pass->workspace_bytes() + 64);
    const auto list = addresses();
    const PassCall made = call(list, workspace);
    pass->start(made);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      pass->run_part(made, parts[i], static_cast<int>(i % 2));
    }
    pass->finish(made);
  }

  void run_reference() {
    const auto list = addresses();
    const PassProblem made = problem();
    fuse_impl::run_reference(made,
                             {.arrays = list.data(), .scalars = scalars.data(), .stream = {}});
  }

 private:
  static constexpr std::int64_t kGuard = 128;

  PassCall call(const std::vector<void*>& list, std::vector<std::byte>& workspace) const {
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    return {.arrays = list.data(),
            .scalars = scalars.data(),
            .workspace = workspace.data() + (64 - address % 64) % 64,
            .stream = {}};
  }

  void add(DType dtype, const Dims& strides) {
    const auto [low, high] = offset_range(shape, strides);
    const auto size = static_cast<std::int64_t>(itemsize(dtype));
    Array array{.dtype = dtype, .strides = strides, .bytes = {}};
    array.first = kGuard - low * size;
    array.bytes.assign(static_cast<std::size_t>((high - low + 1) * size + 2 * kGuard), 0xA5);
    arrays.push_back(std::move(array));
  }

  expr::Number number(DType dtype) {
    const auto draw = [&] { return std::uniform_int_distribution<int>(-8, 8)(random_); };
    switch (dtype_class(dtype)) {
      case DTypeClass::boolean: return expr::Number::of_integer(draw() > 0 ? 1 : 0, dtype);
      case DTypeClass::integer: return expr::Number::of_integer(draw(), dtype);
      case DTypeClass::natural: return expr::Number::of_integer(std::abs(draw()), dtype);
      case DTypeClass::real: return expr::Number::of_real(draw() * 0.25, dtype);
      default: return expr::Number::of_complex({draw() * 0.25, draw() * 0.25}, dtype);
    }
  }

  std::mt19937 random_{7};
  expr::FunctionPtr function_;
};

class PassTest : public testing::TestWithParam<HostBackend> {
 protected:
  void SetUp() override {
    if (GetParam() == HostBackend::llvm && !llvm_version()) {
      GTEST_SKIP() << llvm_version().refusal().reason;
    }
  }

  static void check(Case& c) {
    Case expected = c;
    expected.run_reference();
    for (const int threads : {1, 2}) {
      Case got = c;
      got.run(GetParam(), threads);
      compare(got, expected);
      if (HasFailure()) return;
    }
  }

  static void check_parts(Case& c, const std::vector<PassPart>& parts) {
    Case expected = c;
    Case got = c;
    expected.run_reference();
    got.run_parts(GetParam(), parts);
    compare(got, expected);
  }

  /// For arrays too large for the plain loops: what element i of the output must be.
  static void check_by_bytes(Case& c,
                             const std::function<float(const Case&, std::int64_t)>& expected) {
    const auto guard = c.arrays.back().bytes;
    c.run(GetParam(), 2);
    Array& out = c.arrays.back();
    std::int64_t wrong = 0;
    const std::int64_t count = c.shape[0];
    for (std::int64_t i = 0; i < count; ++i) wrong += out.f32(i) != expected(c, i) ? 1 : 0;
    EXPECT_EQ(wrong, 0);
    const auto begin = static_cast<std::size_t>(out.first);
    const std::size_t end = begin + 4 * static_cast<std::size_t>(count);
    EXPECT_TRUE(std::equal(guard.begin(), guard.begin() + out.first, out.bytes.begin()));
    EXPECT_TRUE(std::equal(guard.begin() + static_cast<std::ptrdiff_t>(end), guard.end(),
                           out.bytes.begin() + static_cast<std::ptrdiff_t>(end)));
  }

 private:
  static bool close(const expr::Number& a, const expr::Number& b) {
    if (identical(a, b)) return true;
    if (dtype_class(a.dtype) < DTypeClass::real) return false;
    const auto near = [](double x, double y) {
      return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 4e-6 * std::abs(y);
    };
    return near(a.real, b.real) && near(a.imag, b.imag);
  }

  /// Every element, and every byte between and around them.
  static void compare(const Case& got, const Case& expected) {
    for (std::size_t k = 0; k < got.arrays.size(); ++k) {
      const Array& a = got.arrays[k];
      const Array& b = expected.arrays[k];
      const auto size = static_cast<std::int64_t>(itemsize(a.dtype));
      for (std::int64_t at = a.first % size; at + size <= std::ssize(a.bytes); at += size) {
        const auto* x = a.bytes.data() + at;
        const auto* y = b.bytes.data() + at;
        if (std::memcmp(x, y, static_cast<std::size_t>(size)) == 0) continue;
        const auto number = expr::load(x, a.dtype), wanted = expr::load(y, a.dtype);
        if (close(number, wanted)) continue;
        FAIL() << "array " << k << " of " << name(a.dtype) << ", strides " << text(a.strides)
               << ", element " << (at - a.first) / size << " of shape " << text(got.shape) << ": "
               << number.real << " " << number.imag << " " << number.integer << ", wanted "
               << wanted.real << " " << wanted.imag << " " << wanted.integer;
      }
    }
  }
};

}  // namespace mw::codegen::pass_test
