// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/problem_epilog.hpp"

#include <algorithm>

#include "base/layout.hpp"
#include "ops/matmul/expect.hpp"

namespace mw {

namespace {

using matmul_checks::expect;
using matmul_checks::kOperation;

using expr::Function;
using expr::Node;
using expr::Op;

/// Strides of a tensor over a space it broadcasts to by NumPy's rule.
Dims broadcast_strides(const TensorRef& tensor, const Dims& space, const std::string& name) {
  const auto fits = [&](std::size_t from_end) {
    const std::int64_t extent = tensor.shape[tensor.rank() - 1 - from_end];
    return extent == 1 || extent == space[space.size() - 1 - from_end];
  };
  bool broadcasts = tensor.rank() <= space.size();
  for (std::size_t i = 0; i < tensor.rank() && broadcasts; ++i) broadcasts = fits(i);
  expect(
      broadcasts, "epilog input ", name, " has shape ", tensor.shape,
      ", which does not broadcast to the result's shape ", space,
      "; trailing extents that are equal, or 1, are wanted. A vector along the rows needs a last "
      "axis of extent 1: ",
      name, "[:, None]");
  Dims strides(space.size(), 0);
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    const std::size_t own = tensor.rank() - 1 - i;
    if (tensor.shape[own] != 1) strides[space.size() - 1 - i] = tensor.strides[own];
  }
  return strides;
}

/// Axes of index and reduction nodes as the problem numbers them.
expr::FunctionPtr in_full_space(const expr::FunctionPtr& function, const ResultSpace& space) {
  if (!space.lacks_axes()) return function;
  Function f = *function;
  for (Node& node : f.nodes) {
    if (node.op == Op::index) node.integer = space.full_axis(node.integer);
    if (!expr::is_reduction(node.op) || node.integer == expr::kAllAxes) continue;
    std::int64_t mask = 0;
    for (std::int64_t bit = 0; bit < 62; ++bit) {
      if ((node.integer >> bit & 1) != 0)
        mask |= std::int64_t{1} << (-1 - space.full_axis(-1 - bit));
    }
    node.integer = mask;
  }
  return std::make_shared<const Function>(std::move(f));
}

bool reduces(std::int64_t mask, std::size_t axis, std::size_t rank) {
  return mask == expr::kAllAxes || (mask >> (rank - 1 - axis) & 1) != 0;
}

class Attachment {
 public:
  Attachment(const EpilogRequest& epilog, const Quantisation* quantisation, DType result,
             const ResultSpace& space, MatmulRequest& request)
      : epilog_(epilog),
        quantisation_(quantisation),
        result_(result),
        space_(space),
        request_(request),
        problem_(request.problem),
        arguments_(request.arguments) {}

  /// No function but what the scales need.
  void scales_only() {
    finish(expr::identity_function(expr::computing_dtype(problem_.a().dtype), result_), false);
  }

  void custom() {
    const expr::FunctionPtr function = main_output_last(epilog_.function);
    const DType element = expr::computing_dtype(problem_.a().dtype);
    require(function->elements.size() == 1 && function->elements[0].dtype == element,
            ErrorKind::invalid_argument, kOperation, ": the epilog was traced for elements of ",
            function->elements.empty() ? element : function->elements[0].dtype, "; ", element,
            " is wanted");
    for (std::size_t i = 0; i < function->tensors.size(); ++i) {
      const auto& [name, dtype] = function->tensors[i];
      const TensorRef& tensor = checked(i, name);
      expect(tensor.dtype == dtype, "epilog input ", name, " has dtype ", tensor.dtype,
             " and the epilog was traced for ", dtype);
      add_input(tensor, space_.full(TensorRef(tensor.data, tensor.dtype, space_.visible(),
                                              broadcast_strides(tensor, space_.visible(), name),
                                              tensor.device)));
    }
    expect(epilog_.scalars.size() == function->scalars.size(), "the epilog has ",
           function->scalars.size(), " run-time scalars and ", epilog_.scalars.size(),
           " are given");
    arguments_.scalars.insert(arguments_.scalars.end(), epilog_.scalars.begin(),
                              epilog_.scalars.end());
    for (const auto& output : std::span(function->outputs).first(function->outputs.size() - 1)) {
      add_output(output, function->nodes[static_cast<std::size_t>(output.node)]);
    }
    finish(in_full_space(function, space_), true);
  }

  void named(const NamedEpilogRow& row) {
    problem_.named = row.value;
    const DType element = expr::computing_dtype(problem_.a().dtype);
    EpilogTypes types{element, result_, result_, epilog_.aux_type.value_or(result_)};
    expect(!is_complex(element) || row.value == NamedEpilog::bias, "epilog ", row.name,
           " of complex operands is undefined; real ones, or BIAS, are wanted");
    std::size_t next = 0;
    if (row.bias) {
      types.bias = checked(next, "bias").dtype;
      add_bias(checked(next++, "bias"));
    }
    if (row.aux_in) {
      const TensorRef& aux = checked(next++, row.aux_in);
      const bool mask = row.aux_in == std::string_view("relu_aux");
      add_aux_input(aux, row.aux_in, mask);
      if (!mask) types.aux = aux.dtype;
    }
    if (row.aux_out) add_aux_output(row.aux_out, types.aux);
    if (row.gradient_out) add_gradient(row);
    finish(named_function(row, types), true);
  }

