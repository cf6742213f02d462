// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What this machine offers, as the library sees it.
#pragma once

#include <string>

#include <mathwright/export.hpp>

namespace mw {

/// A page of text: version, host, devices, every library found or not found with the places looked
/// in, and which implementation a small and a large problem of each operation would take.
[[nodiscard]] MW_API std::string info();

/// The same and the table of environment variables, as a JSON object.
[[nodiscard]] MW_API std::string info_json();

}  // namespace mw
