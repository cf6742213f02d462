// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the text of a kernel needs before it: casts of bits, and the narrow float types it touches.
#pragma once

#include <set>
#include <string>

#include <mathwright/dtype.hpp>

namespace mw::codegen {

enum class Dialect : std::uint8_t { c, cuda };

/// Declarations and helper functions; `narrow` lists the narrow float types that appear.
[[nodiscard]] std::string prelude(Dialect dialect, const std::set<DType>& narrow);

/// "float", "int64_t", …: of a value type, or of a narrow float's code.
[[nodiscard]] std::string_view c_type(DType dtype);

}  // namespace mw::codegen
