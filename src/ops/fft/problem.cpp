// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/layout.hpp"
#include "codegen/pass_common.hpp"
#include "expr/types.hpp"
#include "ops/fft/problem_ends.hpp"
#include "ops/fft/trig.hpp"

namespace mw {

namespace {

template <class... Pieces>
void expect(bool holds, const Pieces&... pieces) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_argument, FFTProblem::kOperation, ": ", pieces...);
}

/// What a real dtype is transformed to and a complex one back to, as stored.
struct DTypeRow {
  DType dtype, other;
};
constexpr DTypeRow kDTypes[] = {
    {DType::float32, DType::complex64}, {DType::float64, DType::complex128},
    {DType::float16, DType::complex32}, {DType::bfloat16, DType::complex64},
    {DType::complex64, DType::float32}, {DType::complex128, DType::float64},
    {DType::complex32, DType::float16},
};

const DTypeRow* row_of(DType dtype) {
  const auto* row = std::ranges::find(kDTypes, dtype, &DTypeRow::dtype);
  return row == std::end(kDTypes) ? nullptr : row;
}

void check_dtype(DType operand, FFTType type) {
  expect(row_of(operand) != nullptr, "operand has dtype ", operand,
         ", which is unsupported; float16, bfloat16, float32, float64, complex32, complex64 or "
         "complex128 is wanted. Convert it, in a prolog for example.");
  const bool real = reads_reals(type);
  expect(is_complex(operand) != real, name(type), " transform of an operand of dtype ", operand,
         "; a ", real ? "real" : "complex", " dtype is wanted. Use ",
         real ? "a complex transform" : "a real-to-complex transform, or convert the operand", ".");
}

/// The dtype of the result of a transform without functions.
DType result_dtype(DType operand, FFTType type) {
  const DTypeRow* const row = row_of(operand);
  const bool same = type == FFTType::c2c || is_trig(type);
  return same || row == nullptr ? operand : row->other;
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

/// The length of a c2r transform of a half spectrum of this extent.
std::int64_t c2r_length(FFTParity parity, std::int64_t extent) {
  expect(
      parity == FFTParity::odd || extent > 1,
      "c2r transform of a last axis of extent 1 to an even length: the result has length 0. Pass "
      "last_axis_parity odd for a result of length 1.");
  expect(extent <= std::numeric_limits<std::int64_t>::max() / 2, "last axis of extent ", extent,
         " is too long for a c2r transform");
  return parity == FFTParity::even ? 2 * (extent - 1) : 2 * extent - 1;
}

/// FFTProblem::shape.
Dims transform_shape(const TensorRef& operand, const Dims& axes, FFTType type,
                     const FFTOptions& options) {
  Dims shape = operand.shape;
  if (options.lengths.empty()) {
    auto& last = shape[static_cast<std::size_t>(axes.back())];
    if (type == FFTType::c2r) last = c2r_length(options.last_axis_parity, last);
    return shape;
  }
  expect(options.lengths.size() == axes.size(), "lengths ", options.lengths, " for axes ", axes,
         "; one for each axis is wanted");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    expect(options.lengths[i] > 0, "lengths ", options.lengths,
           " contain one that is not positive; at least 1 is wanted");
    shape[static_cast<std::size_t>(axes[i])] = options.lengths[i];
  }
  return shape;
}

void check_out_option(const TensorRef& operand, const TensorRef& out, std::optional<DType> dtype,
                      const Dims& shape) {
  expect(!dtype || out.dtype == *dtype, "out has dtype ", out.dtype, "; the result's dtype ",
         dtype.value_or(out.dtype), " is wanted");
  expect(out.shape == shape, "out has shape ", out.shape, "; the result's shape ", shape,
         " is wanted");
  expect(out.device == operand.device, "out is on ", out.device, " and the operand on ",
         operand.device, "; one device is wanted. Move one of them.");
  expect(!same_view(operand, out),
         "out is the operand itself; pass in_place instead of out to write over the operand");
}

void check_in_place(const TensorRef& operand, FFTType type, const FFTOptions& options) {
  expect(type == FFTType::c2c || is_trig(type), "in_place with a ", name(type),
         " transform, whose result has another size than the operand; in_place is for c2c, dct and "
         "dst transforms. Leave it away, or pass out.");
  expect(!options.out.has_value(), "in_place and out are both given; one of them is wanted");
  expect(options.lengths.empty(),
         "in_place and lengths are both given, and the result has another size than the operand; "
         "one of them is wanted");
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
  if (type == FFTType::c2c) return FFTDirections::both;
  return type == FFTType::c2r ? FFTDirections::inverse : FFTDirections::forward;
}

