// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "matmul_arguments.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "expression.hpp"
#include "trace.hpp"

namespace mw::py {

namespace {

constexpr const char* kOperation = MatmulProblem::kOperation;

Adopted adopt(nb::handle array, const char* name, const Package& package, Stream consumer,
              bool writes) {
  const Who who{kOperation, name};
  require_package(array, package, who);
  return package.adopt(array, who, consumer, writes);
}

bool wants_in_place(const MatmulArguments& given) {
  if (given.options.is_none() || given.options.attr("inplace").ptr() != Py_True) return false;
  require(!given.c.is_none(), ErrorKind::invalid_argument, kOperation,
          ": option inplace is set without c; the result takes c's place, so c is wanted");
  require(given.out.is_none(), ErrorKind::invalid_argument, kOperation,
          ": option inplace and out are both given; one of them is wanted");
  return true;
}

void warn_of_idle_beta() {
  log(LogLevel::warning, [] {
    return text(kOperation,
                ": beta is given without c and has no effect; pass c, or leave beta away");
  });
}

std::optional<DType> named_dtype(nb::handle name, const char* what) {
  if (name.is_none()) return std::nullopt;
  const auto word = nb::cast<std::string>(name);
  const auto dtype = dtype_from_name(word);
  require(dtype.has_value(), ErrorKind::invalid_argument, kOperation, ": ", what, " is ", word,
          "; the name of a dtype is wanted");
  return dtype;
}

class EpilogReader {
 public:
  EpilogReader(const FusedArguments& given, const MatmulOperands& operands, const Package& package,
               Stream consumer)
      : given_(given),
        operands_(operands),
        package_(package),
        consumer_(consumer),
        inputs_(named_objects(given.epilog_inputs, kOperation, "epilog_inputs")) {}

  FusedCall read() {
    wishes();
    if (given_.epilog.is_none()) {
      require(inputs_.empty(), ErrorKind::invalid_argument, kOperation,
              ": epilog_inputs are given without an epilog; pass epilog=, or leave them away");
    } else {
      call_.extras.epilog.emplace();
      if (PyLong_Check(given_.epilog.ptr())) {
        named();
      } else {
        custom();
      }
    }
    scales();
    return std::move(call_);
  }

 private:
  EpilogRequest& request() { return *call_.extras.epilog; }

  /// The advanced product's, but its scales.
  void wishes() {
    if (given_.extras.is_none()) return;
    const auto dict = nb::borrow<nb::dict>(given_.extras);
    MatmulExtras& extras = call_.extras;
    extras.broadcast_c = true;
    extras.compute = static_cast<MatmulCompute>(nb::cast<int>(dict["compute"]));
    extras.result_type = named_dtype(nb::object(dict["result_type"]), "result_type");
    extras.fast_accumulation = nb::cast<bool>(dict["fast_accumulation"]);
    extras.multiprocessors = nb::cast<int>(dict["multiprocessors"]);
    const nb::object given = dict["scales"];
    if (given.is_none()) return;
    scales_ = nb::cast<nb::dict>(given);
    if (nb::cast<bool>(dict["block_scaling"])) {
      extras.block = float8_max(operands_.a.dtype) ? BlockFormat::mxfp8 : BlockFormat::nvfp4;
      return;
    }
    quantisation().result_amax = nb::cast<bool>(dict["result_amax"]);
  }

  Quantisation& quantisation() {
    auto& made = call_.extras.quantisation;
    return made ? *made : made.emplace();
  }

  [[nodiscard]] nb::object given_scale(const char* letter) const {
    const bool there = scales_.is_valid() && scales_.contains(letter);
    return there ? nb::object(scales_[letter]) : nb::object();
  }

  /// After the epilog, whose tensors and scalars come before theirs.
  void scales() {
    const bool in_blocks = call_.extras.block != BlockFormat::none;
    const char* letters[] = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < 4 && !in_blocks; ++i) {
      const nb::object value = given_scale(letters[i]);
      if (!value.is_valid()) continue;
      Quantisation& made = quantisation();
      std::optional<Scale>* const slots[] = {&made.a, &made.b, &made.c, &made.d};
      scale(value, kScaleNames[i], i == 3, *slots[i]);
    }
    if (aux_scale_.is_valid()) scale(aux_scale_, kScaleNames[4], true, quantisation().aux);
    if (!in_blocks) return;
    call_.extras.block_a = block_scale(given_scale("a"), kScaleNames[0]);
    call_.extras.block_b = block_scale(given_scale("b"), kScaleNames[1]);
  }

  std::optional<TensorRef> block_scale(const nb::object& value, const char* name) {
    if (!value.is_valid()) return std::nullopt;
    Adopted adopted = adopt(value, name, package_, consumer_, false);
    call_.keepers.push_back(std::move(adopted.keeper));
    call_.tensors.emplace_back(name);
    return std::move(adopted.view);
  }

  void scale(nb::handle value, const char* name, bool is_scalar, std::optional<Scale>& slot) {
    slot.emplace();
    if (const auto number = scale_number(value, name)) {
      slot->number = *number;
      if (is_scalar) call_.scalars.emplace_back(name);
      return;
    }
    Adopted adopted = adopt(value, name, package_, consumer_, false);
    call_.keepers.push_back(std::move(adopted.keeper));
    call_.tensors.emplace_back(name);
    slot->tensor = std::move(adopted.view);
  }

  void add_tensor(const std::string& name, nb::handle array) {
    Adopted adopted = adopt(array, name.c_str(), package_, consumer_, false);
    call_.keepers.push_back(std::move(adopted.keeper));
    call_.tensors.push_back(name);
    request().tensors.push_back(std::move(adopted.view));
  }

