// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Where a library may be: a tuple of small functions, in order. Each turns the context of the
// search into places; what a place says about itself (`how`) becomes part of the result and of the
// report.
//
//   named by a variable → already loaded → wheels → CUDA toolkit → conda → system loader → known
//   folders
//
// Wheels come before the system, so that a stray library on LD_LIBRARY_PATH does not replace the
// copy that was installed with this package.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dl/catalog.hpp"

namespace mw::dl {

/// The folders of Python's site-packages whose wheels are searched; those of MATHWRIGHT_WHEEL_PATH
/// come before them. Libraries that were not found before are looked for again.
void set_wheel_roots(std::vector<std::string> roots);

/// What the steps look at, gathered once per search.
struct SearchContext {
  std::vector<std::string> wheel_roots;
  std::string
      toolkit_variable;  ///< the variable the toolkit's root was read from; empty if neither is set
  std::string toolkit_root;
  std::string conda_prefix;
};

/// A place, or a note that a step had none to offer.
struct Place {
  enum class Kind : std::uint8_t {
    file,    ///< `where` is the path or soname of the library itself
    loaded,  ///< what some other package has loaded
    folder,  ///< `where` is a folder to look in
    loader,  ///< whatever the system's loader finds
    note,    ///< nothing to try: `how` says why
  };

  Kind kind;
  std::string how;
  std::string where;
};

[[nodiscard]] SearchContext search_context();

/// A number that changes whenever a search could turn out differently.
[[nodiscard]] std::uint64_t search_generation();

/// The places for a library, in order.
[[nodiscard]] std::vector<Place> places(const SearchContext& context, const LibraryRow& row);

/// The existing files of `folder` that the name matches ('*' as in Soname), sorted.
[[nodiscard]] std::vector<std::string> files_matching(const std::string& folder, const char* name);

}  // namespace mw::dl
