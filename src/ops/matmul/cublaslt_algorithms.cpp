// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/cublaslt_algorithms.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace mw::matmul_impl {

namespace {

namespace lt = cublaslt;

constexpr std::size_t kMostWorkspace = 32U << 20;
constexpr int kMostIds = 256;

enum class Number : std::uint8_t { int32, uint32, uint16, uint64, uint32_array };

struct ConfigRow {
  const char* name;
  lt::AlgoConfig attribute;
  Number type;
};
constexpr ConfigRow kConfig[] = {
    {"id", lt::AlgoConfig::id, Number::int32},
    {"tile", lt::AlgoConfig::tile_id, Number::uint32},
    {"stages", lt::AlgoConfig::stages_id, Number::uint32},
    {"split_k", lt::AlgoConfig::split_k_num, Number::int32},
    {"reduction_scheme", lt::AlgoConfig::reduction_scheme, Number::uint32},
    {"cta_swizzling", lt::AlgoConfig::cta_swizzling, Number::uint32},
    {"custom_option", lt::AlgoConfig::custom_option, Number::uint32},
    {"inner_shape", lt::AlgoConfig::inner_shape_id, Number::uint16},
    {"cluster_shape", lt::AlgoConfig::cluster_shape_id, Number::uint16},
};

struct CapRow {
  const char* name;
  lt::AlgoCap attribute;
  Number type;
};
constexpr CapRow kCaps[] = {
    {"splitk_support", lt::AlgoCap::split_k_support, Number::int32},
    {"reduction_scheme_mask", lt::AlgoCap::reduction_scheme_mask, Number::uint32},
    {"cta_swizzling_support", lt::AlgoCap::cta_swizzling_support, Number::uint32},
    {"strided_batch_support", lt::AlgoCap::strided_batch_support, Number::int32},
    {"out_of_place_result_support", lt::AlgoCap::out_of_place_result_support, Number::int32},
    {"uplo_support", lt::AlgoCap::uplo_support, Number::int32},
    {"tile_ids", lt::AlgoCap::tile_ids, Number::uint32_array},
    {"custom_option_max", lt::AlgoCap::custom_option_max, Number::int32},
    {"custom_memory_order", lt::AlgoCap::custom_memory_order, Number::int32},
    {"pointer_mode_mask", lt::AlgoCap::pointer_mode_mask, Number::uint32},
    {"epilogue_mask", lt::AlgoCap::epilogue_mask, Number::uint32},
    {"stages_ids", lt::AlgoCap::stages_ids, Number::uint32_array},
    {"ld_negative", lt::AlgoCap::ld_negative, Number::int32},
    {"numerical_impl_flags", lt::AlgoCap::numerical_impl_flags, Number::uint64},
    {"min_alignment_a_bytes", lt::AlgoCap::min_alignment_a_bytes, Number::uint32},
    {"min_alignment_b_bytes", lt::AlgoCap::min_alignment_b_bytes, Number::uint32},
    {"min_alignment_c_bytes", lt::AlgoCap::min_alignment_c_bytes, Number::uint32},
    {"min_alignment_d_bytes", lt::AlgoCap::min_alignment_d_bytes, Number::uint32},
    {"pointer_array_batch_support", lt::AlgoCap::pointer_array_batch_support, Number::int32},
    {"floating_point_emulation_support", lt::AlgoCap::floating_point_emulation_support,
     Number::int32},
};

/// Calls body with a number of the type.
template <class Body>
auto with_number(Number type, Body&& body) {
  switch (type) {
    case Number::uint16: return body(std::uint16_t{});
    case Number::uint64: return body(std::uint64_t{});
    case Number::int32: return body(std::int32_t{});
    default: return body(std::uint32_t{});
  }
}

std::optional<std::int64_t> read(const lt::Algo& algo, const ConfigRow& row) {
  return with_number(row.type, [&](auto value) -> std::optional<std::int64_t> {
    std::size_t written = 0;
    const auto status = lt::api().cublasLtMatmulAlgoConfigGetAttribute(&algo, row.attribute, &value,
                                                                       sizeof value, &written);
    if (status != lt::kSuccess) return std::nullopt;  // a later release has it
    return static_cast<std::int64_t>(value);
  });
}

void write(lt::Algo& algo, const ConfigRow& row, std::int64_t wanted) {
  with_number(row.type, [&](auto value) {
    using T = decltype(value);
    const auto refuse_value = [&](const char* why) {
      fail(ErrorKind::invalid_argument, "matmul: algorithm setting ", row.name, " is ", wanted,
           "; ", why);
    };
    if (!std::in_range<T>(wanted)) refuse_value("a number that its type holds is wanted");
    value = static_cast<T>(wanted);
    const auto status =
        lt::api().cublasLtMatmulAlgoConfigSetAttribute(&algo, row.attribute, &value, sizeof value);
    if (status != lt::kSuccess) {
      refuse_value(
          "this release of cuBLASLt does not take it. Its capabilities list what it takes");
    }
    return 0;
  });
}

std::optional<std::vector<std::int64_t>> read(const lt::Algo& algo, const CapRow& row) {
  const auto& get = lt::api().cublasLtMatmulAlgoCapGetAttribute;
  std::size_t bytes = 0;
  if (row.type == Number::uint32_array) {
    if (get(&algo, row.attribute, nullptr, std::size_t{0}, &bytes) != lt::kSuccess) {
      return std::nullopt;
    }
    std::vector<std::uint32_t> ids(bytes / sizeof(std::uint32_t));
    if (!ids.empty() && get(&algo, row.attribute, ids.data(), bytes, &bytes) != lt::kSuccess) {
      return std::nullopt;
    }
    return std::vector<std::int64_t>(ids.begin(), ids.end());
  }
  using Values = std::optional<std::vector<std::int64_t>>;
  return with_number(row.type, [&](auto value) -> Values {
    if (get(&algo, row.attribute, &value, sizeof value, &bytes) != lt::kSuccess)
      return std::nullopt;
    return std::vector{static_cast<std::int64_t>(value)};
  });
}

/// With what the call says of its operands' alignment.
lt::PreferenceOwner preference_of(const CublasLtCall& call) {
  lt::Preference raw = nullptr;
  lt::call(lt::api().cublasLtMatmulPreferenceCreate, &raw);
  lt::PreferenceOwner preference(raw);
  const MatmulProblem& problem = call.problem();
  const std::uint32_t a = problem.a().alignment;
  const std::uint32_t b = problem.b().alignment;
  const std::uint32_t d = problem.d().alignment;
  const std::uint32_t c = problem.has_c ? problem.c().alignment : d;
  const bool exchanged = call.shape().exchanged;
  using Attribute = lt::PreferenceAttribute;
  lt::set(raw, Attribute::max_workspace_bytes, static_cast<std::uint64_t>(kMostWorkspace));
  lt::set(raw, Attribute::min_alignment_a_bytes, exchanged ? b : a);
  lt::set(raw, Attribute::min_alignment_b_bytes, exchanged ? a : b);
  lt::set(raw, Attribute::min_alignment_c_bytes, c);
  lt::set(raw, Attribute::min_alignment_d_bytes, d);
  return preference;
}

std::vector<std::int64_t> applicable_ids(const CublasLtCall& call) {
  int ids[kMostIds] = {};
  int count = 0;
  const auto& types = call.types();
  lt::call(lt::api().cublasLtMatmulAlgoGetIds, call.context(), call.compute_type(),
           call.scale_type(), types[0], types[1], types[2], types[3], kMostIds, ids, &count);
  return {ids, ids + std::clamp(count, 0, kMostIds)};
}

lt::Algo initial(const CublasLtCall& call, std::int64_t id) {
  const auto& types = call.types();
  lt::Algo algo{};
  require(std::in_range<int>(id), ErrorKind::invalid_argument, "matmul: algorithm id ", id,
          "; one of applicable_ids is wanted");
  const auto status = lt::api().cublasLtMatmulAlgoInit(
      call.context(), call.compute_type(), call.scale_type(), types[0], types[1], types[2],
      types[3], static_cast<int>(id), &algo);
  require(status == lt::kSuccess, ErrorKind::invalid_argument, "matmul: cuBLASLt has no algorithm ",
          id, " for these dtypes; one of applicable_ids is wanted");
  return algo;
}

constexpr std::string_view kBytes = "algo=";

/// The settings as words.
std::string settings_of(const lt::Algo& algo) {
  std::string words;
  for (const auto& [name, value] : attributes_of(algo)) words += text(name, "=", value, " ");
  return words;
}

}  // namespace

