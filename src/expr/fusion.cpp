// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/fusion.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "expr/scalar.hpp"
#include "expr/simplify.hpp"

namespace mw {

struct Fusion::State {
  struct Recorded {
    std::optional<DType> element, result;
    expr::FunctionPtr function;
  };

  Function function;
  std::size_t arity = 0;
  std::vector<TensorRef> tensors;
  std::vector<Scalar> scalars;
  std::vector<std::string> names;

  mutable std::mutex lock;  ///< of what follows; the function runs under it, one call at a time
  mutable std::vector<Recorded> recorded;
};

Fusion::Fusion(Function function, std::size_t arity, std::vector<TensorRef> tensors,
               std::vector<Scalar> scalars, std::vector<std::string> names) {
  const std::size_t given = tensors.size() + scalars.size();
  require(arity == given || arity == given + 1, ErrorKind::invalid_argument,
          "fuse: the function has ", arity, " parameters, but ", tensors.size(), " tensors and ",
          scalars.size(), " scalars are given; ", given, " are wanted, or ", given + 1,
          " with the element first");
  require(names.empty() || names.size() == given, ErrorKind::invalid_argument,
          "fuse: ", names.size(), " names for ", given,
          " tensors and scalars; one each is wanted, or none");
  for (const auto& scalar : scalars) (void)expr::ScalarAccess::value(scalar);
  if (names.empty()) {
    for (std::size_t i = 0; i < tensors.size(); ++i) names.push_back(text("t", i));
    for (std::size_t i = 0; i < scalars.size(); ++i) names.push_back(text("s", i));
  }
  auto state = std::make_shared<State>();
  state->function = std::move(function);
  state->arity = arity;
  state->tensors = std::move(tensors);
  state->scalars = std::move(scalars);
  state->names = std::move(names);
  state_ = std::move(state);
}

namespace expr {

struct FusionAccess {
  using State = Fusion::State;
  static const State& state(const Fusion& fusion) {
    require(static_cast<bool>(fusion), ErrorKind::invalid_argument,
            "fuse: an empty Fusion; make one with fuse(function, {tensors…})");
    return *fusion.state_;
  }
};

namespace {

FunctionPtr record(const FusionAccess::State& state, std::optional<DType> element,
                   std::optional<DType> result) {
  const std::size_t given = state.tensors.size() + state.scalars.size();
  require(state.arity == given + (element ? 1 : 0), ErrorKind::invalid_argument,
          "fuse: the function has ", state.arity, " parameters; the operation calls it with ",
          element ? "an element, " : "", state.tensors.size(), " tensors and ",
          state.scalars.size(), " scalars");
  const auto builder = std::make_shared<Builder>();
  std::vector<Scalar> arguments;
  if (element) arguments.push_back(ScalarAccess::make(builder, builder->element("x", *element)));
  auto name = state.names.begin();
  for (const auto& tensor : state.tensors) {
    arguments.push_back(ScalarAccess::make(builder, builder->tensor(*name++, tensor.dtype)));
  }
  for (const auto& scalar : state.scalars) {
    const DType kind = ScalarAccess::value(scalar).dtype;
    arguments.push_back(ScalarAccess::make(builder, builder->scalar(*name++, kind)));
  }
  if (result) builder->stores(*result);
  const Recording recording(builder);
  const Outputs outputs = state.function(arguments);
  for (const auto& [output, value] : outputs.list) {
    const bool main = output == "result";
    builder->output(output, ScalarAccess::term(builder, value), main ? result : std::nullopt);
  }
  const bool has_result = std::ranges::any_of(
      outputs.list, [](const auto& output) { return output.first == "result"; });
  require(has_result || !element, ErrorKind::invalid_argument,
          "fuse: the function has no output named 'result'; it is what the operation stores");
  return std::make_shared<const Function>(simplify(builder->finish()));
}

}  // namespace

FunctionPtr trace(const Fusion& fusion, std::optional<DType> element, std::optional<DType> result) {
  const auto& state = FusionAccess::state(fusion);
  const std::scoped_lock guard(state.lock);
  for (const auto& known : state.recorded) {
    if (known.element == element && known.result == result) return known.function;
  }
  FunctionPtr function = record(state, element, result);
  state.recorded.push_back({element, result, function});
  return function;
}

const std::vector<TensorRef>& tensors_of(const Fusion& fusion) {
  return FusionAccess::state(fusion).tensors;
}

std::vector<std::complex<double>> scalars_of(const Fusion& fusion) {
  std::vector<std::complex<double>> values;
  for (const auto& scalar : FusionAccess::state(fusion).scalars) {
    const Number value = convert(ScalarAccess::value(scalar), DType::complex128);
    values.emplace_back(value.real, value.imag);
  }
  return values;
}

}  // namespace expr

}  // namespace mw
