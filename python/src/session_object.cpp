// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "session_object.hpp"

#include "allocator.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::py {

SessionObject::SessionObject(const Package& array_package, nb::handle options_given,
                             const char* operation_name)
    : package_(&array_package), operation_(operation_name) {
  follow_logging();
  CommonOptions common = common_options(options_given);
  check_allocator(common.allocator, operation_);
  allocator_ = std::move(common.allocator);
  logger_ = std::move(common.logger);
  blocking_ = common.blocking;
}

SessionObject::~SessionObject() = default;

SessionObject::Lock::Lock(SessionObject& object) : object_(object) {
  const unsigned long self = PyThread_get_thread_ident();
  if (!object.mutex_.try_lock()) {
    require(object.owner_.load(std::memory_order_relaxed) != self, ErrorKind::invalid_state,
            object.operation_,
            ": the object is in use by this very thread (a log handler or an allocator called it)");
    const nb::gil_scoped_release release;
    object.mutex_.lock();
  }
  object.owner_.store(self, std::memory_order_relaxed);
}

SessionObject::Lock::~Lock() {
  object_.owner_.store(0, std::memory_order_relaxed);
  object_.mutex_.unlock();
}

void SessionObject::start(std::unique_ptr<AnyProblem> problem, Arguments arguments,
                          const Execution& execution) {
  const Device memory = arguments.inputs.front().device;
  spec_ = result_spec(problem->operands().back().dtype, problem->result_shape(),
                      problem->result_strides(), memory);
  aux_specs_ = aux_specs(*problem, memory);
  Session::Options options{.execution = execution};
  if (!allocator_.is_none() && !resource_) {
    const Device device =
        place(operation_, arguments.inputs.front().device, execution).context.device;
    if (device.is_cuda()) resource_ = adapt_allocator(allocator_, device, operation_);
  }
  options.workspace = resource_.get();
  session_ = std::make_unique<Session>(std::move(problem), std::move(arguments), options);
  on_device_ =
      session_->placement().memory.is_cuda() || session_->placement().context.device.is_cuda();
}

Adopted SessionObject::read(nb::handle array, const char* name, Stream consumer,
                            bool writes) const {
  const Who who{operation_, name};
  require_package(array, *package_, who);
  return package_->adopt(array, who, consumer, writes);
}

Device SessionObject::stream_device() const {
  const Placement& placement = session_->placement();
  return placement.context.device.is_cuda() ? placement.context.device : placement.memory;
}

void SessionObject::learn_from_plan() {
  const Placement& placement = session_->placement();
  waits_ = blocking_ || placement.crosses() ||
           (placement.context.device.is_cpu() && session_->estimate() > kGilSeconds);
}

void SessionObject::plan(nb::handle stream) {
  const Lock lock(*this);
  session_->check_alive();
  if (session_->planned()) return;
  const Queue queue = parse_stream(stream, *package_, stream_device(), operation_);
  const LoggerScope logging(logger_);
  session_->plan(queue.stream);
  learn_from_plan();
}

nb::object SessionObject::run(nb::handle stream, bool release_workspace) {
  Session& session = *session_;
  Queue queue;
  if (on_device_ || !stream.is_none()) {
    queue = parse_stream(stream, *package_, stream_device(), operation_);
  }
  // A call that cannot run must not cost an allocation.
  const bool runs = session.planned() && !session.released();
  const bool makes_result = !session.has_out() && runs;
  Produced result;
  if (makes_result) result = package_->empty(spec_, queue);
  if (!aux_specs_.empty() && runs) return run_with_aux(result, queue, release_workspace);
  {
    const LoggerScope logging(logger_);
    const WithoutGil other_threads_run(waits_);
    session.execute(result.data, queue.stream, release_workspace);
    if (blocking_ && on_device_) synchronize(stream_device(), queue.stream);
  }
  return makes_result ? package_->finish(result, spec_, queue) : out_;
}

