// A first-in, first-out queue of fixed capacity within one component; for queues between components
// see sim::Channel. Allocates nothing after construction.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"

namespace raddle::memory {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : slots_(capacity), capacity_(capacity) {
    RADDLE_ASSERT(capacity >= 1);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }

  template <class U = T>
  void push(U&& value) {
    RADDLE_ASSERT(size_ < capacity_);
    std::size_t place = first_ + size_;
    if (place >= capacity_) place -= capacity_;
    slots_[place] = std::forward<U>(value);
    ++size_;
  }
  const T& front() const { return slots_[first_]; }
  T& front() { return slots_[first_]; }
  void pop() {
    RADDLE_ASSERT(size_ > 0);
    // An empty one begins at the front again, which the host's caches hold.
    if (--size_ == 0 || ++first_ == capacity_) first_ = 0;
  }

 private:
  std::vector<T> slots_;
  std::size_t capacity_;  // of slots_, whose own size takes a division
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace raddle::memory
