// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public C++ face of the FFT.
#include <mathwright/fft.hpp>

#include "ops/fft/problem.hpp"

namespace mw {

namespace {

Tensor transform_once(const TensorRef& operand, FFTOptions options, FFTType type,
                      FFTDirection direction, const char* function) {
  require(options.type.value_or(type) == type, ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": ", function, "() with type ", name(options.type.value_or(type)), "; ", name(type),
          " is wanted, or no type");
  options.type = type;
  FFTRequest request = make_fft(operand, options, planned_directions(type, direction));
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
  }

  Execution execution;
  Stream stream;
  std::unique_ptr<Session> session;
};

FFT::FFT(const TensorRef& operand, const FFTOptions& options) {
  const FFTType type = resolved_type(operand.dtype, options);
  const FFTDirections directions = planned_directions(type, std::nullopt);
  state_ = std::make_unique<State>(make_fft(operand, options, directions), options);
}
FFT::~FFT() = default;
FFT::FFT(FFT&&) noexcept = default;
FFT& FFT::operator=(FFT&&) noexcept = default;

void FFT::plan(std::optional<FFTDirection> direction) {
  state_->session->check_alive();
  state_->serve(planned_directions(state_->problem().type, direction));
  state_->session->plan(state_->stream);
}

Tensor FFT::execute(std::optional<FFTDirection> direction, Stream stream) {
  state_->choose_direction(direction);
  Session& session = *state_->session;
  require(session.planned() && !session.released(), ErrorKind::invalid_state,
          FFTProblem::kOperation,
          session.planned()
              ? ": the operand was released and not given again; call reset_operand() first"
              : ": execute() was called before plan(); call plan() first");
  const Tensor result = result_memory(session.problem(), session.arguments(), stream);
  session.execute(result.ref().data, stream);
  return result;
}

void FFT::execute_into(void* result, std::optional<FFTDirection> direction, Stream stream) {
  state_->choose_direction(direction);
  require(!state_->session->has_out(), ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": execute_into() of an object made with ",
          state_->problem().in_place ? "in_place" : "out",
          ", where the result has its place; use execute()");
  require(result != nullptr, ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": execute_into() with a null address; memory for ", state_->problem().result_shape, " ",
          state_->problem().result().dtype, " elements is wanted");
  const auto wanted = state_->problem().result().alignment;
  require(reinterpret_cast<std::uintptr_t>(result) % wanted == 0, ErrorKind::invalid_argument,
          FFTProblem::kOperation, ": execute_into() with an address that is no multiple of ",
          wanted, " bytes, as was planned; such a one is wanted. Pass other memory as out.");
  state_->session->execute(result, stream);
}

void FFT::reset_operand(const TensorRef& operand, const std::optional<TensorRef>& out) {
  state_->session->check_alive();
  const bool in_place = state_->problem().in_place;
  require(!(in_place && out), ErrorKind::invalid_argument, FFTProblem::kOperation,
          ": reset_operand() with out, and the object works in place; leave out away");
  std::vector<std::pair<std::size_t, TensorRef>> operands = {{0, operand}};
  if (in_place) operands.emplace_back(1, operand);
  if (out) operands.emplace_back(1, *out);
  state_->session->reset(operands);
}

void FFT::release_operand() { state_->session->release_operands(); }
void FFT::free() { state_->session->free(); }

const Dims& FFT::shape() const { return state_->session->problem().result_shape(); }
std::string FFT::explain() const { return state_->session->explain(); }
std::size_t FFT::workspace_bytes() const { return state_->session->workspace_bytes(); }

}  // namespace mw