void check_direction(FFTType type, FFTDirection direction) {
  const auto wanted = type == FFTType::c2r ? FFTDirection::inverse : FFTDirection::forward;
  expect(type == FFTType::c2c || direction == wanted, "direction ", name(direction), " of a ",
         name(type), " transform; ", name(wanted), " is wanted, the only one it has");
}

double product_of(const Dims& shape) {
  double product = 1;
  for (const auto extent : shape) product *= static_cast<double>(extent);
  return product;
}

/// The natural layout of a result, or that of the operand's strides.
TensorRef fresh_result(const TensorRef& operand, DType dtype, const Dims& shape,
                       ResultLayout layout) {
  const bool natural = layout == ResultLayout::natural || shape.size() != operand.rank();
  return {nullptr, dtype, shape,
          natural ? contiguous_strides(shape)
                  : dense_strides(shape, memory_order(operand.shape, operand.strides)),
          operand.device};
}

}  // namespace

const char* name(FFTType type) {
  static constexpr const char* kNames[] = {"c2c",  "r2c",  "c2r",  "dct1", "dct2", "dct3",
                                           "dct4", "dst1", "dst2", "dst3", "dst4"};
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

double FFTScaling::factor(FFTDirection direction) const {
  const double n = points;
  switch (norm) {
    case FFTNorm::none: return scale;
    case FFTNorm::ortho: return scale / std::sqrt(n);
    case FFTNorm::backward: return direction == FFTDirection::inverse ? scale / n : scale;
    case FFTNorm::forward: return direction == FFTDirection::forward ? scale / n : scale;
  }
  return scale;
}

FFTType resolved_type(DType transformed, const FFTOptions& options) {
  return options.type.value_or(is_complex(transformed) ? FFTType::c2c : FFTType::r2c);
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

double FFTProblem::transforms() const { return product_of(shape) / points(); }

Dims FFTProblem::halved_shape() const {
  Dims halved = shape;
  halved[halved_axis()] = shape[halved_axis()] / 2 + 1;
  return halved;
}

Dims FFTProblem::shape_used() const {
  Dims used = shape_in();
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = std::min(used[i], input().shape[i]);
  return used;
}

bool FFTProblem::is_plain() const {
  if (prolog.function || epilog.function || orthogonal) return false;
  if (!(input().shape == shape_in())) return false;
  const FFTDTypes own = transform_dtypes(input().dtype, type);
  const bool wide = input().dtype == own.in && result().dtype == own.out;
  // Half precision is a transform's own too, where there is one: both sides of it.
  const bool half =
      real_dtype(input().dtype) == DType::float16 && real_dtype(result().dtype) == DType::float16;
  return wide || half;
}

Dims FFTProblem::batch_axes() const {
  Dims batch;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (std::ranges::find(axes, axis) == axes.end()) batch.push_back(axis);
  }
  return batch;
}

const char* FFTProblem::operand_name(std::size_t index) const {
  if (index == 0) return "operand";
  if (index + 1 >= operands.size()) return "result";
  if (index >= first_aux()) return aux[index - first_aux()].name.c_str();
  const std::size_t tensor = index - 1;
  return tensor < prolog.tensors()
             ? prolog.function->tensors[tensor].name.c_str()
             : epilog.function->tensors[tensor - prolog.tensors()].name.c_str();
}

std::string FFTProblem::title() const {
  const char* direction = directions == FFTDirections::both ? "both directions"
                          : serves(FFTDirection::forward)   ? "forward"
                                                            : "inverse";
  Dims lengths;
  for (std::size_t i = 0; i < axes.size(); ++i) lengths.push_back(length(i));
  return text(name(type), " of ", lengths, " points along axes ", axes, ", ", direction,
              transforms() == 1 ? "" : text(", ", transforms(), " of them"),
              orthogonal ? ", orthogonalized" : "", prolog.function ? ", a prolog" : "",
              epilog.function ? ", an epilog" : "", in_place ? ", in place, " : ", ",
              result().dtype);
}

Work FFTProblem::work() const {
  const double n = points();
  Work work{.flops = (is_real() ? 2.5 : 5.0) * n * std::log2(std::max(n, 2.0)) * transforms()};
  const auto add_end = [&](const FFTEnd& end, const Dims& space) {
    if (end.function) work.flops += product_of(space) * codegen::flops_of(*end.function);
  };
  add_end(prolog, shape_used());
  add_end(epilog, shape_out());
  for (const auto& operand : operands) {
    double elements = 1;
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
      if (operand.strides[i] != 0) elements *= static_cast<double>(operand.shape[i]);
    }
    work.bytes += elements * static_cast<double>(itemsize(operand.dtype));
  }
  return work;
}

