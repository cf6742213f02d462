// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Contestants timed in turns: every round runs a block of calls of each, and each round starts with
// another one, so that a slow spell of the machine hits all alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace mw::bench {

struct Contestant {
  std::string name;
  std::function<void(int calls)> block;  ///< does the work so many times
  std::function<void()> finish = [] {};  ///< untimed, after a block: waits for a device
};

struct Terms {
  std::string title;
  int calls = 2000;  ///< of a block
  int rounds = 15;
};

/// A loop around a call: the loop is inside, so that only it and the call are timed.
template <class F>
std::function<void(int)> repeated(F call) {
  return [call](int calls) mutable {
    for (int i = 0; i < calls; ++i) call();
  };
}

inline double block_seconds(const Contestant& contestant, int calls) {
  const auto start = std::chrono::steady_clock::now();
  contestant.block(calls);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  contestant.finish();
  return took.count() / calls;
}

/// Prints median and least seconds of a call, and what the median is above the first contestant's.
inline void compare(const Terms& terms, const std::vector<Contestant>& contestants) {
  std::vector<std::vector<double>> samples(contestants.size());
  for (const auto& contestant : contestants) (void)block_seconds(contestant, terms.calls / 10 + 1);
  for (int round = 0; round < terms.rounds; ++round) {
    for (std::size_t step = 0; step < contestants.size(); ++step) {
      const std::size_t at = (static_cast<std::size_t>(round) + step) % contestants.size();
      samples[at].push_back(block_seconds(contestants[at], terms.calls));
    }
  }
  std::cout << terms.title << '\n' << std::fixed << std::setprecision(3);
  double floor = 0;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::ranges::sort(samples[i]);
    const double median = samples[i][samples[i].size() / 2] * 1e6;
    if (i == 0) floor = median;
    std::cout << "  " << std::left << std::setw(36) << contestants[i].name << std::right
              << std::setw(10) << median << " µs (" << samples[i].front() * 1e6 << ")";
    if (i > 0)
      std::cout << std::showpos << std::setw(10) << median - floor << std::noshowpos << " µs";
    std::cout << '\n';
  }
  std::cout << '\n';
}

/// The comparisons on a CUDA device; says so if there is none.
void compare_on_cuda();

}  // namespace mw::bench
