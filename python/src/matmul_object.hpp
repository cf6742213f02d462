// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A product kept: the operands, factors, epilog inputs and scales of linalg.Matmul and its session.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "matmul_arguments.hpp"
#include "session_object.hpp"

namespace mw::py {

class MatmulObject final : public SessionObject {
 public:
  static constexpr const char* kOperation = MatmulProblem::kOperation;

  MatmulObject(const MatmulArguments& given, nb::handle extras)
      : SessionObject(package_of(given.a, {kOperation, "a"}), given.options, kOperation),
        extras_(copied(extras)) {
    const LoggerScope logging(logger_);
    MatmulCall call = understand(given, package());
    in_place_ = call.in_place;
    options_ = call.options;
    has_c_ = call.operands.c.has_value();
    real_ = !is_complex(call.operands.a.dtype);
    if (call.out.is_valid()) out_ = call.out;
    std::vector<nb::object> inputs(call.keepers.begin(), call.keepers.begin() + (has_c_ ? 3 : 2));
    begin(call.operands, std::move(inputs), {nb::none(), nb::none(), nb::none(), false, extras_},
          given.stream);
  }

  /// Plans for an epilog; any number of times, each in place of the one before.
  void plan_fused(const FusedArguments& fused, nb::handle stream) {
    {
      const Lock lock(*this);
      session().check_alive();
      if (asks_for_nothing(fused) && !fused_) {
        // as the object was made
      } else {
        set_epilog(fused, stream);
      }
    }
    plan(stream);
  }

  void reset(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
             nb::handle out, nb::handle inputs, nb::handle stream, nb::handle scales) {
    const Lock lock(*this);
    session().check_alive();
    const ScalarValue new_alpha = alpha.is_none() ? options_.alpha : scalar(alpha, "alpha");
    const ScalarValue new_beta = beta.is_none() ? options_.beta.value_or(0) : scalar(beta, "beta");
    require(beta.is_none() || has_c_, ErrorKind::invalid_argument, kOperation,
            ": reset of beta, but the object was made without c");
    auto replacements = listed(a, b, c, out);
    auto numbers = list_inputs(inputs, replacements);
    const bool folds = list_scales(scales, replacements, numbers);
    const bool numbers_only =
        replacements.empty() && !(alpha.is_none() && beta.is_none() && numbers.empty() && !folds);
    if (!numbers_only) replace(replacements, stream);
    keep_scales(scales);
    set_numbers(new_alpha, new_beta, numbers);
  }

  void reset_unchecked(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha, nb::handle beta,
                       nb::handle out, nb::handle inputs, nb::handle scales) {
    const Lock lock(*this);
    auto replacements = listed(a, b, c, out);
    auto numbers = list_inputs(inputs, replacements);
    list_scales(scales, replacements, numbers);
    replace_unchecked(replacements);
    keep_scales(scales);
    set_numbers(
        alpha.is_none() ? options_.alpha : parse_scalar(alpha, {kOperation, "alpha"}),
        beta.is_none() ? options_.beta.value_or(0) : parse_scalar(beta, {kOperation, "beta"}),
        numbers);
  }

