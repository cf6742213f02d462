// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// A transform kept: the operand and the functions of fft.FFT and its session.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fft_call.hpp"
#include "session_object.hpp"

namespace mw::py {

class FFTObject final : public SessionObject {
 public:
  static constexpr const char* kOperation = FFTProblem::kOperation;

  /// `function` fixes the type, if it is given.
  explicit FFTObject(const FFTArguments& given, const FFTFunction* function = nullptr)
      : SessionObject(package_of(given.operand, {kOperation, "operand"}), given.options,
                      kOperation) {
    const LoggerScope logging(logger_);
    FFTOptions parsed = parse_fft_options(given.axes, given.options, given.execution, given.sizes);
    if (function) fix_type(parsed, *function);
    if (function) only_ = function->direction;
    FFTCall call = understand(given, std::move(parsed), package());
    options_ = call.options;
    if (call.out.is_valid()) out_ = call.out;
    begin(call.input, std::move(call.keeper), std::move(call.out_keeper), given.functions,
          consumer_of(given.stream, package(), kOperation), only_);
  }

  /// Plans for functions; any number of times, each in place of the ones before.
  void plan_fused(const FFTFunctions& functions, nb::handle stream, nb::handle direction) {
    {
      const Lock lock(*this);
      session().check_alive();
      const auto wanted = parse_direction(direction);
      if (functions.any()) {
        refunction(functions, stream, wanted);
      } else {
        serve(wanted);
      }
    }
    plan(stream);
  }

  nb::object execute_direction(nb::handle direction, nb::handle stream, bool release_workspace) {
    return execute_wanted(direction.is_none() ? std::nullopt : parse_direction(direction), stream,
                          release_workspace);
  }

  nb::object execute_wanted(std::optional<FFTDirection> wanted, nb::handle stream,
                            bool release_workspace) {
    const Lock lock(*this);
    session().check_alive();
    const FFTDirection chosen = executed_direction(problem(), wanted);
    session().set_scalar(0, static_cast<double>(chosen));
    if (problem().scaled) session().set_scalar(1, problem().scaling.factor(chosen));
    return run(stream, release_workspace);
  }

  void reset(nb::handle operand, nb::handle out, nb::handle stream, nb::handle prolog_inputs,
             nb::handle epilog_inputs) {
    const Lock lock(*this);
    session().check_alive();
    auto replacements = listed(operand, out);
    const auto numbers = listed_inputs(prolog_inputs, epilog_inputs, replacements);
    if (!replacements.empty() || numbers.empty()) replace(replacements, stream);
    for (const auto& [index, value] : numbers) session().set_scalar(index, value);
  }
  void reset_unchecked(nb::handle operand, nb::handle out, nb::handle prolog_inputs,
                       nb::handle epilog_inputs) {
    const Lock lock(*this);
    auto replacements = listed(operand, out);
    const auto numbers = listed_inputs(prolog_inputs, epilog_inputs, replacements);
    replace_unchecked(replacements);
    for (const auto& [index, value] : numbers) session().set_scalar(index, value);
  }

  nb::tuple layout(bool of_result) {
    const Lock lock(*this);
    session().check_alive();
    const OperandLayout& input = problem().input();
    return of_result ? nb::make_tuple(tuple_from(problem().result_shape),
                                      tuple_from(problem().result_strides))
                     : nb::make_tuple(tuple_from(input.shape), tuple_from(input.strides));
  }

  nb::tuple key() {
    const Lock lock(*this);
    session().check_alive();
    require(session().planned(), ErrorKind::invalid_state, kOperation,
            ": get_key() was called before plan(); call plan() first");
    return fft_key(problem(), session().placement().memory, options_.execution);
  }

 private:
  [[nodiscard]] const FFTProblem& problem() {
    return static_cast<const ProblemOf<FFTProblem>&>(session().problem()).problem();
  }

