// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cold_timer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "base/log.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/device_program.hpp"
#include "runtime/memory.hpp"
#include "runtime/thread_pool.hpp"
#include "vendor/cuda/api.hpp"

namespace mw {

class ColdTimer::Caches {
 public:
  Caches() = default;
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  virtual ~Caches() = default;
  virtual double seconds(FunctionRef<void()> prepare, FunctionRef<void()> work) = 0;
};

namespace {

constexpr std::size_t kPage = 2U << 20;  // a large page: a few faults instead of thousands

/// Bytes of the caches of all sockets, as the C library adds them up, bounded: a share of a large
/// server reports all of its cache.
std::size_t all_caches() {
  long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  constexpr long kUnknown = 32L << 20;
  return static_cast<std::size_t>(std::clamp(bytes > 0 ? bytes : kUnknown, 8L << 20, 256L << 20));
}

}  // namespace

class ColdTimer::HostCaches final : public Caches {
 public:
  explicit HostCaches(int threads)
      : threads_(threads), bytes_((all_caches() * 5 / 4 + kPage - 1) / kPage * kPage) {
    block_.reset(static_cast<char*>(std::aligned_alloc(kPage, bytes_)));
    require(block_ != nullptr, ErrorKind::out_of_memory, "autotune: no ",
            human_bytes(static_cast<double>(bytes_)), " of host memory to empty the caches with");
#ifdef MADV_HUGEPAGE
    (void)madvise(block_.get(), bytes_, MADV_HUGEPAGE);
#endif
    std::memset(block_.get(), 1, bytes_);  // pages that were never written are all one page
  }

  double seconds(FunctionRef<void()> prepare, FunctionRef<void()> work) override {
    prepare();
    evict();
    const Stopwatch watch;
    work();
    return watch.seconds();
  }

 private:
  struct FreeBlock {
    void operator()(char* block) const { std::free(block); }
  };

  void evict() {
    constexpr std::int64_t kLine = 64;
    const auto lines = static_cast<std::int64_t>(bytes_) / kLine;
    parallel_for(lines, lines / threads_ + 1, threads_,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   unsigned sum = 0;
                   for (std::int64_t i = begin; i < end; ++i) {
                     sum += static_cast<unsigned char>(block_.get()[i * kLine]);
                   }
                   sink_.fetch_add(sum, std::memory_order_relaxed);
                 });
  }

  int threads_;
  std::size_t bytes_;
  std::unique_ptr<char, FreeBlock> block_;
  std::atomic<unsigned> sink_{0};  // so that the reads are not left out
};

namespace {

/// Reads `count` times 16 bytes through the L2, past the L1. In the driver's assembler, which every
/// machine with a driver has; NVRTC may be absent and takes a second.
constexpr const char* kReadThrough = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry read_through(.param .u64 block, .param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [block];
  ld.param.u64 %d2, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r1, %r2, %r3;
  cvt.u64.u32 %d3, %r5;
  mul.lo.u32 %r6, %r2, %r4;
  cvt.u64.u32 %d4, %r6;
  mov.u32 %r7, 0;
  setp.ge.u64 %p1, %d3, %d2;
  @%p1 bra DONE;
LOOP:
  shl.b64 %d5, %d3, 4;
  add.s64 %d6, %d1, %d5;
  ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%d6];
  or.b32 %r7, %r7, %r8;
  or.b32 %r7, %r7, %r9;
  or.b32 %r7, %r7, %r10;
  or.b32 %r7, %r7, %r11;
  add.s64 %d3, %d3, %d4;
  setp.lt.u64 %p2, %d3, %d2;
  @%p2 bra LOOP;
  setp.eq.u32 %p1, %r7, 0;
  @%p1 bra DONE;
  st.global.u32 [%d1], %r7;
DONE:
  ret;
}
)";

