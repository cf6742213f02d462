// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/session.hpp"

#include <array>

#include "base/layout.hpp"
#include "base/log.hpp"
#include "base/stopwatch.hpp"
#include "plan/device_scope.hpp"

namespace mw {

AnyProblem::~AnyProblem() = default;
Plan::~Plan() = default;

namespace {

Device memory_device(const Arguments& arguments) { return arguments.inputs.front().device; }

/// Strides of axes with at most one element say nothing about a layout.
bool same_strides(const TensorRef& a, const TensorRef& b) {
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

std::vector<void*> addresses_of(const AnyProblem& problem, const Arguments& arguments) {
  std::vector<void*> addresses;
  for (const auto& input : arguments.inputs) addresses.push_back(input.data);
  addresses.resize(problem.operands().size() - 1);
  addresses.push_back(arguments.out ? arguments.out->data : nullptr);
  return addresses;
}

/// The addresses that are used: not the main result's if there is `out`.
std::span<void* const> without_out(std::span<void* const> results, const Arguments& arguments) {
  return results.first(results.size() - (arguments.out ? 1 : 0));
}

/// Plans are made for results this well aligned.
void check_alignment(const AnyProblem& problem, const Arguments& arguments,
                     std::span<void* const> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto wanted = problem.operands()[arguments.inputs.size() + i].alignment;
    require((reinterpret_cast<std::uintptr_t>(results[i]) & (wanted - 1U)) == 0,
            ErrorKind::invalid_argument, problem.operation(),
            ": the address for the result is no multiple of ", int{wanted},
            " bytes, as was planned; such a one is wanted. Pass other memory as out.");
  }
}

/// Copies between host and device wait for the stream, which a capture forbids. The device must be
/// current.
void check_capture(const AnyProblem& problem, const Placement& placement, Stream stream) {
  if (!placement.crosses()) return;
  require(!is_capturing(stream), ErrorKind::invalid_state, problem.operation(),
          ": the stream is capturing a graph, the operands are on ", placement.memory,
          " and the work runs on ", placement.context.device,
          "; copies from one to the other cannot be captured. Pass operands in device memory and "
          "run the work there.");
}

}  // namespace

void execute_once(const AnyProblem& problem, const Arguments& arguments, const Execution& execution,
                  std::span<void* const> results, Stream stream) {
  check_out(problem, arguments);
  check_alignment(problem, arguments, without_out(results, arguments));
  const Placement placement = place(problem.operation(), memory_device(arguments), execution);
  const DeviceScope scope(placement);
  check_capture(problem, placement, stream);
  const auto selection = cached_selection(problem, placement);
  const std::size_t inputs = arguments.inputs.size();
  std::array<void*, kMostOperands> addresses{};
  for (std::size_t i = 0; i < inputs; ++i) addresses[i] = arguments.inputs[i].data;
  std::ranges::copy(results, addresses.begin() + inputs);
  if (arguments.out) addresses[inputs + results.size() - 1] = arguments.out->data;
  const std::size_t bytes = selection->plan->workspace_bytes();
  // Given back in the order of the stream, after whatever was queued: also when execute() throws.
  const Buffer workspace =
      bytes > 0 ? Buffer(memory_of(placement.context.device), bytes, stream) : Buffer();
  selection->plan->execute({.operands = addresses.data(),
                            .scalars = arguments.scalars.data(),
                            .workspace = workspace.data(),
                            .stream = stream});
}

Session::Session(std::unique_ptr<AnyProblem> problem, Arguments arguments, Options options)
    : problem_(std::move(problem)), arguments_(std::move(arguments)), options_(options) {
  check_out(*problem_, arguments_);
  placement_ = place(problem_->operation(), memory_device(arguments_), options_.execution);
  addresses_ = addresses_of(*problem_, arguments_);
}

Session::~Session() {
  try {
    free();
  } catch (const std::exception& error) {
    log(LogLevel::warning,
        [&] { return text("a session was not freed in order: ", error.what()); });
  }
}

void Session::check_alive() const {
  require(!freed_, ErrorKind::invalid_state, problem_->operation(),
          ": the object was freed; make a new one");
}

void Session::plan(Stream) {
  check_alive();
  if (selection_) return;
  const DeviceScope scope(placement_);
  const Stopwatch watch;
  selection_ = cached_selection(*problem_, placement_);
  log(LogLevel::info, [&] {
    return text(problem_->operation(), ": planned ", problem_->title(), " on ",
                placement_.context.device, " with ", selection_->chosen, " in ",
                human_seconds(watch.seconds()));
  });
}

void Session::check_executable() const {
  check_alive();
  require(selection_ != nullptr, ErrorKind::invalid_state, problem_->operation(),
          ": execute() was called before plan(); call plan() first");
  if (missing_ == 0) return;
  std::string names;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    if ((missing_ >> i) & 1U) names += text(names.empty() ? "" : ", ", name_of(i));
  }
  fail(ErrorKind::invalid_state, problem_->operation(), ": the operands were released and ", names,
       " not given again; pass them to reset_operands() first");
}

