// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public C++ face of the FFT.
#include <mathwright/fft.hpp>

#include "ops/fft/problem.hpp"
#include "ops/fft/trig.hpp"

namespace mw {

namespace {

std::map<std::string, Tensor> outputs_once(FFTRequest request, const FFTOptions& options) {
  const ProblemOf<FFTProblem> problem(std::move(request.problem));
  const Results results(problem, request.arguments, options.stream);
  execute_once(problem, request.arguments, options.execution,
               std::span<void* const>(results.addresses), options.stream);
  return results.named(problem);
}

Tensor transform_once(const TensorRef& operand, FFTOptions options, FFTType type,
                      FFTDirection direction, const char* function) {
  require(options.type.value_or(type) == type, ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": ", function, "() with type ", name(options.type.value_or(type)), "; ", name(type),
          " is wanted, or no type");
  options.type = type;
  FFTRequest request = make_fft(operand, options, planned_directions(type, direction),
                                traced_ends(operand.dtype, options));
  if (!request.problem.aux.empty()) return outputs_once(std::move(request), options).at("result");
  const ProblemOf<FFTProblem> problem(std::move(request.problem));
  const Tensor result = result_memory(problem, request.arguments, options.stream);
  execute_once(problem, request.arguments, options.execution, result.ref().data, options.stream);
  return result;
}

}  // namespace

Tensor fft(const TensorRef& operand, const FFTOptions& options) {
  return transform_once(operand, options, FFTType::c2c, FFTDirection::forward, "fft");
}

Tensor ifft(const TensorRef& operand, const FFTOptions& options) {
  return transform_once(operand, options, FFTType::c2c, FFTDirection::inverse, "ifft");
}

Tensor rfft(const TensorRef& operand, const FFTOptions& options) {
  return transform_once(operand, options, FFTType::r2c, FFTDirection::forward, "rfft");
}

Tensor irfft(const TensorRef& operand, const FFTOptions& options) {
  return transform_once(operand, options, FFTType::c2r, FFTDirection::inverse, "irfft");
}

Tensor r2r(const TensorRef& operand, const FFTOptions& options) {
  require(options.type && is_trig(*options.type), ErrorKind::invalid_argument,
          FFTProblem::kOperation, ": r2r() with ",
          options.type ? text("type ", name(*options.type)) : text("no type"),
          "; one of dct1 … dct4 and dst1 … dst4 is wanted");
  return transform_once(operand, options, *options.type, FFTDirection::forward, "r2r");
}

std::map<std::string, Tensor> fft_outputs(const TensorRef& operand, const FFTOptions& options,
                                          std::optional<FFTDirection> direction) {
  const FFTEnds ends = traced_ends(operand.dtype, options);
  const FFTType type =
      resolved_type(transformed_dtype(operand.dtype, ends.prolog.function), options);
  const FFTDirection chosen =
      direction.value_or(type == FFTType::c2r ? FFTDirection::inverse : FFTDirection::forward);
  return outputs_once(make_fft(operand, options, planned_directions(type, chosen), ends), options);
}

struct FFT::State {
  State(FFTRequest request, const FFTOptions& options)
      : execution(options.execution), stream(options.stream) {
    renew(std::move(request.problem), std::move(request.arguments));
  }

  void renew(FFTProblem problem, Arguments arguments) {
    session =
        std::make_unique<Session>(std::make_unique<ProblemOf<FFTProblem>>(std::move(problem)),
                                  std::move(arguments), Session::Options{.execution = execution});
  }

  [[nodiscard]] const FFTProblem& problem() const {
    return static_cast<const ProblemOf<FFTProblem>&>(session->problem()).problem();
  }

  /// Another set of directions is another problem, so another session with the same arguments.
  void serve(FFTDirections directions) {
    if (problem().directions == directions) return;
    const bool released = session->released();
    FFTProblem problem_now = problem();
    problem_now.directions = directions;
    renew(std::move(problem_now), session->arguments());
    if (released) session->release_operands();
  }

  void choose_direction(std::optional<FFTDirection> direction) {
    session->check_alive();
    const FFTDirection chosen = executed_direction(problem(), direction);
    session->set_scalar(0, static_cast<double>(chosen));
    session->set_scalar(1, problem().scaling.factor(chosen));
  }

  [[nodiscard]] Results results(Stream for_stream) const;

  Execution execution;
  Stream stream;
  std::unique_ptr<Session> session;
};

FFT::FFT(const TensorRef& operand, const FFTOptions& options) {
  const FFTEnds ends = traced_ends(operand.dtype, options);
  const FFTType type =
      resolved_type(transformed_dtype(operand.dtype, ends.prolog.function), options);
  const FFTDirections directions = planned_directions(type, std::nullopt);
  state_ = std::make_unique<State>(make_fft(operand, options, directions, ends), options);
}
FFT::~FFT() = default;
FFT::FFT(FFT&&) noexcept = default;
FFT& FFT::operator=(FFT&&) noexcept = default;

void FFT::plan(std::optional<FFTDirection> direction) {
  state_->session->check_alive();
  state_->serve(planned_directions(state_->problem().type, direction));
  state_->session->plan(state_->stream);
}

TuneReport FFT::autotune(const TuneOptions& options, Stream stream) {
  return state_->session->autotune(options, stream);
}

Results FFT::State::results(Stream for_stream) const {
  require(session->planned() && !session->released(), ErrorKind::invalid_state,
          FFTProblem::kOperation,
          session->planned()
              ? ": the operand was released and not given again; call reset_operand() first"
              : ": execute() was called before plan(); call plan() first");
  return {session->problem(), session->arguments(), for_stream};
}

Tensor FFT::execute(std::optional<FFTDirection> direction, Stream stream) {
  state_->choose_direction(direction);
  const Results results = state_->results(stream);
  state_->session->execute(std::span<void* const>(results.addresses), stream);
  return results.main;
}

std::map<std::string, Tensor> FFT::execute_outputs(std::optional<FFTDirection> direction,
                                                   Stream stream) {
  state_->choose_direction(direction);
  const Results results = state_->results(stream);
  state_->session->execute(std::span<void* const>(results.addresses), stream);
  return results.named(state_->session->problem());
}

void FFT::execute_into(void* result, std::optional<FFTDirection> direction, Stream stream) {
  state_->choose_direction(direction);
  require(state_->problem().aux.empty(), ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": execute_into() of a transform whose functions have several outputs; use "
          "execute_outputs()");
  state_->session->execute_into(result, stream);
}

void FFT::reset_operand(const TensorRef& operand, const std::optional<TensorRef>& out) {
  state_->session->check_alive();
  const bool in_place = state_->problem().in_place;
  require(!(in_place && out), ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": reset_operand() with out, and the object works in place; leave out away");
  const std::size_t result = state_->problem().operands.size() - 1;
  std::vector<std::pair<std::size_t, TensorRef>> operands = {{0, operand}};
  if (in_place) operands.emplace_back(result, operand);
  if (out) operands.emplace_back(result, *out);
  state_->session->reset(operands);
}

void FFT::release_operand() { state_->session->release_operands(); }
void FFT::free() { state_->session->free(); }

const Dims& FFT::shape() const { return state_->session->problem().result_shape(); }
std::string FFT::explain() const { return state_->session->explain(); }
std::size_t FFT::workspace_bytes() const { return state_->session->workspace_bytes(); }

}  // namespace mw