std::vector<CublasLtAlgorithm> ranked_algorithms(const CublasLtCall& call, int limit) {
  const auto preference = preference_of(call);
  std::vector<lt::HeuristicResult> results(static_cast<std::size_t>(std::max(limit, 1)));
  int found = 0;
  lt::call(lt::api().cublasLtMatmulAlgoGetHeuristic, call.context(), call.desc(), call.x(),
           call.y(), call.c(), call.d(), preference.get(), static_cast<int>(results.size()),
           results.data(), &found);
  results.resize(static_cast<std::size_t>(std::clamp(found, 0, std::max(limit, 1))));
  std::vector<CublasLtAlgorithm> algorithms;
  for (const lt::HeuristicResult& result : results) {
    if (result.state == lt::kSuccess) algorithms.push_back({result.algo, result.workspace_bytes});
  }
  require(!algorithms.empty(), ErrorKind::unsupported, "cuBLASLt has no algorithm for ",
          call.problem().title());
  return algorithms;
}

Outcome<CublasLtAlgorithm> checked(const CublasLtCall& call, const lt::Algo& algo) {
  lt::HeuristicResult result{};
  const auto status = lt::api().cublasLtMatmulAlgoCheck(
      call.context(), call.desc(), call.x(), call.y(), call.c(), call.d(), &algo, &result);
  if (status != lt::kSuccess || result.state != lt::kSuccess) {
    return Refusal{"cublaslt", text("cuBLASLt does not run the problem with the algorithm ",
                                    settings_of(algo), "on this device (status ",
                                    status != lt::kSuccess ? status : result.state, ")")};
  }
  if (result.workspace_bytes > kMostWorkspace) {
    return Refusal{"cublaslt", text("the algorithm ", settings_of(algo), "wants ",
                                    human_bytes(static_cast<double>(result.workspace_bytes)),
                                    " of workspace; at most ", human_bytes(double{kMostWorkspace}),
                                    " are given")};
  }
  return CublasLtAlgorithm{algo, result.workspace_bytes};
}

