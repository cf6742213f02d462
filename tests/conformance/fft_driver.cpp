// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Runs FFT cases on every candidate that accepts them. A line is
//
//   c2c|r2c|c2r OPERAND_DTYPE shape=8x6x4 [key=value]… [flag]…
//
//   axes=1,2             default: all
//   dir=forward|inverse  of c2c; default forward
//   parity=even|odd      of c2r; default even
//   strides=24,-4,1      in elements; default C order
//   order=2,1,0          or dense, slowest axis first
//   out_strides=7,1      a result of this layout
//   offset=8             bytes past a boundary
//   space=cpu|cuda       where it runs; default where the operand is
//   candidates=a,b       must accept; the others may refuse
//
//   inplace, conj (a lazily conjugated operand), optimized (layout of a new result),
//   cuda (operand on a CUDA device; skipped without one), refused (by every candidate)
//
// What is checked, in this order: the result against the reference (small cases) and against single
// sums of the definition (all cases); gaps between the result's elements unwritten; a second
// execution of the same plan equal in every bit; the operand unchanged in every bit.
//
// The bound: a transform of n points is about log2(n) passes whose rounding errors, of size ε each,
// are independent, so ‖error‖₂ ≤ c·ε·√(1 + log2 n)·‖X‖₂; c = 4 leaves room for prime lengths, which
// are convolutions of up to 4n points and thus three transforms.
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>