FFTDTypes transform_dtypes(DType values, FFTType type) {
  const DType wide = expr::computing_dtype(values);
  const bool whole =
      dtype_class(wide) != DTypeClass::real && dtype_class(wide) != DTypeClass::complex;
  const bool narrow = whole ? itemsize(wide) <= 2 : real_dtype(wide) == DType::float32;
  const DType real = narrow ? DType::float32 : DType::float64;
  const DType complex = narrow ? DType::complex64 : DType::complex128;
  return {reads_reals(type) ? real : complex,
          type == FFTType::c2r || is_trig(type) ? real : complex};
}

namespace {

/// The result's dtype and shape as the last operand, with what the epilog takes and gives.
void attach_result(const TensorRef& operand, const FFTOptions& options, const FFTEnds& ends,
                   FFTRequest& request) {
  FFTProblem& problem = request.problem;
  const Dims shape = problem.shape_out();
  if (ends.epilog.function) {
    if (options.out) check_out_option(operand, *options.out, std::nullopt, options.out->shape);
    attach_epilog(ends.epilog, operand.device, request);
    return;
  }
  const auto& prolog = ends.prolog.function;
  const DType dtype =
      prolog ? transform_dtypes(transformed_dtype(operand.dtype, prolog), problem.type).out
             : result_dtype(operand.dtype, problem.type);
  if (options.out) check_out_option(operand, *options.out, dtype, shape);
  problem.operands.back() =
      layout_of(TensorRef(nullptr, dtype, shape, contiguous_strides(shape), operand.device));
}

}  // namespace

FFTRequest make_fft(const TensorRef& operand, const FFTOptions& options, FFTDirections directions,
                    const FFTEnds& ends) {
  check_view(FFTProblem::kOperation, "operand", operand);
  if (options.out) check_view(FFTProblem::kOperation, "out", *options.out);
  const DType transformed = transformed_dtype(operand.dtype, ends.prolog.function);
  const FFTType type = resolved_type(transformed, options);
  if (ends.prolog.function) {
    expect(!reads_reals(type) || !is_complex(transformed), name(type),
           " transform of a prolog's result of dtype ", transformed,
           "; a real dtype is wanted. Use a complex transform, or take its real part.");
  } else {
    check_dtype(operand.dtype, type);
  }
  expect(operand.rank() > 0, "operand has no axes; at least one is wanted");
  expect(std::isfinite(options.scale), "scale is ", options.scale, "; a finite number is wanted");
  const Dims axes = checked_axes(operand, options.axes);
  if (options.lengths.empty()) check_extents(operand, axes);
  if (options.in_place) check_in_place(operand, type, options);

  FFTRequest request;
  FFTProblem& problem = request.problem;
  problem.operands = {layout_of(operand), {}};
  problem.type = type;
  problem.axes = axes;
  problem.shape = transform_shape(operand, axes, type, options);
  problem.directions = directions;
  problem.in_place = options.in_place;
  problem.orthogonal = checked_orthogonal(problem, options);
  problem.scaling = {options.norm, options.scale, counted_points(problem)};
  problem.scaled = problem.scaling.any();
  problem.operands[0].conjugate = is_complex(operand.dtype) && operand.conjugate;
  for (const Dims& shape : {problem.shape, problem.shape_in()}) {
    expect(checked_size(shape).has_value(), "the transform's shape ", shape,
           " has more elements than 63 bits can count");
  }
  const std::optional<TensorRef> out = options.in_place ? operand : options.out;
  const auto direction =
      directions == FFTDirections::inverse ? FFTDirection::inverse : FFTDirection::forward;
  request.arguments = {
      .inputs = {operand},
      .out = out,
      .scalars = {static_cast<double>(direction), problem.scaling.factor(direction)},
      .in_place = {}};
  if (options.in_place) request.arguments.in_place = 0;

  if (ends.prolog.function) attach_prolog(ends.prolog, operand, request);
  attach_result(operand, options, ends, request);
  TensorRef result = out ? *out
                         : fresh_result(operand, problem.result().dtype, problem.result().shape,
                                        options.result_layout);
  problem.operands.back() = layout_of(result);
  problem.result_shape = result.shape;
  problem.result_strides = result.strides;
  return request;
}

}  // namespace mw
