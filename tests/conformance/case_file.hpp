// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Case files: one case a line, shared by the conformance tests and the benchmarks.
//
//   # comment
//   c2c complex64 shape=8x6x4 axes=1,2 strides=24,-4,1 inplace
//
// A line is words: values by position ("c2c", "complex64"), values by key ("shape=8x6x4"), and
// flags
// ("inplace"). What the words mean is the driver's business; here they are only told apart. Every
// driver takes the same command line:
//
//   driver [--case LINE]… [--candidates NAME,…] [--device cpu|cuda:N] [--threads N] [--time] FILE…
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mathwright/device.hpp>
#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>

namespace mw::conformance {

class Case {
 public:
  /// Errors: invalid_argument for a key given twice.
  Case(std::string line, std::string where);

  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] const std::string& where() const { return where_; }  ///< "file:number"

  /// The i-th word without a '='. Errors: invalid_argument if there are fewer.
  [[nodiscard]] const std::string& word(std::size_t index) const;
  /// Whether a word after the first `positional` ones is this flag.
  [[nodiscard]] bool flag(std::string_view name, std::size_t positional) const;
  [[nodiscard]] std::optional<std::string> value(std::string_view key) const;
  [[nodiscard]] std::optional<Dims> dims(std::string_view key) const;
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] DType dtype(std::size_t index) const;

  /// Errors: invalid_argument for a key or a flag that is not among these, so that a slip of the
  /// pen does not turn a case into another one.
  void check_known(const std::vector<std::string_view>& keys,
                   const std::vector<std::string_view>& flags, std::size_t positional) const;

 private:
  struct Entry {
    std::string key;
    std::string value;
  };
  std::string line_;
  std::string where_;
  std::vector<std::string> words_;
  std::vector<Entry> entries_;
};

/// Numbers separated by 'x' or ','. Errors: invalid_argument.
[[nodiscard]] Dims parse_dims(std::string_view text);
/// Parts between commas.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator = ',');

/// The cases of a file. Errors: not_found.
[[nodiscard]] std::vector<Case> read_cases(const std::string& path);

struct CommandLine {
  std::string program;
  std::vector<Case> cases;
  std::vector<std::string> candidates;  ///< empty: all
  Device device;
  int threads = 0;  ///< 0: every CPU
  bool time = false;

  /// The command that runs one case on one candidate as it was run here.
  [[nodiscard]] std::string rerun(const Case& one, std::string_view candidate) const;
};

/// Errors: invalid_argument with the usage, not_found.
[[nodiscard]] CommandLine parse_command_line(int count, char** arguments);

}  // namespace mw::conformance