nb::object SessionObject::run_with_aux(Produced& result, const Queue& queue,
                                       bool release_workspace) {
  AuxResults aux(*package_, aux_specs_, queue);
  {
    const LoggerScope logging(logger_);
    const WithoutGil other_threads_run(waits_);
    session_->execute(aux.addresses(result.data), queue.stream, release_workspace);
    if (blocking_ && on_device_) synchronize(stream_device(), queue.stream);
  }
  const nb::object main = session_->has_out() ? out_ : package_->finish(result, spec_, queue);
  return nb::make_tuple(main, aux.finish(session_->problem()));
}

nb::object SessionObject::execute(nb::handle stream, bool release_workspace) {
  const Lock lock(*this);
  return run(stream, release_workspace);
}

nb::object SessionObject::execute_unchecked(nb::handle stream, bool release_workspace) {
  return execute(stream, release_workspace);
}

void SessionObject::replace(const std::vector<Replacement>& replacements, nb::handle stream) {
  session_->check_alive();
  require(!replacements.empty(), ErrorKind::invalid_argument, operation_,
          ": reset requires at least one operand, and none is given");
  const Stream consumer = consumer_of(stream, *package_, operation_);
  std::vector<std::pair<std::size_t, TensorRef>> views;
  std::vector<nb::object> keepers = keepers_;
  keepers.resize(out_index() + 1);
  nb::object result = out_;
  for (const auto& [index, array, name, is_result] : replacements) {
    Adopted adopted = read(array, name, consumer, is_result);
    keepers[index] = std::move(adopted.keeper);
    if (is_result) result = nb::borrow(array);
    views.emplace_back(index, adopted.view);
  }
  if (session_->released()) {
    const std::size_t wanted = session_->arguments().inputs.size() + (session_->has_out() ? 1 : 0);
    require(views.size() == wanted, ErrorKind::invalid_argument, operation_,
            ": the operands were released and only ", views.size(), " of ", wanted,
            " are given; all of them are wanted");
  }
  {
    const LoggerScope logging(logger_);
    session_->reset(views);
  }
  // A lesser alignment may have changed the plan.
  if (session_->planned()) learn_from_plan();
  keepers_ = std::move(keepers);
  out_ = std::move(result);
}

void SessionObject::replace_unchecked(const std::vector<Replacement>& replacements) {
  keepers_.resize(out_index() + 1);
  for (const auto& [index, array, name, is_result] : replacements) {
    const Who who{operation_, name};
    const bool direct = &package_of(array, who) == package_ && package_->any_strides();
    if (direct) {
      session_->reset_unchecked(index, package_->address(array, who));
      keepers_[index] = nb::borrow(array);
    } else {
      Adopted adopted = read(array, name, {}, is_result);
      session_->reset_unchecked(index, adopted.view.data);
      keepers_[index] = std::move(adopted.keeper);
    }
    if (is_result) out_ = nb::borrow(array);
  }
}

void SessionObject::release_operands() {
  std::vector<nb::object> dropped;  // their finalizers run after the lock is gone
  nb::object dropped_out;
  const Lock lock(*this);
  session_->release_operands();
  dropped.swap(keepers_);
  std::swap(dropped_out, out_);
  out_ = nb::none();
}

void SessionObject::release_workspace() {
  const Lock lock(*this);
  session_->release_workspace();
}

void SessionObject::free() {
  std::vector<nb::object> dropped;
  nb::object dropped_out;
  const Lock lock(*this);
  session_->free();
  dropped.swap(keepers_);
  std::swap(dropped_out, out_);
  out_ = nb::none();
}

