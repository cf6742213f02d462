// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/problem.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "base/layout.hpp"
#include "codegen/pass_common.hpp"
#include "expr/types.hpp"

namespace mw {

namespace {

constexpr const char* kOperation = FuseProblem::kOperation;

template <class... Pieces>
void expect(bool holds, const Pieces&... pieces) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_argument, kOperation, ": ", pieces...);
}

const expr::Parameter& parameter(const expr::Function& function, std::size_t input) {
  const std::size_t elements = function.elements.size();
  return input < elements ? function.elements[input] : function.tensors[input - elements];
}

void check_inputs(const expr::Function& function, const FuseOperands& operands) {
  const std::size_t wanted = function.elements.size() + function.tensors.size();
  expect(wanted > 0,
         "the function takes no array; at least one is wanted, which says how large the "
         "result is. Pass an array, or compute the number without fuse.");
  expect(operands.inputs.size() == wanted, operands.inputs.size(), " arrays are given; ", wanted,
         " are wanted");
  expect(operands.scalars.size() == function.scalars.size(), operands.scalars.size(),
         " numbers are given; ", function.scalars.size(), " are wanted");
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto& [name, dtype] = parameter(function, i);
    const TensorRef& view = operands.inputs[i];
    check_view(kOperation, name.c_str(), view);
    expect(view.dtype == dtype, "operand ", name, " has dtype ", view.dtype, "; ", dtype,
           " is wanted, for which the function was traced");
    expect(view.device == operands.inputs[0].device, "operand ", name, " is on ", view.device,
           " and operand ", parameter(function, 0).name, " on ", operands.inputs[0].device,
           "; one device is wanted for all. Move one of them.");
  }
}

/// The space all inputs broadcast to, by NumPy's rule.
Dims broadcast(const expr::Function& function, const std::vector<TensorRef>& inputs) {
  std::size_t rank = 0;
  for (const auto& input : inputs) rank = std::max(rank, input.rank());
  Dims shape(rank, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t d = 0; d < inputs[i].rank(); ++d) {
      const std::int64_t seen = inputs[i].shape[d];
      std::int64_t& extent = shape[rank - inputs[i].rank() + d];
      expect(seen == extent || seen == 1 || extent == 1, "operand ", parameter(function, i).name,
             " has shape ", inputs[i].shape, ", which does not broadcast against ", shape,
             ", the shape of those before it; equal extents, or 1, are wanted");
      if (seen != 1) extent = seen;
    }
  }
  expect(checked_size(shape).has_value(), "the operands broadcast to ", shape,
         ", which has more elements than 63 bits can count");
  return shape;
}

/// Strides over the whole space: 0 along axes that the operand lacks or repeats.
Dims spread(const OperandLayout& layout, const Dims& shape) {
  Dims strides(shape.size(), 0);
  const std::size_t lacking = shape.size() - layout.shape.size();
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] != 1) strides[lacking + d] = layout.strides[d];
  }
  return strides;
}

const expr::Node& node_of(const expr::Function& function, std::size_t output) {
  return function.nodes[static_cast<std::size_t>(function.outputs[output].node)];
}

Dims output_shape(const expr::Function& function, std::size_t output, const Dims& space) {
  const expr::Node& node = node_of(function, output);
  if (!expr::is_reduction(node.op)) return space;
  const auto reduced = reduced_axes(node, space.size());
  Dims shape;
  std::int64_t points = 1;
  for (std::size_t d = 0; d < space.size(); ++d) {
    if (reduced[d]) {
      points *= space[d];
    } else {
      shape.push_back(space[d]);
    }
  }
  const bool has_identity = node.op == expr::Op::sum || node.op == expr::Op::prod;
  expect(points > 0 || has_identity, "output ", function.outputs[output].name, " is the ",
         expr::name(node.op), " of no elements (the space is ", space,
         "), which has no value; sum and prod have one");
  return shape;
}