 private:
  const TensorRef& checked(std::size_t index, const std::string& name) {
    expect(index < epilog_.tensors.size(), "epilog input ", name, " is missing");
    const TensorRef& tensor = epilog_.tensors[index];
    check_view(kOperation, name.c_str(), tensor);
    expect(tensor.device == arguments_.inputs[0].device, "epilog input ", name, " is on ",
           tensor.device, " and operand a on ", arguments_.inputs[0].device,
           "; one device is wanted for all. Move one of them.");
    expect(!tensor.conjugate, "epilog input ", name,
           " is a lazily conjugated view, which is unsupported; resolve it first");
    return tensor;
  }

  void add_input(const TensorRef& tensor, OperandLayout layout) {
    layout.alignment = operand_alignment(tensor.data);
    problem_.operands.push_back(std::move(layout));
    arguments_.inputs.push_back(tensor);
    expect(problem_.operands.size() < kMostOperands, "the epilog has too many inputs and outputs; ",
           kMostOperands, " operands in all are possible");
  }

  /// Batch extents, m and n of the result.
  [[nodiscard]] Dims full_shape() const {
    return space_.full(TensorRef(nullptr, result_, space_.visible(), Dims(space_.visible().size())))
        .shape;
  }

  void add_bias(const TensorRef& bias) {
    const Dims shape = full_shape();
    const std::int64_t m = shape[shape.size() - 2];
    TensorRef column = bias;
    if (column.rank() == 1) {
      column.shape.push_back(1);
      column.strides.push_back(0);
    }
    expect(column.rank() >= 2 && column.shape.back() == 1 && column.shape[column.rank() - 2] == m,
           "epilog input bias has shape ", bias.shape, "; (", m, "), (", m, ", 1) or (…, ", m,
           ", 1) is wanted: it runs along the rows of D");
    expect(is_complex(bias.dtype) == is_complex(result_), "epilog input bias has dtype ",
           bias.dtype, " and the result ", result_, "; convert one of them");
    add_input(
        bias,
        {.dtype = bias.dtype, .shape = shape, .strides = broadcast_strides(column, shape, "bias")});
  }

  void add_aux_input(const TensorRef& aux, const char* name, bool mask) {
    Dims shape = full_shape();
    Dims wanted = shape;
    std::int64_t& rows = wanted[wanted.size() - 2];
    rows = mask ? mask_rows(rows) : aux_rows(rows);
    expect(aux.shape == wanted, "epilog input ", name, " has shape ", aux.shape, "; ", wanted,
           " is wanted, as the forward epilog gives it");
    expect(!mask || aux.dtype == DType::uint8, "epilog input ", name, " has dtype ", aux.dtype,
           "; uint8, a mask of bits, is wanted");
    const bool unit_rows = aux.strides[aux.rank() - 2] == 1;
    expect(unit_rows, "epilog input ", name, " has strides ", aux.strides,
           "; column order (stride 1 along the rows) is wanted");
    add_input(aux, {.dtype = aux.dtype, .shape = mask ? wanted : shape, .strides = aux.strides});
  }

  /// Column order under the batch axes.
  static Dims by_columns(const Dims& shape) {
    Dims order;
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (std::int64_t i = 0; i + 2 < rank; ++i) order.push_back(i);
    order.push_back(rank - 1);
    order.push_back(rank - 2);
    return dense_strides(shape, order);
  }

  void add_aux_output(const char* name, DType dtype) {
    const Dims shape = full_shape();
    const bool mask = name == std::string_view("relu_aux");
    AuxResult aux{
        .name = name, .dtype = mask ? DType::uint8 : dtype, .shape = shape, .strides = {}};
    std::int64_t& rows = aux.shape[aux.shape.size() - 2];
    rows = mask ? mask_rows(rows) : aux_rows(rows);
    aux.strides = by_columns(aux.shape);
    outputs_.push_back(
        {.dtype = aux.dtype, .shape = mask ? aux.shape : shape, .strides = aux.strides});
    problem_.aux.push_back(std::move(aux));
  }

  /// A vector along the rows (columns for BGRADB) of D: (length) alone, (…, length, 1) in a batch.
  void add_gradient(const NamedEpilogRow& row) {
    const Dims shape = full_shape();
    const bool of_b = row.value == NamedEpilog::bgradb;
    const std::size_t axis = shape.size() - (of_b ? 1 : 2);
    AuxResult aux{.name = row.gradient_out, .dtype = result_, .shape = {}, .strides = {}};
    for (std::size_t i = 0; i + 2 < shape.size(); ++i) aux.shape.push_back(shape[i]);
    aux.shape.push_back(shape[axis]);
    if (shape.size() > 2) aux.shape.push_back(1);
    aux.strides = contiguous_strides(aux.shape);
    OperandLayout layout{.dtype = result_, .shape = shape, .strides = Dims(shape.size(), 0)};
    for (std::size_t i = 0; i + 2 < shape.size(); ++i) layout.strides[i] = aux.strides[i];
    layout.strides[axis] = 1;
    outputs_.push_back(std::move(layout));
    problem_.aux.push_back(std::move(aux));
  }

