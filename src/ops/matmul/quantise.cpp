// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/quantise.hpp"

#include <algorithm>

#include "ops/matmul/epilog.hpp"
#include "ops/matmul/splice.hpp"

namespace mw {

namespace {

using expr::Function;
using expr::FunctionPtr;
using expr::NodeId;
using expr::Op;

using ScaleList = std::array<const std::optional<Scale>*, 5>;

ScaleList list(const Quantisation& scales) {
  return {&scales.a, &scales.b, &scales.c, &scales.d, &scales.aux};
}

bool in_memory(const std::optional<Scale>& scale) { return scale && scale->tensor.has_value(); }

double number(const std::optional<Scale>& scale) {
  return scale && !scale->tensor ? scale->number : 1;
}

/// A function with scales put around it.
class Rewriter {
 public:
  Rewriter(const Function& function, const Quantisation& scales, bool adds_c, DType c)
      : old_(function),
        scales_(scales),
        splice_(function, adds_c ? std::optional(c) : std::nullopt) {}

  QuantisedFunction run(bool adds_c) {
    QuantisedFunction result{.function = nullptr, .adds_c = adds_c, .largest = {}};
    for (std::size_t i = 0; i < kScaleNames.size(); ++i) leaf_of_scale(i);
    // s_a·s_b·x, and s_c·beta·C where C is added here.
    const NodeId x = scaled(scaled(splice_.element(), 0), 1);
    splice_.copy_old(adds_c ? splice_.plus_c(x, leaves_[2]) : x);
    outputs(result.largest);
    result.function = splice_.finish();
    return result;
  }

 private:
  void leaf_of_scale(std::size_t which) {
    const std::optional<Scale>& scale = *list(scales_)[which];
    const bool folded = which < 3;
    if (!scale || (folded && !scale->tensor)) return;
    leaves_[which] = scale->tensor ? splice_.tensor(kScaleNames[which], DType::float32)
                                   : splice_.scalar(kScaleNames[which]);
  }

  NodeId scaled(NodeId value, std::size_t which) {
    return leaves_[which] == expr::kNone ? value
                                         : splice_.apply(Op::multiply, value, leaves_[which]);
  }

  /// The value as it is stored: scaled, and inside of a float8's finite range.
  NodeId stored(NodeId value, DType dtype, std::size_t which) {
    value = scaled(splice_.converted(value), which);
    const auto most = float8_max(dtype);
    return most ? splice_.apply(Op::clamp, value, splice_.constant(-*most), splice_.constant(*most))
                : value;
  }

  NodeId largest(NodeId value) {
    const NodeId magnitude = splice_.apply(Op::absolute, splice_.converted(value));
    return splice_.add({.op = Op::max,
                        .dtype = splice_.dtype(),
                        .args = {magnitude, expr::kNone, expr::kNone},
                        .integer = expr::kAllAxes});
  }

  void outputs(std::vector<std::string>& names) {
    std::vector<expr::Output> amaxes;
    for (const expr::Output& old : old_.outputs) {
      expr::Output output = splice_.output(old);
      const bool main = output.name == "result";
      const bool aux = output.name == "gelu_aux";
      if (main ? scales_.result_amax : aux && scales_.aux_amax) {
        amaxes.push_back({output.name + "_amax", DType::float32, largest(output.node)});
        names.push_back(amaxes.back().name);
      }
      if (main || (aux && scales_.aux))
        output.node = stored(output.node, output.dtype, main ? 3 : 4);
      if (main) {
        for (auto& amax : amaxes) splice_.add_output(std::move(amax));
      }
      splice_.add_output(std::move(output));
    }
  }

  const Function& old_;
  const Quantisation& scales_;
  Splice splice_;
  std::array<NodeId, 5> leaves_{expr::kNone, expr::kNone, expr::kNone, expr::kNone, expr::kNone};
};

}  // namespace

std::vector<Quantisation::NamedTensor> Quantisation::tensors() const {
  std::vector<NamedTensor> found;
  const ScaleList scales = list(*this);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (in_memory(*scales[i])) found.emplace_back(kScaleNames[i], &*(*scales[i])->tensor);
  }
  return found;
}

std::vector<double> Quantisation::numbers() const {
  std::vector<double> found;
  for (const auto* scale : {&d, &aux}) {
    if (*scale && !(*scale)->tensor) found.push_back((*scale)->number);
  }
  return found;
}

double Quantisation::number_of_product() const { return number(a) * number(b); }
double Quantisation::number_of_c() const { return number(c); }

std::optional<double> float8_max(DType dtype) {
  if (dtype == DType::float8_e4m3fn) return 448;
  if (dtype == DType::float8_e5m2) return 57344;
  return std::nullopt;
}

QuantisedFunction with_scales(const FunctionPtr& function, const Quantisation& scales, bool has_c,
                              DType c) {
  const bool clamps = float8_max(function->outputs.back().dtype).has_value();
  const bool idle = scales.tensors().empty() && scales.numbers().empty() && !scales.result_amax &&
                    !scales.aux_amax && !clamps;
  if (idle) return {.function = function, .adds_c = false, .largest = {}};
  const bool adds_c = has_c && (in_memory(scales.a) || in_memory(scales.b) || in_memory(scales.c));
  return Rewriter(*function, scales, adds_c, c).run(adds_c);
}

}  // namespace mw
