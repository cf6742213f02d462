// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <array>
#include <cstdio>

namespace mw {

namespace {

struct Unit {
  double size;
  const char* format;
};

// The largest unit not above the value; the last row takes whatever is left.
std::string in_units(double value, const Unit* first, const Unit* last) {
  while (first + 1 != last && value < first->size) ++first;
  std::array<char, 48> out{};
  std::snprintf(out.data(), out.size(), first->format, value / first->size);
  return out.data();
}

}  // namespace

std::string human_bytes(double bytes) {
  static constexpr std::array<Unit, 5> kUnits{{{0x1p40, "%.1f TiB"},
                                               {0x1p30, "%.1f GiB"},
                                               {0x1p20, "%.1f MiB"},
                                               {0x1p10, "%.1f KiB"},
                                               {1, "%.0f B"}}};
  return in_units(bytes, kUnits.data(), kUnits.data() + kUnits.size());
}

std::string human_seconds(double seconds) {
  static constexpr std::array<Unit, 4> kUnits{
      {{1, "%.2f s"}, {1e-3, "%.2f ms"}, {1e-6, "%.2f µs"}, {1e-9, "%.0f ns"}}};
  return in_units(seconds, kUnits.data(), kUnits.data() + kUnits.size());
}

}  // namespace mw
