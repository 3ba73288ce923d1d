// Ready instances of threads with priorities, for all workers of a run: the highest number first,
// among equals the one that came first. It has a lock; threads without priorities do not come here.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <queue>
#include <vector>

#include "ddm/native/work_queue.h"

namespace raddle::ddm::native {

class PriorityQueue {
 public:
  void push(const Item& item, std::int64_t priority) {
    const std::lock_guard lock(mutex_);
    entries_.push({priority, ++pushed_, item});
    count_.store(entries_.size(), std::memory_order_seq_cst);
  }

  // The first one, unless its priority is lower than that.
  bool take(Item& item, std::int64_t least) {
    if (empty()) return false;
    const std::lock_guard lock(mutex_);
    if (entries_.empty() || entries_.top().priority < least) return false;
    item = entries_.top().item;
    entries_.pop();
    count_.store(entries_.size(), std::memory_order_seq_cst);
    return true;
  }

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_seq_cst) == 0; }

 private:
  struct Entry {
    std::int64_t priority;
    std::uint64_t number;
    Item item;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.number > b.number;
    }
  };

  std::mutex mutex_;
  std::priority_queue<Entry> entries_;
  std::uint64_t pushed_ = 0;
  std::atomic<std::size_t> count_{0};
};

}  // namespace raddle::ddm::native
