// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The problem: numerical calls come back to back, each worth some microseconds, on machines whose
// other libraries bring threads of their own. Waking must be cheap, idle workers must not burn the
// others' CPUs, and no call may wait for a worker that the system has not yet scheduled.
//
// Each worker has one word, its state, that moves like this:
//
//   idle ──(worker, after spinning)──> sleeping         both ──(caller)──> called
//   called ──(worker)──> running ──(worker)──> idle
//   called ──(caller, out of work)──> idle              the late worker finds nothing to do
//   running ──(caller, tired of spinning)──> awaited ──(worker)──> idle, and wakes the caller
//
// So a call costs no system call while workers spin, and a join waits only for bodies that run.
// One application thread uses the workers at a time; another that comes meanwhile runs its loop
// alone, on its own thread: with every CPU busy, waiting for the workers would not be faster.
#include "runtime/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/cpu_limits.hpp"

namespace mw {

namespace {

constexpr int kMaxThreads = 1024;
constexpr std::int64_t kRangesPerThread = 4;  // what dynamic hand-out needs to even out
constexpr std::chrono::microseconds kSpin{20};

enum State : int { idle, sleeping, called, running, awaited };

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins for about kSpin while the word has a value; returns the value then seen.
int spin_while(const std::atomic<int>& word, int value) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      const int seen = word.load(std::memory_order_acquire);
      if (seen != value) return seen;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return value;
}

// One parallel_for. Range i of n covers [i·count/n, (i+1)·count/n) up to rounding.
struct Loop {
  FunctionRef<void(std::int64_t, std::int64_t, int)> body;
  std::int64_t count;
  std::int64_t ranges;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;  // written by whoever set `failed`, read after the join

  void work(int worker) noexcept {
    const std::int64_t length = count / ranges;
    const std::int64_t longer = count % ranges;  // so many ranges have one item more
    while (!failed.load(std::memory_order_relaxed)) {
      const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= ranges) return;
      const std::int64_t begin = i * length + std::min(i, longer);
      try {
        body(begin, begin + length + (i < longer ? 1 : 0), worker);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  }
};

thread_local bool inside_body = false;

struct alignas(128) Worker {  // two lines: adjacent ones are fetched together
  std::atomic<int> state{idle};
  Loop* loop = nullptr;  // written before `called`, read after it
  int number = 0;

  void run() {
    inside_body = true;  // for good: nested calls run inline
    while (true) {
      int seen = spin_while(state, idle);
      if (seen == idle) {
        if (state.compare_exchange_strong(seen, sleeping, std::memory_order_acquire)) {
          state.wait(sleeping, std::memory_order_acquire);
        }
        continue;
      }
      if (!state.compare_exchange_strong(seen, running, std::memory_order_acquire)) continue;
      loop->work(number);
      if (state.exchange(idle, std::memory_order_acq_rel) == awaited) state.notify_one();
    }
  }

  void call(Loop& what) {
    loop = &what;
    if (state.exchange(called, std::memory_order_acq_rel) == sleeping) state.notify_one();
  }

  void join() {
    int seen = called;
    if (state.compare_exchange_strong(seen, idle, std::memory_order_acq_rel)) return;
    seen = spin_while(state, running);
    if (seen != running) return;
    if (state.compare_exchange_strong(seen, awaited, std::memory_order_acq_rel)) {
      state.wait(awaited, std::memory_order_acquire);
    }
  }
};

class Pool {
 public:
  bool try_acquire() { return busy_.try_lock(); }
  void release() { busy_.unlock(); }

  void run(Loop& loop, int threads) {
    const int helpers = grow(threads - 1);
    for (int i = 0; i < helpers; ++i) workers_[i]->call(loop);
    loop.work(0);
    for (int i = 0; i < helpers; ++i) workers_[i]->join();
  }

 private:
  // Starts workers until there are `wanted`; returns how many there are of those. Fewer (no more
  // threads or memory to be had) only makes the loop slower.
  int grow(int wanted) {
    try {
      while (started_ < wanted) {
        auto worker = std::make_unique<Worker>();
        worker->number = started_ + 1;
        start(*worker);
        workers_[started_++] = worker.release();  // as long-lived as its thread
      }
    } catch (const std::exception&) {
    }
    return std::min(started_, wanted);
  }

  // Signals are for the application's own threads.
  static void start(Worker& worker) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread thread([&worker] { worker.run(); });
      pthread_setname_np(thread.native_handle(), "mathwright");
      thread.detach();
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  std::mutex busy_;
  int started_ = 0;
  Worker* workers_[kMaxThreads] = {};
};

// Never destroyed: workers may still sleep on it while the process exits. A forked child has none
// of its parent's threads and may have inherited a locked mutex, so it starts again from nothing.
std::atomic<Pool*> current_pool{nullptr};

Pool& pool() {
  static const int at_fork = pthread_atfork(
      nullptr, nullptr, [] { current_pool.store(nullptr, std::memory_order_relaxed); });
  static_cast<void>(at_fork);
  Pool* found = current_pool.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto fresh = std::make_unique<Pool>();
    if (current_pool.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel)) {
      found = fresh.release();
    }
  }
  return *found;
}

struct InsideBody {
  InsideBody() { inside_body = true; }
  ~InsideBody() { inside_body = false; }
  InsideBody(const InsideBody&) = delete;
  InsideBody& operator=(const InsideBody&) = delete;
};

}  // namespace

int available_threads() {
  static const int count = std::min(read_cpu_limits().usable, kMaxThreads);
  return count;
}

void parallel_for(std::int64_t count, std::int64_t grain, int threads,
                  FunctionRef<void(std::int64_t begin, std::int64_t end, int worker)> body) {
  if (count <= 0) return;
  if (threads <= 0) threads = available_threads();
  const std::int64_t fitting = std::max<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1);
  threads = static_cast<int>(std::min<std::int64_t>({fitting, threads, kMaxThreads}));
  if (threads == 1 || inside_body) return body(0, count, 0);

  Pool& workers = pool();
  if (!workers.try_acquire()) return body(0, count, 0);
  Loop loop{body, count, std::min(fitting, kRangesPerThread * threads), {}, {}, {}};
  {
    const InsideBody inside;
    workers.run(loop, threads);
  }
  workers.release();
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace mw
