// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Compiled code kept between runs: files in the user's cache folder, by the bytes of a key.
//
// Never an error to the caller: without a folder that can be used, nothing is found and nothing is
// kept. Any number of threads and processes may use one folder at once: a file appears whole, under
// its name, or not at all. What is loaded will be executed, so the folder and its files must belong
// to this user and be writable by nobody else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mw {

/// What was stored under this key; nothing if there is none, or the file is damaged (it is then
/// removed). `kind` is a word that names the file.
[[nodiscard]] std::optional<std::string> disk_cache_load(std::string_view kind,
                                                         std::string_view key);

/// Keeps the bytes. Beyond the limit (MATHWRIGHT_CACHE_BYTES) the files unused for longest go.
void disk_cache_store(std::string_view kind, std::string_view key, std::string_view bytes);

/// The folder, made if it is not there; empty if there is none that can be used.
[[nodiscard]] std::string cache_folder();

struct DiskCacheReport {
  std::string folder;  ///< empty if there is none
  std::string reason;  ///< why there is none
  std::int64_t files = 0, bytes = 0, limit = 0;
};

/// Looks at the folder.
[[nodiscard]] DiskCacheReport disk_cache_report();

}  // namespace mw
