// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Whether two declarations of one C function are passed alike; for tests that compare our rows with
// a vendor's header.
#pragma once

#include <type_traits>

namespace mw::vendor {

// Passed the same way: pointers match pointers, enumerations integers of their size, structs passed
// by value those of their size.
template <class Ours, class Theirs>
constexpr bool passes() {
  using A = std::remove_cv_t<Ours>;
  using B = std::remove_cv_t<Theirs>;
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_same_v<A, B>;
  } else if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return std::is_pointer_v<A> && std::is_pointer_v<B>;
  } else if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {
    return std::is_same_v<A, B>;
  } else if constexpr (std::is_class_v<A> || std::is_class_v<B>) {
    return std::is_class_v<A> && std::is_class_v<B> && sizeof(A) == sizeof(B);
  } else {
    return sizeof(A) == sizeof(B);
  }
}

template <class Ours, class Theirs>
struct Compatible : std::false_type {};
template <class R, class... Args, class S, class... Brgs>
requires(sizeof...(Args) == sizeof...(Brgs)) struct Compatible<R(Args...), S(Brgs...)>
    : std::bool_constant<passes<R, S>() && (passes<Args, Brgs>() && ...)> {
};
template <class Ours, class S, class... Brgs>
struct Compatible<Ours, S(Brgs...) noexcept> : Compatible<Ours, S(Brgs...)> {};

static_assert(Compatible<int(void*, unsigned), int(const char*, int)>::value);
static_assert(!Compatible<int(void*), int(int)>::value, "a pointer is not an integer");
static_assert(!Compatible<int(long), int(int)>::value, "widths differ");
static_assert(!Compatible<int(int, int), int(int)>::value, "counts differ");
static_assert(!Compatible<void(float), void(double)>::value, "precisions differ");

template <class Enum>
constexpr int number(Enum value) {
  return static_cast<int>(value);
}

}  // namespace mw::vendor
