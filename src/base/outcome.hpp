// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Outcome<T>: a value, or a Refusal that says who declined and why.
//
// Used where declining is normal: a candidate that cannot take a problem, a library that is not on
// this machine. A failure that is nobody's plan is an Error instead.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace mw {

struct Refusal {
  std::string who;     ///< candidate, library or symbol
  std::string reason;  ///< one condition, in the user's terms
};

template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Outcome(Refusal refusal) : state_(std::in_place_index<1>, std::move(refusal)) {}

  explicit operator bool() const { return state_.index() == 0; }
  [[nodiscard]] T& value() { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const { return std::get<0>(state_); }
  [[nodiscard]] const Refusal& refusal() const { return std::get<1>(state_); }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Refusal> state_;
};

}  // namespace mw
