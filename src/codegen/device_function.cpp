// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/device_function.hpp"

#include <optional>

#include "base/text.hpp"
#include "codegen/device_point.hpp"
#include "codegen/device_text.hpp"
#include "expr/types.hpp"
#include "kernels/matmul_cuda/source.hpp"

namespace mw::codegen {

namespace {

using Columns = DeviceArray::Columns;
using matmul_cuda::type_name;

template <class... Pieces>
Refusal refuse(const Pieces&... pieces) {
  return {"", text(pieces...)};
}

/// Where a tensor's value comes from.
bool of_column(const DeviceArray& array) { return !array.rows; }
bool of_row(const DeviceArray& array) { return array.rows && array.columns == Columns::repeated; }

class Writer {
 public:
  explicit Writer(const DeviceFunctionForm& form) : form_(form), function_(*form.function) {}

  Outcome<std::string> run() {
    if (auto why = refusal()) return *std::move(why);
    auto point = statements();
    if (!point) return point.refusal();
    out_ += device_helpers();
    write_arguments();
    write_columns();
    write_point(*point);
    write_run();
    return std::move(out_);
  }

 private:
  template <class... Pieces>
  void line(const Pieces&... pieces) {
    out_ += text(pieces..., "\n");
  }
  static std::string tensor(std::size_t i) { return text("t", i); }
  static std::string output(std::size_t i) { return text("o", i); }

  std::optional<Refusal> refusal() const {
    for (const auto& node : function_.nodes) {
      if (node.op == expr::Op::index && node.integer < -3) return refuse("one batch axis only");
    }
    return std::nullopt;
  }

  Outcome<std::string> statements() const {
    PointTypes types{.element = form_.element, .tensors = {}, .outputs = {}};
    for (const auto& array : form_.tensors) types.tensors.push_back(array.dtype);
    for (const auto& array : form_.outputs) types.outputs.push_back(array.dtype);
    return point_statements(function_, types, [&](std::int64_t axis) -> std::string {
      if (axis < -2) return "batch";
      return (axis == -1) != form_.turned ? "col" : "row";
    });
  }

  void write_arguments() {
    line("struct EpilogArgs {");
    const auto array = [&](const std::string& name, DType dtype, const char* qualifier) {
      line("  ", qualifier, type_name(dtype), "* ", name, ";");
      line("  Index ", name, "_row, ", name, "_col, ", name, "_batch;");
    };
    for (std::size_t i = 0; i < form_.tensors.size(); ++i)
      array(tensor(i), form_.tensors[i].dtype, "const ");
    for (std::size_t i = 0; i < form_.outputs.size(); ++i)
      array(output(i), form_.outputs[i].dtype, "");
    for (std::size_t i = 0; i < function_.scalars.size(); ++i)
      line("  double s", i, ", s", i, "_imag;");
    line("};");
  }

  /// Tensors without rows are read here, once for all rows of a thread.
  void write_columns() {
    line("struct EpilogColumns {");
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) {
      if (of_column(form_.tensors[i]))
        line("  ", register_type(form_.tensors[i].dtype), " ", tensor(i), ";");
    }
    line("};");
    line("template <int kCount>");
    line("__device__ __forceinline__ void epilog_columns(const EpilogArgs& e, EpilogColumns* at,");
    line("                                               Index batch, int col, int valid) {");
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) {
      if (of_column(form_.tensors[i])) read_columns(form_.tensors[i], tensor(i));
    }
    line("}");
  }

  void read_columns(const DeviceArray& array, const std::string& t) {
    const std::string from = text("e.", t, " + batch * e.", t, "_batch + ");
    if (array.columns == Columns::unit) {
      line("  ", type_name(array.dtype), " ", t, "[kCount];");
      line("  load<kCount, ", width(array), ">(", t, ", ", from, "col, valid);");
      line("#pragma unroll");
      line("  for (int j = 0; j < kCount; ++j) at[j].", t, " = widen(", t, "[j]);");
      return;
    }
    line("#pragma unroll");
    line("  for (int j = 0; j < kCount; ++j) {");
    line("    if (j < valid) at[j].", t, " = widen(*(", from, "(col + j) * e.", t, "_col));");
    line("  }");
  }

