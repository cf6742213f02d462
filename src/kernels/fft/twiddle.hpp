// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Roots of unity, and aligned tables that live as long as somebody uses them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace mw::kernels::fft {

/// exp(−2πi·t/n) for any t in [0, n), to about an ulp of long double, so that rounding to double or
/// float is off by hardly more than half an ulp. Setting up costs O(√n) sines, each root one
/// product.
class Roots {
 public:
  explicit Roots(std::int64_t n);
  [[nodiscard]] std::complex<long double> operator()(std::int64_t t) const;

  /// Writes root t as T to at[0], and its imaginary part `gap` places further.
  template <class T>
  void put(std::int64_t t, T* at, std::int64_t gap = 1) const {
    const auto root = (*this)(t);
    at[0] = static_cast<T>(root.real());
    at[gap] = static_cast<T>(root.imag());
  }

 private:
  int shift_ = 0;
  std::vector<std::complex<long double>> fine_;    // w^t, t < 2^shift
  std::vector<std::complex<long double>> coarse_;  // w^(t·2^shift)
};

/// Zero-initialised array aligned to 64 bytes, the width of a cache line and of the widest vector.
template <class T>
class Table {
 public:
  Table() = default;
  explicit Table(std::int64_t count)
      : data_(
            static_cast<T*>(::operator new(static_cast<std::size_t>(count) * sizeof(T), kAlign))) {
    std::uninitialized_value_construct_n(data_.get(), count);
  }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlign{64};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kAlign); }
  };
  std::unique_ptr<T[], Free> data_;
};

/// One object per key (a length) while it is in use. Making an object may ask the cache for others,
/// so it is made outside the lock; of two threads making the same one, the first to finish wins.
template <class Key, class Value>
class SharedByKey {
 public:
  [[nodiscard]] std::shared_ptr<const Value> get(
      const Key& key, const std::function<std::shared_ptr<const Value>()>& make) {
    if (auto known = find(key)) return known;
    auto made = make();
    const std::lock_guard lock(mutex_);
    if (auto other = known_[key].lock()) return other;
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    known_[key] = made;
    return made;
  }

 private:
  std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(key);
    return at == known_.end() ? nullptr : at->second.lock();
  }

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const Value>> known_;
};

}  // namespace mw::kernels::fft