/// The kernel in the device's context, loaded once; null where it does not load. The device is
/// current.
cuda::Kernel read_through(int device_id) {
  static std::mutex& mutex = *new std::mutex;
  static auto& kernels = *new std::map<int, cuda::Kernel>;
  const std::lock_guard lock(mutex);
  const auto [place, fresh] = kernels.try_emplace(device_id, nullptr);
  if (!fresh) return place->second;
  const cuda::Api& api = cuda::api();
  cuda::Module module = nullptr;
  if (api.cuModuleLoadData(&module, kReadThrough) != cuda::kSuccess) return nullptr;
  (void)api.cuModuleGetFunction(&place->second, module, "read_through");
  return place->second;
}

/// An event that keeps the time.
cuda::EventOwner timing_event() {
  void* event = nullptr;
  cuda::call(cuda::api().cuEventCreate, &event, 0U);
  return cuda::EventOwner(event);
}

}  // namespace

class ColdTimer::DeviceCaches final : public Caches {
 public:
  DeviceCaches(int device_id, Stream stream) : device_id_(device_id), stream_(stream) {
    const CudaScope scope(device_id);
    const cuda::Api& api = cuda::api();
    int bytes = 0;
    cuda::DeviceOrdinal device = 0;
    cuda::call(api.cuDeviceGet, &device, device_id);
    cuda::call(api.cuDeviceGetAttribute, &bytes, cuda::DeviceAttribute::l2_cache_size, device);
    constexpr int kLeast = 4 << 20;
    block_ = Buffer(device_memory(device_id), 2 * static_cast<std::size_t>(std::max(bytes, kLeast)),
                    stream);
    cuda::call(api.cuMemsetD8Async, cuda::device_ptr(block_.data()), static_cast<unsigned char>(0),
               block_.bytes(), stream.handle);
    kernel_ = read_through(device_id);
    if (!kernel_) {
      log(LogLevel::debug, [] {
        return std::string(
            "autotune: the caches are emptied by writing, since the kernel that "
            "reads does not load; short times come out too long");
      });
    }
    start_ = timing_event();
    stop_ = timing_event();
  }

  double seconds(FunctionRef<void()> prepare, FunctionRef<void()> work) override {
    const CudaScope scope(device_id_);
    const cuda::Api& api = cuda::api();
    prepare();
    evict();
    // The device is busy with that while the host queues the work: launches do not count unless
    // they take longer than what they launch.
    cuda::call(api.cuEventRecord, start_.get(), stream_.handle);
    work();
    cuda::call(api.cuEventRecord, stop_.get(), stream_.handle);
    cuda::call(api.cuEventSynchronize, stop_.get());
    float milliseconds = 0;
    cuda::call(api.cuEventElapsedTime, &milliseconds, start_.get(), stop_.get());
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  void evict() {
    const cuda::Api& api = cuda::api();
    if (!kernel_) {
      cuda::call(api.cuMemsetD8Async, cuda::device_ptr(block_.data()),
                 static_cast<unsigned char>(0), block_.bytes(), stream_.handle);
      return;
    }
    constexpr unsigned kThreads = 512;
    const LaunchShape shape{.blocks = 4 * cuda_device_info(device_id_).multiprocessors,
                            .threads = kThreads};
    launch(kernel_, shape, stream_, block_.data(), std::uint64_t{block_.bytes() / 16});
  }

  int device_id_;
  Stream stream_;
  Buffer block_;
  cuda::Kernel kernel_ = nullptr;
  cuda::EventOwner start_, stop_;
};

ColdTimer::ColdTimer(Device device, Stream stream, int threads) {
  if (device.is_cpu()) {
    caches_ = std::make_unique<HostCaches>(std::max(threads, 1));
  } else {
    caches_ = std::make_unique<DeviceCaches>(device.id, stream);
  }
}

ColdTimer::~ColdTimer() = default;

double ColdTimer::seconds(FunctionRef<void()> prepare, FunctionRef<void()> work) {
  return caches_->seconds(prepare, work);
}

}  // namespace mw