  [[nodiscard]] nb::handle input(std::string_view name) const {
    const auto found = std::ranges::find(
        inputs_, name, [](const auto& entry) { return std::string_view(entry.first); });
    return found == inputs_.end() ? nb::handle() : nb::handle(found->second);
  }

  void named() {
    const auto value = static_cast<NamedEpilog>(nb::cast<int>(given_.epilog));
    const NamedEpilogRow* row = named_epilog(value);
    require(row != nullptr, ErrorKind::invalid_argument, kOperation, ": epilog is ",
            shown(given_.epilog), "; a member of MatmulEpilog other than DEFAULT is wanted");
    request().named = value;
    request().aux_type = named_dtype(given_.aux_type, "aux_type");
    std::vector<std::string> wanted;
    if (row->bias) wanted.emplace_back("bias");
    if (row->aux_in) wanted.emplace_back(row->aux_in);
    const auto& aux_type = request().aux_type;
    const bool scaled = row->aux_out && aux_type && float8_max(*aux_type);
    if (scaled) wanted.emplace_back(kScaleNames[4]);
    for (const auto& name : wanted) {
      require(input(name).is_valid(), ErrorKind::invalid_argument, kOperation, ": epilog ",
              row->name, " wants the inputs ", wanted, " in epilog_inputs, and ", name,
              " is missing");
    }
    for (const auto& [name, object] : inputs_) {
      require(std::ranges::find(wanted, name) != wanted.end(), ErrorKind::invalid_argument,
              kOperation, ": epilog_inputs has ", name, ", which epilog ", row->name,
              " does not take; ", wanted, " are wanted");
    }
    for (const auto& name : wanted) {
      if (name == kScaleNames[4]) {
        aux_scale_ = input(name);
      } else {
        add_tensor(name, input(name));
      }
    }
    if (given_.aux_amax) quantisation().aux_amax = true;
  }

  void custom() {
    std::vector<TraceInput> inputs;
    for (const auto& [name, object] : inputs_) inputs.push_back(input_of(name, object));
    const bool in_blocks = call_.extras.block != BlockFormat::none;
    const DType element = in_blocks ? DType::float32 : expr::computing_dtype(operands_.a.dtype);
    DType result =
        call_.extras.result_type.value_or(operands_.c ? operands_.c->dtype : operands_.a.dtype);
    // It is narrowed after the function.
    if (in_blocks && itemsize(result) < 2) result = DType::float32;
    const std::size_t rank = std::max(operands_.a.rank(), operands_.b.rank()) -
                             (operands_.a.rank() == 1 ? 1 : 0) - (operands_.b.rank() == 1 ? 1 : 0);
    request().function = traced(given_.epilog, {.operation = kOperation,
                                                .element = element,
                                                .result = result,
                                                .rank = static_cast<int>(rank),
                                                .inputs = inputs});
    for (const auto& tensor : request().function->tensors)
      add_tensor(tensor.name, input(tensor.name));
    for (const auto& scalar : request().function->scalars) {
      request().scalars.push_back(
          parse_scalar(input(scalar.name), {kOperation, scalar.name.c_str()}));
      call_.scalars.push_back(scalar.name);
    }
  }

  const FusedArguments& given_;
  const MatmulOperands& operands_;
  const Package& package_;
  Stream consumer_;
  std::vector<std::pair<std::string, nb::object>> inputs_;
  nb::dict scales_ = nb::steal<nb::dict>(nb::handle());
  nb::handle aux_scale_;
  FusedCall call_;
};

}  // namespace

MatmulCall understand(const MatmulArguments& given, const Package& package) {
  MatmulCall call;
  MatmulOperands& operands = call.operands;
  MatmulOptions& options = call.options;
  const Stream consumer = consumer_of(given.stream, package, kOperation);
  const auto take = [&](nb::handle array, const char* name, bool writes = false) {
    Adopted adopted = adopt(array, name, package, consumer, writes);
    call.keepers.push_back(std::move(adopted.keeper));
    return std::move(adopted.view);
  };
  call.in_place = wants_in_place(given);
  operands.a = take(given.a, "a");
  operands.b = take(given.b, "b");
  if (!given.c.is_none()) operands.c = take(given.c, "c", call.in_place);
  if (call.in_place) {
    operands.out = operands.c;
    call.keepers.push_back(nb::borrow(given.c));
    call.out = nb::borrow(given.c);
  } else if (!given.out.is_none()) {
    operands.out = take(given.out, "out", true);
    call.out = nb::borrow(given.out);
  }
  if (!given.alpha.is_none()) options.alpha = parse_scalar(given.alpha, {kOperation, "alpha"});
  if (!given.beta.is_none()) {
    options.beta = parse_scalar(given.beta, {kOperation, "beta"});
    if (given.c.is_none()) warn_of_idle_beta();
  }
  options.conjugate_a = given.conjugate_a;
  options.conjugate_b = given.conjugate_b;
  options.execution = parse_execution(given.execution, kOperation);
  return call;
}

std::optional<double> scale_number(nb::handle scale, const char* name) {
  const bool is_number = PyFloat_Check(scale.ptr()) || PyLong_Check(scale.ptr()) ||
                         (PyIndex_Check(scale.ptr()) && !nb::hasattr(scale, "shape")) ||
                         number_dtype(scale).has_value();
  if (!is_number) return std::nullopt;
  return parse_scalar(scale, {kOperation, name}).real();
}

FusedCall understand_fused(const FusedArguments& given, const MatmulOperands& operands,
                           const Package& package, Stream consumer) {
  return EpilogReader(given, operands, package, consumer).read();
}

}  // namespace mw::py
