// What will happen in a node, in order of time and, at one time, in the order in which it was
// asked for (messages of other nodes by their sender first), so that a run is the same every time.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "machine/d2now/d2now_parameters.h"

namespace raddle::machine::d2now {

enum class EventKind : std::uint8_t {
  kPostProcessing,  // the PPU has ended a step
  kIssue,           // the TIU has ended a step
  kFiring,          // a thread enters the firing queue
  kMessage,         // a message of another node arrives
  kReceived,        // … and is in memory
};

struct Event {
  Ticks at;
  std::uint64_t order = 0;
  EventKind what = EventKind::kPostProcessing;
  std::uint32_t number = 0;  // of the message or the thread in flight
  Ticks sent;                // of a message
};

class EventQueue {
 public:
  void schedule(Ticks at, EventKind what, std::uint32_t number = 0, Ticks sent = {}) {
    events_.push({at, kOwn + next_++, what, number, sent});
  }
  // From another node: (sender, how many it sent before) decides between those of one time.
  void schedule_message(Ticks at, std::uint32_t sender, std::uint64_t sent_before,
                        std::uint32_t number, Ticks sent) {
    events_.push(
        {at, std::uint64_t{sender} << 40 | sent_before, EventKind::kMessage, number, sent});
  }
  Ticks next_time() const { return events_.empty() ? kForever : events_.top().at; }
  Event pop() {
    const Event first = events_.top();
    events_.pop();
    return first;
  }

 private:
  static constexpr std::uint64_t kOwn = std::uint64_t{1} << 63;
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t next_ = 0;
};

}  // namespace raddle::machine::d2now
