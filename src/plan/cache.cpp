// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/cache.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/env.hpp"
#include "base/log.hpp"
#include "plan/plan_log.hpp"
#include "plan/tuning_file.hpp"
#include "runtime/memory.hpp"

namespace mw {

namespace {

using SelectionPtr = std::shared_ptr<const Selection>;

class PlanCache {
 public:
  static PlanCache& instance() {
    static PlanCache& cache = *new PlanCache;  // threads may plan while the process exits
    return cache;
  }

  SelectionPtr find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      ++statistics_.misses;
      return nullptr;
    }
    ++statistics_.hits;
    ++found->second->hits;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->selection;
  }

  SelectionPtr insert(const Key& key, std::string title, SelectionPtr selection) {
    std::list<Entry> dropped;  // plans are destroyed outside the lock
    bool thrashes = false;
    {
      const std::lock_guard lock(mutex_);
      if (statistics_.count_limit == 0) return selection;
      if (const auto found = index_.find(key); found != index_.end()) {
        return found->second->selection;
      }
      const std::size_t bytes = selection->plan->resident_bytes() + kEntryBytes;
      entries_.push_front({key, std::move(title), selection, bytes, 0});
      index_.emplace(key, entries_.begin());
      ++statistics_.count;
      statistics_.bytes += bytes;
      evict_into(dropped);
      // Thrashing: the cache has been filled and emptied over again while most look-ups failed.
      thrashes = !warned_ && statistics_.evictions > 2 * statistics_.count_limit &&
                 statistics_.hits < statistics_.misses;
      warned_ |= thrashes;
    }
    if (thrashes) warn();
    return selection;
  }

  void erase(const Key& key) {
    std::list<Entry> dropped;
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    statistics_.bytes -= found->second->bytes;
    --statistics_.count;
    dropped.splice(dropped.begin(), entries_, found->second);
    index_.erase(found);
  }

  PlanCacheStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  std::vector<PlanCacheEntry> entries() {
    const std::lock_guard lock(mutex_);
    std::vector<PlanCacheEntry> list;
    for (const auto& entry : entries_) {
      list.push_back({entry.title, entry.selection->chosen, entry.bytes, entry.hits});
    }
    return list;
  }

  void clear() {
    std::list<Entry> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(entries_);
    index_.clear();
    statistics_.count = statistics_.bytes = 0;
    statistics_.hits = statistics_.misses = statistics_.evictions = 0;
    warned_ = false;
  }

  void limit(std::size_t count, std::size_t bytes) {
    std::list<Entry> dropped;
    const std::lock_guard lock(mutex_);
    statistics_.count_limit = count;
    statistics_.bytes_limit = bytes;
    evict_into(dropped);
  }

 private:
  struct Entry {
    Key key;
    std::string title;
    SelectionPtr selection;
    std::size_t bytes;
    std::size_t hits;
  };
  static constexpr std::size_t kEntryBytes = 2048;  // key, title and the record of the selection

  PlanCache() {
    statistics_.count_limit =
        static_cast<std::size_t>(env_count(EnvVar::plan_cache_count).value_or(256));
    statistics_.bytes_limit =
        static_cast<std::size_t>(env_count(EnvVar::plan_cache_bytes).value_or(256 << 20));
  }

  // The newest entry stays even if it alone exceeds the bytes, unless the cache is off.
  void evict_into(std::list<Entry>& dropped) {
    while (statistics_.count > statistics_.count_limit ||
           (statistics_.bytes > statistics_.bytes_limit && statistics_.count > 1)) {
      auto oldest = std::prev(entries_.end());
      index_.erase(oldest->key);
      --statistics_.count;
      statistics_.bytes -= oldest->bytes;
      ++statistics_.evictions;
      dropped.splice(dropped.begin(), entries_, oldest);
    }
  }

  void warn() {
    const auto now = statistics();
    log(LogLevel::warning, [&] {
      return text("plan cache: ", now.evictions, " evictions and only ", now.hits, " hits against ",
                  now.misses, " misses with room for ", now.count_limit, " plans (",
                  human_bytes(static_cast<double>(now.bytes_limit)),
                  "). Raise MATHWRIGHT_PLAN_CACHE_COUNT or MATHWRIGHT_PLAN_CACHE_BYTES, or keep "
                  "stateful objects.");
    });
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> index_;
  PlanCacheStatistics statistics_;
  bool warned_ = false;
};

Key cache_key(const AnyProblem& problem, const Placement& placement) {
  Key key;
  key.add(std::string_view(problem.operation()));
  problem.add_to(key);
  key.add(placement);
  key.add(candidates_generation());
  key.add(tuning_generation());
  return key;
}

std::string cache_title(const AnyProblem& problem) {
  return text(problem.operation(), ": ", problem.title());
}

std::atomic<PlanningScope> planning_scope{[](FunctionRef<void()> make) { make(); }};

}  // namespace

void set_planning_scope(PlanningScope scope) {
  planning_scope.store(scope, std::memory_order_relaxed);
}

std::shared_ptr<const Selection> cached_selection(const AnyProblem& problem,
                                                  const Placement& placement) {
  const Key key = cache_key(problem, placement);
  auto& cache = PlanCache::instance();
  if (auto found = cache.find(key)) return found;
  SelectionPtr made;
  planning_scope.load(std::memory_order_relaxed)([&] {
    made =
        std::make_shared<const Selection>(with_tuned_choice(problem, select(problem, placement)));
  });
  log_plan(problem, placement);
  return cache.insert(key, cache_title(problem), std::move(made));
}

void replace_cached_selection(const AnyProblem& problem,
                              std::shared_ptr<const Selection> selection) {
  const Key key = cache_key(problem, selection->placement);
  auto& cache = PlanCache::instance();
  cache.erase(key);
  (void)cache.insert(key, cache_title(problem), std::move(selection));
}

PlanCacheStatistics plan_cache_statistics() { return PlanCache::instance().statistics(); }

std::vector<PlanCacheEntry> plan_cache_entries() { return PlanCache::instance().entries(); }

void clear_plan_cache() {
  PlanCache::instance().clear();
  clear_pools();
}

void limit_plan_cache(std::size_t count, std::size_t bytes) {
  PlanCache::instance().limit(count, bytes);
}

}  // namespace mw
