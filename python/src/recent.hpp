// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Recent: the problem of a thread's last stateless call.
//
// A program that calls a function in a loop mostly repeats the layouts, and validating and
// normalising them again would be a third of a small call. So the problem is kept, and a call that
// looks the same (all but addresses and values) only puts its addresses in.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "plan/session.hpp"

namespace mw::py {

/// Whether two views differ in nothing a problem is made of.
[[nodiscard]] bool same_looks(const TensorRef& a, const TensorRef& b);

/// What a call looks like: its operands, the result's place last, null where there is none; and
/// whatever else the problem depends on.
template <std::size_t n>
struct Looks {
  std::array<const TensorRef*, n> views{};
  std::uint64_t flags = 0;
  Dims axes = {};
  /// Fused; the same objects, the same functions.
  std::array<std::shared_ptr<const void>, 2> functions = {};
};

/// `Request` has a `problem` and `arguments`. One per thread and operation.
template <class Request, std::size_t n>
class Recent {
  using Problem = decltype(Request::problem);

 public:
  /// run(problem, arguments) with the problem of the call; make() gives the request if it looks
  /// different from the last one.
  template <class Make, class Run>
  auto with(const Looks<n>& looks, Make&& make, Run&& run) {
    // A finalizer or a log handler inside run() may call the function again.
    if (busy_) {
      Request request = make();
      return run(ProblemOf<Problem>(std::move(request.problem)), request.arguments);
    }
    const Busy busy(busy_);
    if (!problem_ || !matches(looks)) remember(looks, make());
    for (std::size_t i = 0; i < arguments_.inputs.size(); ++i) {
      arguments_.inputs[i].data = looks.views[i]->data;
    }
    if (arguments_.out) arguments_.out->data = looks.views[n - 1]->data;
    return run(*problem_, arguments_);
  }

 private:
  struct Busy {
    explicit Busy(bool& busy_flag) : flag(busy_flag) { flag = true; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { flag = false; }
    bool& flag;
  };

  [[nodiscard]] bool matches(const Looks<n>& looks) const {
    if (looks.flags != flags_ || looks.functions != functions_ || !(looks.axes == axes_))
      return false;
    for (std::size_t i = 0; i < n; ++i) {
      if ((looks.views[i] != nullptr) != views_[i].has_value()) return false;
      if (looks.views[i] && !same_looks(*looks.views[i], *views_[i])) return false;
    }
    return true;
  }

  void remember(const Looks<n>& looks, Request request) {
    problem_.reset();  // nothing is remembered if a copy fails
    for (std::size_t i = 0; i < n; ++i) {
      views_[i] = looks.views[i] ? std::optional(*looks.views[i]) : std::nullopt;
    }
    flags_ = looks.flags;
    axes_ = looks.axes;
    functions_ = looks.functions;
    arguments_ = std::move(request.arguments);
    problem_.emplace(std::move(request.problem));
  }

  std::array<std::optional<TensorRef>, n> views_;
  std::uint64_t flags_ = 0;
  Dims axes_;
  std::array<std::shared_ptr<const void>, 2>
      functions_;  // held, so that no other takes their addresses
  std::optional<ProblemOf<Problem>> problem_;
  Arguments arguments_;
  bool busy_ = false;
};

}  // namespace mw::py
