// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Tables of functions: what a missing function does, and how a table is filled.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "dl/symbol_table.hpp"

namespace mw::dl {
namespace {

// Rows as an api.def would have them, over functions every process has.
struct Good {
  Function<double(double), "cos"> cos;
  Function<int(int), "mw_no_such_function"> newer;

  template <class Visit>
  void for_each(Visit&& visit) {
    visit(cos, 0);
    visit(newer, 13000);
  }
};

struct Incomplete : Good {
  template <class Visit>
  void for_each(Visit&& visit) {
    visit(cos, 0);
    visit(newer, 0);
  }
};

const auto same = [](const char* name) { return std::string(name); };

// The process itself, whose symbols dlsym(nullptr, …) finds.
Library process() { return Library(nullptr, "the process", "for a test"); }

TEST(SymbolTable, AFunctionThatIsThereIsCalled) {
  Good api;

  const auto refusal = bind_all(api, process(), "libm", same);

  ASSERT_FALSE(refusal) << refusal->reason;
  EXPECT_TRUE(api.cos);
  EXPECT_EQ(api.cos(0.0), 1.0);
}

TEST(SymbolTable, CallingAnAbsentFunctionThrowsAnErrorThatNamesIt) {
  Good api;
  ASSERT_FALSE(bind_all(api, process(), "libm", same));

  EXPECT_FALSE(api.newer);
  try {
    (void)api.newer(1);
    FAIL() << "the call returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("mw_no_such_function"), std::string::npos);
  }
}

TEST(SymbolTable, ATableNeverFilledExplainsItselfToo) {
  const Good api;

  EXPECT_THROW((void)api.cos(0.0), Error);
}

TEST(SymbolTable, ALibraryWithoutABaselineFunctionIsRefusedByThatName) {
  Incomplete api;

  const auto refusal = bind_all(api, process(), "libm", same);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->who, "libm");
  EXPECT_NE(refusal->reason.find("mw_no_such_function"), std::string::npos);
  EXPECT_NE(refusal->reason.find("the process"), std::string::npos);
}

TEST(SymbolTable, NamesAreDecoratedOnTheWay) {
  Good api;

  (void)bind_all(api, process(), "libm", [](const char* name) { return std::string(name) + "h"; });

  EXPECT_EQ(api.cos(1.0), std::cosh(1.0));
}

TEST(SymbolTable, AFunctionIsAsLargeAsItsPointer) {
  EXPECT_EQ(sizeof(Function<double(double), "cos">), sizeof(void*));
}

TEST(SymbolTable, AReplacedTableIsServedAndTakenBack) {
  LazyTable<Incomplete> table(LibraryId::nvpl_fftw);
  const Incomplete fake;

  table.replace(&fake);
  const auto loaded = table.load();

  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded.value(), &fake);
  EXPECT_EQ(&table.get(), &fake);
}

}  // namespace
}  // namespace mw::dl
