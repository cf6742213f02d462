// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/problem_ends.hpp"

#include <algorithm>
#include <string_view>

#include "expr/fusion.hpp"
#include "expr/types.hpp"
#include "ops/fuse/problem.hpp"

namespace mw {

namespace {

bool broadcasts_to(const Dims& shape, const Dims& space) {
  if (shape.size() > space.size()) return false;
  const std::size_t lacking = space.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && shape[i] != space[lacking + i]) return false;
  }
  return true;
}

/// A function over its space, by the rules of fuse; `which` is what messages call it.
FuseRequest end_over(const char* which, const FFTEndRequest& end, const TensorRef& element,
                     const std::optional<TensorRef>& main) {
  FuseOperands operands{.inputs = {element}, .scalars = end.scalars, .out = main};
  operands.inputs.insert(operands.inputs.end(), end.tensors.begin(), end.tensors.end());
  const auto refused = [&](const auto&... why) {
    fail(ErrorKind::invalid_argument, FFTProblem::kOperation, ": ", which, ": ", why...);
  };
  for (std::size_t i = 0; i < end.tensors.size(); ++i) {
    if (broadcasts_to(end.tensors[i].shape, element.shape)) continue;
    refused("operand ", end.function->tensors[i].name, " has shape ", end.tensors[i].shape,
            ", which does not broadcast to ", element.shape,
            ", the values that the function is applied to; equal extents, or 1, are wanted");
  }
  FuseRequest made;
  try {
    made = make_fuse(end.function, operands);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    std::string_view message = error.what();
    const std::string prefix = text(FuseProblem::kOperation, ": ");
    if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
    refused(message);
  }
  return made;
}

/// Its tensors and outputs among the problem's operands.
void attach(const FFTEndRequest& end, const FuseRequest& made, FFTRequest& request) {
  FFTProblem& problem = request.problem;
  const FuseProblem& fused = made.problem;
  Operands& operands = problem.operands;
  require(operands.size() + end.tensors.size() + fused.aux.size() <= kMostOperands,
          ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": the functions take and give too many arrays; at most ", kMostOperands - 2,
          " together are supported. Split them.");
  require(request.arguments.scalars.size() + end.scalars.size() < kMostOperands,
          ErrorKind::invalid_argument, FFTProblem::kOperation, ": the functions take ",
          request.arguments.scalars.size() - 2 + end.scalars.size(), " numbers; at most ",
          kMostOperands - 3, " are supported. Pass some of them as a tensor.");
  const auto layouts = fused.operands.begin() + 1;
  const auto tensors = static_cast<std::ptrdiff_t>(end.tensors.size());
  operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(problem.first_aux()), layouts,
                  layouts + tensors);
  operands.insert(operands.end() - 1, layouts + tensors, fused.operands.end() - 1);
  for (const AuxResult& output : fused.aux) {
    require(std::ranges::find(problem.aux, output.name, &AuxResult::name) == problem.aux.end(),
            ErrorKind::invalid_argument, FFTProblem::kOperation,
            ": the prolog and the epilog both have an output '", output.name,
            "'; different names are wanted");
    problem.aux.push_back(output);
  }
  Arguments& arguments = request.arguments;
  arguments.inputs.insert(arguments.inputs.end(), end.tensors.begin(), end.tensors.end());
  arguments.scalars.insert(arguments.scalars.end(), end.scalars.begin(), end.scalars.end());
}

FFTEnd end_of(const FuseProblem& fused) {
  return {fused.function, fused.function_address, fused.main};
}

DType main_dtype(const expr::Function& function) {
  const auto main =
      std::ranges::find(function.outputs, std::string_view("result"), &expr::Output::name);
  return main == function.outputs.end() ? function.outputs.front().dtype : main->dtype;
}

}  // namespace

DType transformed_dtype(DType operand, const expr::FunctionPtr& prolog) {
  return prolog ? main_dtype(*prolog) : operand;
}

FFTEnds traced_ends(DType operand, const FFTOptions& options) {
  const auto trace = [](const Fusion& fusion, DType element) {
    return FFTEndRequest{expr::trace(fusion, element, std::nullopt), expr::tensors_of(fusion),
                         expr::scalars_of(fusion)};
  };
  FFTEnds ends;
  if (options.prolog) ends.prolog = trace(options.prolog, operand);
  const DType transformed = transformed_dtype(operand, ends.prolog.function);
  if (options.epilog) {
    const FFTType type = resolved_type(transformed, options);
    ends.epilog = trace(options.epilog, transform_dtypes(transformed, type).out);
  }
  return ends;
}

void attach_prolog(const FFTEndRequest& prolog, const TensorRef& operand, FFTRequest& request) {
  FFTProblem& problem = request.problem;
  const DType values = main_dtype(*prolog.function);
  const DType wanted = transform_dtypes(values, problem.type).in;
  TensorRef used = operand;
  used.shape = problem.shape_used();
  const auto& outputs = prolog.function->outputs;
  const auto reduced = std::ranges::find_if(outputs, [&](const expr::Output& output) {
    return (output.name == "result" || outputs.size() == 1) &&
           expr::is_reduction(prolog.function->nodes[static_cast<std::size_t>(output.node)].op);
  });
  require(
      reduced == outputs.end(), ErrorKind::invalid_argument, FFTProblem::kOperation,
      ": prolog: its result is a reduction, and there is nothing to transform; a value for each "
      "element is wanted");
  const TensorRef main(nullptr, wanted, used.shape, contiguous_strides(used.shape), used.device);
  const FuseRequest made = end_over("prolog", prolog, used, main);
  attach(prolog, made, request);
  problem.prolog = end_of(made.problem);
  problem.operands[0].conjugate = false;  // the function conjugates
}

void attach_epilog(const FFTEndRequest& epilog, Device device, FFTRequest& request) {
  FFTProblem& problem = request.problem;
  const DType element = epilog.function->elements.front().dtype;
  const Dims shape = problem.shape_out();
  const TensorRef x(nullptr, element, shape, contiguous_strides(shape), device);
  const FuseRequest made = end_over("epilog", epilog, x, request.arguments.out);
  attach(epilog, made, request);
  problem.epilog = end_of(made.problem);
  problem.operands.back() = made.problem.operands.back();
}

}  // namespace mw
