// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Every implementation of a fused expression that accepts a case, against the reference.
//
//   fuse_driver fuse_wide.txt
//
//   float32 f=s*x+y x=33x7 y=7 x_strides=F d_strides=padded nan cuda
//
//   f                       one of the table below, as it stands there
//   x, y, z                 shapes, which broadcast
//   x_strides …, d_strides  as of products; d_strides gives an `out` of that layout
//   out                     its dtype, if it is not that of x
//   nan, inf, denormal      one element of x; all of x tiny
//   cuda                    operands on a CUDA device; skipped without one
//
// Operands hold multiples of a power of two: what has no transcendental function must be equal.
#include <cmath>
#include <cstdio>
#include <deque>
#include <limits>

#include "base/text.hpp"
#include "conformance/outputs.hpp"
#include "conformance/score.hpp"
#include "conformance/storage.hpp"
#include "expr/fusion.hpp"
#include "expr/types.hpp"
#include "ops/fuse/problem.hpp"

namespace mw::conformance {
namespace {

using Given = std::span<const Scalar>;

constexpr double kScalar = 0.75;  ///< every run-time scalar

struct Expression {
  const char* text;
  std::size_t tensors, scalars;
  Outputs (*function)(Given g);  ///< of tensors, then scalars
  double ulps;
};

const Expression kExpressions[] = {
    {"s*x+y", 2, 1, [](Given g) -> Outputs { return g[2] * g[0] + g[1]; }, kExact},
    {"relu(s*x+y)", 2, 1, [](Given g) -> Outputs { return relu(g[2] * g[0] + g[1]); }, kExact},
    {"where(x>y,clamp(x,-1,1),s*y)", 2, 1,
     [](Given g) -> Outputs { return where(g[0] > g[1], clamp(g[0], -1, 1), g[2] * g[1]); },
     kExact},
    {"x%y//2", 2, 0, [](Given g) -> Outputs { return floor_divide(g[0] % g[1], 2); }, kExact},
    {"x*i+j", 1, 0, [](Given g) -> Outputs { return g[0] * index(-2) + index(-1); }, kExact},
    {"int8(x*100)", 1, 0, [](Given g) -> Outputs { return (g[0] * 100).astype(DType::int8); },
     kExact},
    {"fp8(x)", 1, 0, [](Given g) -> Outputs { return g[0].astype(DType::float8_e5m2); }, kExact},
    {"conj(x)*y", 2, 0, [](Given g) -> Outputs { return conj(g[0]) * g[1]; }, kExact},
    {"sqrt(x*x+y*y+z*z)", 3, 0,
     [](Given g) -> Outputs { return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]); }, kExact},
    {"gelu(x)", 1, 0, [](Given g) -> Outputs { return gelu_tanh(g[0]); }, kFunctions},
    {"sigmoid(x)*y", 2, 0, [](Given g) -> Outputs { return sigmoid(g[0]) * g[1]; }, kFunctions},
    {"log1p(exp(-abs(x)))", 1, 0, [](Given g) -> Outputs { return log1p(exp(-abs(g[0]))); },
     kFunctions},
    {"sum(x*y)", 2, 0, [](Given g) -> Outputs { return sum(g[0] * g[1]); }, kExact},
    {"sum(x,-1);max(x,-2);argmin(x)", 1, 0,
     [](Given g) {
       return Outputs{
           {"result", sum(g[0], {-1})}, {"most", max(g[0], {-2})}, {"where", argmin(g[0])}};
     },
     kExact},
    {"x+y;x>y;isnan(x)", 2, 0,
     [](Given g) {
       return Outputs{{"result", g[0] + g[1]}, {"larger", g[0] > g[1]}, {"nan", isnan(g[0])}};
     },
     kExact},
};

const Expression& expression_of(const Case& line) {
  const std::string words = line.value("f").value_or("");
  for (const Expression& expression : kExpressions) {
    if (words == expression.text) return expression;
  }
  throw Error(ErrorKind::invalid_argument, text("f=", words, " is not in fuse_driver.cpp"));
}

/// A request with the memory behind it.
class Call {
 public:
  Call(const Case& line, Device device) : expression_(expression_of(line)), device_(device) {
    line.check_known(
        {"f", "x", "y", "z", "x_strides", "y_strides", "z_strides", "d_strides", "out"},
        {"nan", "inf", "denormal", "cuda"}, 1);
    const DType dtype = line.dtype(0);
    FuseOperands operands;
    Dims space;
    for (std::size_t t = 0; t < expression_.tensors; ++t) {
      const std::string name(1, "xyz"[t]);
      const auto shape = line.dims(name);
      require(shape.has_value(), ErrorKind::invalid_argument, name, " is missing");
      broadcast(space, *shape);
      const bool tiny = t == 0 && line.flag("denormal", 1);
      kept_.push_back(exact_storage(dtype, *shape, line.value(name + "_strides").value_or("C"),
                                    t + 1, tiny ? denormal_scale(dtype) : 1));
      if (t == 0) poison(line);
      operands.inputs.push_back(kept_.back().put(device));
      inputs_.watch(kept_.back());
    }
    operands.scalars.assign(expression_.scalars, kScalar);
    const Fusion fusion([this](Given given) { return expression_.function(given); },
                        expression_.tensors + expression_.scalars, operands.inputs,
                        std::vector<Scalar>(expression_.scalars, Scalar(kScalar)), {});
    if (line.value("d_strides") || line.value("out")) {
      const DType out = dtype_from_name(line.value("out").value_or(text(dtype))).value();
      out_.emplace(out, space, strides_of(line.value("d_strides"), space), 0);
      operands.out = out_->put(device);
    }
    request_ = make_fuse(expr::trace(fusion, std::nullopt, std::nullopt), operands);
  }

  NamedOutputs run(int threads) {
    return execute_for_outputs(ProblemOf<FuseProblem>(request_.problem), request_.arguments,
                               inputs_, device_, threads);
  }

 private:
  static void broadcast(Dims& space, const Dims& shape) {
    while (space.size() < shape.size()) space.insert(0, 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& extent = space[space.size() - shape.size() + i];
      if (shape[i] != 1) extent = shape[i];
    }
  }

  void poison(const Case& line) {
    Storage& x = kept_.back();
    if (x.host().size() == 0) return;
    if (line.flag("nan", 1)) x.set(x.host().size() / 3, std::numeric_limits<double>::quiet_NaN());
    if (line.flag("inf", 1)) x.set(x.host().size() / 2, -std::numeric_limits<double>::infinity());
  }

  const Expression& expression_;
  Device device_;
  std::deque<Storage> kept_;
  Unwritten inputs_;
  std::optional<Storage> out_;
  FuseRequest request_;
};

void run_case(const Case& one, Score& score) {
  const auto device = score.device_of(one);
  if (!device) return;
  set_candidates({"reference"});
  const NamedOutputs expected = Call(one, Device::cpu()).run(1);
  score.each_candidate<FuseProblem>(one, [&](const std::string& name) {
    if (name == "reference") return false;  // it is `expected`
    NamedOutputs seen;
    if (!score.accepts(name, [&] { seen = Call(one, *device).run(score.line().threads); })) {
      return false;
    }
    score.judge(one, name,
                difference(seen, expected, expr::computing_dtype(one.dtype(0)),
                           expression_of(one).ulps, score.worst(name)));
    return true;
  });
}

}  // namespace
}  // namespace mw::conformance

int main(int count, char** arguments) {
  try {
    mw::conformance::Score score(mw::conformance::parse_command_line(count, arguments));
    return score.run(
        [&](const mw::conformance::Case& one) { mw::conformance::run_case(one, score); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
