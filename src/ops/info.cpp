// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/info.hpp"

#include <algorithm>
#include <cmath>

#include <mathwright/info.hpp>
#include <mathwright/version.hpp>

#include "codegen/host.hpp"
#include "kernels/fft/isa.hpp"
#include "ops/fft/problem.hpp"
#include "ops/matmul/problem.hpp"

namespace mw {

namespace {

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

/// A problem to plan without data: planning looks at layouts only.
struct Sample {
  const char* operation;
  DType dtype;
  std::int64_t size;  ///< n of an n×n×n product, points of a transform
};

constexpr Sample kSamples[] = {
    {"matmul", DType::float32, 8},      {"matmul", DType::float32, 2048},
    {"matmul", DType::float64, 2048},   {"fft", DType::complex128, 64},
    {"fft", DType::complex64, 1 << 20},
};

std::string title(const Sample& sample) {
  const auto n = sample.size;
  if (sample.operation == std::string_view("fft")) return text("fft ", n, " ", name(sample.dtype));
  return text("matmul ", n, "×", n, "×", n, " ", name(sample.dtype));
}

Selection plan_sample(const Sample& sample, Device device) {
  const Placement placement = place(sample.operation, device, {});
  if (sample.operation == std::string_view("fft")) {
    const TensorRef line(nullptr, sample.dtype, {sample.size}, {1}, device);
    auto request = make_fft(line, {}, FFTDirections::forward);
    return select(ProblemOf<FFTProblem>(std::move(request.problem)), placement);
  }
  const TensorRef square(nullptr, sample.dtype, {sample.size, sample.size}, {sample.size, 1},
                         device);
  auto request = make_matmul({.a = square, .b = square}, {});
  return select(ProblemOf<MatmulProblem>(std::move(request.problem)), placement);
}

SampleReport report_sample(const Sample& sample, Device device) {
  SampleReport report{.problem = title(sample), .device = device, .selection = {}, .failure = {}};
  try {
    report.selection = plan_sample(sample, device);
  } catch (const Error& error) {
    report.failure = error.what();
  }
  return report;
}

// ---- text
// ------------------------------------------------------------------------------------------

constexpr std::size_t kIndent = 16;
constexpr std::size_t kColumns = 100;

std::string bytes_text(std::size_t bytes) { return human_bytes(static_cast<double>(bytes)); }

// Columns on the screen, not bytes: continuation bytes of UTF-8 take none.
std::size_t width(std::string_view words) {
  return static_cast<std::size_t>(std::ranges::count_if(
      words, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string words, std::size_t columns) {
  const std::size_t seen = width(words);
  words.append(seen < columns ? columns - seen : 1, ' ');
  return words;
}

/// A reason without the list of places that follows it: the page shows the places once.
std::string brief(const std::string& reason) {
  return reason.substr(0, std::min(reason.find('\n'), reason.find(". Looked for")));
}

/// A note of several lines as one.
std::string one_line(std::string note) {
  std::ranges::replace(note, '\n', ';');
  return note;
}

/// "  label         words", the words wrapped under themselves.
std::string row(const std::string& label, const std::string& words, std::size_t indent = kIndent) {
  std::string out = "  " + padded(label, indent - 2);
  std::size_t column = indent;
  for (const std::string& word : split(words, " \n")) {
    const bool first = column == indent;
    if (!first && column + 1 + width(word) > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width(word);
  }
  return out + "\n";
}

std::string host_text(const InfoReport& report) {
  const auto& machine = report.machine;
  const auto& pool = machine.host_pool;
  return "host\n" + row("processor", machine.cpu_model) +
         row("instructions",
             text(machine.cpu_features, "; the native FFT uses ", report.fft_instructions)) +
         row("memory", bytes_text(machine.memory_bytes)) +
         row("threads", threads_reason(machine.cpus)) +
         row("plan cache", text(report.plans.count, " plans of at most ", report.plans.count_limit,
                                ", ", bytes_text(report.plans.bytes), " of at most ",
                                bytes_text(report.plans.bytes_limit))) +
         row("host pool",
             text(bytes_text(pool.live_bytes), " in use, ", bytes_text(pool.cached_bytes),
                  " kept of at most ", human_bytes(static_cast<double>(report.host_pool_limit))));
}

std::string code_text(const InfoReport& report) {
  const auto& kept = report.disk_cache;
  const std::string sizes =
      text(kept.folder, ": ", kept.files, " files, ", human_bytes(static_cast<double>(kept.bytes)),
           " of at most ", human_bytes(static_cast<double>(kept.limit)));
  return "generated code\n" + row("host", one_line(report.host_code)) +
         row("disk cache", kept.folder.empty() ? "off: " + kept.reason : sizes);
}

std::string devices_text(const CapabilityReport& machine) {
  std::string out = "devices\n";
  if (machine.cuda_version > 0) {
    out += row("cuda driver", text("for CUDA ", machine.cuda_version / 1000, ".",
                                   machine.cuda_version % 1000 / 10, " and older"));
  }
  for (std::size_t i = 0; i < machine.cuda_devices.size(); ++i) {
    const auto& device = machine.cuda_devices[i];
    out += row(text("cuda:", i), text(device.name, ", capability ", device.capability / 10, ".",
                                      device.capability % 10, ", ", device.multiprocessors,
                                      " multiprocessors, ", bytes_text(device.memory_bytes)));
  }
  if (machine.cuda_devices.empty()) out += row("cuda", "none: " + brief(machine.cuda_reason));
  return out;
}

/// A variable that names a library and is not set: nothing was looked for.
bool not_asked_for(const dl::LibraryReport& library) {
  return !library.found && library.looked.size() == 1 && library.looked[0].ends_with("(not set)");
}

std::string libraries_text(const std::vector<dl::LibraryReport>& libraries) {
  std::string out = "libraries found\n";
  std::string missing = "\nlibraries not found\n";
  for (const auto& library : libraries) {
    if (not_asked_for(library)) continue;
    if (library.found) {
      out += text("  ", library.name, library.version.empty() ? "" : ": ", library.version, "\n");
      out += row("", text(library.path, ", found by: ", library.how));
      continue;
    }
    std::string places;
    for (const auto& place : library.looked)
      places += (places.empty() ? "" : "; ") + one_line(place);
    missing += text("  ", library.name, "\n", row("", "looked: " + places),
                    row("", "to get it: " + library.hint));
  }
  return out + missing;
}

std::string accepted_row(const Considered& entry, bool chosen) {
  constexpr std::size_t kNotes = 30;
  return row(padded((chosen ? "* " : "  ") + entry.name, 18) + human_seconds(entry.estimate),
             one_line(entry.note), kNotes);
}

/// "name, name: reason; name: reason": neighbours with one reason share it.
std::string refusals(const std::vector<Considered>& considered) {
  std::string out;
  std::string last;
  for (const auto& entry : considered) {
    if (entry.accepted) continue;
    const std::string reason = brief(entry.note);
    const std::string tail = ": " + last;
    if (!out.empty() && reason == last) {
      out.insert(out.size() - tail.size(), ", " + entry.name);
    } else {
      out += text(out.empty() ? "" : "; ", entry.name, ": ", reason);
    }
    last = reason;
  }
  return out;
}

std::string sample_text(const SampleReport& sample) {
  std::string out = text("\n  ", sample.problem, " on ", sample.device, "\n");
  if (!sample.selection) return out + row("", brief(sample.failure));
  const auto& considered = sample.selection->considered;
  for (const auto& entry : considered) {
    if (entry.accepted) out += accepted_row(entry, entry.name == sample.selection->chosen);
  }
  const std::string refused = refusals(considered);
  return refused.empty() ? out : out + row("  refused", refused, 20);
}

}  // namespace

InfoReport info_report() {
  InfoReport report;
  report.libraries = dl::report();
  report.machine = capability_report();
  report.fft_instructions = kernels::fft::isa().name;
  report.plans = plan_cache_statistics();
  const auto llvm = codegen::llvm_version();
  report.host_code = llvm ? "LLVM " + llvm.value() : "interpreted: " + llvm.refusal().reason;
  report.disk_cache = disk_cache_report();
  report.host_pool_limit = env_count(EnvVar::host_pool_bytes).value_or(std::int64_t{1} << 30);
  for (const Sample& sample : kSamples) {
    report.samples.push_back(report_sample(sample, Device::cpu()));
    if (!report.machine.cuda_devices.empty())
      report.samples.push_back(report_sample(sample, Device::cuda()));
  }
  return report;
}

std::string threads_reason(const CpuLimits& limits) {
  const bool by_variable = limits.variable && *limits.variable == limits.usable;
  const bool by_quota = limits.quota && std::max(1.0, std::floor(*limits.quota)) == limits.usable;
  const std::string why = by_variable                        ? limits.variable_name
                          : limits.usable == limits.affinity ? "CPUs this process may run on"
                          : by_quota                         ? "the control group's quota"
                                                             : "the tightest limit";
  return text(limits.usable, ", by ", why, " (affinity mask ", limits.affinity, ", quota ",
              limits.quota ? text(*limits.quota) : "none", ", ",
              limits.variable ? text(limits.variable_name, " ", *limits.variable)
                              : "MATHWRIGHT_NUM_THREADS and OMP_NUM_THREADS unset",
              ")");
}

std::string to_text(const InfoReport& report) {
  std::string out =
      text("Mathwright ", MW_VERSION, ", compiled by ", kCompiler, "\n\n", host_text(report), "\n",
           code_text(report), "\n", devices_text(report.machine), "\n",
           libraries_text(report.libraries), "\nwhat would run  (* chosen: lowest estimate)\n");
  for (const auto& sample : report.samples) out += sample_text(sample);
  return out;
}

std::string info() { return to_text(info_report()); }
std::string info_json() { return to_json(info_report()); }

}  // namespace mw
