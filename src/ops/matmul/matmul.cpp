// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public face of the product: make the problem, then the shared lifecycle.
#include <mathwright/matmul.hpp>

#include "expr/fusion.hpp"
#include "ops/matmul/problem.hpp"

namespace mw {

namespace {

MatmulRequest request_of(const MatmulOperands& operands, const MatmulOptions& options) {
  MatmulExtras extras{.epilog = {}, .result_type = options.result_type};
  if (options.epilog) {
    const DType result =
        options.result_type.value_or(operands.c ? operands.c->dtype : operands.a.dtype);
    extras.epilog.emplace();
    extras.epilog->function =
        expr::trace(options.epilog, expr::computing_dtype(operands.a.dtype), result);
    extras.epilog->tensors = expr::tensors_of(options.epilog);
    extras.epilog->scalars = expr::scalars_of(options.epilog);
  }
  return make_matmul(operands, options, extras);
}

}  // namespace

Tensor matmul(const MatmulOperands& operands, const MatmulOptions& options) {
  if (options.epilog) return matmul_outputs(operands, options).at("result");
  MatmulRequest request = request_of(operands, options);
  const ProblemOf<MatmulProblem> problem(std::move(request.problem));
  Tensor result = result_memory(problem, request.arguments, options.stream);
  execute_once(problem, request.arguments, options.execution, result.ref().data, options.stream);
  return result;
}

std::map<std::string, Tensor> matmul_outputs(const MatmulOperands& operands,
                                             const MatmulOptions& options) {
  MatmulRequest request = request_of(operands, options);
  const ProblemOf<MatmulProblem> problem(std::move(request.problem));
  const Results results(problem, request.arguments, options.stream);
  execute_once(problem, request.arguments, options.execution,
               std::span<void* const>(results.addresses), options.stream);
  return results.named(problem);
}

struct Matmul::State {
  State(MatmulRequest request, const MatmulOptions& options)
      : session(std::make_unique<ProblemOf<MatmulProblem>>(std::move(request.problem)),
                std::move(request.arguments), {.execution = options.execution}),
        stream(options.stream) {}

  [[nodiscard]] const MatmulProblem& problem() const {
    return static_cast<const ProblemOf<MatmulProblem>&>(session.problem()).problem();
  }

  Session session;
  Stream stream;
};

Matmul::Matmul(const MatmulOperands& operands, const MatmulOptions& options)
    : state_(std::make_unique<State>(request_of(operands, options), options)) {}
Matmul::~Matmul() = default;
Matmul::Matmul(Matmul&&) noexcept = default;
Matmul& Matmul::operator=(Matmul&&) noexcept = default;

void Matmul::plan() { state_->session.plan(state_->stream); }

TuneReport Matmul::autotune(const TuneOptions& options, Stream stream) {
  return state_->session.autotune(options, stream);
}

Tensor Matmul::execute(Stream stream) {
  Session& session = state_->session;
  session.check_alive();
  if (!session.problem().aux().empty()) return execute_outputs(stream).at("result");
  Tensor result = result_memory(session.problem(), session.arguments(), stream);
  session.execute(result.ref().data, stream);
  return result;
}

std::map<std::string, Tensor> Matmul::execute_outputs(Stream stream) {
  Session& session = state_->session;
  session.check_alive();
  const Results results(session.problem(), session.arguments(), stream);
  session.execute(std::span<void* const>(results.addresses), stream);
  return results.named(session.problem());
}

void Matmul::execute_into(void* result, Stream stream) {
  require(state_->problem().aux.empty(), ErrorKind::invalid_argument,
          "matmul: execute_into() of a product whose epilog has more outputs than D; use "
          "execute_outputs()");
  state_->session.execute_into(result, stream);
}

void Matmul::reset_operands(const std::optional<TensorRef>& a, const std::optional<TensorRef>& b,
                            const std::optional<TensorRef>& c,
                            const std::optional<TensorRef>& out) {
  state_->session.check_alive();
  const MatmulProblem& problem = state_->problem();
  require(a || b || c || out, ErrorKind::invalid_argument,
          "matmul: reset_operands() requires at least one operand");
  require(!c || problem.has_c, ErrorKind::invalid_argument,
          "matmul: reset of operand c, but the object was made without c");
  std::vector<std::pair<std::size_t, TensorRef>> operands;
  if (a) operands.emplace_back(0, *a);
  if (b) operands.emplace_back(1, *b);
  if (c) operands.emplace_back(2, *c);
  if (out) operands.emplace_back(problem.d_index(), *out);
  state_->session.reset(operands);
}

void Matmul::set_alpha(std::complex<double> alpha) {
  state_->session.check_alive();
  state_->session.set_scalar(0, alpha);
}

void Matmul::set_beta(std::complex<double> beta) {
  state_->session.check_alive();
  require(state_->problem().has_c, ErrorKind::invalid_argument,
          "matmul: beta is set, but the object was made without c");
  state_->session.set_scalar(1, beta);
}

void Matmul::release_operands() { state_->session.release_operands(); }
void Matmul::free() { state_->session.free(); }
const Dims& Matmul::shape() const { return state_->problem().result_shape; }
std::string Matmul::explain() const { return state_->session.explain(); }
std::size_t Matmul::workspace_bytes() const { return state_->session.workspace_bytes(); }

}  // namespace mw
