// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A product as a call of a template of kernels/matmul_cuda with the problem's epilog spliced in:
// what the candidates of skinny, batched and large products share.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "kernels/matmul_cuda/source.hpp"
#include "ops/matmul/problem.hpp"
#include "runtime/device_program.hpp"
#include "runtime/tensor_map.hpp"

namespace mw::matmul_impl {

/// The problem by rows. If D is stored by columns, Dᵀ = Bᵀ·Aᵀ: A and B exchanged, the last two axes
/// of everything exchanged.
struct ByRows {
  MatmulProblem problem;
  OperandLayout wide;  ///< A of `problem` as it was given, before folding
  bool turned = false;

  /// The number of an operand in the problem it was made from.
  [[nodiscard]] std::size_t given(std::size_t operand) const {
    return turned && operand < 2 ? 1 - operand : operand;
  }
};
/// `problem`: `given`, maybe with its batch folded. Refusal: neither rows nor columns of D are
/// contiguous.
[[nodiscard]] Outcome<ByRows> by_rows(const MatmulProblem& given, MatmulProblem problem);

/// What the choice depends on.
struct CudaTraits {
  int capability = 0;
  int multiprocessors = 0;
};
[[nodiscard]] CudaTraits cuda_traits(int device_id);

/// Everything about the call but the addresses.
struct CudaForm {
  matmul_cuda::Shape shape;
  std::string epilog;
  /// The kernel's argument; addresses and run-time scalars are filled in for each call.
  static constexpr std::size_t kMostWords = 128;
  std::array<std::uint64_t, kMostWords> words{};
  std::size_t arguments_word = 0;  ///< matmul_cuda::Arguments
  struct Address {
    std::size_t word, operand;
  };
  std::vector<Address> addresses;
  /// An operand that the kernel fetches by a tensor map. Its box is the template's.
  struct Map {
    std::size_t word, operand;
    bool by_k;  ///< its fastest axis
    TensorMapShape shape;
  };
  std::vector<Map> maps;
  std::size_t scale_word = 0;        ///< alpha, beta
  std::size_t scalar_word = 0;       ///< the function's run-time scalars
  std::vector<std::size_t> scalars;  ///< which of the call's
};

/// How a template reaches A and B.
enum class Fetch : std::uint8_t { by_address, by_map };

/// Refusal: dtypes, batches or epilogs that the templates do not have; by map, strides that maps do
/// not have. Relayout: by address, A is not by rows.
[[nodiscard]] std::variant<CudaForm, Refusal, Relayout> cuda_form(const ByRows& rows,
                                                                  const CudaTraits& traits,
                                                                  Fetch fetch = Fetch::by_address);

/// Compiles when it is prepared, or first launched, and launches.
class CudaProgram {
 public:
  CudaProgram(CudaForm form, const matmul_cuda::Params& params, int device_id);

  /// Errors: those of device_kernel().
  void prepare() const;
  /// Queues the kernel; the device's context is current.
  void launch(const Call& call) const;
  [[nodiscard]] std::string describe() const;

 private:
  CudaForm form_;
  matmul_cuda::Params params_;
  int device_id_;
  mutable std::atomic<cuda::Kernel> kernel_ = nullptr;
};

/// How many times its floor a product takes from cuBLASLt, measured on an H200: it has no kernels
/// for few columns. 1.1 where it is good.
[[nodiscard]] double gemm_over_floor(const MatmulProblem& problem);

/// Of the bandwidth by clocks and bus width, what a copy reaches.
inline constexpr double kReachedBandwidth = 0.88;

}  // namespace mw::matmul_impl
