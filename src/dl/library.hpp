// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Opened libraries. Each is opened at most once per process, on first need, and never closed: code
// of other packages may hold pointers into it.
//
//   const auto library = dl::open(dl::LibraryId::cufft);
//   if (!library) return library.refusal();   // says where it was looked for and how to get it
//   void* symbol = (*library)->symbol("cufftGetVersion");
#pragma once

#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "dl/catalog.hpp"

namespace mw::dl {

class Library {
 public:
  Library(void* handle, std::string file, std::string how_found)
      : handle_(handle), path_(std::move(file)), how_(std::move(how_found)) {}

  /// The file that was opened, links resolved.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The step of the search that found it, for example "wheel".
  [[nodiscard]] const std::string& how() const { return how_; }
  /// Null if the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
  /// A symbol as a pointer to a function of the given type.
  template <class Signature>
  [[nodiscard]] Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }

 private:
  void* handle_;
  std::string path_, how_;
};

/// The library, opened with its names kept local, so that they replace no other library's. Safe
/// from many threads at once; one atomic load after the first success. A refusal is remembered
/// until the wheel roots change.
[[nodiscard]] Outcome<const Library*> open(LibraryId id);

struct LibraryReport {
  LibraryId id{};
  std::string name{};
  bool found = false;
  std::string path{}, how{}, version{};  ///< if found
  std::vector<std::string> looked{};     ///< every place tried before it was found, or all of them
  std::string hint{};                    ///< how to get it
};

/// Looks for every library of the catalog (opening those that are there).
[[nodiscard]] std::vector<LibraryReport> report();

}  // namespace mw::dl