  /// The implementations that accepted, the chosen one first, with numbers of their own: those of
  /// vendors' algorithms are below 1000.
  nb::list considered() {
    const Lock lock(*this);
    session().check_alive();
    if (!session().planned()) session().plan({});
    nb::list list;
    const auto add = [&](std::size_t i) {
      const Considered& one = session().selection().considered[i];
      nb::dict record;
      record["name"] = one.name;
      record["algorithm_id"] = 1000 + i;
      list.append(record);
    };
    const auto& selection = session().selection();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < selection.considered.size(); ++i) {
      if (selection.considered[i].accepted) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
      const auto& all = selection.considered;
      const bool first = all[left].name == selection.chosen;
      const bool second = all[right].name == selection.chosen;
      return first != second ? first : all[left].estimate < all[right].estimate;
    });
    for (const std::size_t i : order) add(i);
    return list;
  }

 private:
  static bool asks_for_nothing(const FusedArguments& given) {
    return given.epilog.is_none() && given.epilog_inputs.is_none() && given.extras.is_none();
  }

  ScalarValue scalar(nb::handle value, const char* name) const {
    const ScalarValue number = parse_scalar(value, {kOperation, name});
    require(!real_ || number.imag() == 0, ErrorKind::invalid_argument, kOperation, ": ", name,
            " is complex and the operands are real; a real number is wanted");
    return number;
  }

  std::vector<Replacement> listed(nb::handle a, nb::handle b, nb::handle c, nb::handle out) const {
    require(c.is_none() || has_c_, ErrorKind::invalid_argument, kOperation,
            ": reset of c, but the object was made without c. Make a new object.");
    std::vector<Replacement> list;
    if (!a.is_none()) list.push_back({0, a, "a"});
    if (!b.is_none()) list.push_back({1, b, "b"});
    if (!c.is_none()) list.push_back({2, c, "c", in_place_});
    if (!c.is_none() && in_place_) list.push_back({out_index(), c, "c", true});
    if (!out.is_none()) list.push_back({out_index(), out, "out", true});
    return list;
  }

  using Numbers = std::vector<std::pair<std::size_t, ScalarValue>>;

  static nb::object copied(nb::handle extras) {
    if (extras.is_none()) return nb::none();
    nb::object copy = extras.attr("copy")();
    if (!nb::object(copy["scales"]).is_none()) {
      copy["scales"] = nb::object(copy["scales"]).attr("copy")();
    }
    return copy;
  }

  /// A session for these operands. `inputs` keep a, b and c alive.
  void begin(const MatmulOperands& operands, std::vector<nb::object> inputs,
             const FusedArguments& fused, nb::handle stream) {
    FusedCall call =
        understand_fused(fused, operands, package(), consumer_of(stream, package(), kOperation));
    MatmulRequest request = make_matmul(operands, options_, call.extras);
    std::vector<nb::object> keepers = std::move(inputs);
    for (auto& keeper : call.keepers) keepers.push_back(std::move(keeper));
    keepers.resize(request.problem.operands.size());
    if (operands.out) keepers.back() = out_;
    const std::size_t beta_scalar = request.beta_scalar;
    start(std::make_unique<ProblemOf<MatmulProblem>>(std::move(request.problem)),
          std::move(request.arguments), options_.execution);
    keepers_.swap(keepers);
    tensors_ = std::move(call.tensors);
    scalars_ = std::move(call.scalars);
    beta_scalar_ = beta_scalar;
  }

  /// A new session for the same operands with an epilog.
  void set_epilog(const FusedArguments& fused, nb::handle stream) {
    const LoggerScope logging(logger_);
    require(!session().released(), ErrorKind::invalid_state, kOperation,
            ": plan() after release_operands(); reset the operands first");
    const Arguments& now = session().arguments();
    MatmulOperands operands{.a = now.inputs[0], .b = now.inputs[1], .c = {}, .out = now.out};
    if (has_c_) operands.c = now.inputs[2];
    const std::size_t inputs = has_c_ ? 3 : 2;
    begin(operands, {keepers_.begin(), keepers_.begin() + static_cast<std::ptrdiff_t>(inputs)},
          {fused.epilog, fused.epilog_inputs, fused.aux_type, fused.aux_amax, extras_}, stream);
    fused_ = !asks_for_nothing(fused);
  }

  [[nodiscard]] nb::object scales() const {
    return extras_.is_none() ? nb::none() : nb::object(extras_["scales"]);
  }

  /// The number of a scale that is folded into alpha or beta; 1 for those that are not.
  [[nodiscard]] double folded(const char* name) const {
    const nb::object all = scales();
    if (all.is_none() || !nb::cast<bool>(all.attr("__contains__")(name))) return 1;
    return scale_number(nb::object(all[name]), name).value_or(1);
  }

  void set_numbers(ScalarValue alpha, ScalarValue beta, const Numbers& numbers) {
    options_.alpha = alpha;
    if (has_c_) options_.beta = beta;
    session().set_scalar(0, alpha * folded("a") * folded("b"));
    session().set_scalar(beta_scalar_, beta * folded("c"));
    for (const auto& [index, value] : numbers) session().set_scalar(index, value);
  }

  /// Adds the arrays among scales to the replacements and the numbers of the function to those;
  /// true if there are numbers that are folded into alpha and beta.
  bool list_scales(nb::handle given, std::vector<Replacement>& replacements, Numbers& numbers) {
    if (given.is_none()) return false;
    bool folds = false;
    for (const auto& [key, value] : nb::borrow<nb::dict>(given)) {
      const std::string letter = nb::cast<std::string>(key);
      if (value.is_none()) continue;
      const char* name = kScaleNames[static_cast<std::size_t>(letter[0] - 'a')];
      if (const auto number = scale_number(value, name)) {
        const auto scalar = std::ranges::find(scalars_, name);
        if (scalar == scalars_.end()) {
          folds = true;
        } else {
          numbers.emplace_back(2 + static_cast<std::size_t>(scalar - scalars_.begin()), *number);
        }
      } else {
        const auto tensor = std::ranges::find(tensors_, name);
        require(tensor != tensors_.end(), ErrorKind::invalid_argument, kOperation,
                ": reset of the ", name, " with an array, and it was a number; a number is wanted");
        const auto at = static_cast<std::size_t>(tensor - tensors_.begin());
        replacements.push_back({(has_c_ ? 3U : 2U) + at, value, name});
      }
    }
    return folds;
  }

  void keep_scales(nb::handle given) {
    if (given.is_none() || scales().is_none()) return;
    const nb::object all = scales();
    for (const auto& [key, value] : nb::borrow<nb::dict>(given)) {
      if (!value.is_none()) all[key] = value;
    }
  }

  /// Adds the tensors among the epilog's inputs to the replacements, and returns the numbers.
  Numbers list_inputs(nb::handle inputs, std::vector<Replacement>& replacements) const {
    Numbers numbers;
    if (inputs.is_none()) return numbers;
    require(nb::isinstance<nb::dict>(inputs), ErrorKind::type_mismatch, kOperation,
            ": epilog_inputs are of type ", name_of_type(inputs),
            "; a dict of names and arrays is wanted");
    for (const auto& [key, value] : nb::borrow<nb::dict>(inputs)) {
      const auto name = nb::cast<std::string>(key);
      const auto tensor = std::ranges::find(tensors_, name);
      const auto scalar = std::ranges::find(scalars_, name);
      if (tensor != tensors_.end()) {
        const auto at = static_cast<std::size_t>(tensor - tensors_.begin());
        replacements.push_back({(has_c_ ? 3U : 2U) + at, value, tensor->c_str()});
        continue;
      }
      require(scalar != scalars_.end(), ErrorKind::invalid_argument, kOperation,
              ": reset of epilog input ", name, ", which the planned epilog does not have; it has ",
              tensors_, " and the numbers ", scalars_);
      numbers.emplace_back(2 + static_cast<std::size_t>(scalar - scalars_.begin()),
                           parse_scalar(value, {kOperation, scalar->c_str()}));
    }
    return numbers;
  }

  MatmulOptions options_;                       ///< as given, with the alpha and beta of now
  nb::object extras_;                           ///< FusedArguments::extras, with the scales of now
  std::vector<std::string> tensors_, scalars_;  ///< names of the function's inputs, in its order
  std::size_t beta_scalar_ = 1;
  bool fused_ = false;
  bool in_place_ = false;
  bool has_c_ = false;
  bool real_ = true;
};

}  // namespace mw::py
