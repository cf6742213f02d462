// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/tuning_format.hpp"

#include <cmath>
#include <optional>

#include "base/json.hpp"

namespace mw {

namespace {

constexpr std::string_view kFormat = "mathwright tuning";
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: whole numbers up to it are exact

Refusal wrong(const std::string& what) { return {"tuning", what}; }

struct TextMember {
  const char* name;
  std::string& (*of)(TuningEntry& entry);
};
constexpr TextMember kTextMembers[] = {
    {"operation", [](TuningEntry& entry) -> std::string& { return entry.key.operation; }},
    {"problem", [](TuningEntry& entry) -> std::string& { return entry.key.problem; }},
    {"title", [](TuningEntry& entry) -> std::string& { return entry.title; }},
    {"device", [](TuningEntry& entry) -> std::string& { return entry.key.device; }},
    {"libraries", [](TuningEntry& entry) -> std::string& { return entry.key.libraries; }},
    {"candidate", [](TuningEntry& entry) -> std::string& { return entry.candidate; }},
    {"variant", [](TuningEntry& entry) -> std::string& { return entry.variant; }},
};

std::optional<double> number_of(const json::Value& object, const char* name) {
  const json::Value* value = object.find(name);
  const double* number = value ? value->as<double>() : nullptr;
  if (!number || !(*number >= 0) || !(*number <= kLargestWhole)) return std::nullopt;
  return *number;
}

Outcome<TuningEntry> entry_of(const json::Value& object) {
  TuningEntry entry;
  for (const auto& [name, of] : kTextMembers) {
    const json::Value* value = object.find(name);
    const auto* words = value ? value->as<std::string>() : nullptr;
    if (!words) return wrong(text("an entry lacks \"", name, "\""));
    of(entry) = *words;
  }
  const auto seconds = number_of(object, "seconds");
  const auto when = number_of(object, "when");
  if (!seconds || !when) return wrong("an entry lacks \"seconds\" or \"when\"");
  entry.seconds = *seconds;
  entry.when = static_cast<std::int64_t>(*when);
  return entry;
}

}  // namespace

Outcome<TuningText> read_tuning(std::string_view bytes) {
  const auto parsed = json::parse(bytes);
  if (!parsed) return parsed.refusal();
  const json::Value& file = parsed.value();
  const json::Value* format = file.find("format");
  const auto* format_name = format ? format->as<std::string>() : nullptr;
  if (!format_name || *format_name != kFormat) return wrong("it is no file of tuning results");
  const auto version = number_of(file, "version");
  if (!version || *version < 1) return wrong("its version is missing");
  TuningText read;
  read.newer = *version > kTuningVersion;
  if (read.newer) return read;
  const json::Value* entries = file.find("entries");
  const auto* list = entries ? entries->as<json::Array>() : nullptr;
  if (!list) return wrong("its entries are missing");
  for (const json::Value& object : *list) {
    auto entry = entry_of(object);
    if (!entry) return entry.refusal();
    read.entries.push_back(std::move(entry.value()));
  }
  return read;
}

std::string write_tuning(std::span<const TuningEntry> entries) {
  std::string out = text("{\"format\": ", json::quoted(kFormat), ", \"version\": ", kTuningVersion,
                         ", \"entries\": [");
  const char* separator = "\n";
  for (TuningEntry entry : entries) {
    out += separator;
    out += '{';
    for (const auto& [name, of] : kTextMembers) {
      out += text(json::quoted(name), ": ", json::quoted(of(entry)), ", ");
    }
    out += text("\"seconds\": ", json::number(std::isfinite(entry.seconds) ? entry.seconds : 0),
                ", \"when\": ", entry.when, "}");
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace mw