/// The function with conj() around the tensors that stand for their complex conjugates.
expr::Function conjugated(const expr::Function& function, const std::vector<TensorRef>& inputs) {
  expr::Function out = function;
  out.nodes.clear();
  std::vector<expr::NodeId> moved;
  for (expr::Node node : function.nodes) {
    for (auto& arg : node.args) {
      if (arg != expr::kNone) arg = moved[static_cast<std::size_t>(arg)];
    }
    out.nodes.push_back(node);
    const bool element = node.op == expr::Op::element;
    if (element || node.op == expr::Op::tensor) {
      const auto which =
          static_cast<std::size_t>(node.integer) + (element ? 0 : function.elements.size());
      if (inputs[which].conjugate && is_complex(node.dtype)) {
        expr::Node conj{.op = expr::Op::conj, .dtype = node.dtype};
        conj.args[0] = static_cast<expr::NodeId>(out.nodes.size()) - 1;
        out.nodes.push_back(conj);
      }
    }
    moved.push_back(static_cast<expr::NodeId>(out.nodes.size()) - 1);
  }
  for (auto& output : out.outputs) output.node = moved[static_cast<std::size_t>(output.node)];
  return out;
}

std::size_t main_output(const expr::Function& function) {
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    if (function.outputs[i].name == "result") return i;
  }
  return 0;
}

/// The function as it is compiled: for these views, and for out's dtype.
expr::FunctionPtr adapted(const expr::FunctionPtr& function, const FuseOperands& operands,
                          std::size_t main) {
  const bool conjugates =
      std::ranges::any_of(operands.inputs, [](const TensorRef& view) { return view.conjugate; });
  const bool casts = operands.out && operands.out->dtype != function->outputs[main].dtype;
  if (!conjugates && !casts) return interned(function);
  expr::Function changed = conjugates ? conjugated(*function, operands.inputs) : *function;
  if (casts) {
    expr::check_cast(changed.outputs[main].dtype, operands.out->dtype);
    changed.outputs[main].dtype = operands.out->dtype;
  }
  return interned(std::make_shared<const expr::Function>(std::move(changed)));
}

}  // namespace

std::vector<bool> reduced_axes(const expr::Node& node, std::size_t rank) {
  std::vector<bool> reduced(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t bit = rank - 1 - d;
    reduced[d] = node.integer == expr::kAllAxes || (bit < 63 && ((node.integer >> bit) & 1) != 0);
  }
  return reduced;
}

expr::FunctionPtr interned(expr::FunctionPtr function) {
  static std::mutex& mutex = *new std::mutex;
  static auto& functions =
      *new std::unordered_map<Key, std::weak_ptr<const expr::Function>, KeyHash>;
  Key key = Key::of(*function);
  const std::lock_guard lock(mutex);
  auto& known = functions[std::move(key)];
  if (auto same = known.lock()) return same;
  known = function;
  if (functions.size() % 1024 == 0) {
    std::erase_if(functions, [](const auto& entry) { return entry.second.expired(); });
  }
  return function;
}

const char* FuseProblem::operand_name(std::size_t index) const {
  if (index < input_count()) return parameter(*function, index).name.c_str();
  if (index + 1 < operands.size()) return aux[index - input_count()].name.c_str();
  return function->outputs[main].name.c_str();
}

std::size_t FuseProblem::operand_of(std::size_t output) const {
  if (output == main) return operands.size() - 1;
  return input_count() + output - (output > main ? 1 : 0);
}

std::string FuseProblem::title() const {
  std::string out;
  for (const auto& output : function->outputs) {
    out += text(out.empty() ? "" : ", ", output.name, ": ", output.dtype);
  }
  std::string in;
  for (std::size_t i = 0; i < input_count(); ++i) {
    const auto& [name, dtype] = parameter(*function, i);
    in += text(in.empty() ? "" : ", ", name, ": ", dtype);
  }
  return text(out, " of ", in, " over ", shape);
}

