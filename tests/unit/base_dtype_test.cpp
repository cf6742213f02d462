// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <mathwright/dtype.hpp>

#include "base/dlpack_type.hpp"
#include "base/text.hpp"
#include "base/visit.hpp"

namespace mw {
namespace {

constexpr DType kAll[] = {
#define MW_DTYPE(id, ...) DType::id,
#include <mathwright/dtype.def>
#undef MW_DTYPE
};

TEST(DTypeTable, NamesAreUniqueAndLeadBackToTheirRow) {
  std::set<std::string_view> names;

  for (const DType dtype : kAll) {
    names.insert(name(dtype));
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  }

  EXPECT_EQ(names.size(), std::size(kAll));
  EXPECT_EQ(dtype_from_name("float31"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DTypeTable, DlpackTypesAreUniqueAndLeadBackToTheirRow) {
  for (const DType dtype : kAll) EXPECT_EQ(dtype_from_dlpack(dlpack_type(dtype)), dtype);

  EXPECT_EQ(dtype_from_dlpack({.code = 2, .bits = 80, .lanes = 1}), std::nullopt);
  EXPECT_EQ(dtype_from_dlpack({.code = 2, .bits = 32, .lanes = 4}), std::nullopt);
}

TEST(DTypeTable, DlpackBitsTimesLanesAreTheItemSize) {
  for (const DType dtype : kAll) {
    const DlpackType type = dlpack_type(dtype);

    EXPECT_EQ(std::size_t{type.bits} * type.lanes, 8 * itemsize(dtype)) << name(dtype);
  }
}

TEST(DTypeTable, RealAndComplexDtypesAreEachOthersParts) {
  for (const DType dtype : kAll) {
    const DType real = real_dtype(dtype);

    EXPECT_FALSE(is_complex(real)) << name(dtype);
    EXPECT_EQ(real_dtype(real), real) << name(dtype);
    if (!is_complex(dtype)) {
      EXPECT_EQ(real, dtype);
      continue;
    }
    EXPECT_EQ(complex_dtype(real), dtype);
    EXPECT_EQ(itemsize(dtype), 2 * itemsize(real));
  }
  EXPECT_EQ(complex_dtype(DType::int32), std::nullopt);
  EXPECT_EQ(complex_dtype(DType::complex64), std::nullopt);
}

TEST(DTypeTable, CxxTypesHaveTheirOwnSizeAndClass) {
  EXPECT_EQ(itemsize(dtype_of<float>), sizeof(float));
  EXPECT_EQ(itemsize(dtype_of<std::complex<double>>), sizeof(std::complex<double>));
  EXPECT_EQ(itemsize(dtype_of<bool>), sizeof(bool));
  EXPECT_EQ(itemsize(dtype_of<std::uint64_t>), sizeof(std::uint64_t));
  EXPECT_EQ(dtype_class(dtype_of<std::uint16_t>), DTypeClass::natural);
  EXPECT_EQ(dtype_class(dtype_of<std::int8_t>), DTypeClass::integer);
  EXPECT_EQ(dtype_class(dtype_of<bool>), DTypeClass::boolean);
  EXPECT_EQ(dtype_class(DType::bfloat16), DTypeClass::real);
}

TEST(VisitBlas, GivesTheHostTypeOfEachBlasDtype) {
  for (const DType dtype : {DType::float32, DType::float64, DType::complex64, DType::complex128}) {
    const DType seen = visit_blas(dtype, "test", []<class T>(TypeTag<T>) { return dtype_of<T>; });

    EXPECT_EQ(seen, dtype);
  }
}

TEST(VisitBlas, NamesCallerAndDtypeWhenThereIsNoHostType) {
  try {
    visit_blas(DType::bfloat16, "matmul", [](auto) {});
    FAIL() << "an Error was expected";
  } catch (const Error& error) {
    const std::string what = error.what();

    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(what.find("matmul"), std::string::npos) << what;
    EXPECT_NE(what.find("bfloat16"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace mw
