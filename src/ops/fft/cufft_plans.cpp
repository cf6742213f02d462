// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft/cufft_plans.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "base/log.hpp"
#include "runtime/device_program.hpp"

namespace mw {

namespace {

struct TypeRow {
  DType dtype;
  cufft::DataType type;
};
constexpr TypeRow kTypes[] = {
    {DType::float16, cufft::DataType::r_16f},   {DType::float32, cufft::DataType::r_32f},
    {DType::float64, cufft::DataType::r_64f},   {DType::complex32, cufft::DataType::c_16f},
    {DType::complex64, cufft::DataType::c_32f}, {DType::complex128, cufft::DataType::c_64f},
};

cufft::DataType cufft_type(DType dtype) {
  for (const auto& row : kTypes) {
    if (row.dtype == dtype) return row.type;
  }
  fail(ErrorKind::unsupported, FFTProblem::kOperation, ": cuFFT has no type for ", dtype);
}

/// One cuFFT plan; its work area is `workspace` bytes.
struct Made {
  cufft::PlanOwner plan;
  std::size_t workspace = 0;
};
Made make_plan(const ManyPass& pass, const CufftTypes& types,
               const std::vector<CufftCallback>& callbacks, void* arguments) {
  const cufft::Api& api = cufft::api();
  Made made;
  cufft::call(api.cufftCreate, made.plan.receive());
  cufft::call(api.cufftSetAutoAllocation, made.plan.get(), 0);
  // All that is given here is read when the plan is made.
  std::vector<void*> addresses(callbacks.size());
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    const CufftCallback& callback = callbacks[i];
    if (arguments != nullptr) {
      addresses[i] = static_cast<std::uint64_t*>(arguments) + callback.first_word;
    }
    cufft::call(api.cufftXtSetJITCallback, made.plan.get(), callback.symbol.c_str(),
                callback.code.data(), callback.code.size(), callback.type, &addresses[i]);
  }
  const auto longs = [](const Dims& dims) {
    return std::vector<long long>(dims.begin(), dims.end());
  };
  auto lengths = longs(pass.lengths);
  auto in_embed = longs(pass.in.embed);
  auto out_embed = longs(pass.out.embed);
  cufft::call(api.cufftXtMakePlanMany, made.plan.get(), static_cast<int>(lengths.size()),
              lengths.data(), in_embed.data(), pass.in.stride, pass.in.distance,
              cufft_type(types.side(pass.type == FFTType::r2c)), out_embed.data(), pass.out.stride,
              pass.out.distance, cufft_type(types.side(pass.type == FFTType::c2r)), pass.batch,
              &made.workspace, cufft_type(types.complex));
  return made;
}

// A kernel's own arguments are the way to device memory that a graph can capture.
constexpr std::size_t kWordsAtOnce = 64;
using Words = std::array<std::uint64_t, kWordsAtOnce>;
constexpr const char* kWriter = R"cuda(
struct Words { unsigned long long word[64]; };
extern "C" __global__ void mw_put_words(unsigned long long* to, Words words, int count) {
  if (threadIdx.x < count) to[threadIdx.x] = words.word[threadIdx.x];
}
)cuda";

}  // namespace

CufftPlanSet::CufftPlanSet(int device_id, const std::vector<ManyPass>& passes,
                           const CufftTypes& types, const std::vector<CufftCallback>& callbacks,
                           std::size_t words)
    : device_id_(device_id), arguments_(device_memory(device_id), 8 * words) {
  if (words > 0) {
    writer_ = device_kernel(device_id, {.source = kWriter, .name = "mw_put_words", .options = {}});
    synchronize(Device::cuda(device_id), {});  // the memory is there for every stream
  }
  for (const ManyPass& pass : passes) {
    Made made = make_plan(pass, types, callbacks, arguments_.data());
    workspace_bytes_ = std::max(workspace_bytes_, made.workspace);
    plans_.push_back(std::move(made.plan));
  }
}

CufftPlanSet::~CufftPlanSet() {
  if (written_.empty()) return;
  try {
    used_.wait();  // the arguments' memory is read until then
  } catch (const std::exception& error) {
    log(LogLevel::warning, [&] { return text("fft: cuFFT not waited for: ", error.what()); });
  }
}

