// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The algorithms that cuBLASLt has for a call, with their settings and abilities by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/matmul/cublaslt_call.hpp"
#include "plan/plan.hpp"

namespace mw::matmul_impl {

struct CublasLtAlgorithm {
  cublaslt::Algo algo{};
  std::size_t workspace_bytes = 0;
};

/// The library's own ranking, at most `limit`. Errors: unsupported if it has none.
[[nodiscard]] std::vector<CublasLtAlgorithm> ranked_algorithms(const CublasLtCall& call, int limit);

/// Whether the library runs the call with this algorithm on the device, in the workspace there is.
[[nodiscard]] Outcome<CublasLtAlgorithm> checked(const CublasLtCall& call,
                                                 const cublaslt::Algo& algo);

/// id, tile, stages, split_k, reduction_scheme, cta_swizzling, custom_option, inner_shape,
/// cluster_shape, as far as this release has them.
[[nodiscard]] std::vector<AlgorithmAttribute> attributes_of(const cublaslt::Algo& algo);
/// With some of them changed; a change of the id starts from that algorithm's defaults. Errors:
/// invalid_argument for an unknown setting, or a value that the library does not take.
[[nodiscard]] cublaslt::Algo with_attributes(const CublasLtCall& call, cublaslt::Algo algo,
                                             std::span<const AlgorithmAttribute> changes);

/// One for each ability that the library can be asked for, and "applicable_ids": the algorithms
/// there are for the operands' types.
[[nodiscard]] std::vector<AlgorithmCapability> capabilities_of(const CublasLtCall& call,
                                                               const cublaslt::Algo& algo);

/// "id=66 tile=20 … algo=…": settings to read, and the bytes to make it from again.
[[nodiscard]] std::string words_of(const cublaslt::Algo& algo);
/// Nothing if the words are damaged: the settings must be those of the bytes.
[[nodiscard]] std::optional<cublaslt::Algo> algorithm_of(std::string_view words);

}  // namespace mw::matmul_impl