  /// Another session, for these functions. `input` and `out` are what it reads and writes.
  void begin(const TensorRef& input, nb::object keeper, nb::object out_keeper,
             const FFTFunctions& functions, Stream consumer, std::optional<FFTDirection> only) {
    FFTFunctionsCall fused;
    if (functions.any()) {
      fused = understand_functions(functions, input, options_, &package(), consumer);
    } else {
      fused.ends = plain_ends(input.dtype, options_, package());
    }
    const FFTType type = type_of(input.dtype, options_, fused.ends);
    FFTRequest request = make_fft(input, options_, planned_directions(type, only), fused.ends);
    prolog_ = std::move(fused.prolog);
    epilog_ = std::move(fused.epilog);
    std::vector<nb::object> keepers;
    keepers.push_back(std::move(keeper));
    for (nb::object& tensor : fused.keepers) keepers.push_back(std::move(tensor));
    keepers.resize(request.problem.operands.size() - 1);
    keepers.push_back(std::move(out_keeper));
    start(std::make_unique<ProblemOf<FFTProblem>>(std::move(request.problem)),
          std::move(request.arguments), options_.execution);
    keepers_ = std::move(keepers);
  }

  void refunction(const FFTFunctions& functions, nb::handle stream,
                  std::optional<FFTDirection> direction) {
    require(!session().released(), ErrorKind::invalid_state, kOperation,
            ": plan() with functions, but the operand was released; reset it first");
    const LoggerScope logging(logger_);
    // By value: begin() replaces the session that holds them.
    const Arguments arguments = session().arguments();
    if (!options_.in_place) options_.out = arguments.out;
    keepers_.resize(out_index() + 1);
    begin(arguments.inputs.front(), keepers_.front(), keepers_.back(), functions,
          consumer_of(stream, package(), kOperation), direction ? direction : only_);
  }

  /// A plan for one direction only is one for another problem.
  void serve(std::optional<FFTDirection> direction) {
    const FFTDirections wanted = planned_directions(problem().type, direction);
    if (session().planned() || wanted == problem().directions || session().released()) return;
    FFTProblem narrowed = problem();
    narrowed.directions = wanted;
    Arguments arguments = session().arguments();
    start(std::make_unique<ProblemOf<FFTProblem>>(std::move(narrowed)), std::move(arguments),
          options_.execution);
  }

  std::vector<Replacement> listed(nb::handle operand, nb::handle out) {
    const std::size_t result = problem().operands.size() - 1;
    std::vector<Replacement> list;
    if (!operand.is_none()) list.push_back({0, operand, "operand", options_.in_place});
    if (!operand.is_none() && options_.in_place) list.push_back({result, operand, "operand", true});
    if (!out.is_none()) list.push_back({result, out, "out", true});
    return list;
  }

  /// New tensors among the replacements; the new numbers by their places.
  std::vector<std::pair<std::size_t, ScalarValue>> listed_inputs(
      nb::handle prolog_inputs, nb::handle epilog_inputs,
      std::vector<Replacement>& replacements) const {
    std::vector<std::pair<std::size_t, ScalarValue>> numbers;
    const auto list = [&](nb::handle given, const char* what, const FFTEndNames& names,
                          std::size_t first_tensor, std::size_t first_scalar) {
      if (given.is_none()) return;
      for (const auto& [name, value] : named_objects(given, kOperation, what)) {
        const auto tensor = std::ranges::find(names.tensors, name);
        const auto scalar = std::ranges::find(names.scalars, name);
        if (tensor != names.tensors.end()) {
          const auto at = static_cast<std::size_t>(tensor - names.tensors.begin());
          replacements.push_back({first_tensor + at, value, tensor->c_str()});
          continue;
        }
        require(scalar != names.scalars.end(), ErrorKind::invalid_argument, kOperation,
                ": reset of ", name, " in ", what,
                ", which the planned function does not have; it "
                "has ",
                names.tensors, " and the numbers ", names.scalars);
        numbers.emplace_back(
            first_scalar + static_cast<std::size_t>(scalar - names.scalars.begin()),
            parse_scalar(value, {kOperation, scalar->c_str()}));
      }
    };
    list(prolog_inputs, "prolog_inputs", prolog_, 1, 2);
    list(epilog_inputs, "epilog_inputs", epilog_, 1 + prolog_.tensors.size(),
         2 + prolog_.scalars.size());
    return numbers;
  }

  FFTOptions options_;  ///< as given
  FFTEndNames prolog_, epilog_;
  std::optional<FFTDirection> only_;
};

}  // namespace mw::py
