// Items that each become ready at a cycle of their own, given out in the order of that cycle and,
// within a cycle, in the order in which they came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/clock.h"

namespace raddle::sim {

template <class T>
class TimedQueue {
 public:
  void push(T value, Cycle at) {
    items_.push_back({at, number_++, std::move(value)});
    std::push_heap(items_.begin(), items_.end(), later);
  }
  bool ready(Cycle now) const { return !items_.empty() && items_.front().at <= now; }
  Cycle next_ready() const { return items_.empty() ? kNever : items_.front().at; }
  const T& front() const { return items_.front().value; }
  T pop() {
    std::pop_heap(items_.begin(), items_.end(), later);
    T value = std::move(items_.back().value);
    items_.pop_back();
    return value;
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

 private:
  struct Item {
    Cycle at;
    std::uint64_t number;
    T value;
  };
  static bool later(const Item& a, const Item& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  std::vector<Item> items_;
  std::uint64_t number_ = 0;
};

}  // namespace raddle::sim
