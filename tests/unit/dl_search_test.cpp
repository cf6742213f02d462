// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The search for libraries: order of the places, which copy wins, what a failure says.
//
// A library is opened once per process, so each test works in a fresh one (EXPECT_EXIT starts it)
// with an environment and folders of its own. The libraries in those folders are copies of a small
// system library under other names: only where a file is found matters here.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dl/library.hpp"
#include "dl/search.hpp"

namespace mw::dl {
namespace {

namespace fs = std::filesystem;

// Any small shared library of this process that can be copied.
fs::path small_library() {
  fs::path smallest;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& best = *static_cast<fs::path*>(out);
        std::error_code error;
        const fs::path file(info->dlpi_name);
        if (file.string().find("libgcc_s") != std::string::npos && fs::exists(file, error))
          best = file;
        return 0;
      },
      &smallest);
  return smallest;
}

class DlSearch : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (small_library().empty()) GTEST_SKIP() << "libgcc_s is not loaded: nothing to copy";
    // Named after the test, not the process: the process of the death test sets up the same folder.
    root_ = fs::temp_directory_path() / "mathwright_dl_search" /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(root_);
    for (const char* name : kVariables) {
      const char* value = std::getenv(name);
      saved_.push_back(value != nullptr ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
    // The loader reads this one when a process starts; the process of the death test inherits it.
    setenv("LD_LIBRARY_PATH", (root_ / "system").c_str(), 1);
  }
  void TearDown() override {
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      if (saved_[i])
        setenv(kVariables[i], saved_[i]->c_str(), 1);
      else
        unsetenv(kVariables[i]);
    }
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  fs::path place(const fs::path& file) const {
    const fs::path target = root_ / file;
    fs::create_directories(target.parent_path());
    fs::copy_file(small_library(), target, fs::copy_options::skip_existing);
    return target;
  }

  static constexpr const char* kVariables[] = {
      "MATHWRIGHT_WHEEL_PATH", "MATHWRIGHT_BLAS_LIBRARY", "CUDA_PATH", "CUDA_HOME",
      "CONDA_PREFIX",          "LD_LIBRARY_PATH"};
  std::vector<std::optional<std::string>> saved_;
  fs::path root_;
};

// For the process of a death test: prints what differs and ends with 0 or 1.
[[noreturn]] void end(bool good, const std::string& seen) {
  if (!good) std::cerr << "seen: " << seen << '\n';
  std::_Exit(good ? 0 : 1);
}

[[noreturn]] void expect_found(LibraryId id, const fs::path& file, std::string_view how) {
  const auto library = open(id);
  if (!library) end(false, library.refusal().reason);
  const bool right =
      library.value()->path() == fs::canonical(file) && library.value()->how() == how;
  end(right, library.value()->path() + " (" + library.value()->how() + ")");
}

TEST_F(DlSearch, WheelWinsOverADecoyOnTheLibraryPath) {
  const fs::path wheel = place("site/scipy_openblas64/lib/libscipy_openblas64_.so");
  place("system/libscipy_openblas64_.so");
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::scipy_openblas, wheel, "wheel"), testing::ExitedWithCode(0),
              "");
}

TEST_F(DlSearch, NumpysOwnCopyIsFoundByItsPattern) {
  const fs::path bundled = place("site/numpy.libs/libscipy_openblas64_-0123abcd.so");
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::scipy_openblas, bundled, "wheel"), testing::ExitedWithCode(0),
              "");
}

TEST_F(DlSearch, WhatIsLoadedWinsOverAWheelForCudaLibraries) {
  const fs::path loaded = place("system/libcufft.so.11");
  place("site/nvidia/cu13/lib/libcufft.so.12");
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);

  EXPECT_EXIT(
      {
        if (dlopen("libcufft.so.11", RTLD_LAZY) == nullptr) end(false, dlerror());
        expect_found(LibraryId::cufft, loaded, "already loaded in this process");
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, WheelWinsOverTheToolkit) {
  const fs::path wheel = place("site/nvidia/cufft/lib/libcufft.so.12");
  place("toolkit/lib64/libcufft.so.12");
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);
  setenv("CUDA_PATH", (root_ / "toolkit").c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::cufft, wheel, "wheel"), testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, CudaPathWinsOverCudaHomeCondaAndSystem) {
  const fs::path toolkit = place("toolkit/lib64/libcufft.so.12");
  place("home/lib64/libcufft.so.12");
  place("conda/lib/libcufft.so.12");
  place("system/libcufft.so.12");
  setenv("CUDA_PATH", (root_ / "toolkit").c_str(), 1);
  setenv("CUDA_HOME", (root_ / "home").c_str(), 1);
  setenv("CONDA_PREFIX", (root_ / "conda").c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::cufft, toolkit, "CUDA_PATH"), testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, CondaWinsOverTheSystem) {
  const fs::path conda = place("conda/lib/libcufft.so.12");
  place("system/libcufft.so.12");
  setenv("CONDA_PREFIX", (root_ / "conda").c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::cufft, conda, "CONDA_PREFIX"), testing::ExitedWithCode(0),
              "");
}