#include "base/text.hpp"
#include "conformance/case_file.hpp"
#include "conformance/fft_oracle.hpp"
#include "conformance/fft_trial.hpp"
#include "plan/select.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {
namespace {

/// Results to compare with: all of them for a small problem, a few of a large one.
struct Expected {
  std::vector<std::complex<double>> all;  ///< C order; empty for a large problem
  std::vector<std::int64_t> places;       ///< in C order
  std::vector<std::complex<double>> at_places;
};

Dims index_of(std::int64_t place, const Dims& shape) {
  Dims index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return index;
}

std::vector<std::complex<double>> by_reference(const StridedArray& wide, const FFTCase& problem) {
  FFTOptions options = problem.options;
  options.in_place = false;
  options.result_layout = ResultLayout::natural;
  options.execution = {};
  const auto request =
      make_fft(wide.view(), options, planned_directions(problem.type, problem.direction));
  StridedArray result(request.problem.result().dtype, request.problem.result_shape,
                      contiguous_strides(request.problem.result_shape));
  set_candidates({"reference", "empty"});
  execute_once(ProblemOf<FFTProblem>(request.problem), request.arguments, {}, result.view().data,
               {});
  std::vector<std::complex<double>> values(static_cast<std::size_t>(result.view().size()));
  result.for_each([&](std::int64_t i, std::int64_t offset) {
    values[static_cast<std::size_t>(i)] = result.get(offset);
  });
  return values;
}

Expected expect_results(const StridedArray& input, const FFTCase& problem,
                        const FFTProblem& planned) {
  const DType dtype = is_complex(problem.dtype) ? DType::complex128 : DType::float64;
  StridedArray wide(dtype, problem.shape, contiguous_strides(problem.shape));
  std::vector<std::complex<double>> values(static_cast<std::size_t>(wide.view().size()));
  input.for_each([&](std::int64_t i, std::int64_t offset) {
    const auto value = input.get(offset);
    values[static_cast<std::size_t>(i)] = problem.conjugate ? std::conj(value) : value;
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto* at = static_cast<double*>(wide.view().data);
    if (is_complex(dtype)) {
      at[2 * i] = values[i].real();
      at[2 * i + 1] = values[i].imag();
    } else {
      at[i] = values[i].real();
    }
  }

  double terms = 0;
  for (std::size_t i = 0; i < planned.axes.size(); ++i) {
    terms += planned.points() * planned.transforms() * static_cast<double>(planned.length(i));
  }
  constexpr double kMostTerms = 1e7;
  const bool small = terms <= kMostTerms;
  Expected expected;
  if (small) expected.all = by_reference(wide, problem);
  const FFTOracle oracle(planned, std::move(values), static_cast<int>(problem.direction));
  std::int64_t count = 1;
  for (const auto extent : planned.result_shape) count *= extent;
  std::mt19937_64 random(7);
  const int samples = small ? 4 : 12;
  for (int i = 0; i < samples && count > 0; ++i) {
    const auto place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    expected.places.push_back(place);
    expected.at_places.push_back(oracle.at(index_of(place, planned.result_shape)));
  }
  return expected;
}

double epsilon(DType dtype) {
  const DType real = real_dtype(dtype);
  return std::ldexp(1, real == DType::float16 ? -10 : real == DType::float32 ? -23 : -52);
}

double bound(const FFTProblem& planned) {
  constexpr double kPasses = 4;
  return kPasses * epsilon(planned.result().dtype) * std::sqrt(1 + std::log2(planned.points()));
}

/// ‖a − b‖₂ / ‖b‖₂ of the elements visited.
class RelativeError {
 public:
  void add(std::complex<double> seen, std::complex<double> wanted) {
    difference_ += std::norm(seen - wanted);
    size_ += std::norm(wanted);
  }
  [[nodiscard]] double value() const { return size_ > 0 ? std::sqrt(difference_ / size_) : 0; }

 private:
  double difference_ = 0;
  double size_ = 0;
};

/// What is wrong with a result; empty if nothing is.
std::string fault_in(const StridedArray& result, const Expected& expected,
                     const FFTProblem& planned) {
  RelativeError all;
  double rms = 0;
  std::vector<std::complex<double>> values(static_cast<std::size_t>(result.view().size()));
  result.for_each([&](std::int64_t i, std::int64_t offset) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = result.get(offset);
    rms += std::norm(values[at]);
    if (!expected.all.empty()) all.add(values[at], expected.all[at]);
  });
  rms = std::sqrt(rms / static_cast<double>(std::max<std::size_t>(values.size(), 1)));
  const double most = bound(planned);
  if (!(all.value() <= most)) {
    return text("relative error ", all.value(), " against the reference, bound ", most);
  }
  // A single result may be near zero: its error is measured by the size of all, and is a sample of
  // a distribution whose tail 4 standard deviations cut.
  for (std::size_t i = 0; i < expected.places.size(); ++i) {
    const auto seen = values[static_cast<std::size_t>(expected.places[i])];
    const double error = std::abs(seen - expected.at_places[i]);
    if (!(error <= 4 * most * rms)) {
      return text("result ", index_of(expected.places[i], planned.result_shape), " is ", seen,
                  " and should be ", expected.at_places[i], ", bound ", 4 * most * rms);
    }
  }
  return "";
}

enum class Verdict { passed, refused, failed };
struct Finding {
  Verdict verdict = Verdict::passed;
  std::string note;
};

Finding check(const FFTCase& problem, Device device, const Expected& expected) {
  FFTTrial trial(problem, device);
  try {
    trial.plan();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return {Verdict::refused, error.what()};
  }
  trial.execute();
  const bool fresh = !problem.options.in_place;
  if (auto fault = fault_in(trial.result(), expected, trial.planned()); !fault.empty()) {
    return {Verdict::failed, fault};
  }
  if (fresh && !trial.result().gaps_are(kUntouched)) {
    return {Verdict::failed, "wrote between the result's elements"};
  }
  const auto bytes = trial.result().all_bytes();
  const std::vector<std::uint8_t> first(bytes.begin(), bytes.end());
  trial.execute();
  if (!std::ranges::equal(first, trial.result().all_bytes())) {
    return {Verdict::failed, "a second execution gave another result"};
  }
  if (!trial.input_unchanged()) return {Verdict::failed, "changed its operand"};
  return {Verdict::passed, trial.session().selection().chosen};
}

/// Median of enough executions for 0.2 s, at least 5.
double median_seconds(FFTTrial& trial) {
  using Clock = std::chrono::steady_clock;
  trial.run_again();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < 5 || (total < 0.2 && seconds.size() < 10000)) {
    const auto start = Clock::now();
    trial.run_again();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += seconds.back();
  }
  std::ranges::nth_element(seconds,
                           seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

void time_case(const Case& line, const std::string& candidate, const FFTCase& problem,
               Device device) {
  FFTTrial trial(problem, device);
  try {
    trial.plan();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return;
  }
  const double seconds = median_seconds(trial);
  std::cout << candidate << '\t' << seconds * 1e6 << "\tµs\testimated "
            << trial.session().estimate() * 1e6 << "\t"
            << trial.planned().work().flops / seconds * 1e-9 << "\tGflop/s\t" << line.line()
            << '\n';
}

std::vector<std::string> candidate_names() {
  std::vector<std::string> names;
  for (const auto& candidate : FFTProblem::candidates()) names.emplace_back(candidate.name);
  return names;
}

/// What a run has seen, for each candidate.
struct Tally {
  int accepted = 0;
  int refused = 0;
};

class Run {
 public:
  explicit Run(const CommandLine& command)
      : command_(command),
        names_(command.candidates.empty() ? candidate_names() : command.candidates) {}

  void add(const Case& line) {
    const FFTCase problem = fft_case(line, command_);
    Device device = command_.device;
    if (problem.on_cuda && device.is_cpu()) {
      if (cuda_device_count() == 0) {
        std::cout << "skipped, there is no CUDA device: " << line.line() << '\n';
        return;
      }
      device = Device::cuda(0);
    }
    FFTTrial described(problem, device);
    const Expected expected = command_.time
                                  ? Expected{}
                                  : expect_results(described.input(), problem, described.planned());
    int accepted = 0;
    for (const std::string& name : names_) {
      set_candidates({name, "empty"});
      try {
        if (command_.time) {
          time_case(line, name, problem, device);
        } else if (name != "reference" || !expected.all.empty() || expected.places.empty()) {
          accepted += judge(line, name, problem, check(problem, device, expected)) ? 1 : 0;
        }
      } catch (const std::exception& error) {
        fail_case(line, name, error.what());
      }
    }
    if (command_.time || !command_.candidates.empty()) return;
    if (problem.must_refuse && accepted > 0) fail_case(line, "any", "a refusal is wanted");
    if (!problem.must_refuse && accepted == 0) fail_case(line, "any", "no candidate accepts it");
  }

  /// Exit status.
  [[nodiscard]] int report() const {
    if (command_.time) return 0;
    for (const auto& [name, tally] : tallies_) {
      std::cout << name << ": " << tally.accepted << " accepted, " << tally.refused << " refused\n";
    }
    std::cout << command_.cases.size() << " cases, " << failures_ << " failures\n";
    return failures_ == 0 ? 0 : 1;
  }

 private:
  /// Whether the candidate accepted the case.
  bool judge(const Case& line, const std::string& name, const FFTCase& problem,
             const Finding& finding) {
    Tally& tally = tallies_[name];
    if (finding.verdict == Verdict::refused) {
      ++tally.refused;
      const auto& wanted = problem.must_accept;
      if (std::ranges::find(wanted, name) != wanted.end()) fail_case(line, name, finding.note);
      return false;
    }
    ++tally.accepted;
    if (finding.verdict == Verdict::failed) fail_case(line, name, finding.note);
    return true;
  }

  void fail_case(const Case& line, const std::string& name, const std::string& why) {
    ++failures_;
    std::cout << "FAILED " << name << ", " << line.where() << ": " << line.line() << "\n  " << why
              << "\n  rerun: " << command_.rerun(line, name) << '\n';
  }

  const CommandLine& command_;
  std::vector<std::string> names_;
  std::map<std::string, Tally> tallies_;
  int failures_ = 0;
};

}  // namespace
}  // namespace mw::conformance

int main(int count, char** arguments) {
  using namespace mw::conformance;
  try {
    const CommandLine command = parse_command_line(count, arguments);
    Run run(command);
    for (const Case& line : command.cases) run.add(line);
    return run.report();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
