// A unit that takes a new item every `interval` cycles and gives each back `latency` cycles after
// it came in, in order. A result that nobody takes stays in the last stage; when all stages are
// full after it, nothing new goes in.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/clock.h"

namespace raddle::sim {

template <class T>
class Pipeline {
 public:
  explicit Pipeline(Cycle latency, Cycle interval = Cycle(1))
      : slots_((latency.count() + interval.count() - 1) / interval.count()),
        latency_(latency),
        interval_(interval) {
    RADDLE_ASSERT(latency >= Cycle(1) && interval >= Cycle(1));
  }

  bool accepts(Cycle now) const { return now >= next_issue_ && size_ < slots_.size(); }
  // When the next item can go in if nothing is taken out until then; kNever when full.
  Cycle next_accept() const { return size_ < slots_.size() ? next_issue_ : kNever; }
  void push(T value, Cycle now) {
    RADDLE_ASSERT(accepts(now));
    slots_[wrapped(first_ + size_)] = {std::move(value), now + latency_};
    ++size_;
    next_issue_ = now + interval_;
  }

  bool ready(Cycle now) const { return size_ > 0 && slots_[first_].done <= now; }
  // When the first result is there; kNever if nothing is under way.
  Cycle next_ready() const { return size_ > 0 ? slots_[first_].done : kNever; }
  const T& front() const { return slots_[first_].value; }
  T pop() {
    RADDLE_ASSERT(size_ > 0);
    T value = std::move(slots_[first_].value);
    first_ = wrapped(first_ + 1);
    --size_;
    return value;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Slot {
    T value{};
    Cycle done{};
  };

  std::size_t wrapped(std::size_t place) const {
    return place < slots_.size() ? place : place - slots_.size();
  }

  std::vector<Slot> slots_;
  Cycle latency_;
  Cycle interval_;
  Cycle next_issue_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace raddle::sim
