// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The public face of the product: make the problem, then the shared lifecycle.
#include <mathwright/matmul.hpp>

#include "ops/matmul/problem.hpp"

namespace mw {

Tensor matmul(const MatmulOperands& operands, const MatmulOptions& options) {
  MatmulRequest request = make_matmul(operands, options);
  const ProblemOf<MatmulProblem> problem(std::move(request.problem));
  Tensor result = result_memory(problem, request.arguments, options.stream);
  execute_once(problem, request.arguments, options.execution, result.ref().data, options.stream);
  return result;
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
    : state_(std::make_unique<State>(make_matmul(operands, options), options)) {}
Matmul::~Matmul() = default;
Matmul::Matmul(Matmul&&) noexcept = default;
Matmul& Matmul::operator=(Matmul&&) noexcept = default;

void Matmul::plan() { state_->session.plan(state_->stream); }

Tensor Matmul::execute(Stream stream) {
  Session& session = state_->session;
  session.check_alive();
  Tensor result = result_memory(session.problem(), session.arguments(), stream);
  session.execute(result.ref().data, stream);
  return result;
}

void Matmul::execute_into(void* result, Stream stream) { state_->session.execute(result, stream); }

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

void Matmul::set_alpha(std::complex<double> alpha) { state_->session.set_scalar(0, alpha); }

void Matmul::set_beta(std::complex<double> beta) {
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