std::vector<AlgorithmAttribute> attributes_of(const lt::Algo& algo) {
  std::vector<AlgorithmAttribute> attributes;
  for (const ConfigRow& row : kConfig) {
    if (const auto value = read(algo, row)) attributes.push_back({row.name, *value});
  }
  return attributes;
}

lt::Algo with_attributes(const CublasLtCall& call, lt::Algo algo,
                         std::span<const AlgorithmAttribute> changes) {
  const auto change_of = [&](std::string_view name) {
    return std::ranges::find(changes, name, &AlgorithmAttribute::name);
  };
  for (const AlgorithmAttribute& change : changes) {
    const bool known = std::ranges::find(kConfig, change.name, [](const ConfigRow& row) {
                         return std::string_view(row.name);
                       }) != std::end(kConfig);
    require(known, ErrorKind::invalid_argument, "matmul: an algorithm has no setting ", change.name,
            "; id, tile, stages, split_k, reduction_scheme, cta_swizzling, custom_option, "
            "inner_shape and cluster_shape are there");
  }
  if (const auto id = change_of("id"); id != changes.end()) algo = initial(call, id->value);
  for (const ConfigRow& row : kConfig) {
    if (row.attribute == lt::AlgoConfig::id) continue;
    if (const auto change = change_of(row.name); change != changes.end()) {
      write(algo, row, change->value);
    }
  }
  return algo;
}

std::vector<AlgorithmCapability> capabilities_of(const CublasLtCall& call, const lt::Algo& algo) {
  std::vector<AlgorithmCapability> capabilities;
  for (const CapRow& row : kCaps) capabilities.push_back({row.name, read(algo, row)});
  capabilities.push_back({"applicable_ids", applicable_ids(call)});
  return capabilities;
}

std::string words_of(const lt::Algo& algo) {
  std::string words = settings_of(algo) + std::string(kBytes);
  for (const std::uint64_t word : algo.data) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(word));
    words += digits;
  }
  return words;
}

std::optional<lt::Algo> algorithm_of(std::string_view words) {
  const auto at = words.find(kBytes);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = words.substr(at + kBytes.size());
  lt::Algo algo{};
  if (digits.size() != 16 * std::size(algo.data)) return std::nullopt;
  for (std::size_t i = 0; i < std::size(algo.data); ++i) {
    const char* first = digits.data() + 16 * i;
    const auto [stop, error] = std::from_chars(first, first + 16, algo.data[i], 16);
    if (error != std::errc() || stop != first + 16) return std::nullopt;
  }
  return settings_of(algo) == words.substr(0, at) ? std::optional(algo) : std::nullopt;
}

}  // namespace mw::matmul_impl
