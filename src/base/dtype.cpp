// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <mathwright/dtype.hpp>

#include <array>

#include "base/dlpack_type.hpp"

namespace mw {

namespace {

struct Row {
  std::string_view name;
  std::size_t bits;
  DTypeClass kind;
  DType real;
  DlpackType dlpack;
};

constexpr std::array kRows = {
#define MW_DTYPE(id, text, bits, kind, real, code, dl_bits, lanes) \
  Row{text, bits, DTypeClass::kind, DType::real, DlpackType{code, dl_bits, lanes}},
#include <mathwright/dtype.def>
#undef MW_DTYPE
};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

template <class Predicate>
std::optional<DType> find_row(Predicate matches) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (matches(kRows[i])) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  return find_row([&](const Row& r) { return r.name == name; });
}

std::size_t itemsize(DType dtype) { return row(dtype).bits / 8; }

DTypeClass dtype_class(DType dtype) { return row(dtype).kind; }

DType real_dtype(DType dtype) { return row(dtype).real; }

std::optional<DType> complex_dtype(DType dtype) {
  return find_row([&](const Row& r) { return r.kind == DTypeClass::complex && r.real == dtype; });
}

DlpackType dlpack_type(DType dtype) { return row(dtype).dlpack; }

std::optional<DType> dtype_from_dlpack(DlpackType type) {
  return find_row([&](const Row& r) { return r.dlpack == type; });
}

}  // namespace mw
