// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/matmul_fused.hpp"

#include <cmath>
#include <deque>
#include <limits>

#include "base/text.hpp"
#include "expr/fusion.hpp"
#include "expr/number.hpp"
#include "ops/matmul/problem.hpp"
#include "plan/session.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::conformance {

namespace {

using Given = std::span<const Scalar>;

/// How a tensor of a formula lies: along the columns of D, along its rows, once per product, all
/// of D in column order.
enum class Lie : std::uint8_t { columns, rows, products, full };

struct Formula {
  const char* text;  ///< as case files write it
  std::vector<Lie> tensors;
  std::size_t scalars;               ///< run-time ones, each 0.5
  Outputs (*function)(Given given);  ///< of x, tensors, scalars
  double ulps;
};

const Formula kFormulas[] = {
    {"relu(x+bias)",
     {Lie::columns},
     0,
     [](Given g) -> Outputs { return relu(g[0] + g[1]); },
     kExact},
    {"x+bias", {Lie::columns}, 0, [](Given g) -> Outputs { return g[0] + g[1]; }, kExact},
    {"conj(x)*rows", {Lie::rows}, 0, [](Given g) -> Outputs { return conj(g[0]) * g[1]; }, kExact},
    {"x*rows+full",
     {Lie::rows, Lie::full},
     0,
     [](Given g) -> Outputs { return g[0] * g[1] + g[2]; },
     kExact},
    {"x*products", {Lie::products}, 0, [](Given g) -> Outputs { return g[0] * g[1]; }, kExact},
    {"clamp(x,-1,s)", {}, 1, [](Given g) -> Outputs { return clamp(g[0], -1, g[1]); }, kExact},
    {"where(i<j,s,x)",
     {},
     1,
     [](Given g) -> Outputs { return where(index(-2) < index(-1), g[1], g[0]); },
     kExact},
    {"round(x*4)%3", {}, 0, [](Given g) -> Outputs { return round(g[0] * 4) % 3; }, kExact},
    {"fp8(x)",
     {},
     0,
     [](Given g) -> Outputs { return g[0].astype(DType::float8_e4m3fn).astype(DType::float32); },
     kExact},
    {"silu(x)*full",
     {Lie::full},
     0,
     [](Given g) -> Outputs { return silu(g[0]) * g[1]; },
     kFunctions},
    {"gelu(x)", {}, 0, [](Given g) -> Outputs { return gelu(g[0]); }, kFunctions},
    {"exp(-abs(x))", {}, 0, [](Given g) -> Outputs { return exp(-abs(g[0])); }, kFunctions},
    {"x;x>0",
     {},
     0,
     [](Given g) {
       return Outputs{{"result", g[0]}, {"mask", g[0] > 0}};
     },
     kExact},
    {"x;sum(x,-1)",
     {},
     0,
     [](Given g) {
       return Outputs{{"result", g[0]}, {"sums", sum(g[0], {-1})}};
     },
     kExact},
    {"relu(x);max(x,-2);argmax(x)",
     {},
     0,
     [](Given g) {
       return Outputs{{"result", relu(g[0])}, {"most", max(g[0], {-2})}, {"where", argmax(g[0])}};
     },
     kExact},
    {"x;sum(x*x)",
     {},
     0,
     [](Given g) {
       return Outputs{{"result", g[0]}, {"squares", sum(g[0] * g[0])}};
     },
     kExact},
};

const Formula* formula_of(const std::string& words) {
  for (const Formula& formula : kFormulas) {
    if (words == formula.text) return &formula;
  }
  return nullptr;
}

const NamedEpilogRow* named_of(const std::string& words) {
  for (const NamedEpilogRow& row : named_epilogs()) {
    if (words == row.name) return &row;
  }
  return nullptr;
}

std::string epilog_words(const Case& line) { return line.value("epilog").value_or(""); }

double ulps_allowed(const std::string& words) {
  if (const Formula* formula = formula_of(words)) return formula->ulps;
  return words.find("GELU") == std::string::npos ? kExact : kFunctions;
}

/// A request with the memory behind it.
class FusedCall {
 public:
  FusedCall(const Case& line, Device device)
      : given_(MatmulCase::make(line)),
        device_(device),
        dtype_(given_.a.host().dtype),
        shape_(product_shape(given_.a.host().shape, given_.b.host().shape)) {
    MatmulOperands operands{.a = given_.a.put(device), .b = given_.b.put(device)};
    if (given_.c) operands.c = given_.c->put(device);
    if (given_.out) operands.out = given_.out->put(device);
    if (given_.in_place) operands.out = operands.c;
    const std::string words = epilog_words(line);
    MatmulExtras extras;
    extras.epilog.emplace();
    if (const Formula* formula = formula_of(words)) {
      attach(*formula, *extras.epilog);
    } else {
      const NamedEpilogRow* row = named_of(words);
      require(row != nullptr, ErrorKind::invalid_argument, "epilog=", words,
              " is neither a named epilog nor a formula of matmul_fused.cpp");
      attach(*row, *extras.epilog);
    }
    request_ = make_matmul(operands, given_.options, extras);
    inputs_ = given_.inputs();
    for (Storage& storage : kept_) inputs_.watch(storage);
  }

