// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/layout.hpp"

namespace mw {

namespace {

template <class... Pieces>
void expect(bool holds, const Pieces&... pieces) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_argument, FFTProblem::kOperation, ": ", pieces...);
}

/// What each dtype may be transformed to, and where.
struct DTypeRow {
  DType dtype;
  DType result_r2c;  ///< of real dtypes
  bool cuda_only;
};
constexpr DTypeRow kDTypes[] = {
    {DType::float32, DType::complex64, false},     {DType::float64, DType::complex128, false},
    {DType::float16, DType::complex32, true},      {DType::complex64, DType::complex64, false},
    {DType::complex128, DType::complex128, false}, {DType::complex32, DType::complex32, true},
};

bool runs_on_cuda(Device operand, const Execution& execution) {
  if (execution.space == Execution::Space::operands) return operand.is_cuda();
  return execution.space == Execution::Space::cuda;
}

void check_dtype(const TensorRef& operand, FFTType type, const Execution& execution) {
  const auto* row = std::ranges::find(kDTypes, operand.dtype, &DTypeRow::dtype);
  expect(row != std::end(kDTypes), "operand has dtype ", operand.dtype,
         ", which is unsupported; float32, float64, complex64 or complex128 (on a CUDA device also "
         "float16 or complex32) is wanted. Convert it.");
  expect(!row->cuda_only || runs_on_cuda(operand.device, execution), "operand has dtype ",
         operand.dtype,
         ", which is transformed on CUDA devices only, and this runs on the CPU. Convert it to ",
         is_complex(operand.dtype) ? "complex64" : "float32", ", or execute it on a CUDA device.");
  const bool real = type == FFTType::r2c;
  expect(is_complex(operand.dtype) != real, name(type), " transform of an operand of dtype ",
         operand.dtype, "; a ", real ? "real" : "complex", " dtype is wanted. Use ",
         real ? "a complex transform" : "a real-to-complex transform, or convert the operand", ".");
}

