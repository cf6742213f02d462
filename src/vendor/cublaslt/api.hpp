// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: table, status check, owners, attributes by type.
#pragma once

#include <utility>

#include "base/outcome.hpp"
#include "dl/symbol_table.hpp"
#include "vendor/cublaslt/types.hpp"
#include "vendor/handle.hpp"

namespace mw::cublaslt {

struct Api {
#define MW_FUNCTION MW_TABLE_MEMBER
#include "vendor/cublaslt/api.def"
#undef MW_FUNCTION

  template <class Visit>
  void for_each(Visit&& visit) {
#define MW_FUNCTION MW_TABLE_VISIT
#include "vendor/cublaslt/api.def"
#undef MW_FUNCTION
  }
};

/// Cheap after the first success, and safe from many threads at once.
[[nodiscard]] Outcome<const Api*> load();
/// The same. Errors: not_found with the report of the search.
[[nodiscard]] const Api& api();
/// Puts a table of the caller's in the library's place, for tests; null brings the library back.
void replace_api(const Api* table);

/// Throws Error (vendor, out_of_memory or unsupported) unless the status is success.
void check(Status status, const char* function);

/// Calls a function of the table and checks its status.
template <class F, class... Args>
void call(const F& function, Args&&... args) {
  if (const Status status = function(std::forward<Args>(args)...); status != kSuccess) [[unlikely]]
    check(status, F::name());
}

void destroy_context(Context context) noexcept;
void destroy_desc(MatmulDesc desc) noexcept;
void destroy_layout(Layout layout) noexcept;
void destroy_preference(Preference preference) noexcept;

using ContextOwner = vendor::Handle<Context, destroy_context, nullptr>;
using DescOwner = vendor::Handle<MatmulDesc, destroy_desc, nullptr>;
using LayoutOwner = vendor::Handle<Layout, destroy_layout, nullptr>;
using PreferenceOwner = vendor::Handle<Preference, destroy_preference, nullptr>;

/// The library checks the size of a value against the attribute's, so pass the type its comment
/// names.
template <class T>
void set(MatmulDesc desc, DescAttribute attribute, const T& value) {
  call(api().cublasLtMatmulDescSetAttribute, desc, attribute, &value, sizeof value);
}
template <class T>
void set(Layout layout, LayoutAttribute attribute, const T& value) {
  call(api().cublasLtMatrixLayoutSetAttribute, layout, attribute, &value, sizeof value);
}
template <class T>
void set(Preference preference, PreferenceAttribute attribute, const T& value) {
  call(api().cublasLtMatmulPreferenceSetAttribute, preference, attribute, &value, sizeof value);
}

}  // namespace mw::cublaslt