  NamedOutputs run(int threads) {
    return execute_for_outputs(ProblemOf<MatmulProblem>(request_.problem), request_.arguments,
                               inputs_, device_, threads);
  }

 private:
  void attach(const Formula& formula, EpilogRequest& epilog) {
    std::vector<TensorRef> tensors;
    for (const Lie lie : formula.tensors)
      tensors.push_back(tensor(shape_as(lie), lie == Lie::full));
    const std::vector<Scalar> scalars(formula.scalars, Scalar(0.5));
    const Fusion fusion([&](Given given) { return formula.function(given); },
                        1 + tensors.size() + scalars.size(), tensors, scalars, {});
    epilog.function = expr::trace(fusion, expr::computing_dtype(dtype_), dtype_);
    epilog.tensors = expr::tensors_of(fusion);
    epilog.scalars = expr::scalars_of(fusion);
  }

  void attach(const NamedEpilogRow& row, EpilogRequest& epilog) {
    epilog.named = row.value;
    if (row.bias) epilog.tensors.push_back(tensor({shape_.m}, false));
    if (!row.aux_in) return;
    const bool mask = std::string_view(row.aux_in) == "relu_aux";
    Dims aux = shape_.batch;
    aux.push_back(mask ? mask_rows(shape_.m) : aux_rows(shape_.m));
    aux.push_back(shape_.n);
    epilog.tensors.push_back(tensor(aux, true, mask ? DType::uint8 : dtype_));
  }

  [[nodiscard]] Dims shape_as(Lie lie) const {
    Dims full = shape_.batch;
    full.push_back(shape_.m);
    full.push_back(shape_.n);
    switch (lie) {
      case Lie::columns: return {shape_.n};
      case Lie::rows: return {shape_.m, 1};
      case Lie::products: full[full.size() - 1] = full[full.size() - 2] = 1; return full;
      default: return full;
    }
  }

  TensorRef tensor(const Dims& shape, bool by_columns, std::optional<DType> dtype = std::nullopt) {
    const auto seed = static_cast<std::uint64_t>(11 + kept_.size());
    kept_.push_back(exact_storage(dtype.value_or(dtype_), shape, by_columns ? "F" : "C", seed));
    return kept_.back().put(device_);
  }

  MatmulCase given_;
  Device device_;
  DType dtype_;
  ProductShape shape_;
  std::deque<Storage> kept_;  ///< the epilog's tensors
  Unwritten inputs_;
  MatmulRequest request_;
};

}  // namespace

bool has_epilog(const Case& line) { return line.value("epilog").has_value(); }

NamedOutputs run_fused(const Case& line, Device device, int threads) {
  return FusedCall(line, device).run(threads);
}

std::string fused_difference(const Case& line, const NamedOutputs& seen, const NamedOutputs& wanted,
                             double& worst) {
  return difference(seen, wanted, expr::computing_dtype(line.dtype(0)),
                    ulps_allowed(epilog_words(line)), worst);
}

}  // namespace mw::conformance
