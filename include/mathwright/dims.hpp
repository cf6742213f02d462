// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Dims: a short list of 64-bit numbers, one per axis. Extents, strides and axis lists are Dims.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>

namespace mw {

/// A vector of int64 that keeps up to eight of them inside itself, so that describing an ordinary
/// tensor allocates nothing; any rank is possible.
class Dims {
 public:
  static constexpr std::size_t kInline = 8;

  Dims() = default;
  explicit Dims(std::size_t count, std::int64_t value = 0) { resize(count, value); }
  Dims(std::initializer_list<std::int64_t> values) : Dims(values.begin(), values.end()) {}
  Dims(std::span<const std::int64_t> values) : Dims(values.begin(), values.end()) {}
  template <std::input_iterator Iterator>  // or Dims(3, 1) would take two numbers for iterators
  Dims(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(static_cast<std::int64_t>(*first));
  }
  Dims(const Dims& other) { *this = other; }
  Dims(Dims&& other) noexcept { *this = std::move(other); }
  ~Dims() = default;

  Dims& operator=(const Dims& other) {
    if (this != &other) {
      size_ = 0;
      reserve(other.size_);
      std::copy_n(other.data(), other.size_, data());
      size_ = other.size_;
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    heap_ = std::move(other.heap_);
    capacity_ = other.capacity_;
    size_ = other.size_;
    std::copy_n(other.inline_, kInline, inline_);
    other.size_ = 0;
    other.capacity_ = kInline;
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::int64_t* data() { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] const std::int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] std::int64_t* begin() { return data(); }
  [[nodiscard]] std::int64_t* end() { return data() + size_; }
  [[nodiscard]] const std::int64_t* begin() const { return data(); }
  [[nodiscard]] const std::int64_t* end() const { return data() + size_; }
  std::int64_t& operator[](std::size_t i) { return data()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::int64_t& back() { return data()[size_ - 1]; }
  [[nodiscard]] const std::int64_t& back() const { return data()[size_ - 1]; }

  void push_back(std::int64_t value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = value;
  }
  void resize(std::size_t count, std::int64_t value = 0) {
    reserve(count);
    if (count > size_) std::fill(data() + size_, data() + count, value);
    size_ = count;
  }
  void insert(std::size_t at, std::int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  operator std::span<const std::int64_t>() const { return {data(), size_}; }
  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    auto grown = std::make_unique<std::int64_t[]>(count);
    std::copy_n(data(), size_, grown.get());
    heap_ = std::move(grown);
    capacity_ = count;
  }

  std::int64_t inline_[kInline] = {};
  std::unique_ptr<std::int64_t[]> heap_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
};

}  // namespace mw
