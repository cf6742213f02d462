// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transform by its definition, in long double: X[k] = Σ_j x[j] exp(±2πi·jk/n) along one axis
// after another. The order of the axes of a real transform is part of the definition (it decides
// which imaginary parts are ignored): r2c takes the halved axis first, c2r takes it last. Functions
// at the ends are evaluated point by point.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "base/visit.hpp"
#include "ops/fft/candidates.hpp"
#include "ops/fft/parts.hpp"
#include "ops/fft/trig.hpp"
#include "ops/fuse/reference.hpp"

namespace mw {

namespace {

using Number = std::complex<long double>;

/// A C-ordered array.
struct Grid {
  Dims shape;
  std::vector<Number> values;
};

std::size_t count_of(const Dims& shape) {
  std::size_t count = 1;
  for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// Calls visit(i, offset) for the i-th element in C order, which is at `offset` of a strided
/// layout.
template <class Visit>
void for_each_element(const Dims& shape, const Dims& strides, Visit&& visit) {
  Dims index(shape.size());
  std::int64_t offset = 0;
  const std::size_t count = count_of(shape);
  for (std::size_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

Grid read(const OperandLayout& layout, const void* data) {
  Grid grid{layout.shape, std::vector<Number>(count_of(layout.shape))};
  visit_blas(layout.dtype, "fft", [&]<class T>(TypeTag<T>) {
    const T* elements = static_cast<const T*>(data);
    for_each_element(layout.shape, layout.strides, [&](std::size_t i, std::int64_t offset) {
      const std::complex<double> value = elements[offset];
      grid.values[i] = {value.real(), value.imag()};
    });
  });
  return grid;
}

template <class T>
T narrowed(Number value, long double factor) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real() * factor);
  } else {
    using Part = typename T::value_type;
    return {static_cast<Part>(value.real() * factor), static_cast<Part>(value.imag() * factor)};
  }
}

/// Writes the part of the grid that the layout has: r2c drops the second half of the halved axis.
void write(const Grid& grid, const OperandLayout& layout, void* data, long double factor) {
  const Dims steps = contiguous_strides(grid.shape);
  std::vector<std::size_t> sources;
  for_each_element(layout.shape, steps, [&](std::size_t, std::int64_t offset) {
    sources.push_back(static_cast<std::size_t>(offset));
  });
  visit_blas(layout.dtype, "fft", [&]<class T>(TypeTag<T>) {
    T* elements = static_cast<T*>(data);
    for_each_element(layout.shape, layout.strides, [&](std::size_t i, std::int64_t offset) {
      elements[offset] = narrowed<T>(grid.values[sources[i]], factor);
    });
  });
}

std::vector<Number> roots_of_unity(std::size_t n, int direction) {
  std::vector<Number> roots(n);
  for (std::size_t j = 0; j < n; ++j) {
    const long double angle = 2 * std::numbers::pi_v<long double> * direction *
                              static_cast<long double>(j) / static_cast<long double>(n);
    roots[j] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

/// n² complex multiplications a line.
void transform_axis(Grid& grid, std::size_t axis, int direction) {
  const auto n = static_cast<std::size_t>(grid.shape[axis]);
  const auto step = static_cast<std::size_t>(contiguous_strides(grid.shape)[axis]);
  const std::vector<Number> roots = roots_of_unity(n, direction);
  std::vector<Number> line(n);
  for (std::size_t first = 0; first < grid.values.size(); ++first) {
    if (first / step % n != 0) continue;
    Number* x = &grid.values[first];
    for (std::size_t j = 0; j < n; ++j) line[j] = x[j * step];
    for (std::size_t k = 0; k < n; ++k) {
      long double re = 0;
      long double im = 0;
      std::size_t power = 0;  // jk mod n
      for (std::size_t j = 0; j < n; ++j) {
        re += line[j].real() * roots[power].real() - line[j].imag() * roots[power].imag();
        im += line[j].real() * roots[power].imag() + line[j].imag() * roots[power].real();
        power += k;
        if (power >= n) power -= n;
      }
      x[k * step] = {re, im};
    }
  }
}

/// n² multiplications a line.
void transform_axis_trig(Grid& grid, std::size_t axis, FFTType type) {
  const auto n = static_cast<std::size_t>(grid.shape[axis]);
  const auto step = static_cast<std::size_t>(contiguous_strides(grid.shape)[axis]);
  const TrigKernel kernel(type, grid.shape[axis]);
  std::vector<long double> line(n);
  for (std::size_t first = 0; first < grid.values.size(); ++first) {
    if (first / step % n != 0) continue;
    Number* x = &grid.values[first];
    for (std::size_t j = 0; j < n; ++j) line[j] = x[j * step].real();
    for (std::size_t k = 0; k < n; ++k) {
      long double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += line[j] * kernel(j, k);
      x[k * step] = sum;
    }
  }
}

/// The whole Hermitian spectrum from its half: X[n−k] = conj X[k], and X[0] and X[n/2] real.
Grid with_both_halves(const Grid& half, std::size_t axis, std::int64_t n) {
  Grid full{half.shape, {}};
  full.shape[axis] = n;
  full.values.resize(count_of(full.shape));
  const auto step = contiguous_strides(full.shape)[axis];
  for (std::size_t i = 0; i < full.values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t k = at / step % n;
    const std::int64_t mirrored = std::min(k, n - k);
    const std::int64_t outer = at / (step * n);
    const std::int64_t inner = at % step;
    const auto source = (outer * half.shape[axis] + mirrored) * step + inner;
    const Number value = half.values[static_cast<std::size_t>(source)];
    const bool real = k == 0 || 2 * k == n;
    full.values[i] = {value.real(), real ? 0 : k == mirrored ? value.imag() : -value.imag()};
  }
  return full;
}

void transform(const FFTProblem& problem, const void* in, void* out, int direction,
               long double factor) {
  Grid grid = read(problem.input(), in);
  const auto axis = [&](std::size_t i) { return static_cast<std::size_t>(problem.axes[i]); };
  const std::size_t last = problem.axes.size() - 1;
  if (is_trig(problem.type)) {
    for (std::size_t i = 0; i <= last; ++i) transform_axis_trig(grid, axis(i), problem.type);
    return write(grid, problem.result(), out, factor);
  }
  if (problem.type != FFTType::c2r) transform_axis(grid, axis(last), direction);
  for (std::size_t i = 0; i < last; ++i) transform_axis(grid, axis(i), direction);
  if (problem.type == FFTType::c2r) {
    grid = with_both_halves(grid, axis(last), problem.length(last));
    transform_axis(grid, axis(last), direction);
  }
  write(grid, problem.result(), out, factor);
}

OperandLayout c_order(DType dtype, const Dims& shape) {
  return {.dtype = dtype, .shape = shape, .strides = contiguous_strides(shape)};
}

class ReferencePlan final : public Plan {
 public:
  explicit ReferencePlan(const FFTProblem& problem)
      : problem_(problem),
        parts_(parts_of(problem)),
        x_(parts_.prolog ? c_order(parts_.x, problem.shape_in()) : problem.input()),
        y_(parts_.epilog ? c_order(parts_.y, problem.shape_out()) : problem.result()) {
    x_.shape = problem.shape_in();
    y_.shape = problem.shape_out();
  }

  void execute(const Call& call) const override {
    std::vector<std::byte> x(parts_.prolog ? dense_bytes(x_) : 0);
    std::vector<std::byte> y(parts_.epilog ? dense_bytes(y_) : 0);
    void* const x_data = parts_.prolog ? x.data() : call.operands[0];
    void* const y_data = parts_.epilog ? y.data() : call.operands[problem_.operands.size() - 1];
    std::vector<ScalarValue> scalars(call.scalars + 2,
                                     call.scalars + 2 + problem_.prolog.scalars());
    const auto run = [&](const codegen::PassProblem& pass, const std::vector<std::size_t>& operands,
                         void* between) {
      std::vector<void*> arrays;
      for (const std::size_t i : operands) {
        arrays.push_back(i == FFTParts::kBetween ? between : call.operands[i]);
      }
      fuse_impl::run_reference(pass, {arrays.data(), scalars.data(), nullptr, {}});
    };
    if (parts_.prolog) run(prolog_pass(problem_, parts_, x_), parts_.before_arrays, x_data);
    if (problem_.transforms() > 0) {
      transform(plain_transform(problem_, x_, y_), x_data, y_data, direction_of(call), 1);
    }
    const ScalarValue* const after = call.scalars + 2 + problem_.prolog.scalars();
    scalars.assign(after, after + problem_.epilog.scalars());
    scalars.push_back(call.scalars[1]);
    if (parts_.epilog) run(epilog_pass(problem_, parts_, y_), parts_.after_arrays, y_data);
  }

  /// About 2 ns a term.
  double estimate() const override {
    double terms = 1;
    for (std::size_t i = 0; i < problem_.axes.size(); ++i) {
      terms += static_cast<double>(problem_.length(i));
    }
    return 1e-6 + 2e-9 * problem_.points() * problem_.transforms() * terms;
  }

  std::string describe() const override { return "the definition, in long double"; }

 private:
  FFTProblem problem_;
  FFTParts parts_;
  OperandLayout x_, y_;
};

}  // namespace

Answer try_reference_fft(const FFTProblem& problem, const Context&) {
  return PlanPtr(std::make_shared<ReferencePlan>(problem));
}

}  // namespace mw
