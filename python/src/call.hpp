// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The arguments that every call has: stream, execution, options.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "package.hpp"

namespace mw::py {

/// stream=: None (the package's current stream on `device`), a handle as int, or a stream object of
/// the operands' package, or of a package of streams (cuda.core). Ignored when nothing runs on a
/// device. Errors: TypeError.
[[nodiscard]] Queue parse_stream(nb::handle stream, const Package& package, Device device,
                                 const char* operation);

/// The stream that operands must be ready on: the one the caller names, else the package's own
/// order.
[[nodiscard]] Stream consumer_of(nb::handle stream, const Package& package, const char* operation);

/// execution=: None, "cpu" or "cuda" in any case, {"name": …, …}, or an object with a name. Errors:
/// ValueError.
[[nodiscard]] Execution parse_execution(nb::handle execution, const char* operation);

/// A number for alpha or beta. Errors: ValueError.
[[nodiscard]] std::complex<double> parse_scalar(nb::handle value, const Who& who);

/// A dict of names and objects (None: an empty one) as a list. Errors: TypeError naming `what`.
[[nodiscard]] std::vector<std::pair<std::string, nb::object>> named_objects(nb::handle dict,
                                                                            const char* operation,
                                                                            const char* what);

/// What options objects of every operation have.
struct CommonOptions {
  bool blocking = false;  ///< wait even where the work could be queued
  nb::object allocator;   ///< None or a memory manager
  nb::object logger;      ///< None or a logging.Logger
};

/// options=: None stays None, a dict becomes `python_class` of `module`, an object of that class
/// stays. Errors: TypeError.
[[nodiscard]] nb::object coerce_options(nb::handle options, const char* module,
                                        const char* python_class, const char* operation);
[[nodiscard]] CommonOptions common_options(nb::handle options);

/// The result's recipe for a problem.
[[nodiscard]] ResultSpec result_spec(DType dtype, const Dims& shape, const Dims& strides,
                                     Device device);

/// Lets other Python threads run while it lives, if `wanted`.
class WithoutGil {
 public:
  explicit WithoutGil(bool wanted) {
    if (wanted) released_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> released_;
};

/// Seconds of work from which other threads should run meanwhile: letting them costs about 0.1 µs,
/// and getting the lock back may cost a switch of threads.
inline constexpr double kGilSeconds = 10e-6;

}  // namespace mw::py
