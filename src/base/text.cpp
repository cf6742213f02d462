// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

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

namespace text_detail {

namespace {
template <class T, class... Format>
void append(std::string& out, T value, Format... format) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, format...).ptr;
  out.append(digits.data(), end);
}
}  // namespace

void put_number(std::string& out, long long value) { append(out, value); }
void put_number(std::string& out, unsigned long long value) { append(out, value); }
void put_number(std::string& out, double value) {
  append(out, value, std::chars_format::general, 6);
}

}  // namespace text_detail

std::vector<std::string> split(std::string_view whole, std::string_view separators) {
  std::vector<std::string> parts;
  while (true) {
    const auto begin = whole.find_first_not_of(separators);
    if (begin == std::string_view::npos) return parts;
    const auto end = std::min(whole.find_first_of(separators, begin), whole.size());
    parts.emplace_back(whole.substr(begin, end - begin));
    whole.remove_prefix(end);
  }
}

std::string file_text(const std::string& path) {
  std::string contents;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::array<char, 4096> block{};
  while (file) {
    const std::size_t read = std::fread(block.data(), 1, block.size(), file.get());
    if (read == 0) break;
    contents.append(block.data(), read);
  }
  return contents;
}

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
