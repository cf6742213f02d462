// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/fft_trial.hpp"

#include <map>

#include "base/text.hpp"

namespace mw::conformance {

namespace {

Dims strides_of(const Case& line, const Dims& shape) {
  if (const auto order = line.dims("order")) return dense_strides(shape, *order);
  return line.dims("strides").value_or(contiguous_strides(shape));
}

Execution::Space space_of(const std::string& word) {
  return word == "cuda"  ? Execution::Space::cuda
         : word == "cpu" ? Execution::Space::cpu
                         : Execution::Space::operands;
}

}  // namespace

FFTCase fft_case(const Case& line, const CommandLine& command) {
  line.check_known({"shape", "strides", "order", "axes", "dir", "parity", "out_strides", "offset",
                    "candidates", "space"},
                   {"inplace", "conj", "optimized", "cuda", "refused"}, 2);
  static const std::map<std::string, FFTType> kTypes = {
      {"c2c", FFTType::c2c}, {"r2c", FFTType::r2c}, {"c2r", FFTType::c2r}};
  const auto type = kTypes.find(line.word(0));
  require(type != kTypes.end(), ErrorKind::invalid_argument, line.where(), ": type ", line.word(0),
          "; c2c, r2c or c2r is wanted");
  FFTCase problem{.type = type->second,
                  .dtype = line.dtype(1),
                  .shape = {},
                  .strides = {},
                  .options = {},
                  .out_strides = line.dims("out_strides"),
                  .must_accept = {}};
  problem.shape = line.dims("shape").value_or(Dims{});
  problem.strides = strides_of(line, problem.shape);
  const bool inverse =
      problem.type == FFTType::c2r || line.value("dir").value_or("forward") == "inverse";
  problem.direction = inverse ? FFTDirection::inverse : FFTDirection::forward;
  problem.offset = line.number("offset", 0);
  problem.conjugate = line.flag("conj", 2);
  problem.must_refuse = line.flag("refused", 2);
  problem.on_cuda = line.flag("cuda", 2);
  problem.must_accept = split(line.value("candidates").value_or(""));
  FFTOptions& options = problem.options;
  options.type = problem.type;
  options.axes = line.dims("axes").value_or(Dims{});
  options.in_place = line.flag("inplace", 2);
  options.last_axis_parity =
      line.value("parity").value_or("even") == "odd" ? FFTParity::odd : FFTParity::even;
  options.result_layout =
      line.flag("optimized", 2) ? ResultLayout::optimized : ResultLayout::natural;
  options.execution.space = space_of(line.value("space").value_or(""));
  options.execution.num_threads = command.threads;
  return problem;
}

}  // namespace mw::conformance
