// What tests of memory parts put at both ends of a channel: a sender with a timetable and a taker
// that notes when it saw what.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/channel.h"
#include "sim/component.h"

namespace raddle::memory {

// Sends each item in its cycle or, if there is no room, as soon as there is; any number a cycle.
template <class T>
class Sender : public sim::Component {
 public:
  explicit Sender(sim::Channel<T>& out) : Component("sender"), out_(out) {}

  // Times never fall. Before the run, or while it is asleep: then wake it.
  void at(Cycle cycle, T value) { timetable_.push_back({cycle, std::move(value)}); }
  Cycle first() const { return timetable_.empty() ? sim::kNever : timetable_.front().first; }

  Cycle tick(Cycle now) override {
    while (next_ < timetable_.size() && timetable_[next_].first <= now) {
      if (!out_.try_send(timetable_[next_].second, now)) return sim::kNever;
      ++next_;
    }
    return next_ < timetable_.size() ? timetable_[next_].first : sim::kNever;
  }
  std::size_t sent() const { return next_; }

 private:
  sim::Channel<T>& out_;
  std::vector<std::pair<Cycle, T>> timetable_;
  std::size_t next_ = 0;
};

// Takes all that is there, or one item every `interval` cycles, from cycle `from` on.
template <class T>
class Taker : public sim::Component {
 public:
  explicit Taker(sim::Channel<T>& in, Cycle interval = Cycle(0), Cycle from = Cycle(0))
      : Component("taker"), in_(in), interval_(interval), free_(from) {}

  Cycle tick(Cycle now) override {
    while (in_.ready(now)) {
      if (now < free_) return free_;
      taken.emplace_back(now.count(), in_.pop(now));
      free_ = now + interval_;
    }
    return in_.next_ready();
  }

  std::vector<std::pair<std::uint64_t, T>> taken;

 private:
  sim::Channel<T>& in_;
  Cycle interval_;
  Cycle free_;
};

}  // namespace raddle::memory