Dims checked_axes(const TensorRef& operand, const Dims& wanted) {
  Dims axes;
  if (wanted.empty()) {
    for (std::size_t i = 0; i < operand.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  for (const auto axis : wanted) {
    const auto normal = normalize_axis(axis, operand.rank());
    expect(normal.has_value(), "axis ", axis, " of axes ", wanted, " is out of range for shape ",
           operand.shape, "; -", operand.rank(), " to ", operand.rank() - 1, " is wanted");
    expect(std::ranges::find(axes, *normal) == axes.end(), "axes ", wanted, " list axis ", *normal,
           " more than once; different axes are wanted");
    axes.push_back(*normal);
  }
  return axes;
}

void check_extents(const TensorRef& operand, const Dims& axes) {
  for (const auto axis : axes) {
    expect(operand.shape[static_cast<std::size_t>(axis)] > 0, "operand of shape ", operand.shape,
           " has no points along axis ", axis, "; at least one is wanted");
  }
}

/// The result's extent along the halved axis, from the operand's.
std::int64_t result_extent(FFTType type, FFTParity parity, std::int64_t extent) {
  if (type == FFTType::c2c) return extent;
  if (type == FFTType::r2c) return extent / 2 + 1;
  expect(
      parity == FFTParity::odd || extent > 1,
      "c2r transform of a last axis of extent 1 to an even length: the result has length 0. Pass "
      "last_axis_parity odd for a result of length 1.");
  expect(extent <= std::numeric_limits<std::int64_t>::max() / 2, "last axis of extent ", extent,
         " is too long for a c2r transform");
  return parity == FFTParity::even ? 2 * (extent - 1) : 2 * extent - 1;
}

void check_out_option(const TensorRef& operand, const TensorRef& out, DType dtype,
                      const Dims& shape) {
  expect(out.dtype == dtype, "out has dtype ", out.dtype, "; the result's dtype ", dtype,
         " is wanted");
  expect(out.shape == shape, "out has shape ", out.shape, "; the result's shape ", shape,
         " is wanted");
  expect(out.device == operand.device, "out is on ", out.device, " and the operand on ",
         operand.device, "; one device is wanted. Move one of them.");
  expect(!same_view(operand, out),
         "out is the operand itself; pass in_place instead of out to write over the operand");
}

void check_in_place(const TensorRef& operand, FFTType type, const FFTOptions& options) {
  expect(type == FFTType::c2c, "in_place with a ", name(type),
         " transform, whose result has another size than the operand; in_place is for c2c "
         "transforms. Leave it away, or pass out.");
  expect(!options.out.has_value(), "in_place and out are both given; one of them is wanted");
  expect(!operand.readonly,
         "in_place with a read-only operand; a writable one is wanted. Pass a copy, or leave "
         "in_place away.");
  expect(!operand.conjugate,
         "in_place with a lazily conjugated operand; an ordinary one is wanted. Resolve the "
         "conjugation first, or leave in_place away.");
  expect(
      maps_one_to_one(operand.shape, operand.strides), "in_place with an operand of shape ",
      operand.shape, " and strides ", operand.strides,
      ", several of whose indices share one element; an element for every index is wanted. Pass a "
      "copy, or leave in_place away.");
}

FFTDirections all_directions(FFTType type) {
  switch (type) {
    case FFTType::r2c: return FFTDirections::forward;
    case FFTType::c2r: return FFTDirections::inverse;
    case FFTType::c2c: break;
  }
  return FFTDirections::both;
}

void check_direction(FFTType type, FFTDirection direction) {
  const auto wanted = type == FFTType::r2c ? FFTDirection::forward : FFTDirection::inverse;
  expect(type == FFTType::c2c || direction == wanted, "direction ", name(direction), " of a ",
         name(type), " transform; ", name(wanted), " is wanted, the only one it has");
}

double product_of(const Dims& shape) {
  double product = 1;
  for (const auto extent : shape) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

const char* name(FFTType type) {
  static constexpr const char* kNames[] = {"c2c", "r2c", "c2r"};
  return kNames[static_cast<std::size_t>(type)];
}

const char* name(FFTDirection direction) {
  return direction == FFTDirection::forward ? "forward" : "inverse";
}

Dims memory_order(const Dims& shape, Dims strides) {
  for (auto& stride : strides) {
    if (stride == 0) stride = std::numeric_limits<std::int64_t>::max();
  }
  return stride_order(shape, strides);
}

FFTType resolved_type(DType operand, const FFTOptions& options) {
  return options.type.value_or(is_complex(operand) ? FFTType::c2c : FFTType::r2c);
}

FFTDirections planned_directions(FFTType type, std::optional<FFTDirection> direction) {
  if (!direction) return all_directions(type);
  check_direction(type, *direction);
  return *direction == FFTDirection::forward ? FFTDirections::forward : FFTDirections::inverse;
}

FFTDirection executed_direction(const FFTProblem& problem, std::optional<FFTDirection> direction) {
  const auto fallback =
      problem.type == FFTType::c2r ? FFTDirection::inverse : FFTDirection::forward;
  const FFTDirection chosen = direction.value_or(fallback);
  check_direction(problem.type, chosen);
  require(problem.serves(chosen), ErrorKind::invalid_state, FFTProblem::kOperation, ": direction ",
          name(chosen),
          " was asked for, and the plan is for the other direction only. Call plan() "
          "without a direction, or with this one.");
  return chosen;
}

double FFTProblem::points() const {
  double count = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) count *= static_cast<double>(length(i));
  return count;
}

double FFTProblem::transforms() const { return product_of(full().shape) / points(); }

Dims FFTProblem::batch_axes() const {
  Dims batch;
  for (std::size_t i = 0; i < input().shape.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (std::ranges::find(axes, axis) == axes.end()) batch.push_back(axis);
  }
  return batch;
}

const char* FFTProblem::operand_name(std::size_t index) const {
  return index == 0 ? "operand" : "result";
}

std::string FFTProblem::title() const {
  const char* direction = directions == FFTDirections::both ? "both directions"
                          : serves(FFTDirection::forward)   ? "forward"
                                                            : "inverse";
  Dims lengths;
  for (std::size_t i = 0; i < axes.size(); ++i) lengths.push_back(length(i));
  return text(name(type), " of ", lengths, " points along axes ", axes, ", ", direction,
              transforms() == 1 ? "" : text(", ", transforms(), " of them"),
              in_place ? ", in place, " : ", ", result().dtype);
}

Work FFTProblem::work() const {
  const double n = points();
  Work work{.flops = (is_real() ? 2.5 : 5.0) * n * std::log2(std::max(n, 2.0)) * transforms()};
  for (const auto& operand : operands) {
    double elements = 1;
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
      if (operand.strides[i] != 0) elements *= static_cast<double>(operand.shape[i]);
    }
    work.bytes += elements * static_cast<double>(itemsize(operand.dtype));
  }
  return work;
}

FFTRequest make_fft(const TensorRef& operand, const FFTOptions& options, FFTDirections directions) {
  check_view(FFTProblem::kOperation, "operand", operand);
  if (options.out) check_view(FFTProblem::kOperation, "out", *options.out);
  const FFTType type = resolved_type(operand.dtype, options);
  check_dtype(operand, type, options.execution);
  expect(operand.rank() > 0, "operand has no axes; at least one is wanted");
  const Dims axes = checked_axes(operand, options.axes);
  check_extents(operand, axes);
  if (options.in_place) check_in_place(operand, type, options);

  Dims shape = operand.shape;
  auto& last = shape[static_cast<std::size_t>(axes.back())];
  last = result_extent(type, options.last_axis_parity, last);
  expect(checked_size(shape).has_value(), "the result's shape ", shape,
         " has more elements than 63 bits can count");
  const auto* row = std::ranges::find(kDTypes, operand.dtype, &DTypeRow::dtype);
  const DType dtype = type == FFTType::c2r ? real_dtype(operand.dtype) : row->result_r2c;
  if (options.out) check_out_option(operand, *options.out, dtype, shape);

  const auto fresh = [&] {
    const bool natural = options.result_layout == ResultLayout::natural;
    const Dims order = memory_order(operand.shape, operand.strides);
    return TensorRef(nullptr, dtype, shape,
                     natural ? contiguous_strides(shape) : dense_strides(shape, order),
                     operand.device);
  };
  const std::optional<TensorRef> out = options.in_place ? operand : options.out;
  const TensorRef result = out ? *out : fresh();

  FFTRequest request;
  request.problem = {.operands = {layout_of(operand), layout_of(result)},
                     .type = type,
                     .axes = axes,
                     .directions = directions,
                     .in_place = options.in_place,
                     .result_shape = shape,
                     .result_strides = result.strides};
  request.problem.operands[0].conjugate = is_complex(operand.dtype) && operand.conjugate;
  const bool inverse = directions == FFTDirections::inverse;
  request.arguments = {
      .inputs = {operand}, .out = out, .scalars = {inverse ? 1.0 : -1.0, 1.0}, .in_place = {}};
  if (options.in_place) request.arguments.in_place = 0;
  return request;
}

}  // namespace mw
