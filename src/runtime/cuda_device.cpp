// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The primary context of each device is retained on first need and never released: CuPy, PyTorch
// and the CUDA runtime use the same one, memory and handles of ours live in it, and by the time
// static destructors run the driver may already be gone. The driver releases it with the process.
#include "runtime/cuda_device.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "base/text.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

namespace {

using cuda::DeviceAttribute;

struct Record {
  CudaDeviceInfo info;
  cuda::DeviceOrdinal device = 0;
  std::atomic<cuda::Context> context{nullptr};
};

// What one driver (or a test's stand-in for it) has.
struct Devices {
  const cuda::Api* driver = nullptr;
  std::vector<std::unique_ptr<Record>> records;
};

int attribute(const cuda::Api& api, DeviceAttribute which, cuda::DeviceOrdinal device) {
  int value = 0;
  cuda::call(api.cuDeviceGetAttribute, &value, which, device);
  return value;
}

std::unique_ptr<Record> describe(const cuda::Api& api, int ordinal) {
  auto record = std::make_unique<Record>();
  cuda::call(api.cuDeviceGet, &record->device, ordinal);
  const auto device = record->device;
  std::array<char, 256> name{};
  cuda::call(api.cuDeviceGetName, name.data(), static_cast<int>(name.size()), device);
  CudaDeviceInfo& info = record->info;
  info.name = name.data();
  info.capability = 10 * attribute(api, DeviceAttribute::compute_capability_major, device) +
                    attribute(api, DeviceAttribute::compute_capability_minor, device);
  info.multiprocessors = attribute(api, DeviceAttribute::multiprocessor_count, device);
  cuda::call(api.cuDeviceTotalMem_v2, &info.memory_bytes, device);
  // Two transfers per clock (in kHz) of a bus that many bits wide.
  info.bandwidth = 2.0 * 1e3 * attribute(api, DeviceAttribute::memory_clock_rate, device) *
                   attribute(api, DeviceAttribute::global_memory_bus_width, device) / 8;
  return record;
}

// Lists are kept for good (a reference to a record stays valid); normally there is one.
const Devices& devices() {
  static std::atomic<const Devices*> current{nullptr};
  static std::mutex& mutex = *new std::mutex;
  const cuda::Api& api = cuda::api();
  const Devices* found = current.load(std::memory_order_acquire);
  if (found != nullptr && found->driver == &api) return *found;
  const std::lock_guard lock(mutex);
  found = current.load(std::memory_order_acquire);
  if (found != nullptr && found->driver == &api) return *found;
  auto fresh = std::make_unique<Devices>();
  fresh->driver = &api;
  int count = 0;
  cuda::call(api.cuDeviceGetCount, &count);
  for (int i = 0; i < count; ++i) fresh->records.push_back(describe(api, i));
  current.store(fresh.get(), std::memory_order_release);
  return *fresh.release();
}

Record& record(int device_id) {
  const auto& records = devices().records;
  require(device_id >= 0 && static_cast<std::size_t>(device_id) < records.size(),
          ErrorKind::not_found, "device cuda:", device_id, " is not there: the driver shows ",
          records.size(),
          " device(s), numbered from 0. Check the number and CUDA_VISIBLE_DEVICES.");
  return *records[static_cast<std::size_t>(device_id)];
}

cuda::Context primary_context(Record& device) {
  cuda::Context context = device.context.load(std::memory_order_acquire);
  if (context != nullptr) [[likely]]
    return context;
  cuda::call(cuda::api().cuDevicePrimaryCtxRetain, &context, device.device);
  cuda::Context before = nullptr;
  if (!device.context.compare_exchange_strong(before, context, std::memory_order_acq_rel)) {
    cuda::call(cuda::api().cuDevicePrimaryCtxRelease_v2, device.device);  // retained once is enough
  }
  return context;
}

}  // namespace

int cuda_device_count() noexcept {
  try {
    const auto driver = cuda::load();
    int count = 0;
    if (!driver || driver.value()->cuDeviceGetCount(&count) != cuda::kSuccess) return 0;
    return count;
  } catch (...) {
    return 0;
  }
}

const CudaDeviceInfo& cuda_device_info(int device_id) { return record(device_id).info; }

CudaScope::CudaScope(int device_id) {
  const cuda::Context wanted = primary_context(record(device_id));
  cuda::Context current = nullptr;
  cuda::call(cuda::api().cuCtxGetCurrent, &current);
  if (current == wanted) return;
  cuda::call(cuda::api().cuCtxPushCurrent_v2, wanted);
  pushed_ = true;
}

CudaScope::~CudaScope() {
  if (!pushed_) return;
  cuda::Context popped = nullptr;
  cuda::check_quietly(cuda::api().cuCtxPopCurrent_v2(&popped), "cuCtxPopCurrent_v2");
}

void synchronize(Device device, Stream stream) {
  if (device.is_cpu()) return;
  const CudaScope scope(device.id);
  cuda::call(cuda::api().cuStreamSynchronize, stream.handle);
}

void synchronize_device(int device_id) {
  const CudaScope scope(device_id);
  cuda::call(cuda::api().cuCtxSynchronize);
}

bool is_capturing(Stream stream) {
  auto state = cuda::CaptureStatus::none;
  const auto status = cuda::api().cuStreamIsCapturing(stream.handle, &state);
  if (status == cuda::kStreamCaptureImplicit) return true;
  cuda::check(status, "cuStreamIsCapturing");
  return state != cuda::CaptureStatus::none;
}

void CudaEvent::record(int device_id, Stream stream) {
  const CudaScope scope(device_id);
  if (handle_ != nullptr && device_id != device_id_) {
    cuda::destroy_event(std::exchange(handle_, nullptr));  // an event belongs to one context
  }
  if (handle_ == nullptr) {
    cuda::call(cuda::api().cuEventCreate, &handle_, cuda::kEventDisableTiming);
    device_id_ = device_id;
  }
  cuda::call(cuda::api().cuEventRecord, handle_, stream.handle);
}

void CudaEvent::make_wait(Stream stream) const {
  if (handle_ == nullptr) return;
  const CudaScope scope(device_id_);
  cuda::call(cuda::api().cuStreamWaitEvent, stream.handle, handle_, 0U);
}

void CudaEvent::wait() const {
  if (handle_ == nullptr) return;
  const CudaScope scope(device_id_);
  cuda::call(cuda::api().cuEventSynchronize, handle_);
}

bool CudaEvent::reached() const {
  if (handle_ == nullptr) return true;
  const CudaScope scope(device_id_);
  const cuda::Api& api = cuda::api();
  // Outside the relaxed mode a query would invalidate the captures of this thread, or of all.
  auto mode = cuda::CaptureMode::relaxed;
  cuda::call(api.cuThreadExchangeStreamCaptureMode, &mode);
  const auto status = api.cuEventQuery(handle_);
  cuda::call(api.cuThreadExchangeStreamCaptureMode, &mode);
  return status == cuda::kSuccess;
}

CudaEvent::~CudaEvent() {
  if (handle_ != nullptr) cuda::destroy_event(handle_);
}

}  // namespace mw