void Session::take_workspace(Stream stream) {
  const std::size_t bytes = selection_->plan->workspace_bytes();
  if (bytes == 0) return;
  const Device device = placement_.context.device;
  if (workspace_.bytes() >= bytes) {
    // Work of the last stream may still be using the block: the new stream's must not overtake it.
    if (device.is_cuda() && !(stream == workspace_stream_)) order_after_last_use(stream);
    workspace_stream_ = stream;
    return;
  }
  release_workspace();
  MemoryResource& source = options_.workspace ? *options_.workspace : memory_of(device);
  workspace_ = Buffer(source, bytes, stream);
  workspace_stream_ = stream;
  log(LogLevel::debug, [&] {
    return text(problem_->operation(), ": took ", human_bytes(static_cast<double>(bytes)),
                " of workspace on ", device);
  });
}

void Session::mark_workspace_used(Stream stream) {
  const Device device = placement_.context.device;
  if (workspace_.data() && device.is_cuda()) last_use_.record(device.id, stream);
}

void Session::order_after_last_use(Stream stream) {
  // A graph cannot wait for work outside it, and need not when that is over.
  const bool capturing = is_capturing(stream);
  if (capturing && last_use_.reached()) return;
  try {
    last_use_.make_wait(stream);
  } catch (const Error& error) {  // the mark was made while a graph was captured, say
    require(!capturing, ErrorKind::invalid_state, problem_->operation(),
            ": the stream is capturing a graph, and work that was queued on another stream may "
            "still be using the workspace; wait for it before the capture begins (",
            error.what(), ")");
    synchronize_device(placement_.context.device.id);
  }
}

void Session::run(Stream stream, bool release) {
  take_workspace(stream);
  try {
    selection_->plan->execute({.operands = addresses_.data(),
                               .scalars = arguments_.scalars.data(),
                               .workspace = workspace_.data(),
                               .stream = stream});
  } catch (...) {
    // What was queued before the failure may be using the workspace; the failure is what the caller
    // must hear of.
    try {
      finish(stream, release);
    } catch (const std::exception& error) {
      log(LogLevel::warning, [&] {
        return text(problem_->operation(), ": after a failed execution: ", error.what());
      });
    }
    throw;
  }
  finish(stream, release);
}

void Session::finish(Stream stream, bool release) {
  mark_workspace_used(stream);
  if (release) release_workspace();
}

void Session::execute(std::span<void* const> results, Stream stream, bool release) {
  if (freed_ || !selection_ || missing_ != 0) [[unlikely]]
    check_executable();
  const auto given = without_out(results, arguments_);
  check_alignment(*problem_, arguments_, given);
  std::ranges::copy(given,
                    addresses_.begin() + static_cast<std::ptrdiff_t>(arguments_.inputs.size()));
  const auto run_logged = [&] {
    if (!log_enabled(LogLevel::info)) [[likely]]
      return run(stream, release);
    const Stopwatch watch;
    run(stream, release);
    log(LogLevel::info, [&] {
      return text(problem_->operation(), ": executed with ", selection_->chosen, " in ",
                  human_seconds(watch.seconds()),
                  placement_.context.device.is_cuda() ? " (queued)" : "");
    });
  };
  if (placement_.context.device.is_cpu() && placement_.memory.is_cpu()) {
    run_logged();
  } else {
    const DeviceScope scope(placement_);
    check_capture(*problem_, placement_, stream);
    run_logged();
  }
}

void Session::execute_into(void* result, Stream stream) {
  check_alive();
  require(!has_out(), ErrorKind::invalid_argument, problem_->operation(),
          ": execute_into() of an object whose result has its place (out, or in place); use "
          "execute()");
  require(problem_->aux().empty(), ErrorKind::invalid_argument, problem_->operation(),
          ": execute_into() of an object with results beside the main one; use execute_outputs()");
  const Dims& shape = problem_->result_shape();
  require(result || checked_size(shape) == 0, ErrorKind::invalid_argument, problem_->operation(),
          ": execute_into() with a null address; memory for ", shape, " ",
          problem_->operands().back().dtype, " elements is wanted");
  execute(result, stream);
}

