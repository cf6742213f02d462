// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Where results go: into `out`, once that is known to be fit, or into new memory.
#include "base/layout.hpp"
#include "plan/session.hpp"

namespace mw {

void check_out(const AnyProblem& problem, const Arguments& arguments) {
  if (!arguments.out) return;
  const TensorRef& out = *arguments.out;
  require(!out.readonly, ErrorKind::invalid_argument, problem.operation(),
          ": out is read-only; a writable array is wanted. Pass a copy, or leave out= away.");
  require(maps_one_to_one(out.shape, out.strides), ErrorKind::invalid_argument, problem.operation(),
          ": out has shape ", out.shape, " and strides ", out.strides,
          ", so that several indices share one element; an array with an element of its own for "
          "every index is wanted");
  require(!out.conjugate, ErrorKind::invalid_argument, problem.operation(),
          ": out is a lazily conjugated view; an ordinary array is wanted");
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const TensorRef& input = arguments.inputs[i];
    if (!input.data || !out.data) continue;  // released, and not given again yet
    if (arguments.in_place == i && same_view(input, out)) continue;
    require(!may_overlap(input, out), ErrorKind::invalid_argument, problem.operation(),
            ": out overlaps operand ", problem.operand_name(i),
            " in memory, which would change it while it is read. Pass an array of its own as out, "
            "or a copy of ",
            problem.operand_name(i), ".");
  }
}

Tensor result_memory(const AnyProblem& problem, const Arguments& arguments, Stream stream) {
  if (arguments.out) return {*arguments.out, nullptr};
  const Device device = arguments.inputs.front().device;
  TensorRef view(nullptr, problem.operands().back().dtype, problem.result_shape(),
                 problem.result_strides(), device);
  const Tensor memory = Tensor::empty(view.dtype, {view.size()}, device, stream);
  view.data = memory.ref().data;
  return {view, memory.owner()};
}

std::vector<Tensor> aux_memory(const AnyProblem& problem, const Arguments& arguments,
                               Stream stream) {
  std::vector<Tensor> results;
  for (const AuxResult& aux : problem.aux()) {
    TensorRef view(nullptr, aux.dtype, aux.shape, aux.strides, arguments.inputs.front().device);
    const Tensor memory = Tensor::empty(view.dtype, {view.size()}, view.device, stream);
    view.data = memory.ref().data;
    results.emplace_back(view, memory.owner());
  }
  return results;
}

Results::Results(const AnyProblem& problem, const Arguments& arguments, Stream stream)
    : main(result_memory(problem, arguments, stream)), aux(aux_memory(problem, arguments, stream)) {
  for (const Tensor& tensor : aux) addresses.push_back(tensor.ref().data);
  addresses.push_back(main.ref().data);
}

std::map<std::string, Tensor> Results::named(const AnyProblem& problem) const {
  std::map<std::string, Tensor> outputs{{"result", main}};
  for (std::size_t i = 0; i < aux.size(); ++i) outputs.emplace(problem.aux()[i].name, aux[i]);
  return outputs;
}

}  // namespace mw