  void write_point(const std::string& body) {
    out_ += text("__device__ __forceinline__ void epilog_point(const EpilogArgs& e, ",
                 register_type(form_.element), " x");
    for (std::size_t i = 0; i < form_.tensors.size(); ++i)
      out_ += text(", ", register_type(form_.tensors[i].dtype), " ", tensor(i));
    out_ += ", Index batch, Index row, Index col";
    for (std::size_t i = 0; i < form_.outputs.size(); ++i)
      out_ += text(", ", register_type(form_.outputs[i].dtype), "& y", i);
    out_ += ") {\n" + body + "}\n";
  }

  /// Addresses: e.NAME + what differs between threads + constants, see Place.
  static std::string address(const DeviceArray& array, const std::string& name) {
    const std::string row = array.dense ? "(Index)MW_N" : text("e.", name, "_row");
    std::string at = text("e.", name, " + batch * e.", name, "_batch");
    if (array.columns == Columns::unit) return text(at, " + at.offset(", row, ")");
    at += text(" + (Index)at.row * ", row, " + at.down * ", row);
    if (array.columns == Columns::strided) at += text(" + (at.col + at.right) * e.", name, "_col");
    return at;
  }
  /// Elements per access within a run.
  static std::string width(const DeviceArray& array) {
    return text("(kCount < ", array.vector, " ? kCount : ", array.vector, ")");
  }

  void write_run() {
    line("template <int kCount>");
    line("__device__ __forceinline__ void epilog(const EpilogArgs& e,");
    line("    const EpilogColumns* columns, const Acc* x, Index batch, const Place& at,");
    line("    int valid) {");
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) read_run(form_.tensors[i], tensor(i));
    for (std::size_t i = 0; i < form_.outputs.size(); ++i)
      line("  ", register_type(form_.outputs[i].dtype), " ", output(i), "[kCount];");
    line("#pragma unroll");
    line("  for (int j = 0; j < kCount; ++j) {");
    out_ += "    epilog_point(e, x[j]";
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) {
      const DeviceArray& array = form_.tensors[i];
      out_ += of_column(array) ? text(", columns[j].", tensor(i))
              : of_row(array)  ? text(", widen(", tensor(i), ")")
                               : text(", widen(", tensor(i), "[j])");
    }
    out_ += ", batch, (Index)at.row + at.down, (Index)at.col + at.right + j";
    for (std::size_t i = 0; i < form_.outputs.size(); ++i) out_ += text(", ", output(i), "[j]");
    out_ += ");\n";
    line("  }");
    for (std::size_t i = 0; i < form_.outputs.size(); ++i)
      write_output(form_.outputs[i], output(i));
    line("}");
  }

  void read_run(const DeviceArray& array, const std::string& name) {
    const char* type = type_name(array.dtype);
    if (of_column(array)) return;
    if (of_row(array)) {
      // Below the last row there is nothing to read, and nothing is valid.
      line("  const ", type, " ", name, " = valid > 0 ? *(", address(array, name), ") : ", type,
           "{};");
      return;
    }
    line("  ", type, " ", name, "[kCount];");
    if (array.columns == Columns::unit) {
      line("  load<kCount, ", width(array), ">(", name, ", ", address(array, name), ", valid);");
      return;
    }
    line("#pragma unroll");
    line("  for (int j = 0; j < kCount; ++j)");
    line("    ", name, "[j] = j < valid ? (", address(array, name), ")[j * e.", name,
         "_col] : ", type, "{};");
  }

  void write_output(const DeviceArray& array, const std::string& name) {
    if (array.columns == Columns::unit) {
      const bool boolean = array.dtype == DType::bool_;
      if (boolean) {
        line("  U8 ", name, "_bytes[kCount];");
        line("#pragma unroll");
        line("  for (int j = 0; j < kCount; ++j) ", name, "_bytes[j] = ", name, "[j];");
      }
      line("  put<kCount, ", width(array), ">(", address(array, name), ", ", name,
           boolean ? "_bytes" : "", ", valid);");
      return;
    }
    line("#pragma unroll");
    line("  for (int j = 0; j < kCount; ++j) {");
    line("    ", type_name(array.dtype), " narrowed;");
    line("    narrow(narrowed, ", array.dtype == DType::bool_ ? "(U8)" : "", name, "[j]);");
    line("    if (j < valid) (", address(array, name), ")[j * e.", name, "_col] = narrowed;");
    line("  }");
  }

  const DeviceFunctionForm& form_;
  const expr::Function& function_;
  std::string out_;
};

}  // namespace

Outcome<std::string> device_function(const DeviceFunctionForm& form) { return Writer(form).run(); }

}  // namespace mw::codegen
