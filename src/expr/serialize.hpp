// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A function as bytes and back, for pickles and files. Operations and dtypes are written by name,
// so that bytes written by one version are read by the next.
#pragma once

#include <string>
#include <string_view>

#include "expr/function.hpp"

namespace mw::expr {

[[nodiscard]] std::string to_bytes(const Function& function);

/// Errors: invalid_argument for bytes that are cut short, damaged, of another format version, or
/// describe no valid function. Whatever comes out is valid.
[[nodiscard]] Function from_bytes(std::string_view bytes);

}  // namespace mw::expr
