// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every implementation of the matrix product that accepts a case, against the definition.
//
//   matmul_driver matmul_layouts.txt               all cases, all candidates
//   matmul_driver --random 500 --seed 7            500 random layouts; the seed repeats them
//   matmul_driver --time --case 'float64 a=512x512 b=512x512'
//
// A failure prints the command that reruns it. The last lines count what each candidate took.
#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "base/text.hpp"
#include "conformance/matmul_case.hpp"
#include "conformance/matmul_fused.hpp"
#include "conformance/score.hpp"
#include "ops/matmul/problem.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {
namespace {

class Driver {
 public:
  explicit Driver(CommandLine line) : score_(std::move(line)) {}

  /// The exit status: 0 if nothing failed and every case was run by somebody.
  int run() {
    return score_.run([&](const Case& one) { run_case(one); });
  }

 private:
  void run_case(const Case& one) {
    const auto device = score_.device_of(one);
    if (!device) return;
    device_ = *device;
    if (has_epilog(one)) {
      set_candidates({"reference"});
      const NamedOutputs expected = run_fused(one, Device::cpu(), 1);
      score_.each_candidate<MatmulProblem>(
          one, [&](const std::string& name) { return run_fused_candidate(one, expected, name); });
      return;
    }
    const Expected expected = expected_product(MatmulCase::make(one));
    score_.each_candidate<MatmulProblem>(
        one, [&](const std::string& name) { return run_candidate(one, expected, name); });
  }

  /// Whether the candidate accepted the case.
  bool run_fused_candidate(const Case& one, const NamedOutputs& expected,
                           const std::string& candidate) {
    if (candidate == "reference") {  // it is `expected`
      score_.judge(one, candidate, "");
      return true;
    }
    NamedOutputs seen;
    if (!score_.accepts(candidate,
                        [&] { seen = run_fused(one, device_, score_.line().threads); })) {
      return false;
    }
    score_.judge(one, candidate, fused_difference(one, seen, expected, score_.worst(candidate)));
    return true;
  }

  /// The same of a product without an epilog.
  bool run_candidate(const Case& one, const Expected& expected, const std::string& candidate) {
    MatmulCase given = MatmulCase::make(one);  // fresh memory: every candidate finds the same
    MatmulOperands operands{.a = given.a.put(device_), .b = given.b.put(device_)};
    if (given.c) operands.c = given.c->put(device_);
    if (given.out) operands.out = given.out->put(device_);
    if (given.in_place) operands.out = operands.c;
    Unwritten inputs = given.inputs();
    given.options.execution.num_threads = given.fp_flags ? 1 : score_.line().threads;

    std::unique_ptr<Matmul> product;
    const bool accepted = score_.accepts(candidate, [&] {
      product = std::make_unique<Matmul>(operands, given.options);
      product->plan();
    });
    if (!accepted) return false;
    std::feclearexcept(FE_ALL_EXCEPT);
    const Tensor result = product->execute();
    const int raised = std::fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO);
    synchronize(device_, {});
    std::string wrong = difference(given, result, expected, candidate);
    if (wrong.empty() && given.fp_flags && raised != 0) {
      wrong = text("floating-point flags were raised:", raised & FE_INVALID ? " invalid" : "",
                   raised & FE_OVERFLOW ? " overflow" : "", raised & FE_DIVBYZERO ? " divide" : "");
    }
    if (wrong.empty() && !inputs.holds()) wrong = "an input was written to";
    score_.judge(one, candidate, wrong);
    if (score_.line().time) time(one, *product, candidate);
    return true;
  }

  /// The first element that is too far off; empty if none is.
  std::string difference(MatmulCase& given, const Tensor& result, const Expected& expected,
                         const std::string& candidate) {
    Storage* const stored = given.in_place ? &*given.c : given.out ? &*given.out : nullptr;
    Tensor host;
    if (stored) {
      stored->get();
    } else {
      host = Tensor::copy(result);
    }
    const auto seen = [&](std::int64_t i) { return stored ? stored->at(i) : element(host, i); };
    const std::int64_t size = result.size();
    if (size != static_cast<std::int64_t>(expected.values.size())) {
      return text("the result has ", size, " elements, not ", expected.values.size());
    }
    double worst = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double ratio = error_ratio(seen(i), expected.values[at], expected.bounds[at]);
      worst = std::max(worst, ratio);
      if (ratio <= 1) continue;
      return text("element ", i, " is ", seen(i), ", not ", expected.values[at], ": ", ratio,
                  " times the bound of ", expected.bounds[at]);
    }
    score_.worst(candidate) = std::max(score_.worst(candidate), worst);
    return {};
  }

  /// The error over its bound; infinity where one value is finite and the other is not.
  static double error_ratio(std::complex<double> seen, std::complex<double> wanted, double bound) {
    constexpr double kWrong = std::numeric_limits<double>::infinity();
    double error = 0;
    for (const auto& [x, y] :
         {std::pair{seen.real(), wanted.real()}, std::pair{seen.imag(), wanted.imag()}}) {
      if (std::isfinite(x) && std::isfinite(y)) {
        error = std::max(error, std::abs(x - y));
      } else if (!(x == y || (std::isnan(x) && std::isnan(y)))) {
        return kWrong;
      }
    }
    return error == 0 ? 0 : error / bound;
  }

  static std::complex<double> element(const Tensor& host, std::int64_t index) {
    const auto offset = index * static_cast<std::int64_t>(itemsize(host.dtype()));
    return decode(host.dtype(), static_cast<const std::byte*>(host.ref().data) + offset);
  }

  void time(const Case& one, Matmul& product, const std::string& candidate) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> seconds;
    const auto start = Clock::now();
    while (seconds.size() < 20 ||
           (seconds.size() < 1000 && Clock::now() - start < std::chrono::milliseconds(200))) {
      const auto begin = Clock::now();
      (void)product.execute();
      synchronize(device_, {});
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::ranges::nth_element(seconds,
                             seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
    std::printf("%-14s %12s  %s\n", candidate.c_str(),
                human_seconds(seconds[seconds.size() / 2]).c_str(), one.line().c_str());
  }

  Score score_;
  Device device_;  ///< of the case at hand
};

/// The common command line, with --random COUNT and --seed NUMBER turned into cases.
CommandLine command_line(int count, char** arguments) {
  std::vector<std::string> words;
  std::int64_t random = 0;
  std::uint64_t seed = 1;
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    const bool has_value = i + 1 < count;
    if (word == "--random" && has_value) {
      random = std::stoll(arguments[++i]);
    } else if (word == "--seed" && has_value) {
      seed = std::stoull(arguments[++i]);
    } else {
      words.push_back(word);
    }
  }
  for (auto& line : random_matmul_cases(random, seed)) {
    words.emplace_back("--case");
    words.push_back(std::move(line));
  }
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace
}  // namespace mw::conformance

int main(int count, char** arguments) {
  try {
    return mw::conformance::Driver(mw::conformance::command_line(count, arguments)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
