// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The element type as DLPack writes it, for the boundary that speaks DLPack.
#pragma once

#include <cstdint>
#include <optional>

#include <mathwright/dtype.hpp>

namespace mw {

struct DlpackType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
  bool operator==(const DlpackType&) const = default;
};

[[nodiscard]] MW_API DlpackType dlpack_type(DType dtype);
/// Nothing when no row of the dtype table has this DLPack type.
[[nodiscard]] MW_API std::optional<DType> dtype_from_dlpack(DlpackType type);

}  // namespace mw
