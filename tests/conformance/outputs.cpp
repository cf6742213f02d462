// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "base/text.hpp"
#include "expr/number.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {

namespace {

double ulp_of(DType dtype) {
  switch (real_dtype(dtype)) {
    case DType::float64: return std::numeric_limits<double>::epsilon();
    case DType::float16: return 0x1p-10;
    case DType::bfloat16: return 0x1p-7;
    default: return std::numeric_limits<float>::epsilon();
  }
}

/// The error of one part in units of what is allowed.
double excess(double seen, double wanted, double allowed) {
  if (seen == wanted || (std::isnan(seen) && std::isnan(wanted))) return 0;
  if (!std::isfinite(seen) || !std::isfinite(wanted))
    return std::numeric_limits<double>::infinity();
  return std::abs(seen - wanted) / allowed;
}

double excess(const expr::Number& seen, const expr::Number& wanted, DType computed, double ulps) {
  const DTypeClass kind = dtype_class(wanted.dtype);
  if (kind != DTypeClass::real && kind != DTypeClass::complex) {
    return seen.integer == wanted.integer ? 0 : std::numeric_limits<double>::infinity();
  }
  const double arithmetic = ulp_of(computed);
  const double size = std::max(std::abs(std::complex<double>(wanted.real, wanted.imag)), 1.0);
  const double stored = ulp_of(wanted.dtype);
  const double storage = ulps > 0 && stored > arithmetic ? stored : 0;
  const double allowed = (ulps * arithmetic + storage) * size;
  return std::max(excess(seen.real, wanted.real, allowed), excess(seen.imag, wanted.imag, allowed));
}

/// Whether an element lies below the rows of D: auxiliary matrices are padded with anything.
bool is_padding(const Dims& aux, const TensorRef& d, std::int64_t element) {
  const std::size_t rows = aux.size() - 2;
  return element / aux[rows + 1] % aux[rows] >= d.shape[rows];
}

/// Of a byte of a ReLU mask, the bits that stand for rows of D: the others may be anything.
std::int64_t mask_bits(const Dims& mask, const TensorRef& d, std::int64_t element) {
  const std::size_t rows = mask.size() - 2;
  const std::int64_t first = element / mask[rows + 1] % mask[rows] * 8;
  return (std::int64_t{1} << std::clamp<std::int64_t>(d.shape[rows] - first, 0, 8)) - 1;
}

}  // namespace

NamedOutputs execute_for_outputs(const AnyProblem& problem, const Arguments& arguments,
                                 Unwritten& inputs, Device device, int threads) {
  const Tensor main = result_memory(problem, arguments, {});
  const std::vector<Tensor> aux = aux_memory(problem, arguments, {});
  std::vector<void*> addresses;
  for (const Tensor& tensor : aux) addresses.push_back(tensor.ref().data);
  addresses.push_back(main.ref().data);
  Execution execution;
  execution.num_threads = threads;
  execute_once(problem, arguments, execution, std::span<void* const>(addresses), {});
  synchronize(device, {});
  NamedOutputs outputs;
  for (std::size_t i = 0; i < aux.size(); ++i) {
    outputs.emplace_back(problem.aux()[i].name, Tensor::copy(aux[i]));
  }
  outputs.emplace_back("result", Tensor::copy(main));
  require(inputs.holds(), ErrorKind::invalid_argument, "an input was written to");
  return outputs;
}

std::string difference(const NamedOutputs& seen, const NamedOutputs& wanted, DType computed,
                       double ulps, double& worst) {
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    const auto& [name, right] = wanted[o];
    const TensorRef& left = seen[o].second.ref();
    if (left.shape != right.ref().shape || left.dtype != right.ref().dtype) {
      return text(name, " is ", left.dtype, " ", left.shape, ", not ", right.ref().dtype, " ",
                  right.ref().shape);
    }
    for (std::int64_t i = 0; i < right.size(); ++i) {
      if (name == "gelu_aux" && is_padding(right.ref().shape, wanted.back().second.ref(), i))
        continue;
      const auto at = [&](const TensorRef& tensor) {
        return expr::load(static_cast<const std::byte*>(tensor.data) +
                              static_cast<std::size_t>(i) * itemsize(tensor.dtype),
                          tensor.dtype);
      };
      expr::Number x = at(left), y = at(right.ref());
      if (name == "relu_aux") {
        const std::int64_t bits = mask_bits(right.ref().shape, wanted.back().second.ref(), i);
        x.integer &= bits;
        y.integer &= bits;
      }
      const double ratio = excess(x, y, computed, ulps);
      worst = std::max(worst, std::isfinite(ratio) ? ratio : 0);
      if (ratio <= 1) continue;
      return text(name, " element ", i, " is ", x.real, ",", x.imag, " (", x.integer, "), not ",
                  y.real, ",", y.imag, " (", y.integer, ")");
    }
  }
  return {};
}

}  // namespace mw::conformance
