// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Owner of one vendor handle: move-only, destroyed by scope. What a vendor calls "destroy" returns
// a status; a destructor cannot report it, so the destroy function logs it.
#pragma once

#include <utility>

namespace mw::vendor {

template <class T, void (*Destroy)(T) noexcept, T Null = T{}>
class Handle {
 public:
  using Value = T;

  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Handle() { reset(); }

  [[nodiscard]] T get() const { return value_; }
  explicit operator bool() const { return value_ != Null; }
  /// Gives the handle up: the caller destroys it.
  [[nodiscard]] T release() { return std::exchange(value_, Null); }
  void reset(T value = Null) {
    if (const T old = std::exchange(value_, value); old != Null) Destroy(old);
  }
  /// Where a vendor's create function may put a new handle; the old one is destroyed first.
  [[nodiscard]] T* receive() {
    reset();
    return &value_;
  }

 private:
  T value_ = Null;
};

}  // namespace mw::vendor
