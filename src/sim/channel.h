// A bounded queue between two components, with a latency and back-pressure. What is sent is seen by
// the receiver `latency` cycles of the sender's clock later, at the receiver's next edge; a sender
// that found the channel full is woken when there is room. Space that the receiver frees in a cycle
// is seen by the sender in the next one, so that nothing depends on which of them ticks first: a
// channel needs two places to pass something every cycle.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/component.h"

namespace raddle::sim {

template <class T>
class Channel {
 public:
  explicit Channel(std::size_t capacity, Cycle latency = Cycle(1))
      : slots_(capacity), capacity_(capacity), latency_(latency) {
    RADDLE_ASSERT(capacity >= 1 && latency >= Cycle(1));
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Both must be part of an engine when the first item is sent.
  void connect(Component& sender, Component& receiver) {
    sender_ = &sender;
    receiver_ = &receiver;
  }

  // --- the sender's side, in cycles of the sender's clock
  bool full(Cycle now) const { return size_ + held_back(now) == capacity_; }
  // False: full; the sender is woken when there is room.
  template <class U = T>
  [[nodiscard]] bool try_send(U&& value, Cycle now) {
    if (full(now)) {
      // Room that was made in this very cycle counts in the next.
      if (size_ < capacity_) {
        sender_->wake(now + Cycle(1));
      } else {
        sender_waits_ = true;
      }
      return false;
    }
    const Cycle seen = cross(sender_->clock(), now + latency_, receiver_->clock());
    Slot& slot = slots_[wrapped(first_ + size_)];
    slot.value = std::forward<U>(value);
    slot.seen = seen;
    ++size_;
    receiver_->wake(seen);
    return true;
  }

  // --- the receiver's side, in cycles of the receiver's clock
  bool ready(Cycle now) const { return size_ > 0 && slots_[first_].seen <= now; }
  // When the first item can be taken; kNever if there is none.
  Cycle next_ready() const { return size_ > 0 ? slots_[first_].seen : kNever; }
  const T& front() const { return slots_[first_].value; }
  T pop(Cycle now) {
    T value = std::move(slots_[first_].value);
    drop(now);
    return value;
  }
  // The same without a look at it.
  void drop(Cycle now) {
    RADDLE_ASSERT(ready(now));
    // An empty one begins at the front again, which the host's caches hold.
    first_ = --size_ == 0 ? 0 : wrapped(first_ + 1);
    freed_ = now == freed_at_ ? freed_ + 1 : 1;
    freed_at_ = now;
    if (sender_waits_) {
      sender_waits_ = false;
      sender_->wake(cross(receiver_->clock(), now + Cycle(1), sender_->clock()));
    }
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Slot {
    T value{};
    Cycle seen{};
  };

  std::size_t wrapped(std::size_t place) const {
    return place < capacity_ ? place : place - capacity_;
  }

  // Places freed in this very cycle. Between two clocks they count at once: the engine orders the
  // ticks of different clocks by time.
  std::size_t held_back(Cycle now) const {
    const bool same_clock = &sender_->clock() == &receiver_->clock();
    return same_clock && now == freed_at_ ? freed_ : 0;
  }

  std::vector<Slot> slots_;
  std::size_t capacity_;  // of slots_, whose own size takes a division
  Cycle latency_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::size_t freed_ = 0;
  Cycle freed_at_ = kNever;
  bool sender_waits_ = false;
  Component* sender_ = nullptr;
  Component* receiver_ = nullptr;
};

}  // namespace raddle::sim
