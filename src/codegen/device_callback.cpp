// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/device_callback.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "codegen/device_point.hpp"
#include "codegen/device_text.hpp"
#include "expr/types.hpp"
#include "kernels/matmul_cuda/source.hpp"

namespace mw::codegen {

namespace {

using matmul_cuda::type_name;

/// The library's own type.
const char* library_type(DType dtype) {
  switch (dtype) {
    case DType::float32: return "float";
    case DType::float64: return "double";
    case DType::complex64: return "float2";
    default: return "double2";
  }
}

class CallbackWriter {
 public:
  explicit CallbackWriter(const CallbackForm& form) : form_(form), function_(*form.function) {}

  Outcome<std::string> run() {
    PointTypes types{
        .element = form_.store ? form_.library : form_.array.dtype, .tensors = {}, .outputs = {}};
    for (const auto& tensor : form_.tensors) types.tensors.push_back(tensor.dtype);
    for (std::size_t i = 0; i < form_.outputs.size(); ++i) types.outputs.push_back(stored(i));
    const auto rank = static_cast<std::int64_t>(form_.shape.size());
    auto point = point_statements(function_, types, [&](std::int64_t axis) {
      return text("i", axis < 0 ? axis + rank : axis);
    });
    if (!point) return point.refusal();
    out_ += matmul_cuda::types_text();
    out_ += device_helpers();
    write_arguments();
    write_head();
    write_indices();
    write_values();
    out_ += *point;
    write_results();
    line("}");
    return std::move(out_);
  }

 private:
  template <class... Pieces>
  void line(const Pieces&... pieces) {
    out_ += text(pieces..., "\n");
  }

  /// What an output becomes: the main one of a load is the library's.
  [[nodiscard]] DType stored(std::size_t i) const {
    if (i != form_.main) return form_.outputs[i].dtype;
    return form_.store ? form_.array.dtype : form_.library;
  }

  void write_arguments() {
    line("struct Arguments {");
    for (std::size_t i = 0; i < form_.tensors.size(); ++i)
      line("  const ", type_name(form_.tensors[i].dtype), "* t", i, ";");
    for (std::size_t i = 0; i < form_.outputs.size(); ++i) {
      if (i != form_.main) line("  ", type_name(form_.outputs[i].dtype), "* o", i, ";");
    }
    for (std::size_t i = 0; i < function_.scalars.size(); ++i)
      line("  double s", i, ", s", i, "_imag;");
    line("};");
  }

  void write_head() {
    const char* type = library_type(form_.library);
    line("__device__ ", form_.store ? "void" : type, " ", form_.name,
         "(void* array, unsigned long long offset, ",
         form_.store ? text(type, " element, ") : std::string(), "void* arguments, void*) {");
    line("  const Arguments& e = *(const Arguments*)arguments;");
  }

  /// iₐ = offset / strideₐ mod extentₐ, without the division of the fastest axis and without the
  /// remainder of the slowest one. In 32 bits where offsets fit.
  void write_indices() {
    double points = 1;
    for (const auto extent : form_.shape) points *= static_cast<double>(extent);
    const char* index = points < 0x1p31 ? "unsigned" : "U64";
    line("  const ", index, " at = (", index, ")offset;");
    for (std::size_t axis = 0; axis < form_.shape.size(); ++axis) {
      const std::int64_t extent = form_.shape[axis], stride = form_.strides[axis];
      std::string of = "at";
      if (stride > 1) of += text(" / (", index, ")", stride, "ull");
      const bool slowest = static_cast<double>(stride) * static_cast<double>(extent) >= points;
      if (!slowest) of = text(of, " % (", index, ")", extent, "ull");
      line("  const Index i", axis, " = (Index)(", extent == 1 ? std::string("0") : of, ");");
    }
    if (form_.store) return;
    for (std::size_t axis = 0; axis < form_.shape.size(); ++axis) {
      if (form_.used[axis] < form_.shape[axis])
        line("  if (i", axis, " >= ", form_.used[axis], "ll) return ", library_type(form_.library),
             "{};");
    }
  }

  /// Σ iₐ · strideₐ; what is stored in the library's order is at the offset itself.
  [[nodiscard]] std::string position(const Dims& strides) const {
    bool same = true;
    std::string sum;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      if (form_.shape[axis] == 1) continue;
      same = same && strides[axis] == form_.strides[axis];
      if (strides[axis] == 0) continue;
      if (!sum.empty()) sum += " + ";
      sum += strides[axis] == 1 ? text("i", axis) : text("i", axis, " * ", strides[axis], "ll");
    }
    if (same) return "at";
    return sum.empty() ? "0" : sum;
  }

  void write_values() {
    if (!form_.store) {
      line("  const ", register_type(form_.array.dtype), " x = widen(((const ",
           type_name(form_.array.dtype), "*)array)[", position(form_.array.strides), "]);");
    } else if (is_complex(form_.library)) {
      line("  const ", type_name(form_.library), " x{element.x, element.y};");
    } else {
      line("  const ", type_name(form_.library), " x = element;");
    }
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) {
      const CallbackArray& tensor = form_.tensors[i];
      line("  const ", register_type(tensor.dtype), " t", i, " = widen(e.t", i, "[",
           position(tensor.strides), "]);");
    }
    for (std::size_t i = 0; i < form_.outputs.size(); ++i)
      line("  ", register_type(stored(i)), " y", i, ";");
  }

  void write_results() {
    for (std::size_t i = 0; i < form_.outputs.size(); ++i) {
      const bool main = i == form_.main;
      if (main && !form_.store) continue;
      const CallbackArray& array = main ? form_.array : form_.outputs[i];
      const std::string to = main ? text("((", type_name(array.dtype), "*)array)") : text("e.o", i);
      line("  narrow(", to, "[", position(array.strides), "], ",
           array.dtype == DType::bool_ ? "(U8)" : "", "y", i, ");");
    }
    if (form_.store) return;
    const std::string y = text("y", form_.main);
    if (is_complex(form_.library)) {
      line("  return ", library_type(form_.library), "{", y, ".x, ", y, ".y};");
    } else {
      line("  return ", y, ";");
    }
  }

  const CallbackForm& form_;
  const expr::Function& function_;
  std::string out_;
};

}  // namespace

Outcome<std::string> device_callback(const CallbackForm& form) {
  return CallbackWriter(form).run();
}

}  // namespace mw::codegen
