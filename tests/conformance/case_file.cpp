// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/case_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "base/text.hpp"

namespace mw::conformance {

namespace {

constexpr const char* kUsage =
    "[--case LINE]... [--candidates NAME,...] [--device cpu|cuda:N] [--threads N] [--time] FILE...";

std::int64_t parse_number(std::string_view text, std::string_view what) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size() && !text.empty(),
          ErrorKind::invalid_argument, what, ": '", text, "' is not a whole number");
  return number;
}

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device::cpu();
  require(text.rfind("cuda", 0) == 0, ErrorKind::invalid_argument, "--device ", text,
          "; cpu, cuda or cuda:N is wanted");
  const auto colon = text.find(':');
  if (colon == std::string::npos) return Device::cuda(0);
  return Device::cuda(static_cast<int>(parse_number(text.substr(colon + 1), "--device")));
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

Dims parse_dims(std::string_view text) {
  Dims dims;
  std::string commas(text);
  std::ranges::replace(commas, 'x', ',');
  for (const auto& part : split(commas)) dims.push_back(parse_number(part, text));
  return dims;
}

Case::Case(std::string line, std::string where) : line_(std::move(line)), where_(std::move(where)) {
  std::istringstream in(line_);
  for (std::string word; in >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      words_.push_back(word);
      continue;
    }
    Entry entry{word.substr(0, equals), word.substr(equals + 1)};
    require(!value(entry.key), ErrorKind::invalid_argument, where_, ": key ", entry.key,
            " is given twice");
    entries_.push_back(std::move(entry));
  }
}

const std::string& Case::word(std::size_t index) const {
  require(index < words_.size(), ErrorKind::invalid_argument, where_, ": word ", index + 1,
          " is missing in: ", line_);
  return words_[index];
}

bool Case::flag(std::string_view name, std::size_t positional) const {
  const auto first =
      words_.begin() + static_cast<std::ptrdiff_t>(std::min(positional, words_.size()));
  return std::find(first, words_.end(), name) != words_.end();
}

std::optional<std::string> Case::value(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.value;
  }
  return std::nullopt;
}

std::optional<Dims> Case::dims(std::string_view key) const {
  const auto given = value(key);
  return given ? std::optional(parse_dims(*given)) : std::nullopt;
}

std::int64_t Case::number(std::string_view key, std::int64_t fallback) const {
  const auto given = value(key);
  return given ? parse_number(*given, key) : fallback;
}

DType Case::dtype(std::size_t index) const {
  const auto found = dtype_from_name(word(index));
  require(found.has_value(), ErrorKind::invalid_argument, where_, ": ", word(index),
          " is not a dtype");
  return *found;
}

void Case::check_known(const std::vector<std::string_view>& keys,
                       const std::vector<std::string_view>& flags, std::size_t positional) const {
  for (const Entry& entry : entries_) {
    require(std::ranges::find(keys, entry.key) != keys.end(), ErrorKind::invalid_argument, where_,
            ": unknown key ", entry.key, "; one of ", keys, " is wanted");
  }
  for (std::size_t i = positional; i < words_.size(); ++i) {
    require(std::ranges::find(flags, words_[i]) != flags.end(), ErrorKind::invalid_argument, where_,
            ": unknown flag ", words_[i], "; one of ", flags, " is wanted");
  }
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  require(in.good(), ErrorKind::not_found, "case file ", path, " cannot be read");
  std::vector<Case> cases;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    cases.emplace_back(line, text(path, ":", number));
  }
  return cases;
}

std::string CommandLine::rerun(const Case& one, std::string_view candidate) const {
  return text(program, candidate.empty() ? "" : text(" --candidates ", candidate), " --device ",
              device, threads > 0 ? text(" --threads ", threads) : "", " --case '", one.line(),
              "'");
}

CommandLine parse_command_line(int count, char** arguments) {
  CommandLine line{
      .program = arguments[0], .cases = {}, .candidates = {}, .device = {}, .time = false};
  int at = 1;
  const auto next = [&](const std::string& option) -> std::string {
    require(at + 1 < count, ErrorKind::invalid_argument, option,
            " lacks its value\nusage: ", line.program, " ", kUsage);
    return arguments[++at];
  };
  for (; at < count; ++at) {
    const std::string word = arguments[at];
    if (word == "--time") {
      line.time = true;
    } else if (word == "--case") {
      line.cases.emplace_back(next(word), "command line");
    } else if (word == "--candidates") {
      line.candidates = split(next(word));
    } else if (word == "--device") {
      line.device = parse_device(next(word));
    } else if (word == "--threads") {
      line.threads = static_cast<int>(parse_number(next(word), word));
    } else {
      require(word.rfind("--", 0) != 0, ErrorKind::invalid_argument, "unknown option ", word,
              "\nusage: ", line.program, " ", kUsage);
      for (auto& one : read_cases(word)) line.cases.push_back(std::move(one));
    }
  }
  require(!line.cases.empty(), ErrorKind::invalid_argument, "no cases\nusage: ", line.program, " ",
          kUsage);
  return line;
}

}  // namespace mw::conformance
