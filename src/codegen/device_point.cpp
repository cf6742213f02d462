// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/device_point.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "codegen/device_text.hpp"
#include "codegen/lower.hpp"
#include "expr/types.hpp"
#include "kernels/matmul_cuda/source.hpp"

namespace mw::codegen {

namespace {

using matmul_cuda::type_name;

std::optional<Refusal> refusal(const expr::Function& function, const PointTypes& types) {
  const auto reduces = [](const expr::Node& node) { return expr::is_reduction(node.op); };
  if (std::ranges::any_of(function.nodes, reduces)) return Refusal{"", "no reductions"};
  std::vector<DType> dtypes = types.tensors;
  dtypes.insert(dtypes.end(), types.outputs.begin(), types.outputs.end());
  dtypes.push_back(types.element);
  for (const DType dtype : dtypes) {
    if (type_name(dtype) == nullptr || type_name(expr::computing_dtype(dtype)) == nullptr) {
      return Refusal{"", text("dtype ", dtype, " has no text")};
    }
  }
  return std::nullopt;
}

/// Builds the statements, noting which variables they name.
class Point {
 public:
  Outcome<std::string> run(const expr::Function& function, const PointTypes& types,
                           const std::function<std::string(std::int64_t)>& index) {
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    const std::vector<Pair> values =
        lower(builder_, function,
              {.element = [&](std::int64_t) { return number("x", types.element); },
               .tensor = [&](std::int64_t i) { return number(text("t", i), types.tensors[at(i)]); },
               .scalar = [&](std::int64_t i) { return scalar(i, function.scalars[at(i)].dtype); },
               .index =
                   [&](std::int64_t axis) {
                     around_.integers.push_back(index(axis));
                     return builder_.integer("index");
                   }});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const DType wide = expr::computing_dtype(types.outputs[i]);
      const std::string name = text("y", i);
      keep(is_complex(wide) ? name + ".x" : name, real_dtype(wide), values[i].re);
      if (is_complex(wide)) keep(name + ".y", real_dtype(wide), values[i].im);
    }
    return device_statements(builder_.finish(), around_);
  }

 private:
  Access variable(const std::string& name, DType type) {
    around_.pointers.push_back(name);
    return {
        .pointer = builder_.pointer(name), .memory = type, .offset = builder_.constant_integer(0)};
  }
  void keep(const std::string& name, DType type, Value value) {
    builder_.store(variable(name, type), value);
  }
  Pair number(const std::string& name, DType stored) {
    const DType wide = expr::computing_dtype(stored);
    const auto part = [&](const std::string& of, DType type) {
      return builder_.load(variable(of, type), false);
    };
    if (!is_complex(wide)) return {part(name, wide), {}};
    const Value re = part(name + ".x", real_dtype(wide));
    return {re, part(name + ".y", real_dtype(wide))};
  }
  Pair scalar(std::int64_t i, DType stored) {
    const DType wide = expr::computing_dtype(stored);
    const auto part = [&](const char* suffix) {
      around_.scalars.push_back(text("e.s", i, suffix));
      return builder_.convert(builder_.scalar(text("s", i)), real_dtype(wide));
    };
    Pair pair{part(""), {}};
    if (is_complex(wide)) pair.im = part("_imag");
    return pair;
  }

  Builder builder_{"point", Target{.lanes = 1, .registers = 0, .device = true}};
  Surroundings around_;
};

}  // namespace

Outcome<std::string> point_statements(const expr::Function& function, const PointTypes& types,
                                      const std::function<std::string(std::int64_t)>& index) {
  if (auto why = refusal(function, types)) return *std::move(why);
  return Point().run(function, types, index);
}

std::string register_type(DType stored) {
  const DType wide = expr::computing_dtype(stored);
  return wide == DType::bool_ ? "bool" : type_name(wide);
}

}  // namespace mw::codegen
