// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/pass_arguments.hpp"

namespace mw::codegen {

PassArguments declare_arguments(Builder& b, const PassForm& form) {
  PassArguments a;
  const std::size_t count = form.operands();
  a.outer.resize(count);
  for (auto* values : {&a.base, &a.inner, &a.row_stride, &a.column_stride}) values->resize(count);
  for (std::size_t d = 0; d < form.rank; ++d) a.extent.push_back(b.integer("extent"));
  for (std::size_t k = 0; k < count; ++k) {
    if (form.is_number(k) && form.reach[k] != Reach::unused) a.base[k] = b.integer("base");
  }
  if (form.flat) {
    a.column = b.integer("first column");
    a.row = b.integer("first row");
    a.period = b.integer("columns");
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Reach reach = form.reach[k];
    if (reach == Reach::unused) continue;
    for (std::size_t d = 0; d + 1 < form.rank; ++d) a.outer[k].push_back(b.integer("stride"));
    if (reach == Reach::strided) a.inner[k] = b.integer("stride");
    if (reach != Reach::gathered) continue;
    a.row_stride[k] = b.integer("row stride");
    a.column_stride[k] = b.integer("column stride");
  }
  return a;
}

}  // namespace mw::codegen