  void add_output(const expr::Output& output, const Node& node) {
    const Dims& visible = space_.visible();
    AuxResult aux{.name = output.name, .dtype = output.dtype, .shape = {}, .strides = {}};
    const bool reduced = expr::is_reduction(node.op);
    for (std::size_t i = 0; i < visible.size(); ++i) {
      if (!reduced || !reduces(node.integer, i, visible.size())) aux.shape.push_back(visible[i]);
    }
    aux.strides = contiguous_strides(aux.shape);
    Dims strides(visible.size(), 0);
    for (std::size_t i = 0, kept = 0; i < visible.size(); ++i) {
      if (!reduced || !reduces(node.integer, i, visible.size())) strides[i] = aux.strides[kept++];
    }
    outputs_.push_back(space_.full(TensorRef(nullptr, output.dtype, visible, strides)));
    problem_.aux.push_back(std::move(aux));
  }

  /// Tensors and results of the scales, and the function that applies them.
  expr::FunctionPtr quantised(const expr::FunctionPtr& function) {
    const Quantisation& scales = *quantisation_;
    const DType c = problem_.has_c ? problem_.c().dtype : result_;
    const QuantisedFunction made = with_scales(function, scales, problem_.has_c, c);
    if (made.function == function) return function;
    problem_.quantised = true;
    for (const auto& [name, scale] : scales.tensors()) {
      check_view(kOperation, name, *scale);
      expect(scale->dtype == DType::float32 && scale->size() == 1, "the ", name, " has dtype ",
             scale->dtype, " and shape ", scale->shape, "; one float32 is wanted");
      expect(scale->device == arguments_.inputs[0].device, "the ", name, " is on ", scale->device,
             " and operand a on ", arguments_.inputs[0].device, "; one device is wanted for all");
      const Dims shape = full_shape();
      add_input(*scale,
                {.dtype = DType::float32, .shape = shape, .strides = Dims(shape.size(), 0)});
    }
    for (const double number : scales.numbers()) arguments_.scalars.emplace_back(number);
    for (const auto& name : made.largest) {
      const Dims shape = full_shape();
      outputs_.push_back(
          {.dtype = DType::float32, .shape = shape, .strides = Dims(shape.size(), 0)});
      problem_.aux.push_back({.name = name, .dtype = DType::float32, .shape = {1}, .strides = {1}});
    }
    if (made.adds_c) {
      request_.beta_scalar = arguments_.scalars.size();
      arguments_.scalars.push_back(arguments_.scalars[1]);
      arguments_.scalars[1] = 0;
      problem_.has_c = false;
    }
    return made.function;
  }

  void finish(expr::FunctionPtr function, bool has_epilog) {
    if (quantisation_) {
      const expr::FunctionPtr scaled = quantised(function);
      if (scaled == function && !has_epilog) return;
      function = scaled;
    }
    for (auto& layout : outputs_) problem_.operands.push_back(std::move(layout));
    problem_.epilog_key = Key::of(*function).bytes();
    problem_.epilog = std::move(function);
    expect(problem_.operands.size() < kMostOperands, "the epilog has too many inputs and outputs; ",
           kMostOperands, " operands in all are possible");
  }

  const EpilogRequest& epilog_;
  const Quantisation* quantisation_;  ///< null: none
  DType result_;
  const ResultSpace& space_;
  MatmulRequest& request_;
  MatmulProblem& problem_;
  Arguments& arguments_;
  std::vector<OperandLayout> outputs_;
};

}  // namespace

OperandLayout ResultSpace::full(TensorRef view) const {
  if (b_is_column_) {
    view.shape.push_back(1);
    view.strides.push_back(0);
  }
  if (a_is_row_) {
    view.shape.insert(view.rank() - 1, 1);
    view.strides.insert(view.strides.size() - 1, 0);
  }
  return layout_of(view);
}

std::int64_t ResultSpace::full_axis(std::int64_t axis) const {
  // Without b's axis the visible last axis is the rows; without a's, the one before the columns is
  // a batch axis.
  if (b_is_column_) --axis;
  if (a_is_row_ && axis <= -2) --axis;
  return axis;
}

void attach_epilog(const MatmulExtras& extras, DType result, const ResultSpace& space,
                   MatmulRequest& request) {
  static const EpilogRequest kNone;
  const EpilogRequest& epilog = extras.epilog ? *extras.epilog : kNone;
  Attachment attachment(epilog, extras.quantisation ? &*extras.quantisation : nullptr, result,
                        space, request);
  if (const NamedEpilogRow* row = named_epilog(epilog.named)) {
    attachment.named(*row);
  } else if (epilog.function) {
    attachment.custom();
  } else {
    attachment.scales_only();
  }
}

}  // namespace mw