Work FuseProblem::work() const {
  Work work;
  double points = 1;
  for (const auto extent : shape) points *= static_cast<double>(extent);
  work.flops = points * codegen::flops_of(*function);
  for (const auto& operand : operands) {
    auto bytes = static_cast<double>(itemsize(operand.dtype));
    for (std::size_t d = 0; d < operand.shape.size(); ++d) {
      if (operand.strides[d] != 0) bytes *= static_cast<double>(operand.shape[d]);
    }
    work.bytes += bytes;
  }
  return work;
}

codegen::PassProblem FuseProblem::pass() const {
  codegen::PassProblem pass{.function = function, .shape = shape, .arrays = {}};
  for (std::size_t i = 0; i < input_count(); ++i) {
    pass.arrays.push_back({operands[i].dtype, spread(operands[i], shape), operands[i].alignment});
  }
  for (std::size_t i = 0; i < function->outputs.size(); ++i) {
    OperandLayout layout = operands[operand_of(i)];
    const expr::Node& node = node_of(*function, i);
    if (expr::is_reduction(node.op)) {  // its axes where the space has them
      const auto reduced = reduced_axes(node, shape.size());
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!reduced[d]) continue;
        layout.shape.insert(d, 1);
        layout.strides.insert(d, 0);
      }
    }
    pass.arrays.push_back({layout.dtype, spread(layout, shape), layout.alignment});
  }
  return pass;
}

FuseRequest make_fuse(const expr::FunctionPtr& function, const FuseOperands& operands) {
  check_inputs(*function, operands);
  FuseRequest request;
  FuseProblem& problem = request.problem;
  problem.main = main_output(*function);
  if (operands.out) check_view(kOperation, "out", *operands.out);
  problem.function = adapted(function, operands, problem.main);
  problem.function_address = reinterpret_cast<std::uintptr_t>(problem.function.get());
  problem.shape = broadcast(*function, operands.inputs);
  for (const auto& input : operands.inputs) {
    problem.operands.push_back(layout_of(input));
    problem.operands.back().conjugate = false;  // the function conjugates
  }
  const auto& outputs = problem.function->outputs;
  expect(problem.operands.size() + outputs.size() <= kMostOperands, problem.operands.size(),
         " arrays and ", outputs.size(), " outputs; at most ", kMostOperands,
         " together are supported. Split the expression.");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Dims shape = output_shape(*problem.function, i, problem.shape);
    if (i == problem.main) {
      problem.result_shape = shape;
      continue;
    }
    const Dims strides = contiguous_strides(shape);
    problem.aux.push_back({outputs[i].name, outputs[i].dtype, shape, strides});
    problem.operands.push_back(layout_of(TensorRef(nullptr, outputs[i].dtype, shape, strides)));
  }
  const TensorRef result =
      operands.out ? *operands.out
                   : TensorRef(nullptr, outputs[problem.main].dtype, problem.result_shape,
                               contiguous_strides(problem.result_shape));
  expect(result.shape == problem.result_shape, "out has shape ", result.shape,
         "; the result's shape ", problem.result_shape, " is wanted");
  expect(!operands.out || result.device == operands.inputs[0].device, "out is on ", result.device,
         " and the operands on ", operands.inputs[0].device, "; one device is wanted for all");
  problem.result_strides = result.strides;
  problem.operands.push_back(layout_of(result));

  Arguments& arguments = request.arguments;
  arguments.inputs = operands.inputs;
  arguments.out = operands.out;
  arguments.scalars = operands.scalars;
  for (std::size_t i = 0; operands.out && i < operands.inputs.size(); ++i) {
    const TensorRef& input = operands.inputs[i];
    if (input.shape == problem.shape && input.dtype == result.dtype && same_view(input, result)) {
      arguments.in_place = i;
    }
  }
  return request;
}

}  // namespace mw
