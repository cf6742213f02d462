// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Tables of typed function pointers, from one row per function.
//
// A vendor folder lists its functions in api.def,
//
//   MW_FUNCTION(int, cufftSetStream, (int plan, void* stream), 0)
//
// (result, name, arguments, version that introduced it; 0 means every supported version has it),
// and turns the rows into a struct:
//
//   struct Api {
//   #define MW_FUNCTION MW_TABLE_MEMBER
//   #include "vendor/cufft/api.def"
//   #undef MW_FUNCTION
//     template <class Visit>
//     void for_each(Visit&& visit) {
//   #define MW_FUNCTION MW_TABLE_VISIT
//   #include "vendor/cufft/api.def"
//   #undef MW_FUNCTION
//     }
//   };
//
// api.cufftSetStream(plan, stream) is then one indirect call. `if (api.x)` tells whether the
// library has a newer function; calling one that it lacks throws an Error that names it. Nothing is
// resolved before the first load(), and load() refuses a library that lacks a row with version 0.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.hpp"
#include "base/outcome.hpp"
#include "base/text.hpp"
#include "dl/library.hpp"
#include "dl/search.hpp"

namespace mw::dl {

/// A string literal as a template argument.
template <std::size_t N>
struct FixedString {
  char chars[N];
  constexpr FixedString(const char (&literal)[N]) { std::copy_n(literal, N, chars); }
};

/// Throws what calling a function without a library behind it throws.
[[noreturn]] void fail_absent(std::string_view function);

template <class Signature, FixedString Name>
class Function;

/// A pointer to a vendor function; until bound, to a stand-in of the same type that explains
/// itself, so a call needs no check.
template <class R, class... Args, FixedString Name>
class Function<R(Args...), Name> {
 public:
  using Signature = R(Args...);

  [[nodiscard]] static constexpr const char* name() { return Name.chars; }

  R operator()(Args... args) const { return call_(args...); }
  explicit operator bool() const { return call_ != &absent; }

  void bind(void* symbol) {
    call_ = symbol != nullptr ? reinterpret_cast<Signature*>(symbol) : &absent;
  }
  void bind(Signature* function) { call_ = function != nullptr ? function : &absent; }

 private:
  [[noreturn]] static R absent(Args...) { fail_absent(name()); }

  Signature* call_ = &absent;
};

#define MW_TABLE_MEMBER(result, name, arguments, since) \
  ::mw::dl::Function<result arguments, #name> name;
#define MW_TABLE_VISIT(result, name, arguments, since) visit(name, since);

/// Binds every function of the table. `symbol_name` turns a row's name into the library's.
/// Refuses, naming the first missing function, if one with version 0 is not there.
template <class Api>
[[nodiscard]] std::optional<Refusal> bind_all(Api& api, const Library& library,
                                              std::string_view who,
                                              FunctionRef<std::string(const char*)> symbol_name) {
  std::optional<Refusal> refusal;
  api.for_each([&](auto& function, int since) {
    const std::string symbol = symbol_name(function.name());
    function.bind(library.symbol(symbol.c_str()));
    if (!function && since == 0 && !refusal) {
      refusal = Refusal{std::string(who),
                        text(library.path(), " (", library.how(), ") has no function ", symbol,
                             ", which every supported version of ", who, " has")};
    }
  });
  return refusal;
}

/// The table of one library, filled on first use.
template <class Api>
class LazyTable {
 public:
  /// `finish`, if given, runs once on the filled table before anyone sees it.
  using Finish = std::optional<Refusal> (*)(Api&, const Library&);
  explicit LazyTable(LibraryId library, Finish finish = nullptr) : id_(library), finish_(finish) {}

  /// Safe from many threads at once; one atomic load after the first success.
  [[nodiscard]] Outcome<const Api*> load() {
    if (const Api* api = ready_.load(std::memory_order_acquire)) return api;
    return fill();
  }

  /// The same for callers who cannot go on without. Errors: not_found with the report of the
  /// search.
  [[nodiscard]] const Api& get() {
    if (const Api* api = ready_.load(std::memory_order_acquire)) return *api;
    const auto api = fill();
    if (!api) fail(ErrorKind::not_found, api.refusal().reason);
    return *api.value();
  }

  /// Puts another table in the place of the library's, for tests: `table` must outlive its use.
  /// Null brings the library's own back.
  void replace(const Api* table) { ready_.store(table, std::memory_order_release); }

 private:
  Outcome<const Api*> fill() {
    const auto library = open(id_);
    if (!library) return library.refusal();
    const std::lock_guard lock(mutex_);
    if (refusal_) return *refusal_;
    if (!own_) {
      const char* who = catalog_row(id_).name;
      auto api = std::make_unique<Api>();
      refusal_ = bind_all(*api, *library.value(), who,
                          [](const char* name) -> std::string { return name; });
      if (!refusal_ && finish_ != nullptr) refusal_ = finish_(*api, *library.value());
      if (refusal_) {
        refusal_->reason += text("\nRemedy: ", catalog_row(id_).hint, ".");
        return *refusal_;
      }
      own_ = std::move(api);
    }
    ready_.store(own_.get(), std::memory_order_release);
    return static_cast<const Api*>(own_.get());
  }

  LibraryId id_;
  Finish finish_;
  std::atomic<const Api*> ready_{nullptr};
  std::mutex mutex_;
  std::unique_ptr<Api> own_;
  std::optional<Refusal> refusal_;
};

}  // namespace mw::dl