const char* Session::name_of(std::size_t operand) const {
  return operand == out_index() ? "out" : problem_->operand_name(operand);
}

void Session::check_reset(std::size_t operand, const TensorRef& view) const {
  const bool is_out = operand == out_index();
  require(!is_out || arguments_.out, ErrorKind::invalid_argument, problem_->operation(),
          ": reset of out, but the object was made without out=");
  const TensorRef& now = is_out ? *arguments_.out : arguments_.inputs[operand];
  const auto check = [&](bool equal, const char* what, const auto& seen, const auto& wanted) {
    require(equal, ErrorKind::invalid_argument, problem_->operation(), ": reset of operand ",
            name_of(operand), " with ", what, " ", seen, "; ", wanted,
            " is wanted, as planned. Make a new object for another problem.");
  };
  check(view.dtype == now.dtype, "dtype", view.dtype, now.dtype);
  check(view.shape == now.shape, "shape", view.shape, now.shape);
  check(view.device == now.device, "device", view.device, now.device);
  check(same_strides(view, now), "strides", view.strides, now.strides);
  check(view.conjugate == now.conjugate, "conjugate flag", view.conjugate, now.conjugate);
}

void Session::reset(std::size_t operand, const TensorRef& view) { reset({{operand, view}}); }

void Session::reset(const std::vector<std::pair<std::size_t, TensorRef>>& operands) {
  check_alive();
  for (const auto& [operand, view] : operands) check_reset(operand, view);
  Arguments arguments = arguments_;
  auto missing = missing_;
  for (const auto& [operand, view] : operands) {
    TensorRef& held = operand == out_index() ? *arguments.out : arguments.inputs[operand];
    held.data = view.data;
    held.readonly = view.readonly;
    missing &= ~(std::uint64_t{1} << operand);
  }
  check_out(*problem_, arguments);
  std::unique_ptr<AnyProblem> lesser;  // made if an operand is less aligned than planned for
  for (const auto& [operand, view] : operands) {
    const auto alignment = layout_of(view).alignment;
    if (alignment >= (lesser ? *lesser : *problem_).operands()[operand].alignment) continue;
    if (!lesser) lesser = problem_->clone();
    lesser->operands()[operand].alignment = alignment;
  }
  if (lesser && selection_) {
    const DeviceScope scope(placement_);
    adopt(cached_selection(*lesser, placement_));
  }
  if (lesser) problem_ = std::move(lesser);
  arguments_ = std::move(arguments);
  addresses_ = addresses_of(*problem_, arguments_);
  missing_ = missing;
}

void Session::reset_unchecked(std::size_t operand, void* data) {
  addresses_[operand] = data;
  (operand == out_index() ? *arguments_.out : arguments_.inputs[operand]).data = data;
  missing_ &= ~(std::uint64_t{1} << operand);
}

void Session::release_operands() {
  check_alive();
  missing_ = (std::uint64_t{1} << arguments_.inputs.size()) - 1;
  for (auto& input : arguments_.inputs) input.data = nullptr;
  if (arguments_.out) {
    missing_ |= std::uint64_t{1} << out_index();
    arguments_.out->data = nullptr;
  }
  addresses_ = addresses_of(*problem_, arguments_);
}

void Session::release_workspace() {
  if (workspace_.data() && placement_.context.device.is_cuda()) {
    // The stream it was taken on may have been destroyed by now: the default stream gives it back,
    // after the last use.
    const DeviceScope scope(placement_);
    order_after_last_use({});
    workspace_.return_on({});
  }
  workspace_ = Buffer();
}

void Session::free() {
  if (freed_) return;
  freed_ = true;
  release_workspace();
  selection_.reset();
  alternatives_.clear();
  arguments_.inputs.clear();
  arguments_.out.reset();
  addresses_.clear();
}

const Selection& Session::selection() const {
  check_alive();
  require(selection_ != nullptr, ErrorKind::invalid_state, problem_->operation(),
          ": there is no plan yet; call plan() first");
  return *selection_;
}

std::size_t Session::workspace_bytes() const { return selection().plan->workspace_bytes(); }

std::string Session::explain() const { return mw::explain(*problem_, selection()); }

}  // namespace mw