void CufftPlanSet::use(Stream stream, void* work_area) {
  const cufft::Api& api = cufft::api();
  const bool new_stream = !on_stream_ || !(stream == stream_);
  const bool new_area = workspace_bytes_ > 0 && work_area != work_area_;
  on_stream_ = false;  // until all plans agree again
  for (const auto& plan : plans_) {
    if (new_stream) cufft::call(api.cufftSetStream, plan.get(), stream.handle);
    if (new_area) cufft::call(api.cufftSetWorkArea, plan.get(), work_area);
  }
  stream_ = stream;
  work_area_ = work_area;
  on_stream_ = true;
}

void CufftPlanSet::put_arguments(std::span<const std::uint64_t> words, Stream stream,
                                 bool capturing) {
  const bool elsewhere = !(stream == used_on_) && !written_.empty();
  if (!capturing && !elsewhere && std::ranges::equal(words, written_)) return;
  if (elsewhere && capturing) {
    // A graph cannot wait for what is outside of it.
    while (!used_.reached()) std::this_thread::yield();
  } else if (elsewhere) {
    used_.make_wait(stream);
  }
  written_.clear();  // should anything fail
  for (std::size_t first = 0; first < words.size(); first += kWordsAtOnce) {
    Words some{};
    const std::size_t count = std::min(kWordsAtOnce, words.size() - first);
    std::ranges::copy(words.subspan(first, count), some.begin());
    launch(writer_, {.blocks = 1, .threads = kWordsAtOnce}, stream,
           static_cast<std::uint64_t*>(arguments_.data()) + first, some, static_cast<int>(count));
  }
  written_.assign(words.begin(), words.end());
}

void CufftPlanSet::mark(Stream stream) {
  used_.record(device_id_, stream);
  used_on_ = stream;
}

CufftPlanPool::CufftPlanPool(int device_id, std::vector<ManyPass> passes, CufftTypes types,
                             std::vector<CufftCallback> callbacks, std::size_t words)
    : device_id_(device_id),
      passes_(std::move(passes)),
      types_(types),
      callbacks_(std::move(callbacks)),
      words_(words) {
  idle_.push_back(make());
  workspace_bytes_ = idle_.back()->workspace_bytes();
}

CufftPlanPool::~CufftPlanPool() {
  try {
    const CudaScope scope(device_id_);  // the last owner may be on any thread
    idle_.clear();
  } catch (const std::exception& error) {
    log(LogLevel::warning, [&] { return text("fft: cuFFT plans not destroyed: ", error.what()); });
  }
}

std::unique_ptr<CufftPlanSet> CufftPlanPool::make() const {
  return std::make_unique<CufftPlanSet>(device_id_, passes_, types_, callbacks_, words_);
}

std::unique_ptr<CufftPlanSet> CufftPlanPool::take(bool capturing) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto set = std::move(idle_.back());
      idle_.pop_back();
      return set;
    }
  }
  require(!capturing, ErrorKind::invalid_state, FFTProblem::kOperation,
          ": a graph has taken this plan's only set of cuFFT plans, and none can be made during a "
          "capture; execute once outside of it first");
  return make();
}

void CufftPlanPool::give_back(std::unique_ptr<CufftPlanSet> set) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(set));
}

void CufftPlanPool::leave_to_graph(std::unique_ptr<CufftPlanSet> set) {
  static std::mutex& mutex = *new std::mutex;
  static auto& sets = *new std::vector<std::unique_ptr<CufftPlanSet>>;
  const std::lock_guard lock(mutex);
  sets.push_back(std::move(set));
}

int cufft_version() {
  int version = 0;
  cufft::call(cufft::api().cufftGetVersion, &version);
  return version;
}

std::string cufft_name() { return text("cuFFT ", cufft_version()); }

void run_cufft(const ManyPass& pass, cufft::Plan plan, const CufftTypes& types, void* from,
               void* to, int direction) {
  const cufft::Api& api = cufft::api();
  const DType in = types.side(pass.type == FFTType::r2c);
  const DType out = types.side(pass.type == FFTType::c2r);
  const std::int64_t calls = pass.calls();
  for (std::int64_t index = 0; index < calls; ++index) {
    const LoopStart start = start_of(pass.loops, index);
    cufft::call(api.cufftXtExec, plan,
                static_cast<char*>(from) + start.in * static_cast<std::int64_t>(itemsize(in)),
                static_cast<char*>(to) + start.out * static_cast<std::int64_t>(itemsize(out)),
                direction);
  }
}

}  // namespace mw
