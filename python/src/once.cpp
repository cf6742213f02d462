// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "once.hpp"

#include "aux_results.hpp"
#include "logging.hpp"
#include "plan/cache.hpp"
#include "recent.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::py {

namespace {

/// Work that takes some 10 µs on one core: other threads should run meanwhile.
bool is_long(const Work& work) { return work.flops > 2e5 || work.bytes > 2e5; }

Device queue_device(Device memory, const Execution& execution) {
  if (memory.is_cuda()) return memory;
  return execution.space == Execution::Space::cuda ? Device::cuda(execution.device_id) : memory;
}

}  // namespace

bool same_looks(const TensorRef& a, const TensorRef& b) {
  return a.dtype == b.dtype && a.device == b.device && a.readonly == b.readonly &&
         a.conjugate == b.conjugate && operand_alignment(a.data) == operand_alignment(b.data) &&
         a.shape == b.shape && a.strides == b.strides;
}

bool needs_object(const CommonOptions& options) {
  return log_enabled(LogLevel::info) ||
         (options.allocator.is_valid() && !options.allocator.is_none());
}

void let_others_run_while_planning() {
  set_planning_scope([](FunctionRef<void()> make) {
    const WithoutGil other_threads_run(PyGILState_Check() != 0);
    make();
  });
}

nb::object run_once(const AnyProblem& problem, const Arguments& arguments, const OneCall& call) {
  const Device memory = arguments.inputs.front().device;
  const Device device = queue_device(memory, call.execution);
  Queue queue;
  if (device.is_cuda() || !call.stream.is_none()) {
    queue = parse_stream(call.stream, call.package, device, call.operation);
  }
  const bool crosses = memory.is_cuda() != device.is_cuda() ||
                       (memory.is_cuda() && call.execution.space == Execution::Space::cpu);
  const bool waits = call.blocking || crosses || (device.is_cpu() && is_long(problem.work()));
  ResultSpec spec;
  Produced result;
  if (!arguments.out) {
    spec = result_spec(problem.operands().back().dtype, problem.result_shape(),
                       problem.result_strides(), memory);
    result = call.package.empty(spec, queue);
  }
  const auto run = [&](std::span<void* const> results) {
    const WithoutGil other_threads_run(waits);
    execute_once(problem, arguments, call.execution, results, queue.stream);
    if (call.blocking && device.is_cuda()) synchronize(device, queue.stream);
  };
  const auto main_result = [&] {
    return arguments.out ? call.out : call.package.finish(result, spec, queue);
  };
  if (problem.aux().empty()) {
    run({&result.data, 1});
    return main_result();
  }
  const std::vector<ResultSpec> specs = aux_specs(problem, memory);
  AuxResults aux(call.package, specs, queue);
  run(aux.addresses(result.data));
  return nb::make_tuple(main_result(), aux.finish(problem));
}

}  // namespace mw::py
