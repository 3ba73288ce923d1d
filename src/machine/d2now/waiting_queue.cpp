#include "machine/d2now/waiting_queue.h"

#include <tuple>

namespace raddle::machine::d2now {

bool WaitingQueue::ByNumberAndIndex::operator()(const ReadyThread& a, const ReadyThread& b) const {
  return std::tie(a.number, a.index, a.thread) < std::tie(b.number, b.index, b.thread);
}

void WaitingQueue::push(const ReadyThread& ready) {
  if (reorder_) {
    sorted_.insert(ready);
  } else {
    arrivals_.push_back(ready);
  }
}

ReadyThread WaitingQueue::pop() {
  if (!reorder_) {
    const ReadyThread first = arrivals_.front();
    arrivals_.pop_front();
    return first;
  }
  auto next = sorted_.upper_bound(last_);
  if (next == sorted_.end()) next = sorted_.begin();
  last_ = *next;
  sorted_.erase(next);
  return last_;
}

}  // namespace raddle::machine::d2now
