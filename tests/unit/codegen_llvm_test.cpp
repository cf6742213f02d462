// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm_library.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include <mathwright/error.hpp>

#include "unit/random_kernel.hpp"

namespace mw::codegen {

namespace {

#define SKIP_WITHOUT_LLVM() \
  if (const auto target = llvm_target(); !target) GTEST_SKIP() << target.refusal().reason

/// y = x·scale, in a loop with a remainder.
Kernel scaled(int lanes, DType dtype = DType::float32, bool stream = false) {
  Target target;
  target.lanes = lanes;
  Builder b("scaled", target);
  const int x = b.pointer("x"), y = b.pointer("y");
  const Value n = b.integer("n"), scale = b.convert(b.scalar("scale"), DType::float32);
  const Value i = b.begin_for(b.constant_integer(0), n, b.constant_integer(lanes));
  const Value count = b.sub(n, i);
  const Value v = b.load({.pointer = x, .memory = dtype, .offset = i, .count = count}, true);
  b.store({.pointer = y, .memory = dtype, .offset = i, .count = count}, b.mul(v, scale), stream);
  b.end_for();
  return b.finish();
}

std::vector<float> run_scaled(const HostKernel& kernel, std::vector<float> x, double scale) {
  std::vector<float> y(x.size() + 1, -1.F);
  void* pointers[] = {x.data(), y.data()};
  const std::int64_t integers[] = {static_cast<std::int64_t>(x.size())};
  kernel.run(pointers, integers, &scale);
  EXPECT_EQ(y.back(), -1.F) << "wrote beyond the end";
  y.pop_back();
  return y;
}

HostKernelPtr compiled(const Kernel& kernel) {
  auto out = compile_with_llvm(kernel);
  EXPECT_TRUE(out) << out.refusal().reason;
  out.value()->prepare();
  return out.value();
}

/// Every kernel compiled here, none from an earlier run.
class CodegenLlvm : public testing::Test {
 protected:
  void SetUp() override { setenv("MATHWRIGHT_CACHE_DIR", "off", 1); }
};

TEST_F(CodegenLlvm, AgreesWithTheInterpreterBitForBit) {
  SKIP_WITHOUT_LLVM();
  const int natural = llvm_target().value().lanes;
  const std::array lanes = {natural, 2 * natural, 1, 4};
  for (unsigned seed = 0; seed < 32; ++seed) {
    const test::RandomKernel random(seed, lanes[seed % lanes.size()]);
    const auto ours = compiled(random.kernel());
    const auto oracle = interpret(random.kernel(), "oracle");
    for (const std::int64_t n : {0, 1, 7, 8, 45}) {
      const auto got = test::RandomKernel::run(*ours, n);
      const auto wanted = test::RandomKernel::run(*oracle, n);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const DType type = test::kMemoryTypes[k];
        for (std::size_t at = 0; at < got[k].size(); at += itemsize(type))
          ASSERT_TRUE(test::RandomKernel::agree(type, &got[k][at], &wanted[k][at]))
              << "seed " << seed << ", n " << n << ", output " << name(type) << " element "
              << at / itemsize(type) << "\n"
              << to_text(random.kernel());
      }
    }
  }
}

TEST_F(CodegenLlvm, StreamsToAnyAddress) {
  SKIP_WITHOUT_LLVM();
  const auto kernel = compiled(scaled(llvm_target().value().lanes, DType::float32, true));
  alignas(64) float x[64], y[64 + 1];
  std::ranges::fill(x, 2.F);

  for (const int shift : {0, 1, 3, 8}) {
    std::ranges::fill(y, 0.F);
    void* pointers[] = {x, y + shift};
    const std::int64_t integers[] = {40};
    const double scale = 3;
    kernel->run(pointers, integers, &scale);
    for (int k = 0; k < 64; ++k)
      ASSERT_EQ(y[k], k >= shift && k < shift + 40 ? 6.F : 0.F) << k << ", shifted by " << shift;
  }
}

TEST_F(CodegenLlvm, SaysWhatItDid) {
  SKIP_WITHOUT_LLVM();
  const auto kernel = compiled(scaled(8));
  EXPECT_NE(kernel->describe().find("LLVM "), std::string::npos) << kernel->describe();
  EXPECT_EQ(kernel->kernel().name, "scaled");
  const auto assembly = llvm_text(scaled(8), LlvmText::assembly);
  ASSERT_TRUE(assembly);
  EXPECT_NE(assembly.value().find("scaled:"), std::string::npos) << assembly.value();
}

TEST_F(CodegenLlvm, TakesCodeFromTheDiskCache) {
  SKIP_WITHOUT_LLVM();
  char folder[] = "/tmp/mw_llvm_XXXXXX";
  setenv("MATHWRIGHT_CACHE_DIR", mkdtemp(folder), 1);
  const auto first = compiled(scaled(8)), second = compiled(scaled(8)), other = compiled(scaled(4));
  EXPECT_NE(first->describe().find("compiled in"), std::string::npos) << first->describe();
  EXPECT_NE(second->describe().find("disk cache"), std::string::npos) << second->describe();
  EXPECT_NE(other->describe().find("compiled in"), std::string::npos) << other->describe();
  EXPECT_EQ(run_scaled(*second, {1, 2, 3}, 2), (std::vector<float>{2, 4, 6}));
  std::filesystem::remove_all(folder);
}

TEST_F(CodegenLlvm, NothingIsCompiledBeforeItIsPreparedOrRun) {
  SKIP_WITHOUT_LLVM();
  const auto prepared = compile_with_llvm(scaled(8)).value();
  const auto run = compile_with_llvm(scaled(8)).value();
  EXPECT_NE(run->describe().find("not compiled"), std::string::npos) << run->describe();
  prepared->prepare();
  EXPECT_NE(prepared->describe().find("compiled in"), std::string::npos) << prepared->describe();
  EXPECT_EQ(run_scaled(*run, {1, 2, 3}, 2), (std::vector<float>{2, 4, 6}));
  EXPECT_NE(run->describe().find("compiled in"), std::string::npos) << run->describe();
}

TEST_F(CodegenLlvm, ThreadsRunTheSameForTheFirstTime) {
  SKIP_WITHOUT_LLVM();
  const auto kernel = compile_with_llvm(scaled(8)).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&kernel, t] {
      const std::vector<float> x(13, static_cast<float>(t));
      ASSERT_EQ(run_scaled(*kernel, x, 2), std::vector<float>(13, 2.F * static_cast<float>(t)));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(CodegenLlvm, ThreadsCompileRunAndFreeAtOnce) {
  SKIP_WITHOUT_LLVM();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int k = 0; k < 4; ++k) {
        const auto kernel = compiled(scaled(4 << (k % 2)));
        const std::vector<float> x(13, static_cast<float>(t));
        ASSERT_EQ(run_scaled(*kernel, x, 2), std::vector<float>(13, 2.F * static_cast<float>(t)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(CodegenLlvm, GoesOnInAForkedChild) {
  SKIP_WITHOUT_LLVM();
  const auto before = compiled(scaled(4));
  const pid_t child = fork();
  if (child == 0) {
    const auto after = compile_with_llvm(scaled(16));
    const bool right = after && run_scaled(*before, {1, 2, 3}, 2) == std::vector<float>{2, 4, 6} &&
                       run_scaled(*after.value(), {1, 2, 3}, 2) == std::vector<float>{2, 4, 6};
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// In a process of its own, since the library is opened once.
class CodegenLlvmDeathTest : public testing::Test {
 protected:
  static void open_and_exit(const char* library) {
    setenv("MATHWRIGHT_LLVM_LIBRARY", library, 1);
    const auto target = llvm_target();
    fprintf(stderr, "%s", target ? "opened" : target.refusal().reason.c_str());
    exit(target ? 1 : 0);
  }
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CodegenLlvmDeathTest, AbsentSaysWhereItLookedAndWhatToDo) {
  EXPECT_EXIT(open_and_exit("/nonexistent"), testing::ExitedWithCode(0),
              "/nonexistent: not there.*[\n].*Remedy: install LLVM");
}

TEST_F(CodegenLlvmDeathTest, DamagedIsRefused) {
  char file[] = "/tmp/mw_llvm_XXXXXX";
  const int fd = mkstemp(file);
  ASSERT_EQ(write(fd, "\177ELF", 4), 4);
  close(fd);
  EXPECT_EXIT(open_and_exit(file), testing::ExitedWithCode(0), "too short|invalid");
  unlink(file);
}

TEST_F(CodegenLlvmDeathTest, AnotherLibraryIsRefused) {
  EXPECT_EXIT(open_and_exit("libm.so.6"), testing::ExitedWithCode(0), "is another library");
}

}  // namespace

}  // namespace mw::codegen