nb::list SessionObject::algorithms() {
  const Lock lock(*this);
  const LoggerScope logging(logger_);
  nb::list list;
  for (const Alternative& entry : session_->alternatives()) {
    nb::dict settings;
    for (const auto& [name, value] : entry.plan->attributes()) settings[name.c_str()] = value;
    nb::dict row;
    row["candidate"] = entry.candidate;
    row["variant"] = entry.variant;
    row["description"] = entry.plan->describe();
    row["library"] = entry.plan->library();
    row["estimate"] = entry.estimate;
    row["measured"] = entry.measured ? nb::object(nb::float_(*entry.measured)) : nb::none();
    row["workspace"] = entry.plan->workspace_bytes();
    row["chosen"] = entry.plan == session_->selection().plan;
    row["settings"] = settings;
    list.append(row);
  }
  return list;
}

nb::dict SessionObject::capabilities(std::size_t index) {
  const Lock lock(*this);
  const auto& list = session_->alternatives();
  require(index < list.size(), ErrorKind::invalid_argument, operation_, ": algorithm ", index,
          "; one of 0 to ", list.size() - 1, " is wanted");
  nb::dict result;
  for (const auto& [name, values] : list[index].plan->capabilities()) {
    nb::object value = nb::none();
    if (values) {
      nb::list numbers;
      for (const std::int64_t number : *values) numbers.append(number);
      value = numbers;
    }
    result[name.c_str()] = value;
  }
  return result;
}

nb::dict SessionObject::autotune(const TuneOptions& options, bool release_workspace,
                                 nb::handle stream) {
  const Lock lock(*this);
  session_->check_alive();
  Queue queue;
  if (on_device_ || !stream.is_none()) {
    queue = parse_stream(stream, *package_, stream_device(), operation_);
  }
  TuneReport report;
  {
    const LoggerScope logging(logger_);
    const WithoutGil other_threads_run(true);
    report = session_->autotune(options, queue.stream);
    if (release_workspace) session_->release_workspace();
  }
  learn_from_plan();
  nb::dict result;
  result["alternatives"] = report.alternatives;
  result["timed"] = report.timed;
  result["before"] = report.before;
  result["after"] = report.after;
  result["spent"] = report.spent;
  result["changed"] = report.changed;
  result["candidate"] = report.candidate;
  result["description"] = report.description;
  return result;
}

void SessionObject::select(std::size_t index) {
  const Lock lock(*this);
  session_->choose(index);
  learn_from_plan();
}

void SessionObject::select_named(const std::string& candidate, const std::string& variant) {
  const Lock lock(*this);
  session_->choose(candidate, variant);
  learn_from_plan();
}

void SessionObject::configure(std::size_t index, const nb::dict& changes) {
  std::vector<AlgorithmAttribute> settings;
  for (const auto& [name, value] : changes) {
    settings.push_back({nb::cast<std::string>(name), nb::cast<std::int64_t>(value)});
  }
  const Lock lock(*this);
  session_->configure(index, settings);
  learn_from_plan();
}

std::string SessionObject::explain() {
  const Lock lock(*this);
  return session_->explain();
}

std::size_t SessionObject::workspace_bytes() {
  const Lock lock(*this);
  return session_->workspace_bytes();
}

bool SessionObject::planned() {
  const Lock lock(*this);
  return session_->planned();
}

bool SessionObject::on_cuda() {
  const Lock lock(*this);
  return session_->placement().context.device.is_cuda();
}

bool SessionObject::freed() {
  const Lock lock(*this);
  return session_->freed();
}

int SessionObject::traverse(visitproc visit, void* arg) const {
  for (const auto& keeper : keepers_) Py_VISIT(keeper.ptr());
  Py_VISIT(out_.ptr());
  Py_VISIT(logger_.ptr());
  Py_VISIT(allocator_.ptr());
  return 0;
}

void SessionObject::clear() {
  // The collector found the object unreachable: nobody else can be in it.
  session_->free();
  std::vector<nb::object> dropped;
  dropped.swap(keepers_);
  out_ = nb::none();
  logger_ = nb::none();
}

}  // namespace mw::py