TEST_F(DlSearch, TheSystemLoaderIsAskedWhenNothingElseHasIt) {
  const fs::path system = place("system/libnvpl_fftw.so.0");

  EXPECT_EXIT(
      expect_found(LibraryId::nvpl_fftw, system, "system loader (LD_LIBRARY_PATH, ld.so.conf)"),
      testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, TheVariableWinsAndIsNamed) {
  const fs::path named = place("elsewhere/my_blas.so");
  setenv("MATHWRIGHT_BLAS_LIBRARY", named.c_str(), 1);

  EXPECT_EXIT(expect_found(LibraryId::blas_override, named, "named by MATHWRIGHT_BLAS_LIBRARY"),
              testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, AFailureListsEveryPlaceAndTheRemedy) {
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);
  setenv("CONDA_PREFIX", (root_ / "conda").c_str(), 1);

  EXPECT_EXIT(
      {
        const auto library = open(LibraryId::nvpl_fftw);
        if (library) end(false, "found at " + library.value()->path());
        const std::string& reason = library.refusal().reason;
        for (const std::string& wanted :
             {std::string("libnvpl_fftw.so.0"), "wheel " + (root_ / "site/nvpl/lib").string(),
              "CONDA_PREFIX " + (root_ / "conda/lib").string(), std::string("system loader"),
              std::string("apt install nvpl-fft")})
          if (reason.find(wanted) == std::string::npos)
            end(false, wanted + " is not in: " + reason);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, AnUnreadableFileIsReportedWithTheLoadersReason) {
  const fs::path broken = root_ / "site/nvpl/lib/libnvpl_fftw.so.0";
  fs::create_directories(broken.parent_path());
  fs::resize_file((std::ofstream(broken), broken), 100);
  setenv("MATHWRIGHT_WHEEL_PATH", (root_ / "site").c_str(), 1);

  EXPECT_EXIT(
      {
        const auto library = open(LibraryId::nvpl_fftw);
        const std::string reason = library ? "opened" : library.refusal().reason;
        end(reason.find(broken.string()) != std::string::npos &&
                reason.find("ELF") != std::string::npos,
            reason);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, NewWheelRootsMakeARefusedLibraryFindable) {
  const fs::path wheel = place("late/nvpl/lib/libnvpl_fftw.so.0");

  EXPECT_EXIT(
      {
        if (open(LibraryId::nvpl_fftw)) end(false, "found too early");
        set_wheel_roots({(root_ / "late").string()});
        expect_found(LibraryId::nvpl_fftw, wheel, "wheel");
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DlSearch, FilesMatchingTakesOneStarAndSorts) {
  place("folder/libx-b.so");
  place("folder/libx-a.so");
  place("folder/liby.so");
  const std::string folder = (root_ / "folder").string();

  const auto files = files_matching(folder, "libx-*.so");

  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], folder + "/libx-a.so");
  EXPECT_EQ(files[1], folder + "/libx-b.so");
  EXPECT_TRUE(files_matching(folder, "libz.so").empty());
  EXPECT_TRUE(files_matching(folder + "/absent", "lib*").empty());
}

TEST(DlReport, NamesEveryLibraryAndTellsFoundFromMissing) {
  const auto rows = report();

  ASSERT_EQ(rows.size(), kLibraryCount);
  for (const LibraryReport& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.hint.empty());
    if (row.found) {
      EXPECT_TRUE(fs::exists(row.path)) << row.path;
      EXPECT_FALSE(row.how.empty());
    } else {
      EXPECT_FALSE(row.looked.empty());
    }
  }
}

}  // namespace
}  // namespace mw::dl
